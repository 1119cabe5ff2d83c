// SPDX-License-Identifier: Apache-2.0
// ONNX's messages in protobuf-JSON. https://protobuf.dev/programming-guides/json
#pragma once

#include <optional>
#include <string>

#include "io/json/tree.h"
#include "io/onnx/message.h"

namespace opref::io {

/// A JSON object read as a message.
struct OnnxJson {
  std::optional<OnnxMessage> message;  ///< nothing where there is a fault
  std::string fault;                   ///< "'graph.node[0].opType' is 5, but must be a string"
  std::string ignored;  ///< fields and names of enumerations that ONNX 1.23 does not know, by their paths
};

/// Fields are named as in onnx.proto or in camelCase; null is an absent field. Integers are numbers (also 5e2) or text
/// ("2", as protobuf writes those of 64 bits), floats numbers, text or "NaN", "Infinity", "-Infinity"; decimals are
/// rounded once. bytes are base64, also with - and _ for + and /, with or without padding. Values of enumerations are
/// names or numbers. One value may stand for a list of one. Faults: `unsupported` (more messages than opref keeps in
/// memory).
OnnxJson read_message(const JsonValue& object, const MessageType& type);

}  // namespace opref::io
