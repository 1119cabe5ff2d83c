// SPDX-License-Identifier: Apache-2.0
// safetensors: https://github.com/huggingface/safetensors#format
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "system/file.h"

namespace opref::io {

/// Whether the bytes begin as such a file does: with the size of a JSON object, and this.
bool is_safetensors(std::string_view content);

/// The tensor of a name, or the only one where it is empty; its elements stay where they are. Faults: `malformed` (a
/// header that is no such JSON, offsets beyond the file or of another size), `unsupported` (an element type that opref
/// does not have), `usage` as named_tensor; `system` for more than `max_bytes`.
Tensor read_safetensors(const FileBytes& file, std::string_view key, std::int64_t max_bytes);
/// The names of all its tensors, as the file has them. Faults as above.
std::vector<std::string> names_of_safetensors(const FileBytes& file);

}  // namespace opref::io
