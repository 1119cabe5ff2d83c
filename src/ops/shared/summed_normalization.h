// SPDX-License-Identifier: Apache-2.0
// Normalizations of sums that are not rounded: of a tensor, what is added to it, and perhaps a bias.
#pragma once

#include <functional>
#include <vector>

#include "ops/shared/normalization.h"
namespace opref::ops {
/// A row that is added: of the slice at hand, or of the one that `row` names.
struct Addend {
  SliceOperand x;
  std::function<std::int64_t(std::int64_t slice)> row = nullptr;
};
/// f(the sum of the rows, of which there are two or three); where it is exactly zero, +0.
template <class R, class F>
void with_sum(const Slices<R>& s, const std::vector<Addend>& addends, const F& f) {
  const auto row = [&](std::size_t k) {
    const Addend& addend = addends[k];
    return addend.row ? s.row(addend.x, addend.row(s.slice())) : s.row(addend.x);
  };
  const auto two = row(0) + row(1) + R(0.0);
  addends.size() == 2 ? f(two) : f(two + row(2));
}
/// The deviations of a sum from its mean; after `others` the sum itself.
struct SummedNormalization {
  std::vector<Addend> addends;
  Normalization normalization;  ///< its X is none

  template <class R>
  void operator()(const Slices<R>& s) const {
    with_sum(s, addends, [&](const auto& sum) {
      normalize(s, sum, normalization, Moments{});
      const std::size_t last = normalization.others.size() + 1;
      if (s.wants(last)) s.put(last, sum);
    });
  }
};

/// Of input and skip, perhaps bias, and gamma and beta: each rule of their shapes; the types of output, mean,
/// inv_std_var and input_skip_bias_sum.
std::vector<ValueType> skip_types(const Call& call, std::initializer_list<std::string_view> parameters);
/// The rows along the last axis of input.
Slicing skip_slices(const Call& call);
/// input, skip and bias.
std::vector<Addend> skip_addends(const Call& call, const Slicing& slices);
/// The outputs beyond the first, and `epsilon`.
void with_skip_outputs(OpSchema& s);
}  // namespace opref::ops
