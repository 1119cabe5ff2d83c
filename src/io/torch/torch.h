// SPDX-License-Identifier: Apache-2.0
// Files of torch.save, as versions since 1.6 write them: a zip archive of a pickle and of the storages that it names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "system/file.h"

namespace opref::io {

/// Whether the archive has the pickle of torch.save.
bool is_torch_archive(const FileBytes& file);

/// The tensor of a key, or the only one where it is empty. Keys of nested dicts are joined by '.': "model.conv.weight";
/// items of lists have their positions. The pickle is read, never executed: whatever it names beside torch's own
/// functions that make tensors is `unsupported`, as are files of before version 1.6. Faults: `malformed`; `usage` as
/// named_tensor; `system` for more than `max_bytes`.
Tensor read_torch(const FileBytes& file, std::string_view key, std::int64_t max_bytes);
/// The keys of all its tensors, as the file has them. Faults as above.
std::vector<std::string> names_of_torch(const FileBytes& file);

}  // namespace opref::io
