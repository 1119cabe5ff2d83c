// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/pooling.h"
#include <algorithm>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "core/random.h"
#include "evaluators/sum.h"
#include "evaluators/taps.h"
#include "exact/rounding.h"
#include "ops/shared/parameters.h"
#include "ops/shared/windows.h"
namespace opref::ops {
using namespace evaluators;
std::int64_t counted_taps(const PoolingWindows& w, Counted counted, std::int64_t elements, std::int64_t o) {
  return counted == Counted::elements ? elements
         : counted == Counted::pads   ? taps_inside_pads(w, o)
                                      : element_count(w.k);
}

Tensor average_pool(const Output& y, const Tensor& x, const PoolingWindows& w, Counted counted, EmptyMean empty) {
  const Elements X(x);
  const Taps taps(window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin), y);
  const std::int64_t plane = element_count(w.O), x_plane = element_count(w.L);
  const bool is_integer = types::integers.contains(x.dtype());
  const auto terms = [&](std::int64_t i, auto& sum) {
    const auto [nc, o] = split(i, plane);
    const TapList list = taps.of(o);
    for (const Tap& tap : list) sum.add(X[nc * x_plane + tap.x]);
    const std::int64_t count = counted_taps(w, counted, static_cast<std::int64_t>(list.size()), o),
                       divisor = count == 0 && empty == EmptyMean::zero ? 1 : count;
    if (divisor == 0 && is_integer)
      fail(Fault::invalid,
           "the window of element {} has no element of data, and 0/0 is no integer; the reading avg_pool.empty=zero "
           "takes it as 0",
           coordinates(i, y.type().shape));
    sum.scale({1, divisor});
  };
  return sum(y, x.dtype(), terms, taps.neighbours(x.shape()[0] * x.shape()[1]), Integers{Integers::Rounding::truncate});
}

Reading overhang_reading(std::int64_t first, std::string_view reason, bool (*may_change_values)(const Call&)) {
  return {.name = "average_pool.overhang",
          .alternatives = {"excluded: what a window of ceil_mode has beyond the pads never counts",
                           "included: with count_include_pad it counts"},
          .defaults = {{first, "excluded"}},
          .reason = reason,
          .may_change_values = may_change_values};
}
namespace {
Reading dropping_reading(std::string_view name) {
  Reading reading = ceil_drop_reading(name, 1);
  reading.defaults = {{1, "drop"}};
  return reading;
}
}  // namespace
std::vector<Reading> average_window_readings() {
  return {dropping_reading("average_pool.ceil_drop"), valid_ceil_reading("average_pool.valid_ceil", 1),
          pads_with_auto_pad_reading("average_pool.pads_with_auto_pad", 1)};
}
std::vector<Reading> greatest_window_readings() {
  return {dropping_reading("max_pool.ceil_drop"), same_dilation_reading("max_pool.same_dilation", 1),
          valid_ceil_reading("max_pool.valid_ceil", 1), pads_with_auto_pad_reading("max_pool.pads_with_auto_pad", 1)};
}

Reading max_pool_empty_reading(std::int64_t first, bool (*has_empty)(const Call&)) {
  return {.name = "max_pool.empty",
          .alternatives = {"supremum: a window without elements gives -Inf, the least of an integer type",
                           "lowest_finite: the least finite number, and index 0"},
          .defaults = {{first, "supremum"}},
          .reason =
              "the greatest of no numbers is -Inf, and no index names it; OpenVINO writes the least finite "
              "number and index 0",
          .may_change_values = has_empty};
}

std::vector<Value> max_pool(const Call& call, const Tensor& x, std::span<const Output> outs, const MaxPool& pool) {
  const PoolingWindows& w = pool.windows;
  const TensorType& y = outs[0].type();
  const Taps taps(window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin), first_wanted(outs));
  const Dims image = channels_second(x.shape(), pool.channels);
  const ImagePlaces x_places(image, pool.channels), y_places(join(image.first(2), w.O), pool.channels);
  const auto candidates = [&](std::int64_t i, Best& best) {
    const auto [n, c, o] = y_places.of(i);
    for (const Tap& tap : taps.of(o)) best.consider(x_places(n, c, tap.x));
  };
  const Neighbours neighbours =
      pool.channels == ChannelsAt::second ? taps.neighbours(image[0] * image[1]) : Neighbours{};
  const Selection greatest(first_wanted(outs), x, Zeros::ordered, Extreme::greatest, pool.tie, candidates, neighbours);
  const bool has_lowest = lists_reading(call, "max_pool.empty") && call.reads("max_pool.empty", "lowest_finite");
  const auto index = [&](std::int64_t i, std::int64_t at) {
    if (at >= 0) return pool.index(at);
    require(has_lowest,
            "the window of {}{} holds only padding, so it has no index: ask for {} alone, or choose the reading "
            "max_pool.empty=lowest_finite (index 0)",
            call.schema().outputs()[0].name, coordinates(i, y.shape), call.schema().outputs()[0].name);
    return std::int64_t{0};
  };
  std::vector<Value> found(1);
  if (outs[0].wanted())
    found[0] =
        greatest.values(outs[0], neutral(y.dtype, Extreme::greatest, has_lowest ? Ends::finite : Ends::infinite));
  if (outs.size() > 1 && outs[1].wanted()) found.emplace_back(greatest.places(outs[1], index));
  return found;
}

AdaptiveWindows::AdaptiveWindows(const Call& call) : x_(call.type("data").shape), strides_(strides_of(x_)) {
  require(x_.size() >= 3 && x_.size() <= 5, "data has rank {}, but must have 3, 4 or 5: one to three spatial axes",
          x_.size());
  const Dims parts = sizes_of(call, "output_shape");
  require(parts.size() == x_.size() - 2, "output_shape is {}, but data has shape {}, and then it must have {}", parts,
          x_, counted(std::ssize(x_) - 2, "size"));
  require(all_positive(parts), "output_shape is {}, but its sizes must be > 0", parts);
  require_spatial_sizes(call, "data", spatial(x_));
  y_ = join(x_.first(2), parts);
}

AdaptiveWindows::Window AdaptiveWindows::window(std::int64_t i) const {
  const Dims o = coordinates(i, y_);
  Dims first = o, count = Dims::filled(o.size(), 1);
  for (size_t a = 2; a < o.size(); ++a) {
    first[a] = checked_multiply(o[a], x_[a]) / y_[a];
    count[a] = ceil_divide(checked_multiply(o[a] + 1, x_[a]), y_[a]) - first[a];
  }
  return {position(first, x_), count};
}

Tensor random_indices(const Dims& x, const PoolingWindows& w, const Random& random) {
  const Taps taps(window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin));
  const std::int64_t plane = element_count(w.O), x_plane = element_count(w.L);
  const Dims y = join(x.first(2), w.O);
  return tensor_of_bits({DType::int64, y}, [&](std::int64_t i) {
    const auto [nc, o] = split(i, plane);
    std::optional<std::uint64_t> greatest;
    std::int64_t found = 0;
    for (const Tap& tap : taps.of(o)) {
      const std::int64_t at = nc * x_plane + tap.x;
      const auto words = random.draw(at);
      const std::uint64_t number = std::uint64_t{words[0]} << 32 | words[1];
      if (!greatest || number > *greatest) greatest = number, found = at;
    }
    if (!greatest)
      fail(Fault::usage, "the output {} has no place for an index in the window of element {}", x, coordinates(i, y));
    return static_cast<std::uint64_t>(found);
  });
}

bool indices_lie_in_windows(const Tensor& indices, const Dims& space, const Dims& k, const Dims& s,
                            const Dims& pad_begin) {
  const Dims &x = indices.shape(), first = join(Dims{0, 0}, pad_begin);
  const Dims step = join(Dims{1, 1}, s), width = join(Dims{1, 1}, k);
  const auto in_window = [&](std::int64_t index, const Dims& i) {
    for (size_t axis = x.size(); axis-- > 0; index /= space[axis]) {
      const std::int64_t begin = i[axis] * step[axis] - first[axis], o = index % space[axis];
      if (o < begin || o - width[axis] >= begin) return false;
    }
    return true;
  };
  const std::int64_t size = element_count(space);
  Dims i = Dims::filled(x.size(), 0);  // the element's coordinates
  for (const std::int64_t index : indices.values<std::int64_t>()) {
    if (index < 0 || index >= size || !in_window(index, i)) return false;
    for (size_t axis = x.size(); axis-- > 0 && ++i[axis] == x[axis];) i[axis] = 0;
  }
  return true;
}
namespace {
/// The numbers o - i*s along an axis.
struct Offsets {
  std::int64_t first, least, most, step = 0;  ///< step: the greatest common divisor of their differences
  void add(std::int64_t r) {
    least = std::min(least, r), most = std::max(most, r);
    step = std::gcd(step, r - first);
  }
  // The greatest d leaves the fewest taps between; tap `before` is the least one that may lie at `least`.
  bool are_taps(std::int64_t k) const {
    if (step == 0) return least <= 0 || k > 1;
    const std::int64_t before = ceil_divide(std::max<std::int64_t>(least, 0), step);
    return before + (most - least) / step < k;
  }
};

bool can_be_pooled(const Tensor& indices, const Dims& x, const Dims& k, const Dims& s, bool by_columns) {
  const Dims L = x.without_first(2), O = indices.shape().without_first(2);
  const std::int64_t x_plane = element_count(L), plane = element_count(O);
  std::vector<Offsets> axes;
  const std::span<const std::int64_t> all = indices.values<std::int64_t>();
  for (std::int64_t i = 0; i < indices.count(); ++i) {
    const std::int64_t index = all[static_cast<size_t>(i)];
    if (index < 0 || index / x_plane != i / plane) return false;
    std::int64_t rest = index % x_plane;
    const Dims at = coordinates(i % plane, O);
    for (size_t n = 0; n < L.size(); ++n) {
      const size_t axis = by_columns ? n : L.size() - 1 - n;
      const std::int64_t r = rest % L[axis] - at[axis] * s[axis];
      rest /= L[axis];
      if (i == 0)
        axes.push_back({r, r, r});
      else
        axes[n].add(r);
    }
  }
  for (size_t n = 0; n < axes.size(); ++n)
    if (!axes[n].are_taps(k[by_columns ? n : L.size() - 1 - n])) return false;
  return true;
}
}  // namespace
bool can_be_pooled(const Tensor& indices, const Dims& x, const Dims& k, const Dims& s) {
  return can_be_pooled(indices, x, k, s, false) || can_be_pooled(indices, x, k, s, true);
}

std::int64_t plane_size(const Call& call) { return element_count(spatial(call.type("X").shape)); }

Neighbours planes(const Call& call) {
  return Neighbours(Strided(call.type("X").shape.first(2), strides_of(call.type("X").shape).first(2)));
}

std::vector<ValueType> global_pool_types(const Call& call) {
  require_spatial(call, "X");
  const auto& [dtype, x] = call.type("X");
  return {TensorType{dtype, join(x.first(2), Dims::filled(x.size() - 2, 1))}};
}

void global_pool_version_1(OpSchema& s, std::string_view meaning_of_y) {
  s.input("X", "T", "the data, (N, C, D1, …)")
      .output("Y", "T", meaning_of_y)
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}
}  // namespace opref::ops
