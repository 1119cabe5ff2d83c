// SPDX-License-Identifier: Apache-2.0
// Elementwise operators of two inputs: NumPy's broadcasting, and ONNX's before opset 7.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

/// One output of the first input's element type. From version 7 on of the shape to which the first two inputs, A and B,
/// broadcast; before, of A's shape: without `broadcast` B has it too, with it B's axes lie on those of A from `axis`
/// on, by default on the last ones.
std::vector<ValueType> broadcast_types(const Call& call);
/// The same, of bool.
std::vector<ValueType> truth_types(const Call& call);

/// A and B, in shapes that NumPy's broadcasting takes to that of the output.
std::vector<Tensor> broadcast_operands(const Call& call);

/// What versions before 7 have, and what 7 does to it.
void with_old_broadcast(OpSchema& s);
void with_numpy_broadcast(OpSchema& s);
/// old_broadcast.unit_dims, of versions 1 to 6.
Reading unit_dims_reading();

/// Versions 1, 6, 7, 13 and 14 of Add, Sub, Mul and Div, their readings and output types.
Operator arithmetic(std::string_view op_type);
/// Versions 1, 7, 9 and 13 of Less and Greater.
Operator ordered(std::string_view op_type);
/// Versions 12 and 16 of LessOrEqual and GreaterOrEqual.
Operator ordered_or_equal(std::string_view op_type);
/// Versions 1 and 7 of And, Or and Xor.
Operator logical(std::string_view op_type);
/// Version 18 of BitwiseAnd, BitwiseOr and BitwiseXor.
Operator bitwise(std::string_view op_type);

}  // namespace opref::ops
