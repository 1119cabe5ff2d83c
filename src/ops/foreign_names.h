// SPDX-License-Identifier: Apache-2.0
// What other frameworks call the operators of ONNX.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hints.h"

namespace opref::ops {

/// A name in lower case, without the modules before it, underscores and the number of axes at its end: "conv" of
/// "torch.nn.Conv2d".
std::string plain_name(std::string_view name);

/// The operator of ai.onnx (`meant`), and what else the node needs, after its name (`more`), that PyTorch, TensorFlow,
/// Keras, Caffe or OpenVINO calls so, or ONNX but for what `plain_name` leaves out.
std::optional<Hint> find_foreign_name(std::string_view name);

/// The attribute of an operator of ONNX that others write as `name`=`value`: "auto_pad=SAME_UPPER" of "padding",
/// "same"; each that it may be, for which operator there is which; empty where none is known.
std::vector<std::string> attributes_meant(std::string_view name, std::string_view value);

/// The operator of ai.onnx that has the attribute, where others have it in one that is called otherwise: Gemm of
/// "transB".
std::string_view operator_that_has(std::string_view attribute);

/// A graph in ONNX text, as a graph attribute of the operator takes one.
std::string_view graph_example(std::string_view op_type);

/// What takes the place of an operator of ai.onnx that is deprecated; empty where nothing does.
std::string_view successor_of(std::string_view op_type);

}  // namespace opref::ops
