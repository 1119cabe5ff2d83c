// SPDX-License-Identifier: Apache-2.0
// Compares what calls, arithmetic and both together give with what a backend gave.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "explain/arithmetic.h"
#include "explain/cause.h"
#include "explain/evaluated.h"
#include "explain/layout.h"
#include "io/case.h"
#include "mistakes/mistakes.h"
#include "run/evaluate.h"
#include "system/machine_error.h"

namespace opref::explain {

/// What a node may have been taken for, or how it may have been worked out.
struct Changed {
  std::string name;  ///< "mistake kernel flipped", "reading max_pool.tie=last"
  Call call;
  /// What becomes of each output; null: nothing. Gives a tensor of the same type.
  std::function<Tensor(const Tensor&)> result = nullptr;
  /// What it gives, where that is worked out from the terms of the call's only output.
  std::shared_ptr<const Tensor> computed = {};
  /// The type to which each operation of a real function is rounded; nothing: none is.
  std::optional<DType> steps = {};
  std::string_view reading = {};  ///< of another reading that reading's name, else empty
  Cause::Kind kind = Cause::Kind::arithmetic;
  MistakeKind mistake = MistakeKind::misread;  ///< of kind mistake
};

/// All changes that are tried for one node's outputs. What a changed node refuses, it does not give.
class Search {
 public:
  /// `places` of these outputs among the node's; empty: they are the first ones.
  explicit Search(std::span<const Tensor> actual, std::span<const size_t> places = {});

  /// What f gives; nothing where the node refuses it. Bugs and limits of the machine are thrown.
  template <class F>
  static auto unless_refused(const F& f) -> decltype(f()) {
    try {
      return f();
    } catch (const Error& error) {
      pass_on(error);
      return std::nullopt;
    }
  }
  /// Whether its outputs have the backend's types.
  bool has_types(const Call& call) const;
  /// The call where it is one and its outputs have the backend's types.
  template <class F>
  std::optional<Call> accepted(const F& made) const {
    return unless_refused([&]() -> std::optional<Call> {
      const std::optional<Call> call = made();
      return call && has_types(*call) ? call : std::nullopt;
    });
  }

  /// Looks at one element in which the backend differs from this call first: it refutes nearly all changes.
  void probe_where_differs(const Changed& right);
  /// Whether it gives the outputs: bit for bit where there are no rules. NaN everywhere, of finite inputs, is no trace
  /// of a mistake: too many end so.
  bool fits(const Changed& changed, std::span<const Tolerance> rules = {}) const;
  /// How many elements it does not give, where these are at most one of a hundred.
  std::optional<std::int64_t> few_left(const Changed& changed, std::span<const Tolerance> rules) const;
  /// Whether the backend's outputs stay what they are where what becomes of results is done once more, and are numbers
  /// of the type to which the last step is rounded.
  bool is_idempotent(const Changed& changed) const;
  /// Whether each element is as near as another arithmetic in 16 bits may be: not worth trying otherwise.
  bool is_near(const Changed& changed) const;
  /// Whether what is left of the difference from the right outputs is at most an eighth: of the infinite differences,
  /// where there are any; else of the elements without a distance, beside outputs that have one, if such differ, as
  /// labels beside scores; else of the sum of the finite ones, absolute or relative.
  bool explains_most(const Changed& changed, const Changed& right) const;

  struct Way {
    std::string text;
    Arithmetic arithmetic;
  };
  /// Ways that give the backend's output.
  struct Ways {
    std::vector<Way> rounding;  ///< of the same formula
    std::vector<Way> formulas;  ///< of another one
    std::string doubt;          ///< see Evidence
  };
  /// The plainest of the call's arithmetic that fits, and what is as plain but for order and fusing. With weak evidence
  /// none that makes three changes together with the `made` ones that the call has already.
  Ways by_arithmetic(const Call& call, int made = 0);
  /// Of the ways those that change the formula and nothing else: the sum not divided, the norm without its root.
  std::vector<Changed> by_other_formulas(const Call& call);

  /// The elements of all outputs in which two results differ: output and place. Of those in which the backend has the
  /// same limit of a type, NaN or an infinity, the first alone: they say one thing. So does an output that is one value
  /// throughout. Not more than one over the most that are weighed.
  using Places = std::vector<std::pair<size_t, std::int64_t>>;
  std::optional<Places> differences(const Changed& right, std::span<const Tolerance> rules = {}) const;
  /// The places of all elements, by the same measure.
  Places all_places() const;
  /// What luck has to do with a change that fits at these places, where all of these were tried; by rules two values
  /// that are equal count as one.
  std::string doubt_of(const Places& places, std::span<const Changed> tried,
                       std::span<const Tolerance> rules = {}) const;

  /// The rules of relative errors with an absolute one for sums that cancel, small beside the greatest element.
  std::vector<Tolerance> with_cancelling(std::span<const Tolerance> rules) const;

  /// How a change's outputs compare with the backend's.
  struct Agreement {
    std::int64_t elements = 0;
    std::int64_t others = 0;     ///< of them differ
    bool others_are_nan = true;  ///< each where one of both is NaN and the other is not
  };
  std::optional<Agreement> agreement(const Changed& changed) const;

  /// The backend's outputs as those of another call.
  struct Halved {
    std::vector<Tensor> actual;
    bool has_greatest_for_infinity = false;  ///< its greatest number stands for infinities: those are put back
  };
  /// In the types that this call's outputs have, which carries `from` in a type of half the size; nothing where an
  /// element is no number of that type.
  std::optional<Halved> in_types_of(const Call& halved, DType from) const;

  /// Whether kernels of that arithmetic can return the outputs where the step has this call.
  bool can_be_of(const Step& step, const Call& call, DType type, const CanReturn& can_return) const;

  /// How near the outputs are to a change's that is a function of real numbers.
  struct Nearness {
    std::uint64_t ulp = 0;       ///< the greatest distance of those that are a step or a few away
    std::int64_t left = 0;       ///< elements that are farther away, each by little of the greatest element
    std::int64_t elements = 0;   ///< of all outputs
    std::int64_t differing = 0;  ///< of them
    bool is_truncated = false;   ///< each of many that differ is one ULP nearer to zero
    std::uint64_t absolute = 0;  ///< the greatest distance, in ULP of the greatest element
  };
  /// Nothing where an element alone is no number, or one is far away.
  std::optional<Nearness> nearness(const Changed& changed) const;
  /// The right values times a number, or with a number added, where most elements of the only output give the same one:
  /// "results times 0.125".
  std::vector<Changed> by_a_number(const Call& call) const;
  /// Whether the errors are those of the change, row by row along the last axis, but for a factor of each row that has
  /// either sign: what a number of each row loses by its roundings, in whatever order.
  bool errs_by_rows(const Changed& changed, const Call& right) const;
  /// The greatest error in ULP of 1, where the output is a real function, many elements differ, and none is NaN or
  /// infinite alone.
  std::optional<double> error_in_ulp_of_one(const Changed& right) const;
  /// Correct bits of every element, where all of many elements of a real function lack about as many.
  std::optional<int> correct_bits(const Changed& right) const;
  /// Right values, the call's, that stand elsewhere in the one output that differs.
  std::vector<Layout> layouts(const Call& call, std::span<const Tolerance> rules) const;
  /// Whether each element can be a sum, or a 1- or 2-norm, of the call's terms that is rounded to `accumulator` after
  /// each operation, in whatever order, and then to `carried`.
  bool within_bound(const Call& call, DType accumulator, DType carried);
  /// Of integers the bits that say that each element is a sum of the call's terms, or their mean, that is added in
  /// float64, in whatever order, and converted back: the low bits of the differing elements that such a number does not
  /// have. Nothing where one is no such number, or farther away than the error of such a sum.
  std::optional<int> bits_without_float64(const Call& call);
  /// Whether the elements' errors look like those of sums of this accumulator, though no order that is tried gives
  /// them: they are of that size, and neither of one sign nor a part of the element.
  bool errs_like_sums(const Call& call, DType accumulator);

  std::span<const Tensor> actual() const { return actual_; }
  std::span<const size_t> places() const { return places_; }
  /// Of the first output.
  DType dtype() const { return actual_.front().dtype(); }
  /// Whether it had no time for all arithmetic.
  bool gave_up() const;

 private:
  /// The outputs, as far as the backend gave them; nothing where the node refuses the change.
  std::optional<std::vector<Tensor>> values_of(const Changed& changed) const;
  /// Of is_near.
  std::vector<Tolerance> near_rules() const;
  /// Whether one element alone tells that the change does not fit.
  bool is_refuted(const Changed& changed, std::span<const Tolerance> rules) const;
  /// Whether the backend's element is that one of `values`, by the rules.
  bool is_close(const std::vector<Tensor>& values, size_t output, std::int64_t k,
                std::span<const Tolerance> rules) const;
  bool is_close(const Tensor& ours, size_t output, std::int64_t k, std::span<const Tolerance> rules) const;
  /// The places of which `differ` says yes.
  Places places_where(const std::function<bool(size_t output, std::int64_t k)>& differ) const;
  std::string doubt_of(const TermTable& table, const Places& places);
  std::string bits_text(std::uint64_t bits) const;
  bool same(const Arithmetic& way, const TermTable& table, size_t element);
  bool is_actual(std::uint64_t bits, size_t element) const;
  std::vector<size_t> sample_of(const Tensor& correct) const;
  bool agrees(const Arithmetic& way, const TermTable& table, std::span<const size_t> sample);

  std::span<const Tensor> actual_;
  std::vector<size_t> places_;  ///< [actual]: among the node's outputs
  bool is_nan_alone_;
  std::optional<std::pair<size_t, std::int64_t>> probe_;  ///< output and element
  mutable std::vector<Tolerance> near_rules_;             ///< of the outputs, once they were asked for
  std::int64_t work_ = 0;
};

}  // namespace opref::explain
