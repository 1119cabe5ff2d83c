// SPDX-License-Identifier: Apache-2.0
// Tensors of numbers, and calls to evaluate formulas on, for tests of real formulas.
#pragma once

#include <vector>

#include "exact/oracle_testing.h"
#include "schema/output.h"

namespace opref::evaluators {

inline Call with(const Numerics& numerics) {
  Call call;
  call.set_numerics(numerics);
  return call;
}

template <class T>
Tensor tensor(const Dims& shape, const std::vector<double>& numbers) {
  TensorBuilder builder({oracle::kDType<T>, shape});
  std::transform(numbers.begin(), numbers.end(), builder.values<T>().begin(), nearest<T>);
  return std::move(builder).finish();
}
template <class T>
std::vector<std::uint64_t> bits_of(const Tensor& x) {
  std::vector<std::uint64_t> bits;
  for (const T element : x.values<T>()) bits.push_back(to_bits(element));
  return bits;
}

}  // namespace opref::evaluators
