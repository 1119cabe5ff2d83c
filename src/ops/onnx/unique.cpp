// SPDX-License-Identifier: Apache-2.0
// ai.onnx Unique, versions 11, 28
// https://onnx.ai/onnx/operators/onnx__Unique.html
#include "evaluators/stretches.h"
#include "ops/operator_file.h"
#include "ops/shared/numbers.h"
namespace opref::ops::onnx::file_unique {
namespace {
/// X as `count` parts along an axis, each of outer × inner elements; flattened where the node names no axis.
struct Parts {
  Dims shape;
  size_t axis;
  std::int64_t count, outer, inner;
  /// The place in X of the j-th element of a part.
  std::int64_t place(std::int64_t part, std::int64_t j) const { return (j / inner * count + part) * inner + j % inner; }
};

Parts parts_along(const Call& call) {
  const Dims& X = call.type("X").shape;
  if (!call.has("axis")) return {Dims{element_count(X)}, 0, element_count(X), 1, 1};
  const auto axis = call.axis("axis", X.size());
  return {X, axis, X[axis], element_count(X.first(axis)), element_count(X.without_first(axis + 1))};
}

/// The parts, by numbers that compare as the elements of X do.
class Keys {
 public:
  Keys(const Call& call, const Parts& parts) : parts_(parts) {
    const Tensor& X = call.input("X");
    if (X.dtype() == DType::string) {  // a string's rank among all of them
      std::vector<std::string_view> words(X.strings().begin(), X.strings().end());
      std::ranges::sort(words);
      for (const std::string& word : X.strings())
        keys_.push_back(std::ranges::lower_bound(words, std::string_view(word)) - words.begin());
      return;
    }
    if (is_complex(X.dtype())) parts_.inner *= 2;
    const Tensor numbers = parts_of(X);
    const Order order(numbers, Zeros::equal);
    nans_differ_ = order.may_be_nan() && call.reads("unique.nan", "each");
    for (std::int64_t i = 0; i < numbers.count(); ++i) keys_.push_back(order(i));
  }
  /// Element by element, NaN as the greatest.
  std::strong_ordering compare(std::int64_t a, std::int64_t b) const {
    bool have_nan = false;
    for (std::int64_t j = 0; j < parts_.outer * parts_.inner; ++j) {
      if (const auto order = key(a, j) <=> key(b, j); order != 0) return order;
      have_nan |= key(a, j) == Order::kNan;
    }
    return have_nan && nans_differ_ ? a <=> b : std::strong_ordering::equal;
  }

 private:
  std::int64_t key(std::int64_t part, std::int64_t j) const { return keys_[parts_.place(part, j)]; }

  Parts parts_;
  bool nans_differ_ = false;
  std::vector<std::int64_t> keys_;
};

struct Groups {
  std::vector<std::int64_t> first, of_part, counts;  ///< by group, by part (of none with elements: all 0), by group
};

Groups groups_of(const Call& call, const Parts& parts) {
  if (element_count(parts.shape) == 0) return parts.count > 0 ? Groups{{0}, {}, {parts.count}} : Groups{};
  const Keys keys(call, parts);
  std::vector<std::int64_t> order(parts.count), first_of(parts.count), place(parts.count);
  std::iota(order.begin(), order.end(), 0);
  sort_places(order, [&](std::int64_t a, std::int64_t b) { return keys.compare(a, b) < 0; });
  Groups groups;
  for (size_t n = 0; n < order.size(); ++n) {
    if (n == 0 || keys.compare(order[n - 1], order[n]) != 0) groups.first.push_back(order[n]);
    first_of[order[n]] = groups.first.back();
  }
  if (!call.flag("sorted"))
    std::ranges::sort(groups.first);
  else if (is_complex(call.type("X").dtype) && groups.first.size() > 1)
    fail(Fault::unsupported, "{} cannot sort {}: complex numbers have no order", call.title(), call.type("X"));
  groups.counts.resize(groups.first.size());
  for (size_t g = 0; g < groups.first.size(); ++g) place[groups.first[g]] = static_cast<std::int64_t>(g);
  for (const std::int64_t first : first_of) ++groups.counts[groups.of_part.emplace_back(place[first])];
  return groups;
}

std::vector<ValueType> output_types(const Call& call) {
  const DType dtype = call.type("X").dtype;
  const Parts parts = parts_along(call);
  const ValueType of_parts(DType::int64, Dims{parts.count});
  const ValueType unknown = ValueType::of_unknown_shape(DType::int64);
  if (!call.has_value("X")) return {ValueType::of_unknown_shape(dtype), unknown, of_parts, unknown};
  const Dims found{std::ssize(groups_of(call, parts).first)};
  Dims shape = parts.shape;
  shape[parts.axis] = found[0];
  return {TensorType{dtype, shape}, TensorType{DType::int64, found}, of_parts, TensorType{DType::int64, found}};
}

// Y = the distinct elements of X, or its distinct parts along the axis: of equal ones (-0 is 0) the first, in ascending
// order or in that of their first occurrences; indices = where that is; inverse_indices[i] = where in Y the i-th is;
// counts = how many are equal to it
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& X = call.input("X");
  const Parts parts = parts_along(call);
  const Groups groups = groups_of(call, parts);
  std::vector<Value> results{moved_along(outs[0], X.reshaped(parts.shape), parts.axis, groups.first)};
  const auto place = [&](std::int64_t g) { return groups.of_part.empty() ? -1 : parts.place(groups.first[g], 0); };
  const auto of_part = [&](std::int64_t i) { return groups.of_part.empty() ? 0 : groups.of_part[i]; };
  if (outs.size() > 1)
    results.emplace_back(places(outs[1], X, place, [&](std::int64_t g, std::int64_t) { return groups.first[g]; }));
  if (outs.size() > 2) results.emplace_back(outs[2].wanted() ? tensor_of_bits(outs[2].type(), of_part) : Tensor{});
  if (outs.size() > 3)
    results.emplace_back(Tensor::of<std::int64_t>(DType::int64, outs[3].type().shape, groups.counts));
  return results;
}

bool may_have_nan(const Call& call) {
  return (types::floats | types::complexes | DType::bfloat16).contains(call.type("X").dtype);
}

void version_11(OpSchema& s) {
  s.input("X", "T").output("Y", "T").output("indices", "int64", Arity::optional);
  s.output("inverse_indices", "int64", Arity::optional).output("counts", "int64", Arity::optional);
  s.types("T", types::basic).attribute(optional(INT, "axis")).attribute(with_default("sorted", 1, flag()));
}
}  // namespace
Operator unique() {
  return Operator("ai.onnx", "Unique")
      .summary("the distinct elements or slices, where they are, and how many of each there are")
      .version(11, version_11)
      .version(28, adds("T", DType::bfloat16))
      .reading({.name = "unique.nan",
                .alternatives = {"one: all NaN are one value, the last", "each: each NaN is a value of its own"},
                .defaults = {{11, "one"}},
                .reason = "the page names numpy.unique, which takes them as one",
                .may_change_values = may_have_nan})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_unique
