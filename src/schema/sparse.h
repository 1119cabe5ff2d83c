// SPDX-License-Identifier: Apache-2.0
// Sparse tensors made dense.
#pragma once

#include "schema/attribute.h"

namespace opref::schema {

/// The type of `dense`. Faults, `invalid`: values that are no list [n]; indices that are no int64 [n] or [n, rank], or
/// do not ascend, or leave the shape: the rules of onnx.proto's SparseTensorProto.
TensorType dense_type(const SparseTensor& sparse);

/// The values at their places; everywhere else zero, False or "". `sparse` is one that `dense_type` accepts.
Tensor dense(const SparseTensor& sparse);

}  // namespace opref::schema
