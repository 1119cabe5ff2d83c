// SPDX-License-Identifier: Apache-2.0
// Elementwise operators of two inputs: NumPy's broadcasting, and ONNX's before opset 7.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

/// One output of A's element type, A and B being the first two inputs. From version 7 on of the shape to which A and B
/// broadcast; before, of A's shape: without `broadcast` B has it too, with it B's axes lie on those of A from `axis`
/// on, by default on the last ones.
std::vector<ValueType> broadcast_types(const Call& call);

/// A and B, in shapes that NumPy's broadcasting takes to that of the output.
std::vector<Tensor> broadcast_operands(const Call& call);

/// old_broadcast.unit_dims, of versions 1 to 6.
Reading unit_dims_reading();

/// Versions 1, 6, 7, 13 and 14 of Add, Sub, Mul and Div, their readings and output types.
Operator arithmetic(std::string_view op_type);

}  // namespace opref::ops
