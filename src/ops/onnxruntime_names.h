// SPDX-License-Identifier: Apache-2.0
// Operators that onnxruntime writes into models under the domain ai.onnx, though the model's opset does not have them.
#pragma once

#include "schema/node.h"

namespace opref::ops {

/// What onnxruntime means by the node: LayerNormalization of any opset, whose first version takes the place of those
/// that ONNX does not have, and SimplifiedLayerNormalization, which is RMSNormalization. Null for another node, and in
/// a model that does not import com.microsoft: only onnxruntime writes them. Source: its schemas, since_version 1.
const schema::Operator* named_by_onnxruntime(const schema::OpsetImport& imports, const schema::Node& node);

}  // namespace opref::ops
