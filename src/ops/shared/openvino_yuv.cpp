// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/openvino_yuv.h"
#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"
#include "evaluators/programs.h"
#include "ops/shared/computed_places.h"
#include "ops/shared/openvino.h"
namespace opref::ops {
using namespace evaluators;
namespace {
constexpr std::array<std::string_view, 3> kPlanes = {"arg_y", "arg_u", "arg_v"}, kPairs = {"arg_y", "arg_uv"};

template <Chroma chroma>
constexpr std::string_view color(size_t k) {
  return chroma == Chroma::planes ? kPlanes[k] : kPairs[k];
}
template <Chroma chroma>
bool is_one_plane(const Call& call) {
  return !call.has(color<chroma>(1));
}

/// [N, H, W, 3]
template <Chroma chroma>
Dims image(const Call& call) {
  const Dims& y = call.type("arg_y").shape;
  require(y.size() == 4 && y[3] == 1, "arg_y has shape {}, but must be [N, {}, W, 1]", y,
          is_one_plane<chroma>(call) ? "H * 3/2" : "H");
  const bool is_one = is_one_plane<chroma>(call);
  require(!is_one || y[1] % 3 == 0, "arg_y has {}, but one plane with light and color has a multiple of 3",
          counted(y[1], "row"));
  const std::int64_t H = is_one ? y[1] / 3 * 2 : y[1], W = y[2];
  require(H % 2 == 0 && W % 2 == 0, "arg_y has shape {}, but the image's height and width, {} and {}, must be even", y,
          H, W);
  return {y[0], H, W, 3};
}

template <Chroma chroma>
std::vector<ValueType> yuv_types(const Call& call) {
  const Dims shape = image<chroma>(call);
  const Dims half{shape[0], shape[1] / 2, shape[2] / 2, chroma == Chroma::planes ? 1 : 2};
  for (size_t k = 1; k < (chroma == Chroma::planes ? 3 : 2); ++k) {
    const std::string_view name = color<chroma>(k);
    require(call.has(name) != is_one_plane<chroma>(call), "{} is omitted, but {} is given: a node has all or none",
            name, color<chroma>(1));
    if (call.has(name))
      require(call.type(name).shape == half, "{} has shape {}, but arg_y has {}, and then it must be {}", name,
              call.type(name).shape, call.type("arg_y").shape, half);
  }
  return {TensorType{call.type("arg_y").dtype, shape}};
}

// Numbers of out are sums of weights times x - less, the weights in thousandths, divided by how many pixels there are,
// and a number more. `Sums` has of element i its terms(i, f), f(weight, elements, place, less) for each, pixels(i),
// more(i).

/// 1.164, given as 1164: a fraction, or what kernels have for it. Other numbers are divided by 1000 at the end.
template <class R>
R thousandths(std::int64_t n) {
  if constexpr (std::is_same_v<R, Faithful>)
    return computed(Rational(n) / Rational(1000));
  else
    return R::whole(n);
}

template <class Sums>
struct RealSums {
  const Sums& sums;

  template <class R>
  R operator()(std::int64_t i, const Reader<R>& x) const {
    SumOf<R> sum;
    sums.terms(i, [&](std::int64_t weight, const Elements& of, std::int64_t place, std::int64_t less) {
      sum.add(thousandths<R>(weight) * (x(of, place) - R::whole(less)));
    });
    const std::int64_t divisor = (std::is_same_v<R, Faithful> ? 1 : 1000) * sums.pixels(i);
    return max(R(0.0), min(R(255.0), sum.total() / R::whole(divisor) + R::whole(sums.more(i))));
  }
};

/// Limited to [0, 255]; bytes are rounded, halves up.
template <class Sums>
Tensor limited(const Output& out, const Sums& sums) {
  if (is_floating(out.type().dtype)) return real(out, RealSums<Sums>{sums});
  return wholes(out, [&](std::int64_t i, const WholeReader& x) {
    const std::int64_t divisor = 1000 * sums.pixels(i);
    std::int64_t sum = sums.more(i) * divisor;
    sums.terms(i, [&](std::int64_t weight, const Elements& of, std::int64_t place, std::int64_t less) {
      sum += weight * (static_cast<std::int64_t>(x(of, place)) - less);
    });
    return static_cast<std::uint64_t>((2 * std::clamp<std::int64_t>(sum, 0, 255 * divisor) + divisor) / (2 * divisor));
  });
}

struct Color {
  Elements y, u, v;
  Dims shape;
  std::int64_t y_step;                                 ///< from one image to the next in y
  std::int64_t u_first, v_first, n_step, row, column;  ///< where color begins, and its steps
  std::int64_t red;                                    ///< its channel

  template <class F>
  void terms(std::int64_t i, const F& f) const {
    const auto [n, h, w, channel] = split(i, shape[1], shape[2], shape[3]);
    const std::int64_t at = n * n_step + h / 2 * row + w / 2 * column;
    f(1164, y, n * y_step + h * shape[2] + w, 16);
    if (channel == 1) f(-391, u, u_first + at, 128), f(-813, v, v_first + at, 128);
    if (channel == red) f(1596, v, v_first + at, 128);
    if (channel == 2 - red) f(2018, u, u_first + at, 128);
  }
  static std::int64_t pixels(std::int64_t) { return 1; }
  static std::int64_t more(std::int64_t) { return 0; }
};

template <Chroma chroma, ColorOrder order>
std::vector<Value> colors(const Call& call, std::span<const Output> outs) {
  const Dims& shape = outs[0].type().shape;
  const std::int64_t plane = shape[1] * shape[2];
  const bool is_one = is_one_plane<chroma>(call), pairs = chroma == Chroma::pairs;
  const Tensor &y = call.input("arg_y"), &u = is_one ? y : call.input(color<chroma>(1)),
               &v = is_one || pairs ? u : call.input(kPlanes[2]);
  const std::int64_t first = is_one ? plane : 0, y_step = is_one ? plane / 2 * 3 : plane;
  return {limited(outs[0], Color{.y = Elements(y),
                                 .u = Elements(u),
                                 .v = Elements(v),
                                 .shape = shape,
                                 .y_step = y_step,
                                 .u_first = first,
                                 .v_first = pairs    ? first + 1
                                            : is_one ? first + plane / 4
                                                     : 0,
                                 .n_step = is_one  ? y_step
                                           : pairs ? plane / 2
                                                   : plane / 4,
                                 .row = pairs ? shape[2] : shape[2] / 2,
                                 .column = pairs ? 2 : 1,
                                 .red = order == ColorOrder::rgb ? 0 : 2})};
}

template <Chroma chroma, ColorOrder order>
Operator conversion(std::string_view op_type) {
  return Operator("openvino", op_type)
      .version(8,
               [](OpSchema& s) {
                 s.input("arg_y", "T");
                 for (size_t k = 1; k < (chroma == Chroma::planes ? 3 : 2); ++k)
                   s.input(color<chroma>(k), "T", Arity::optional);
                 s.output("out", "T").types("T", computed_floats | DType::uint8);
               })
      .output_types(yuv_types<chroma>)
      .kernel(colors<chroma, order>);
}

// The way back.

/// [N, H, W, 3]
const Dims& colors_shape(const Call& call) {
  const Dims& arg = call.type("arg").shape;
  require(arg.size() == 4 && arg[3] == 3, "arg has shape {}, but must be [N, H, W, 3]", arg);
  require(arg[1] % 2 == 0 && arg[2] % 2 == 0, "arg has shape {}, but its height and width must be even", arg);
  return arg;
}

std::vector<ValueType> nv12_types(const Call& call) {
  const DType dtype = call.type("arg").dtype;
  const Dims& arg = colors_shape(call);
  const bool is_one = call.flag("single_plane");
  require(call.output_count() == (is_one ? 1U : 2U), "attribute 'single_plane' is {}, but the node has {}",
          is_one ? "true" : "false", counted(call.output_count(), "output"));
  if (is_one) return {TensorType{dtype, Dims{arg[0], arg[1] / 2 * 3, arg[2], 1}}};
  return {TensorType{dtype, Dims{arg[0], arg[1], arg[2], 1}},
          TensorType{dtype, Dims{arg[0], arg[1] / 2, arg[2] / 2, 2}}};
}

/// What weights, in thousandths of red, green and blue, give.
using Weights = std::array<std::int64_t, 3>;
constexpr Weights kLight = {257, 504, 98};
constexpr std::array<Weights, 2> kColor = {{{-148, -291, 439}, {439, -368, -71}}};

struct Nv12 {
  Elements arg;
  Dims shape;
  std::int64_t rows;  ///< of the plane: H of light, H/2 of color, or both
  bool is_color;      ///< alone
  bool is_reversed;   ///< blue comes first

  /// The row of color that element i lies in; negative: it is light.
  std::int64_t color_row(std::int64_t i) const { return i / shape[2] % rows - (is_color ? 0 : shape[1]); }

  template <class F>
  void terms(std::int64_t i, const F& f) const {
    const auto [n, row, column] = split(i, rows, shape[2]);
    const std::int64_t of_color = color_row(i);
    if (of_color < 0) return add_pixel(kLight, n, row, column, f);
    for (const std::int64_t below : {0, 1})
      for (const std::int64_t beside : {0, 1})
        add_pixel(kColor[static_cast<size_t>(column % 2)], n, of_color * 2 + below, column / 2 * 2 + beside, f);
  }
  std::int64_t pixels(std::int64_t i) const { return color_row(i) < 0 ? 1 : 4; }
  std::int64_t more(std::int64_t i) const { return color_row(i) < 0 ? 16 : 128; }

  template <class F>
  void add_pixel(const Weights& weights, std::int64_t n, std::int64_t row, std::int64_t column, const F& f) const {
    const std::int64_t first = ((n * shape[1] + row) * shape[2] + column) * 3;
    for (size_t c = 0; c < 3; ++c) f(weights[is_reversed ? 2 - c : c], arg, first + static_cast<std::int64_t>(c), 0);
  }
};

template <ColorOrder order>
std::vector<Value> nv12_planes(const Call& call, std::span<const Output> outs) {
  const Dims& arg = colors_shape(call);
  const bool is_one = call.flag("single_plane");
  std::vector<Value> planes;
  for (size_t k = 0; k < outs.size(); ++k)
    planes.emplace_back(limited(outs[k], Nv12{.arg = Elements(call.input("arg")),
                                              .shape = arg,
                                              .rows = k == 1   ? arg[1] / 2
                                                      : is_one ? arg[1] / 2 * 3
                                                               : arg[1],
                                              .is_color = k == 1,
                                              .is_reversed = order == ColorOrder::bgr}));
  return planes;
}
}  // namespace
Operator openvino_yuv(std::string_view op_type, Chroma chroma, ColorOrder order) {
  if (chroma == Chroma::planes)
    return order == ColorOrder::rgb ? conversion<Chroma::planes, ColorOrder::rgb>(op_type)
                                    : conversion<Chroma::planes, ColorOrder::bgr>(op_type);
  return order == ColorOrder::rgb ? conversion<Chroma::pairs, ColorOrder::rgb>(op_type)
                                  : conversion<Chroma::pairs, ColorOrder::bgr>(op_type);
}

Operator openvino_nv12(std::string_view op_type, ColorOrder order) {
  return Operator("openvino", op_type)
      .version(17,
               [](OpSchema& s) {
                 s.attribute(with_default("single_plane", 1, flag()))
                     .input("arg", "T")
                     .output("out", "T", Arity::variadic)
                     .types("T", computed_floats | DType::uint8);
               })
      .output_types(nv12_types)
      .kernel(order == ColorOrder::rgb ? nv12_planes<ColorOrder::rgb> : nv12_planes<ColorOrder::bgr>);
}
}  // namespace opref::ops
