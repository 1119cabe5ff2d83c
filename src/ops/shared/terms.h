// SPDX-License-Identifier: Apache-2.0
// Sums of elements and of products of two, as a part of a formula.
#pragma once

#include "evaluators/elements.h"
#include "evaluators/programs.h"
#include "exact/real/faithful_products.h"
namespace opref::ops {
/// Terms as `sum` has them, of numbers of any kind.
template <class R>
class TermsOf {
 public:
  explicit TermsOf(const Reader<R>& x) : x_(x) {}
  void add(Element a) { sum_.add(x_(*a.of, a.at)); }
  void add(Element a, Element b) { sum_.add(x_(*a.of, a.at) * x_(*b.of, b.at)); }
  R total() const { return sum_.total(); }

 private:
  const Reader<R>& x_;
  SumOf<R> sum_;
};
template <>
class TermsOf<Faithful> {
 public:
  explicit TermsOf(const Reader<Faithful>& x) : x_(x) {}
  void add(Element a) { sum_.add(x_(*a.of, a.at)); }
  void add(Element a, Element b) {
    if (a.of->is_narrow() && b.of->is_narrow())
      sum_.add_narrow(a.number(), b.number());
    else
      sum_.add(x_(*a.of, a.at) * x_(*b.of, b.at));
  }
  Faithful total() const { return sum_.total(); }

 private:
  const Reader<Faithful>& x_;
  exact::FaithfulProducts sum_;
};
}  // namespace opref::ops
