// SPDX-License-Identifier: Apache-2.0
// A case that is a folder already, copied without what it expects.
#pragma once

#include <filesystem>
#include <optional>

#include "run/write_case.h"

namespace opref::run {

/// The model and its external data, as model.onnx of this folder.
std::filesystem::path copy_model(const std::filesystem::path& model, const std::filesystem::path& folder);

/// What a case folder, or one of its data sets, gives a backend, as write_case writes it into an empty folder: copies,
/// so that what becomes of them changes nothing. Of a layer all arrays but its outputs. Nothing of other cases, which
/// are no files yet. Fault: `system` (a file that cannot be read).
std::optional<CaseFiles> copy_case(const Case& loaded, const std::filesystem::path& path,
                                   const std::filesystem::path& folder);

}  // namespace opref::run
