// SPDX-License-Identifier: Apache-2.0
// Support vector machines of ai.onnx.ml: kernels of a row and each support vector, and sums of them. Numbers R are
// Bounded, Interval or Faithful.
#pragma once

#include <vector>

#include "exact/real/equal_numbers.h"
#include "ops/shared/scores.h"
namespace opref::ops {
/// K(x, v): LINEAR x·v; POLY (γ x·v + c)^d; RBF e^(-γ |x-v|²); SIGMOID tanh(γ x·v + c).
enum class SvmKernel : std::uint8_t { linear, poly, rbf, sigmoid };

/// The attributes that both operators have, and those alone.
void with_support_vectors(OpSchema& s);

/// What the kernels of a row are made of. Of exact numbers, which of them are equal: the same rank.
template <class R>
struct RowKernels {
  std::vector<R> values;
  std::vector<size_t> ranks;  ///< empty where it is not asked for
};

class SupportVectors {
 public:
  /// `count` of the attribute support_vectors; other lengths of it or of kernel_params than 0 and 3 are `invalid`. The
  /// call outlives it.
  SupportVectors(const Call& call, std::int64_t count);

  template <class R>
  RowKernels<R> kernels(std::int64_t row, const Reader<R>& x) const {
    const Elements X(call_.input("X"));
    std::vector<R> arguments;
    for (std::int64_t j = 0; j < count_; ++j) {
      require_time();
      SumOf<R> sum;
      for (std::int64_t k = 0; k < features_; ++k) {
        const R v(vectors_[static_cast<size_t>(j * features_ + k)]), from = x(X, row * features_ + k);
        sum.add(kernel_ == SvmKernel::rbf ? square(from - v) : from * v);
      }
      const R all = sum.total();
      arguments.push_back(kernel_ == SvmKernel::linear ? all
                          : kernel_ == SvmKernel::rbf  ? R(gamma_) * all
                                                       : R(gamma_) * all + R(c_));
    }
    RowKernels<R> kernels{{}, {}};
    if constexpr (std::is_same_v<R, exact::Interval>)
      if (kernel_ != SvmKernel::linear &&
          std::ranges::all_of(arguments, [](const R& argument) { return is_finite(argument); }))
        kernels.ranks = exact::ranks(arguments);
    for (const R& argument : arguments) kernels.values.push_back(of_argument(argument));
    return kernels;
  }

  /// A coefficient of a support vector.
  struct Term {
    std::int64_t vector;
    double coefficient;
  };
  /// Σ coefficient·K + rho. Equal kernels are taken together, so that a sum that is 0 is known as such: other kernels
  /// e^a of algebraic numbers a cannot cancel.
  template <class R>
  R sum(const RowKernels<R>& kernels, const std::vector<Term>& terms, double rho) const {
    SumOf<R> sum;
    if (kernels.ranks.empty()) {
      for (const Term& term : terms) sum.add(R(term.coefficient) * kernels.values[static_cast<size_t>(term.vector)]);
    } else {
      std::map<size_t, std::pair<size_t, R>> by_rank;  // one of those vectors, and the sum of their coefficients
      for (const Term& term : terms) {
        const auto j = static_cast<size_t>(term.vector);
        auto& [of, coefficient] = by_rank.try_emplace(kernels.ranks[j], j, R(0.0)).first->second;
        coefficient = coefficient + R(term.coefficient);
      }
      for (const auto& [rank, term] : by_rank) sum.add(sharp(term.second) * kernels.values[term.first]);
    }
    sum.add(R(rho));
    return sum.total();
  }

 private:
  template <class R>
  R of_argument(const R& argument) const {
    switch (kernel_) {
      case SvmKernel::linear:
        return argument;
      case SvmKernel::poly:
        return pow(argument, R(d_));
      case SvmKernel::rbf:
        return exp(-argument);
      case SvmKernel::sigmoid:
        return tanh(argument);
    }
    return argument;
  }

  const Call& call_;
  std::int64_t count_, features_;
  SvmKernel kernel_;
  double gamma_ = 0, c_ = 0, d_ = 0;
  std::vector<double> vectors_;
};

/// The kernel's parameters fit; where there are no support vectors too.
void require_kernel_params(const Call& call);
/// The attribute has at least one number, and that is this.
double first_rho(const Call& call);
}  // namespace opref::ops
