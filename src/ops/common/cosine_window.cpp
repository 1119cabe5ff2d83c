// SPDX-License-Identifier: Apache-2.0
#include "ops/common/cosine_window.h"

#include <limits>

#include "core/error.h"
#include "exact/rounding.h"
#include "ops/common/lists.h"
#include "ops/common/turns.h"

namespace opref::ops {
namespace {

std::vector<ValueType> output_types(const Call& call) {
  const std::int64_t size = rank_0(call, "size");
  require(size >= 0, "size is {}, but must be >= 0", size);
  return {TensorType{dtype_of_number(call, "output_datatype", kOutputDatatypes), Dims{size}}};
}

struct ExactWindow {
  const CosineWindow& w;
  std::int64_t P;
  Turns turns;

  template <class R>
  R operator()(std::int64_t n, const Reader<R>& x) const {
    const R sum = short_turn_sum(turns, x, [&](const auto& read, auto& y) {
      using Number = decltype(read.zero());
      y.cosine(0, Number::whole(w.a0));
      y.cosine(n % P, Number::whole(-w.a1));
      if (w.a2 != 0) y.cosine(2 * n % P, Number::whole(w.a2));
    });
    return sum / R::whole(w.over);
  }
};

// With the body's constants, 2π among them.
struct BodyWindow {
  const CosineWindow& w;
  std::int64_t P;

  template <class R>
  R operator()(std::int64_t n, const Reader<R>& x) const {
    constexpr double kTwoPi = 6.2831855F;
    const R turn = R(kTwoPi) * R::whole(n) / R::whole(P);
    const auto term = [&](size_t k) { return R(widen(w.in_float32[k])); };
    return x.sum(term(0) - term(1) * cosine(turn), term(2) * cosine(R(2.0) * turn));
  }
  static Interval cosine(const Interval& x) { return cos(x); }
  static Bounded cosine(const Bounded& x) { return {x.v, bounded::kInfinity}; }  // intervals decide
};

struct One {
  double one;
  template <class R>
  R operator()(std::int64_t, const Reader<R>&) const {
    return R(one);
  }
};

}  // namespace

std::int64_t rank_0(const Call& call, std::string_view input) {
  require_scalar(call, input);
  return call.integer(input);
}

AttributeSchema output_datatype_attribute() { return with_default("output_datatype", 1, element_types()); }

std::vector<Value> cosine_window(const Call& call, std::span<const Output> outs, const CosineWindow& window) {
  const std::int64_t size = call.integer("size"), P = call.flag("periodic") ? size : size - 1;
  if (P < 1) {
    const bool is_one = call.reads("window.one", "one");
    return {real(outs[0], One{is_one ? 1 : std::numeric_limits<double>::quiet_NaN()})};
  }
  if (call.reads("window.constants", "function")) return {real(outs[0], BodyWindow{window, P})};
  return {real(outs[0], ExactWindow{window, P, Turns(P)})};
}

Operator cosine_window_operator(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(17,
               [](OpSchema& s) {
                 s.attribute(output_datatype_attribute())
                     .attribute(with_default("periodic", 1, flag()))
                     .input("size", "T1", "the number of elements")
                     .output("output", "T2", "the window, (size)")
                     .types("T1", types::signed_wide, "Constrain the input size to int64_t.")
                     .types("T2", kOutputDatatypes, "Constrain output types to numeric tensors.");
               })
      .reading({.name = "window.constants",
                .alternatives = {"exact: the formula's", "function: those of the function's body, float32, 2π too"},
                .defaults = {{17, "exact"}},
                .reason = "published data and onnx.reference",
                .may_change_values = [](const Call&) { return true; }})
      .reading({.name = "window.one",
                .alternatives = {"one: the only element is 1", "nan: it is NaN"},
                .defaults = {{17, "one"}},
                .reason = "torch; the function's body has 0·Inf",
                .may_change_values =
                    [](const Call& call) {
                      if (call.flag("periodic")) return false;
                      return !call.has_value("size") || call.integer("size") == 1;
                    }})
      .output_types(output_types);
}

}  // namespace opref::ops
