// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/widen.h"

#include <cmath>

#include "core/error.h"
#include "exact/rounding.h"

namespace opref::io {
namespace {

std::uint64_t bits_of(double value, DType to) {
  if (to == DType::float64) return exact::to_bits(std::isnan(value) ? exact::quiet_nan<double>() : value);
  return exact::to_bits(exact::nearest<float>(value));
}

}  // namespace

bool holds_all(DType to, DType from) {
  if (info(from).kind != Kind::floating) return false;
  return to == from || ((to == DType::float32 || to == DType::float64) && info(from).bits < info(to).bits);
}

Tensor widened(const Tensor& tensor, DType to, std::int64_t max_bytes) {
  if (tensor.dtype() == to) return tensor;
  const TensorType type{to, tensor.shape()};
  require_bytes(type, max_bytes);
  return exact::tensor_of_bits(type, [&](std::int64_t i) { return bits_of(exact::floating_element(tensor, i), to); });
}

}  // namespace opref::io
