// SPDX-License-Identifier: Apache-2.0
// Y[i] = the sum of the terms of position i, perhaps times a ratio, rounded once; and p-norms likewise.
//
// An operator hands over a definition: definition(i, sum) adds the terms of the element at flat position i in the
// specification's order,
//   sum.add(x[j])    sum.add(x[j], w[k])        an element, a product of two
//   sum.add(x[run])  sum.add(x[run], w[run])    the same for each element of a run, and for both runs in step
//   sum.scale({a, b})                           the sum times a/b: at most once, after the terms (a mean: 1, count; a
//                                               requantization: x_scale·w_scale, y_scale)
// where x and w are Elements. What adds them is the evaluator's affair: an estimate, the exact sum, integers, a list.
// So are the parts that threads take, tiers and their counts, TermSinks (the result is zeros then), empty outputs. An
// operator that knows which elements of Y are Neighbours says so: vector loops then make many of them in step.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "evaluators/elements.h"
#include "evaluators/neighbours.h"
#include "evaluators/rows.h"
#include "exact/compensated_sum.h"
#include "exact/exact_sum.h"
#include "exact/integer_sum.h"
#include "exact/power_sum.h"
#include "exact/term_sink.h"
#include "schema/output.h"

namespace opref::evaluators {

/// The first tier of sums, and what Σ|x|^p is of norms.
class EstimateSum {
 public:
  void add(Element x) { sum_.add(x.number()); }
  void add(Element x, Element w) {
    if (x.of->is_narrow() && w.of->is_narrow())
      sum_.add(x.number() * w.number());
    else
      sum_.add(x.number(), w.number());
  }
  void add(const ElementRun& x);
  void add(const ElementRun& x, const ElementRun& w);
  void scale(const Ratio& ratio) { sum_.scale(ratio); }
  const CompensatedSum& sum() const { return sum_; }

 private:
  CompensatedSum sum_;
};

/// The exact tier of sums of floating terms.
class ExactTerms {
 public:
  void add(Element x) { sum_.add(x.number()); }
  void add(Element x, Element w) { sum_.add(x.number(), w.number()); }
  void add(const ElementRun& x);
  void add(const ElementRun& x, const ElementRun& w);
  void scale(const Ratio& ratio) { ratio_ = ratio; }
  void clear() {
    sum_.clear();
    ratio_ = {};
  }
  ExactSum& sum() { return sum_; }
  const Ratio& ratio() const { return ratio_; }

 private:
  ExactSum sum_;
  Ratio ratio_;
};

/// Sums of integers, exact in 192 bits: their only tier.
class IntegerTerms {
 public:
  void add(Element x) { sum_.add(x.of->wide(x.at)); }
  void add(Element x, Element w) {
    const bool is_unsigned = x.of->dtype() == DType::uint64, other_is = w.of->dtype() == DType::uint64;
    if (!is_unsigned && !other_is)
      sum_.add(x.integer(), w.integer());
    else if (is_unsigned && other_is)
      sum_.add(static_cast<std::uint64_t>(x.integer()), static_cast<std::uint64_t>(w.integer()));
    else
      sum_.add(x.of->wide(x.at) * w.of->wide(w.at));
  }
  void add(const ElementRun& x);
  void add(const ElementRun& x, const ElementRun& w);
  void scale(const Ratio& ratio) { ratio_ = ratio; }
  const IntegerSum& sum() const { return sum_; }
  const Ratio& ratio() const { return ratio_; }

 private:
  IntegerSum sum_;
  Ratio ratio_;
};

/// The terms themselves, in order: for TermSinks, and for the exact tier of norms.
class ListedTerms {
 public:
  explicit ListedTerms(TermSink& sink) : sink_(sink) {}
  void add(Element x) {
    sink_.reads(x.of->place(x.at));
    sink_.add(x.number());
  }
  void add(Element x, Element w) {
    sink_.reads(x.of->place(x.at));
    sink_.reads(w.of->place(w.at));
    sink_.add(x.number(), w.number());
  }
  void add(const ElementRun& x);
  void add(const ElementRun& x, const ElementRun& w);
  void scale(const Ratio& ratio) {
    if (!ratio.is_one()) sink_.scale(ratio);
  }

 private:
  TermSink& sink_;
};

/// Where terms lie, of neighbours that vector loops make: numbers or squares of one array's elements.
class PlacedTerms {
 public:
  void add(Element x) { take(x.of, {x.at}, 1); }
  void add(Element x, Element w) { add(ElementRun{x.of, {x.at}}, ElementRun{w.of, {w.at}}); }
  void add(const ElementRun& x) { take(x.of, x.run, 1); }
  void add(const ElementRun& x, const ElementRun& w);
  void scale(const Ratio& ratio) { ratio_ = ratio; }

  /// Whether they are such terms.
  bool serve() const { return serve_ && !places_.are_many(); }
  /// Null where there are none.
  const Elements* array() const { return array_; }
  /// 1: numbers, 2: their squares.
  int power() const { return power_; }
  const TermPlaces& places() const { return places_; }
  const Ratio& ratio() const { return ratio_; }

 private:
  void take(const Elements* array, const Run& run, int power);

  TermPlaces places_;
  const Elements* array_ = nullptr;
  int power_ = 1;
  bool serve_ = true;
  Ratio ratio_;
};

/// The first tier of norms. Terms wait, so that what adds their powers is a loop of its own.
class NormEstimate {
 public:
  explicit NormEstimate(const Power& p) : sum_(p) {}
  void add(Element x) {
    waiting_[count_++] = x.number();
    if (count_ == kMost) flush();
  }
  void add(const ElementRun& x);
  void scale(const Ratio& ratio) { ratio_ = ratio; }
  /// Adds what waits: after all terms.
  void flush();
  const PowerEstimate& sum() const { return sum_; }
  const Ratio& ratio() const { return ratio_; }

 private:
  static constexpr int kMost = 32;
  double waiting_[kMost];
  int count_ = 0;
  PowerEstimate sum_;
  Ratio ratio_;
};

// A definition without its type: instantiated for each accumulator, all else is compiled once. What hot loops add to is
// made, filled and returned by value, so that it stays in registers.

/// Of a sum: what adds the terms of the element at a flat position, for each accumulator.
struct SumTerms {
  const void* definition;
  EstimateSum (*estimate)(const void*, std::int64_t);
  void (*exact)(const void*, std::int64_t, ExactTerms&);
  IntegerTerms (*integers)(const void*, std::int64_t);
  void (*listed)(const void*, std::int64_t, ListedTerms&);
  void (*placed)(const void*, std::int64_t, PlacedTerms&);
};
/// Of a p-norm.
struct NormTerms {
  const void* definition;
  void (*estimate)(const void*, std::int64_t, NormEstimate&);
  void (*listed)(const void*, std::int64_t, ListedTerms&);
  void (*placed)(const void*, std::int64_t, PlacedTerms&);
};
template <class Sum, class Definition>
__attribute__((flatten)) Sum filled(const void* definition, std::int64_t i) {
  Sum sum;
  (*static_cast<const Definition*>(definition))(i, sum);
  const Sum result = sum;  // what is returned lies in the caller's memory, where no loop should add
  return result;
}
template <class Sum, class Definition>
void fill(const void* definition, std::int64_t i, Sum& sum) {
  (*static_cast<const Definition*>(definition))(i, sum);
}

Tensor sum_of(const Output& out, DType factors, const SumTerms& terms, const Integers& integers, const Rows& rows);
Tensor norm_of(const Output& out, double p, const NormTerms& terms, const Rows& rows);
/// Rows of neighbours: of sums, and of p-norms, p = 1 or 2.
Rows neighbour_rows(const SumTerms& terms, DType factors, const Integers& integers, const Neighbours& neighbours);
Rows neighbour_rows(const NormTerms& terms, double p, const Neighbours& neighbours);

template <class Definition>
SumTerms sum_terms(const Definition& definition) {
  return {&definition,
          filled<EstimateSum, Definition>,
          fill<ExactTerms, Definition>,
          filled<IntegerTerms, Definition>,
          fill<ListedTerms, Definition>,
          fill<PlacedTerms, Definition>};
}
template <class Definition>
NormTerms norm_terms(const Definition& definition) {
  return {&definition, fill<NormEstimate, Definition>, fill<ListedTerms, Definition>, fill<PlacedTerms, Definition>};
}

/// Y of `type`, of terms whose factors are floating numbers or integers: the dtype of any of them says which. Of
/// integers, Y is one too, of 8 to 64 bits. Other types are `unsupported`.
template <class Definition>
Tensor sum(const Output& out, DType factors, const Definition& definition, const Integers& integers = {},
           const Rows& rows = nullptr) {
  return sum_of(out, factors, sum_terms(definition), integers, rows);
}
template <class Definition>
Tensor sum(const Output& out, DType factors, const Definition& definition, const Neighbours& neighbours,
           const Integers& integers = {}) {
  const SumTerms terms = sum_terms(definition);
  return sum_of(out, factors, terms, integers, neighbour_rows(terms, factors, integers, neighbours));
}

/// Y[i] = (Σ|term|^p)^(1/p), the terms being elements of Y's type, p > 0. scale({a, b}), of two integers up to 2^53, is
/// of the sum under the root.
template <class Definition>
Tensor norm(const Output& out, double p, const Definition& definition, const Rows& rows = nullptr) {
  return norm_of(out, p, norm_terms(definition), rows);
}
template <class Definition>
Tensor norm(const Output& out, double p, const Definition& definition, const Neighbours& neighbours) {
  const NormTerms terms = norm_terms(definition);
  return norm_of(out, p, terms, neighbour_rows(terms, p, neighbours));
}

}  // namespace opref::evaluators
