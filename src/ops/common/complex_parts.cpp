// SPDX-License-Identifier: Apache-2.0
#include "ops/common/complex_parts.h"

#include "core/index.h"

namespace opref::ops {

TensorType parts_type(const TensorType& type) {
  if (!is_complex(type.dtype)) return type;
  return {type.dtype == DType::complex64 ? DType::float32 : DType::float64, join(type.shape, Dims{2})};
}

Tensor parts_of(const Tensor& x) {
  return is_complex(x.dtype()) ? Tensor::copy_of(parts_type(x.type()), x.bytes()) : x;
}

}  // namespace opref::ops
