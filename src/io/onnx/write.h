// SPDX-License-Identifier: Apache-2.0
// Between the writers of ONNX: from core types to ONNX's messages. Nothing else includes this.
#pragma once

#include <string_view>

#include "io/onnx/wire.h"
#include "schema/node.h"

namespace opref::io {

/// The TypeProto of a value whose element type is known.
WireWriter encode_type(const ValueInfo& info);

/// An `unsupported` error where a message has more bytes than protobuf writes; `what` it is, for the error.
void require_message_size(size_t size, std::string_view what);

}  // namespace opref::io
