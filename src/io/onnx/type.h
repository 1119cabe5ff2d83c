// SPDX-License-Identifier: Apache-2.0
// Types as models and ONNX text declare them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/onnx/message.h"
#include "schema/node.h"

namespace opref::io {

struct DeclaredType {
  std::string text = {};            ///< "tensor(float)", "sparse_tensor(float)"; empty where nothing is stated
  std::optional<Form> form = {};    ///< of its values; nothing where opref has no values of the type
  std::optional<DType> dtype = {};  ///< of the elements; nothing where opref does not know it
  std::optional<std::vector<DeclaredDim>> dims = {};  ///< of a tensor; nothing where the rank is not stated
  DType key = DType::int64;                           ///< of maps

  /// Element types are numbers of TensorProto.DataType.
  static DeclaredType tensor(std::int64_t elem_type, std::optional<std::vector<DeclaredDim>> dims);
  static DeclaredType sparse_tensor(std::int64_t elem_type);
  static DeclaredType sequence(const DeclaredType& element);
  static DeclaredType optional(const DeclaredType& element);
  static DeclaredType map(std::int64_t key_type, const DeclaredType& value);
  static DeclaredType opaque();
};

/// Of a TypeProto.
DeclaredType decode_type(const OnnxMessage& proto);
/// The value of an attribute of type TYPE_PROTO; `unsupported` where opref has no values of the type.
ValueType stated_type(const DeclaredType& type);

/// A size below 0 is not known.
ValueInfo value_info(std::string name, DeclaredType type);

/// Of a ValueInfoProto.
ValueInfo decode_value_info(const OnnxMessage& proto);

}  // namespace opref::io
