// SPDX-License-Identifier: Apache-2.0
// What hears from an operator's kernel how far right kernels may be, and judges an output's elements by it.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/element_verdicts.h"
#include "check/recurrences.h"
#include "compare/error_bound.h"
#include "exact/integer_sum.h"
#include "exact/ratio.h"
#include "exact/real/faithful_products.h"
#include "exact/term_sink.h"
#include "schema/call.h"

namespace opref::check {

/// Judges some elements by a formula. What tells something else of them says nothing here, but sums that are rounded
/// to integers: they are exact, and what they are multiplied by is computed.
class FormulaSink : public TermSink {
 public:
  FormulaSink(const Judge& judge, std::function<bool(std::int64_t)> asks, const KnownStates* states = nullptr)
      : judge_(judge), asks_(std::move(asks)), states_(states) {}
  bool asks_for_bounds() override { return has_bounds_ = true; }
  bool asks_for_bound(std::int64_t index) const override { return asks_(index); }
  void bound(std::int64_t index, const Faithful& y, const ResultRange& range) override {
    judge_.judge(index, y, range, verdicts_);
  }
  std::optional<Faithful> known(size_t output, std::int64_t index) const override {
    return states_ == nullptr ? std::nullopt : states_->known(output, index);
  }

  void rounds(const Integers& how) override;
  void begin(std::int64_t index) override;
  void add(double x) override;
  void add(double a, double b) override { add(a * b); }
  void scale(const Ratio& ratio) override { ratio_ = ratio; }
  void end() override;

  bool has_bounds() const { return has_bounds_; }
  const Verdicts& verdicts() {
    verdicts_.sort();
    return verdicts_;
  }

 private:
  const Judge& judge_;
  std::function<bool(std::int64_t)> asks_;
  const KnownStates* states_;
  bool has_bounds_ = false;
  Verdicts verdicts_;
  // Of sums that are rounded to integers:
  std::optional<Integers> how_;
  std::int64_t index_ = 0;
  bool is_asked_ = false, is_exact_ = true;  ///< a double has the sum
  double sum_ = 0;
  Ratio ratio_;
};

/// Hears of sums what their bounds are made of; judges elements of other formulas by what these say.
class SumSink : public TermSink {
 public:
  SumSink(const Call& call, const Judge& judge, std::int64_t most_terms, const KnownStates* states = nullptr)
      : judge_(judge), call_(call), terms_left_(most_terms), states_(states) {}

  void norms(double p) override {
    power_ = p;
    is_formula_ |= p != 1 && p != 2;
  }
  void begin(std::int64_t index) override {
    index_ = index;
    count_ = 1;
    ratio_ = {};
    has_terms_ = true;
  }
  void scale(const Ratio& ratio) override;
  bool asks_for_bounds() override { return has_bounds_ = !needs_spread_; }
  bool asks_for_bound(std::int64_t index) const override { return judge_.differs(index); }
  void bound(std::int64_t index, const Faithful& y, const ResultRange& range) override {
    judge_.judge(index, y, range, verdicts_);
  }
  void recurs(bool lists_states) override {
    needs_spread_ = !lists_states || states_ == nullptr || !states_->has_states();
  }
  std::optional<Faithful> known(size_t output, std::int64_t index) const override {
    return states_ == nullptr ? std::nullopt : states_->known(output, index);
  }
  void other() override;
  void exact() override {}

  /// Of a recurrence whose states are not known: nothing else is said.
  bool needs_spread() const { return needs_spread_; }
  bool has_terms() const { return has_terms_; }
  bool has_bounds() const { return has_bounds_; }
  /// Whether the sums are part of a formula that must be worked out: norms of other p than 1 and 2, sums that are
  /// multiplied.
  bool is_formula() const { return is_formula_; }
  const Verdicts& verdicts() {
    verdicts_.sort();
    return verdicts_;
  }

 protected:
  void count_term();
  void judged(const ErrorBound::Judgement& judgement);

  const Judge& judge_;
  std::int64_t index_ = 0;
  double power_ = 0;  ///< of p-norms
  double count_ = 1;  ///< what the sum is divided by
  Ratio ratio_;       ///< of a formula: what the sum is multiplied by
  Verdicts verdicts_;

 private:
  const Call& call_;
  std::int64_t terms_left_;
  const KnownStates* states_;
  bool has_terms_ = false, has_bounds_ = false, is_formula_ = false, needs_spread_ = false;
};

/// Judges sums by magnitudes that doubles add up; what that does not decide is `open`.
class QuickSink final : public SumSink {
 public:
  QuickSink(const Call& call, const BoundedKernel& kernel, const Judge& judge, std::int64_t most_terms,
            const KnownStates& states)
      : SumSink(call, judge, most_terms, &states), bound_(kernel, judge.dtype()) {}

  void begin(std::int64_t index) override;
  void add(double x) override { count_term(), ++terms_, magnitude_ += std::abs(x); }
  void add(double a, double b) override { count_term(), ++terms_, magnitude_ += std::abs(a * b); }
  void end() override;

  const std::set<std::int64_t>& open() const { return open_; }
  double all_terms() const { return all_terms_ + terms_; }

 private:
  ErrorBound bound_;
  double all_terms_ = 0, terms_ = 0, magnitude_ = 0;
  std::set<std::int64_t> open_;
};

/// Judges sums, or some of them, exactly.
class BoundSink final : public SumSink {
 public:
  /// `only` these, or all.
  BoundSink(const Call& call, const BoundedKernel& kernel, const Judge& judge, const std::set<std::int64_t>* only)
      : SumSink(call, judge, INT64_MAX), bound_(kernel, judge.dtype()), only_(only) {}

  void begin(std::int64_t index) override;
  void add(double x) override;
  void add(double a, double b) override;
  void end() override;

  const std::string& no_bound() const { return no_bound_; }

 private:
  ErrorBound::Judgement judge_terms(double a);

  ErrorBound bound_;
  const std::set<std::int64_t>* only_;
  bool is_asked_ = true;
  MagnitudeSum terms_;
  std::string no_bound_;
};

/// Judges sums that are part of a formula, where the elements differ: (Σ|x|^p·a/b)^(1/p), Σx·a/b.
class SumFormulaSink final : public SumSink {
 public:
  using SumSink::SumSink;
  void begin(std::int64_t index) override;
  void add(double x) override;
  void add(double a, double b) override;
  void end() override;

 private:
  bool is_asked_ = true;
  exact::FaithfulProducts terms_;
};

/// Takes the terms of no element: what an operator only moves has none, and needs no bound.
class NoTermsSink : public TermSink {
 public:
  NoTermsSink(const Call& call, DType output) : call_(call), output_(output) {}
  void begin(std::int64_t) override { refuse(); }
  void other() override { refuse(); }
  void exact() override {}

 private:
  [[noreturn]] void refuse() const;

  const Call& call_;
  DType output_;
};

/// Sums up magnitudes in double, and takes the bound of error_bound.h from them.
class RoughSink : public TermSink {
 public:
  RoughSink(const BoundedKernel& kernel, const Tensor& ours);

  void norms(double p) override {
    power_ = p;
    is_known_ &= p == 1 || p == 2;
  }
  void begin(std::int64_t index) override {
    index_ = index;
    terms_ = magnitude_ = 0;
    count_ = 1;
  }
  void add(double x) override { count_term(power_ == 2 ? x * x : x); }
  void add(double a, double b) override { count_term(a * b); }
  void scale(const Ratio& ratio) override {
    is_known_ &= ratio.a == 1 && ratio.b >= 1;
    count_ = ratio.b;
  }
  void end() override;
  void other() override { is_known_ = false; }
  void exact() override {}

  std::optional<std::vector<double>> bounds() && {
    return is_known_ ? std::optional(std::move(bounds_)) : std::nullopt;
  }

 private:
  void count_term(double x);

  ErrorBound bound_;
  FloatLimits accumulator_, output_;
  const Tensor& ours_;
  std::vector<double> bounds_;
  std::int64_t index_ = 0;
  double power_ = 0, count_ = 1, terms_ = 0, magnitude_ = 0;
  bool is_known_ = true;
};

}  // namespace opref::check
