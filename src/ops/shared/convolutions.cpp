// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/convolutions.h"
#include <algorithm>
#include <array>
#include <bit>

#include "core/error.h"
#include "evaluators/sum.h"
#include "exact/rounding.h"
#include "exact/uniform.h"
#include "ops/shared/windows.h"
namespace opref::ops {
namespace {
struct Names {
  std::string_view x, w, bias = "B";
};
/// X's sizes as (N, C, D1, …).
Dims image(const Call& call, std::string_view x) { return channels_second(call.type(x).shape, channels_at(call)); }
Names names_of(const Call& call) {
  const auto& formal = call.schema().inputs();
  const bool is_small = std::ranges::find(formal, "w", &FormalParameter::name) != formal.end();
  return {formal.front().name, is_small ? "w" : "W"};
}
}  // namespace
PoolingWindows convolution_windows(const Call& call) {
  const Names names = names_of(call);
  return windows_over(call, spatial(image(call, names.x)), kernel_sizes(call));
}

Dims kernel_sizes(const Call& call) {
  const Dims& w = call.type(names_of(call).w).shape;
  const Dims kernel = spatial(w),
             stated = call.has_here("kernel_shape") ? per_axis(call, "kernel_shape", kernel.size(), 1) : kernel;
  require(stated == kernel, "attribute 'kernel_shape' is {}, but {} has shape {}", stated, names_of(call).w, w);
  return kernel;
}

void require_kernels(const Call& call) {
  const Names names = names_of(call);
  require_spatial(call, names.x);
  const Dims &x = call.type(names.x).shape, &w = call.type(names.w).shape;
  require(w.size() == x.size(), "{} has shape {}, but must have as many axes as {}, {}", names.w, w, names.x, x.size());
  require_spatial_sizes(call, names.w, spatial(w));
}

void require_bias(const Call& call, std::int64_t M) {
  const std::string_view bias = names_of(call).bias;
  const bool has_bias = call.has_here(bias);
  require(!has_bias || call.type(bias).shape == Dims{M}, "{} has shape {}, but must have {}", bias,
          has_bias ? call.type(bias).shape : Dims{}, Dims{M});
}

/// Where the last axes would fit: channels stand last there, as TensorFlow has them.
std::string order_meant(const Dims& x, const Dims& w, std::int64_t group, const Names& names) {
  const std::size_t rank = x.size();
  const auto fits = [group](std::int64_t all, std::int64_t each) { return all % group == 0 && all / group == each; };
  if (fits(x[rank - 1], w[1])) return format("; the last axis of {} has {}: is it (N, …, C)?", names.x, x[rank - 1]);
  if (fits(x[1], w[rank - 2]))
    return format("; axis {} of {} has {}: is it (…, C, M)?", rank - 2, names.w, w[rank - 2]);
  return "";
}

Dims convolution_shape(const Call& call) {
  require_kernels(call);
  const Names names = names_of(call);
  const Dims x = image(call, names.x), &w = call.type(names.w).shape;
  const std::int64_t group = call.integer("group"), M = w[0];
  require(x[1] % group == 0 && x[1] / group == w[1], "{} has {} for each of {}, but {} has {}{}", names.w,
          counted(w[1], "channel"), counted(group, "group"), names.x, counted(x[1], "channel"),
          channels_at(call) == ChannelsAt::last ? "" : order_meant(x, w, group, names));
  require(M % group == 0, "{} has {}, which {} cannot share", names.w, counted(M, "output channel"),
          counted(group, "group"));
  require_bias(call, M);
  return join(Dims{x[0], M}, convolution_windows(call).O);
}

TermOrder convolution_order(const Call& call) {
  const auto& formal = call.schema().inputs();
  const auto named =
      std::ranges::find_first_of(formal, std::array<std::string_view, 2>{"W", "w"}, {}, &FormalParameter::name);
  const size_t kernels = named == formal.end() ? 1 : static_cast<size_t>(named - formal.begin());
  const Dims x = channels_second(call.inputs()[0].type.tensor.shape, channels_at(call)),
             &w = call.inputs()[kernels].type.tensor.shape;
  const bool grouped = w.size() > x.size();  // [GROUPS, C_IN, …]
  const std::int64_t groups = grouped ? w[0] : call.has_here("group") ? call.integer("group") : 1;
  return {true, x[1] / groups, element_count(w.without_first(w.size() - (x.size() - 2)))};
}

Operator convolution_operator(std::string_view op_type, std::string_view domain) {
  return Operator(domain, op_type)
      .placement([](const Call& call) {
        const PoolingWindows w = convolution_windows(call);
        return std::vector<Dims>{w.pads.begin, w.O};
      })
      .notes([](const Call& call) { return window_notes(call, convolution_windows(call)); })
      .short_names(spatial_short_names())
      .order(convolution_order);
}

void convolution_attributes(OpSchema& s, DefaultStated stated) {
  s.attribute(per_axis_attribute("dilations", 1, stated))
      .attribute(with_default("group", 1, at_least(1)))
      .attribute({"kernel_shape", INTS, Presence::optional, at_least(1), {}, "the spatial sizes of W"})
      .attribute(pads_attribute(stated))
      .attribute(per_axis_attribute("strides", 1, stated));
}

Convolution::Convolution(const Call& call, TermSink* sink)
    : Convolution(call.type(names_of(call).w).shape, call.integer("group"), convolution_windows(call), sink,
                  channels_at(call)) {}

void convolution_version_1(OpSchema& s, std::string_view meaning_of_w) {
  s.attribute(auto_pad_attribute());
  convolution_attributes(s, DefaultStated::no);
  s.input("X", "T", "the data, (N, C, D1, …)")
      .input("W", "T", meaning_of_w)
      .input("B", "T", Arity::optional, "the bias, (M)")
      .output("Y", "T", "the result, (N, M, O1, …)")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

// w is (M, C/groups, k1, …).
Convolution::Convolution(const Dims& w, std::int64_t groups, const PoolingWindows& windows, TermSink* sink,
                         ChannelsAt channels)
    : axes_(evaluators::window_axes(windows.L, windows.k, windows.O, windows.s, windows.d, windows.pads.begin)),
      taps_(w[1] == 0 ? without_taps(axes_) : axes_, sink),
      groups_(groups),
      M_(w[0] / groups),
      C_(w[1]),
      L_(C_ == 0 ? 0 : element_count(windows.L)),
      K_(C_ == 0 ? 0 : element_count(windows.k)),
      O_(element_count(windows.O)),
      x_channel_(channels == ChannelsAt::last ? 1 : L_),
      x_place_(channels == ChannelsAt::last ? groups_ * C_ : 1),
      y_channel_(channels == ChannelsAt::last ? 1 : O_),
      y_place_(channels == ChannelsAt::last ? groups_ * M_ : 1) {}
namespace {
int log2_of(std::int64_t n) { return 63 - std::countl_zero(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))); }

enum class Parity : std::uint8_t { any, odd };

/// A positive or negative whole number of at most 2^bits, each equally likely.
std::uint64_t signed_bits(const Random& random, DType dtype, std::int64_t index, int bits, Parity parity) {
  const auto most = std::int64_t{1} << bits;
  const std::int64_t value = parity == Parity::odd
                                 ? 2 * std::int64_t{random.below(static_cast<std::uint32_t>(most), index)} - most + 1
                                 : random.below(static_cast<std::uint32_t>(2 * most + 1), index) - most;
  return bits_of_number(dtype, value < 0, static_cast<std::uint64_t>(value < 0 ? -value : value), 0);
}

// --- Transposed convolutions: sums of products over input channels and taps

enum class Role : std::uint8_t { data, kernel, bias };

/// What the input is to the product; a `usage` error where its type is not rounded.
Role role_of(const Call& call, std::string_view input, std::string_view generator) {
  const DType dtype = call.type(input).dtype;
  if (info(dtype).kind != Kind::floating)
    fail(Fault::usage, "the generator '{}' has no values of type {}", generator, dtype);
  const auto& formal = call.schema().inputs();
  return input == formal[0].name ? Role::data : input == formal[1].name ? Role::kernel : Role::bias;
}

/// Where the input channels are.
struct Product {
  std::int64_t channels;  ///< of each group
  size_t w_axis;          ///< theirs; X has them at 1
  std::int64_t terms;     ///< of an output element, at most
};

Product product_of(const Call& call) {
  const TensorType &x = call.inputs()[0].type.tensor, &w = call.inputs()[1].type.tensor;
  const size_t axes = x.rank() - 2;
  const bool grouped = w.rank() > x.rank();  // [GROUPS, C_IN, …]
  const std::int64_t groups = call.has_here("group") ? call.integer("group") : 1;
  Product product{grouped ? w.shape[1] : w.shape[0] / groups, grouped ? size_t{1} : size_t{0}, 1};
  const Dims strides = per_axis(call, "strides", axes, 1);
  product.terms = std::max<std::int64_t>(product.channels, 1);
  for (size_t axis = 0; axis < axes; ++axis)
    product.terms = checked_multiply(product.terms, ceil_divide(w.shape[w.rank() - axes + axis], strides[axis]));
  return product;
}

/// Whole numbers whose products' sums have about p+1 bits: an odd one between 2^p and 2^(p+1) is a midpoint. With odd
/// numbers on one side half of the sums are odd.
Tensor tie_factors(const Random& random, const TensorType& type, Role role, const Product& product) {
  const int total = precision_of(type.dtype) + 2 - log2_of(product.terms) / 2;
  const int bits = std::clamp(role == Role::data ? total / 2 : total - total / 2, 1, 30);
  const Parity parity = role == Role::data ? Parity::odd : Parity::any;
  return tensor_of_bits(type, [&](std::int64_t i) { return signed_bits(random, type.dtype, i, bits, parity); });
}

/// Nothing, or a little more or less.
Tensor tie_addends(const Random& random, const TensorType& type) {
  const int least = least_exponent(type.dtype);
  return tensor_of_bits(type, [&](std::int64_t i) {
    const std::uint32_t choice = random.below(3, i);
    return bits_of_number(type.dtype, choice == 1, choice == 0 ? 0 : 1, least);
  });
}

/// The first and last channels are alike, in W but for the sign; between them all is small.
Tensor cancelling_factors(const Random& random, const TensorType& type, Role role, const Product& product) {
  if (product.channels < 2)
    fail(Fault::usage, "the generator 'cancel' needs 2 input channels in each group, but there is {}",
         product.channels);
  const size_t axis = role == Role::data ? 1 : product.w_axis;
  const std::int64_t inner = element_count(type.shape.without_first(axis + 1)), last = product.channels - 1;
  const int spread = precision_of(type.dtype) + 5 + log2_of(product.terms), up = spread / 2;
  return tensor_of_bits(type, [&](std::int64_t i) {
    const std::int64_t channel = i / inner % product.channels;
    const bool is_last = channel == last, large = channel == 0 || is_last;
    const std::int64_t source = is_last ? i - last * inner : i;
    const int scale = role == Role::data ? 0 : large ? up : up - spread;
    const std::uint64_t bits = uniform_bits(random, type.dtype, source, scale);
    const std::uint64_t sign = std::uint64_t{1} << (info(type.dtype).bits - 1);
    return role == Role::kernel && is_last ? bits ^ sign : bits;
  });
}

constexpr std::string_view kCancel = "terms that cancel to less than 2^-p of the largest, p the type's precision";

/// Whole numbers of which many sums (a tenth or more) are midpoints, which a bias with this generator leaves as they
/// are or moves a little.
Tensor product_ties(const Call& call, std::string_view input, const Random& random) {
  const Role role = role_of(call, input, "ties");
  const TensorType& type = call.type(input);
  return role == Role::bias ? tie_addends(random, type) : tie_factors(random, type, role, product_of(call));
}

/// Of each group's input channels the first and the last cancel, what is between them and the bias are left. A `usage`
/// error where a group has one channel.
Tensor product_cancel(const Call& call, std::string_view input, const Random& random) {
  const Role role = role_of(call, input, "cancel");
  const TensorType& type = call.type(input);
  if (role != Role::bias) return cancelling_factors(random, type, role, product_of(call));
  const int small = -(precision_of(type.dtype) + 5);
  return tensor_of_bits(type, [&](std::int64_t i) { return uniform_bits(random, type.dtype, i, small / 2); });
}
}  // namespace
int least_exponent(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return Format<Half>::min_exponent;
    case DType::bfloat16:
      return Format<BFloat16>::min_exponent;
    case DType::float32:
      return Format<float>::min_exponent;
    default:
      return Format<double>::min_exponent;
  }
}

Dims ConvTransposeGeometry::span() const {
  return at_place([&] { return format("in span = (k-1)*dilations + 1 with k {}, dilations {}", k, d); },
                  [&] { return (k - 1) * d + 1; });
}

Dims ConvTransposeGeometry::full() const {
  const auto place = [&] {
    return format("in strides*(L-1) + output_padding + span with strides {}, L {}, output_padding {}", s, L,
                  output_padding);
  };
  return at_place(place, [&] { return s * (L - 1) + output_padding + span(); });
}

ConvTransposeGeometry conv_transpose_geometry(const Call& call, const Dims& L, const Dims& k) {
  return {L, k, per_axis(call, "strides", L.size(), 1), per_axis(call, "dilations", L.size(), 1),
          per_axis(call, "output_padding", L.size(), 0)};
}

std::vector<Dims> placement_of(const ConvTransposePadding& padding) { return {padding.pads.begin, padding.O}; }

Pads split_padding(const Dims& total, OddPad odd) {
  Dims smaller = total;
  for (std::int64_t& half : smaller) half >>= 1;  // rounds down, where / 2 rounds towards zero
  const Dims larger = total - smaller;
  return odd == OddPad::begin ? Pads{larger, smaller} : Pads{smaller, larger};
}

Dims at_least_zero(Dims numbers) {
  for (std::int64_t& number : numbers) number = std::max<std::int64_t>(number, 0);
  return numbers;
}

ConvTransposePadding padded_to(const Dims& O, const ConvTransposeGeometry& g, OddPad odd, Surplus surplus) {
  const Dims total = g.full() - O;
  return {split_padding(surplus == Surplus::end ? at_least_zero(total) : total, odd), O};
}

TapAxes conv_transpose_axes(const ConvTransposeGeometry& g, const ConvTransposePadding& padding) {
  return transposed_axes(g.L, g.k, padding.O, g.s, g.d, padding.pads.begin);
}

Tensor conv_transpose(const Output& y, const fast::TransposedConvolution& c, Integers integers) {
  const auto elements_of_plane = [&](const Dims& shape) { return strides_of(shape)[shape.size() - 1 - c.axes.size()]; };
  const std::int64_t L = elements_of_plane(c.x.shape()), K = elements_of_plane(c.w.shape()),
                     O = elements_of_plane(y.type().shape);
  const std::int64_t C = c.x.shape()[1] / c.groups, M = y.type().shape[1] / c.groups;
  const Elements X(c.x), W(c.w), B(c.b ? *c.b : c.w);
  const Taps taps(C == 0 ? without_taps(c.axes) : c.axes, y);
  const auto definition = [&, has_bias = c.b.has_value()](std::int64_t i, auto& sum) {
    const auto [n, group, m, o] = split(i, c.groups, M, O);
    if (has_bias) sum.add(B[group * M + m]);
    const TapList reaching = taps.of(o);
    for (std::int64_t channel = group * C; channel < (group + 1) * C; ++channel) {
      const std::int64_t x = (n * c.groups * C + channel) * L, w = (channel * M + m) * K;
      for (const Tap& tap : reaching) sum.add(X[x + tap.x], W[w + tap.w]);
    }
  };
  const auto rows = [&](const RowTarget& target) {
    return integers.rounding == Integers::Rounding::wrap && fast::transposed_convolution(target, c);
  };
  return sum(y, X.dtype(), definition, integers, rows);
}

Operator transposed_operator(Operator op) {
  return std::move(op)
      .generator("ties", kTies, product_ties)
      .generator("cancel", kCancel, product_cancel)
      .short_names(spatial_short_names())
      .order(convolution_order);
}

void require_output_sizes(const Dims& y) {
  require(all_positive(spatial(y)),
          "the output would have shape {}: each spatial size strides*(L-1) + output_padding + (k-1)*dilations + 1 - "
          "pads must be > 0",
          y);
}
}  // namespace opref::ops
