// SPDX-License-Identifier: Apache-2.0
// Between the files of the ONNX reader: from ONNX's messages to core types. Nothing else includes this.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/tensor.h"
#include "io/onnx/message.h"
#include "io/onnx/type.h"
#include "schema/node.h"

namespace opref::io {

/// The field of a TensorProto that keeps the elements of a type where raw_data does not: "int32_data".
std::string_view data_field(DType dtype);

/// Of a TensorProto. The elements stay where they are if they are aligned there. External data are looked for in
/// `folder`; null: nowhere (`unsupported`). Faults: `malformed` (data that do not fit the dims), `unsupported`,
/// `system` (more than `max_bytes`, said before they are decoded).
Tensor decode_tensor(const OnnxMessage& proto, const std::filesystem::path* folder, std::int64_t max_bytes = INT64_MAX);
/// The file that holds the data of a tensor with external data, as its location says below the model's folder: none of
/// one without, or with a location that is no path.
std::vector<std::filesystem::path> external_files(const OnnxMessage& tensor, const std::filesystem::path& folder);

/// States the version of a domain; `malformed` if another one is stated already.
void import_opset(Graph& graph, std::string_view domain, std::int64_t version);

/// A `malformed` error where names stand twice, or a node refers to an attribute that the function does not have.
void require_sound_function(const Function& function);

/// What the graph's nodes may call; `malformed` where two functions have one domain, name and overload.
void add_functions(Graph& graph, std::vector<Function> functions);

class OnnxScanner;

/// Whether a word of ONNX text begins a type: "float", "seq", …
bool is_type_word(std::string_view word);

/// What follows a type's first word. "float" is a scalar, "float[]" any tensor, "float[2,N,?]" has rank 3.
DeclaredType read_text_type(OnnxScanner& scanner, std::string_view word);

/// A name, and the type before it where there is one.
struct TypedName {
  std::string name;
  DeclaredType type = {};
};

/// type? name
TypedName read_typed_name(OnnxScanner& scanner);

/// '{' numbers '}' of a tensor whose type came before. As in ONNX's own parser they are the entries of TensorProto's
/// typed fields: float16 and other narrow types as bit patterns, int4 as bytes of two elements, complex as pairs.
Tensor read_text_tensor(OnnxScanner& scanner, const DeclaredType& type);

}  // namespace opref::io
