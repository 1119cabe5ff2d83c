// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/indices.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "core/error.h"
#include "evaluators/move.h"
#include "evaluators/programs.h"
#include "evaluators/select.h"
#include "evaluators/strided.h"
#include "evaluators/sum.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "ops/shared/parameters.h"
namespace opref::ops {
namespace {
constexpr std::string_view kNegativeIndex = "gather.v1_negative";

bool has_negative(const Call& call) {
  return call.has_value("indices") &&
         std::ranges::any_of(call.integers("indices"), [](std::int64_t index) { return index < 0; });
}

[[noreturn]] void refuse_first_outside(const Call& call, std::span<const size_t> axes, bool wraps) {
  const std::vector<std::int64_t> indices = call.integers("indices");
  for (size_t k = 0;; ++k) {
    const size_t axis = axes[k % axes.size()];
    const std::int64_t index = indices[k], size = call.type("data").shape[axis], least = wraps ? -size : 0;
    if (index < least || index >= size)
      fail(Fault::invalid, "indices{} is {}, but must be from {} to {}: axis {} of data has size {}{}",
           coordinates(static_cast<std::int64_t>(k), call.type("indices").shape), index, least, size - 1, axis, size,
           !wraps && index < 0 && index >= -size
               ? format("; the reading {}=wrap counts it from the end", kNegativeIndex)
               : "");
  }
}
}  // namespace
Reading negative_index_reading(std::int64_t since, std::int64_t changed) {
  return {.name = kNegativeIndex,
          .alternatives = {"invalid: a negative index is invalid", "wrap: it counts from the end"},
          .defaults = {{since, "invalid"}, {changed, ""}},
          .reason = "the pages have negative indices from opset 11 on; onnxruntime takes them in all versions",
          .may_change_values = has_negative};
}

std::vector<std::int64_t> indices_along(const Call& call, std::span<const size_t> axes) {
  const Dims& data = call.type("data").shape;
  const bool wraps = !lists_reading(call, kNegativeIndex) || !call.reads(kNegativeIndex, "invalid");
  std::vector<std::int64_t> indices = call.integers("indices");
  bool all_are_inside = true;
  for (size_t turn = 0; turn < axes.size(); ++turn) {
    const std::int64_t size = data[axes[turn]], from_end = wraps ? size : 0;
    for (size_t k = turn; k < indices.size(); k += axes.size()) {
      indices[k] += indices[k] < 0 ? from_end : 0;
      all_are_inside &= indices[k] >= 0 && indices[k] < size;
    }
  }
  if (!all_are_inside) refuse_first_outside(call, axes, wraps);
  return indices;
}

size_t elements_axis(const Call& call) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  require(data.size() == indices.size(), "indices has shape {}, but data has shape {}: the ranks must be equal",
          indices, data);
  const auto axis = call.axis("axis", data.size());
  for (size_t a = 0; a < data.size(); ++a)
    require(a == axis || indices[a] <= data[a],
            "indices has shape {}, but data has shape {}: but for axis {} no size can be greater", indices, data, axis);
  return axis;
}

SlicePlaces elements_places(const Call& call) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  const size_t axis = elements_axis(call);
  Dims strides = strides_of(data);
  const std::int64_t along = strides[axis];
  strides[axis] = 0;
  std::vector<std::int64_t> places = indices_along(call, axis);
  size_t k = 0;
  Strided(indices, strides).each(0, [&](const Run& others) {
    for (std::int64_t j = 0; j < others.count; ++j, ++k) places[k] = others.from + j * others.step + places[k] * along;
  });
  return {std::move(places)};
}

NamedSlices named_slices(const Call& call, size_t batch) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  require(!data.empty(), "data is a scalar, but needs an axis to be indexed");
  require(indices.size() > batch, "indices has shape {}, but needs a last axis, which names places", indices);
  const std::int64_t depth = indices[indices.size() - 1], most = std::ssize(data) - static_cast<std::int64_t>(batch);
  require(depth <= most, "indices has shape {}, but data has shape {}: the last axis names from 1 to {} coordinates",
          indices, data, most);
  const auto axes = static_cast<size_t>(depth);
  return {batch, axes, element_count(data.without_first(batch + axes))};
}

SlicePlaces NamedSlices::places(const Call& call) const {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  std::vector<size_t> axes(depth);
  std::iota(axes.begin(), axes.end(), batch);
  const std::vector<std::int64_t> named = indices_along(call, axes);
  SlicePlaces places{{}, size};
  if (size == 0) return places;  // any number of slices, of which no tensor has an element
  const std::int64_t slices = element_count(indices.first(indices.size() - 1)),
                     batches = element_count(indices.first(batch));
  places.first.reserve(static_cast<size_t>(slices));
  for (std::int64_t j = 0; j < slices; ++j) {
    std::int64_t place = j / (slices / batches);
    for (size_t a = 0; a < depth; ++a) place = place * data[batch + a] + named[static_cast<size_t>(j) * depth + a];
    places.first.push_back(place * size);
  }
  return places;
}
namespace {
constexpr std::string_view kRounding = "scatter.rounding", kDuplicates = "scatter.duplicates", kBool = "scatter.bool";

enum class Combine : std::uint8_t { none, add, mul, max, min, mean, sub };

Combine combine(const Call& call) {
  if (!call.has_here("reduction")) return Combine::none;
  return call.string("reduction") == "sub" ? Combine::sub : call.choice<Combine>("reduction");
}

/// The updates that reach each element of data, in order.
class Hits {
 public:
  Hits(const SlicePlaces& places, std::int64_t count)
      : ends_(static_cast<size_t>(count) + 1, 0), updates_(static_cast<size_t>(places.count())) {
    for (std::int64_t e = 0; e < places.count(); ++e) ++ends_[static_cast<size_t>(places(e)) + 1];
    for (size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    std::vector<size_t> next(ends_.begin(), ends_.end() - 1);
    for (std::int64_t e = 0; e < places.count(); ++e) updates_[next[static_cast<size_t>(places(e))]++] = e;
  }
  std::span<const std::int64_t> of(std::int64_t i) const {
    const size_t from = ends_[static_cast<size_t>(i)], to = ends_[static_cast<size_t>(i) + 1];
    return std::span(updates_).subspan(from, to - from);
  }

 private:
  std::vector<size_t> ends_;
  std::vector<std::int64_t> updates_;
};

/// What a reduction works on.
struct Terms {
  const Tensor &data, &updates;
  Hits hits;
  Elements D, U;
  bool has_initial;  ///< data[i] is a term

  Terms(const Call& call, const SlicePlaces& places)
      : data(call.input("data")),
        updates(call.input("updates")),
        hits(places, data.count()),
        D(data),
        U(updates),
        has_initial(!call.has_here("use_init_val") || call.flag("use_init_val")) {}
  bool counts_data(std::int64_t i) const { return has_initial || hits.of(i).empty(); }
  bool is_minus_zero(const Elements& x, std::int64_t i) const { return x.number(i) == 0 && std::signbit(x.number(i)); }
  /// An element that no update reaches is that of data, whatever its bits; and so is -0 + … + -0.
  bool keeps_data(std::int64_t i, Combine by) const {
    const auto updates_of = hits.of(i);
    if (updates_of.empty()) return true;
    return by == Combine::add && D.is_floating() && has_initial && is_minus_zero(D, i) &&
           std::ranges::all_of(updates_of, [&](std::int64_t e) { return is_minus_zero(U, e); });
  }
};

Tensor extreme(const Output& out, const Terms& t, Extreme which) {
  const Order D(t.data, Zeros::ordered), U(t.updates, Zeros::ordered);
  const std::array from{t.data, t.updates};
  return move(out, from, [&](std::int64_t i) {
    Best of_data(D, which, Tie::first, out.sink()), of_updates(U, which, Tie::first, out.sink());
    of_data.consider(i);
    for (const std::int64_t e : t.hits.of(i)) of_updates.consider(e);
    if (of_updates.position() < 0) return Run{i};
    if (!t.has_initial) return Run{of_updates.position(), 1, 1, 1};
    const std::int64_t d = D(i), u = U(of_updates.position());
    const bool one_is_nan = D.may_be_nan() && (d == Order::kNan || u == Order::kNan);
    const bool updated = one_is_nan ? d != Order::kNan : which == Extreme::greatest ? u > d : u < d;
    return updated ? Run{of_updates.position(), 1, 1, 1} : Run{i};
  });
}

/// Rounded after each update, in their order.
Tensor in_sequence(const Output& out, const Terms& t, Combine by) {
  const DType dtype = out.type().dtype;
  return tensor_of_bits(out.type(), [&](std::int64_t i) {
    std::uint64_t bits = element_bits(t.data, i);
    for (const std::int64_t e : t.hits.of(i)) {
      const double y = floating_value(dtype, bits), u = t.U.number(e);
      bits = converted(Number::of(by == Combine::add ? y + u : y * u), dtype, {});
    }
    return bits;
  });
}

Tensor product(const Output& out, const Terms& t) {
  if (!t.D.is_floating())
    return wholes(out, [&](std::int64_t i, const WholeReader& x) {
      std::uint64_t y = t.counts_data(i) ? static_cast<std::uint64_t>(x(t.D, i)) : 1;
      for (const std::int64_t e : t.hits.of(i)) y *= static_cast<std::uint64_t>(x(t.U, e));
      return y;
    });
  return real(out, [&]<class R>(std::int64_t i, const Reader<R>& x) {
    R y = t.counts_data(i) ? x(t.D, i) : R(1.0);
    for (const std::int64_t e : t.hits.of(i)) y = y * x(t.U, e);
    return y;
  });
}

Tensor total(const Output& out, const Terms& t) {
  return sum(out, t.data.dtype(), [&](std::int64_t i, auto& sum) {
    if (t.counts_data(i)) sum.add(t.D[i]);
    for (const std::int64_t e : t.hits.of(i)) sum.add(t.U[e]);
  });
}

/// Of integers the greatest that is not above it, or by the reading without its fraction.
Tensor mean(const Output& out, const Terms& t) {
  const auto count = [&](std::int64_t i) { return std::ssize(t.hits.of(i)) + (t.counts_data(i) ? 1 : 0); };
  if (!t.D.is_floating())
    return wholes(out, [&, is_floor = out.call().reads("scatter_elements.integer_mean", "floor")](
                           std::int64_t i, const WholeReader& x) {
      Elements::Wide sum = t.counts_data(i) ? x(t.D, i) : 0;
      for (const std::int64_t e : t.hits.of(i)) sum += x(t.U, e);
      const std::int64_t n = count(i);
      return static_cast<std::uint64_t>(sum / n - (is_floor && sum % n < 0 ? 1 : 0));
    });
  return sum(out, t.data.dtype(), [&](std::int64_t i, auto& sum) {
    if (t.counts_data(i)) sum.add(t.D[i]);
    for (const std::int64_t e : t.hits.of(i)) sum.add(t.U[e]);
    sum.scale({1, count(i)});
  });
}

Tensor difference(const Output& out, const Terms& t) {
  if (!t.D.is_floating())
    return wholes(out, [&, is_bool = t.data.dtype() == DType::boolean](std::int64_t i, const WholeReader& x) {
      auto y = static_cast<std::uint64_t>(x(t.D, i));
      for (const std::int64_t e : t.hits.of(i)) {
        const auto u = static_cast<std::uint64_t>(x(t.U, e));
        y = is_bool ? y ^ u : y - u;
      }
      return y;
    });
  return real(out, [&]<class R>(std::int64_t i, const Reader<R>& x) {
    R y = x(t.D, i);
    for (const std::int64_t e : t.hits.of(i)) y = y - x(t.U, e);
    return y;
  });
}

Tensor combined(const Call& call, const Output& out, const Terms& t, Combine by) {
  const bool is_bool = t.data.dtype() == DType::boolean;  // OR is max, AND is min
  if (by == Combine::max || (is_bool && by == Combine::add)) return extreme(out, t, Extreme::greatest);
  if (by == Combine::min || (is_bool && by == Combine::mul)) return extreme(out, t, Extreme::least);
  const bool is_new = by == Combine::mean || by == Combine::sub;
  const bool rounds_once = !t.D.is_floating() || is_new || call.reads(kRounding, "exact");
  const std::array from{t.data, !rounds_once          ? in_sequence(out, t, by)
                                : by == Combine::add  ? total(out, t)
                                : by == Combine::mean ? mean(out, t)
                                : by == Combine::sub  ? difference(out, t)
                                                      : product(out, t)};
  if (!out.wanted()) return {};
  return move(out.inner(out.type()), from, [&](std::int64_t i) {
    return Run{i, 1, 1, t.keeps_data(i, rounds_once ? by : Combine::mul) ? 0 : 1};
  });
}
}  // namespace
void with_reduction(OpSchema& s) { s.attribute(with_default("reduction", "none", one_of({"none", "add", "mul"}))); }

void with_extreme_reductions(OpSchema& s) {
  s.change("reduction").range = one_of({"none", "add", "mul", "max", "min"});
}

Reading duplicates_reading(std::int64_t first) {
  return {
      .name = kDuplicates,
      .alternatives = {"last: of several updates of one element the last one is written", "reject: they are invalid"},
      .defaults = {{first, "last"}},
      .reason = "the pages do not say, or forbid them; ONNX's reference and onnxruntime keep the last one",
      .may_change_values = [](const Call& call) { return combine(call) == Combine::none; }};
}

Reading scatter_rounding_reading(std::int64_t first) {
  return {.name = kRounding,
          .alternatives = {"exact: the sum or product of all terms, rounded once",
                           "sequential: rounded after each update, in their order"},
          .defaults = {{first, "exact"}},
          .reason = "only the first is independent of the order, which the pages leave open",
          .may_change_values = [](const Call& call) {
            return is_floating(call.type("data").dtype) &&
                   (combine(call) == Combine::add || combine(call) == Combine::mul);
          }};
}

Reading scatter_bool_reading(std::int64_t first) {
  return {.name = kBool,
          .alternatives = {"logical: add and max are OR, mul and min AND", "invalid: bool has no reduction"},
          .defaults = {{first, "logical"}},
          .reason = "ONNX's reference computes so; the pages do not say"};
}

std::vector<ValueType> scatter_types(const Call& call) {
  const TensorType& data = call.type("data");
  if (combine(call) == Combine::none) return {data};
  const Kind kind = info(data.dtype).kind;
  require(kind != Kind::string && kind != Kind::complex, "data is {}, which has no reduction '{}'", data.dtype,
          call.string("reduction"));
  require(kind != Kind::boolean || combine(call) != Combine::mean, "data is bool, which has no mean");
  require(kind != Kind::boolean || call.reads(kBool, "logical"),
          "data is bool, whose reduction '{}' the reading {}=invalid refuses", call.string("reduction"), kBool);
  return {data};
}

std::vector<ValueType> scatter_elements_types(const Call& call) {
  elements_axis(call);
  const Dims &indices = call.type("indices").shape, &updates = call.type("updates").shape;
  require(updates == indices, "updates has shape {}, but must have that of indices, {}", updates, indices);
  return scatter_types(call);
}

std::vector<Note> scatter_elements_notes(const Call& call) {
  return knows_updates(call) ? scatter_notes(call, elements_places(call)) : std::vector<Note>{};
}

bool knows_updates(const Call& call) {
  return call.has_value("data") && call.has_value("indices") && call.has_value("updates");
}

std::vector<Value> scattered(const Call& call, std::span<const Output> outs, const SlicePlaces& places) {
  if (const Combine by = combine(call); by != Combine::none) return {combined(call, outs[0], Terms(call, places), by)};
  const Tensor &data = call.input("data"), &updates = call.input("updates");
  if (call.reads(kDuplicates, "reject")) {
    std::vector<bool> written(static_cast<size_t>(data.count()), false);
    for (std::int64_t e = 0; e < places.count(); ++e) {
      if (written[static_cast<size_t>(places(e))])
        fail(Fault::invalid, "updates{} is not the first at data{}, which the reading {}=reject refuses",
             coordinates(e, updates.shape()), coordinates(places(e), data.shape()), kDuplicates);
      written[static_cast<size_t>(places(e))] = true;
    }
  }
  return {scatter(outs[0], data, updates, places)};
}

std::vector<Note> scatter_notes(const Call& call, const SlicePlaces& places) {
  if (combine(call) != Combine::none) return {};
  const Tensor &data = call.input("data"), &updates = call.input("updates");
  const auto same = [&](std::int64_t a, std::int64_t b) {
    if (updates.dtype() == DType::string)
      return updates.strings()[static_cast<size_t>(a)] == updates.strings()[static_cast<size_t>(b)];
    const auto size = static_cast<size_t>(info(updates.dtype()).bits / 8);
    return std::ranges::equal(updates.bytes().subspan(static_cast<size_t>(a) * size, size),
                              updates.bytes().subspan(static_cast<size_t>(b) * size, size));
  };
  std::unordered_map<std::int64_t, std::int64_t> last;  // update of each place
  for (std::int64_t now = 0; now < places.count(); ++now) {
    std::int64_t& before = last.try_emplace(places(now), now).first->second;
    if (!same(before, now))
      return {warning("indices", format("updates{} and updates{} both go to data{}; the last one is written",
                                        coordinates(before, updates.shape()), coordinates(now, updates.shape()),
                                        coordinates(places(now), data.shape())))};
    before = now;
  }
  return {};
}
}  // namespace opref::ops
