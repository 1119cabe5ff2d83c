// SPDX-License-Identifier: Apache-2.0
// The files in which a backend left its outputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "schema/node.h"

namespace opref::backend {

/// Output K of a graph is output_K.pb, output_K.npy or NAME.npy; as a sequence also output_K.npz, NAME.npz or a folder
/// of its elements, output_K or NAME. What inputs are called (input_K, NAME.npy, NAME.npz, NAME) may lie beside; other
/// names than .pb, .npy and output_… say nothing.
class OutputFiles {
 public:
  /// A folder that cannot be read has none.
  OutputFiles(const std::filesystem::path& folder, const Graph& graph);

  /// The file or folder of the graph's output number k.
  const std::optional<std::filesystem::path>& of(size_t k) const { return files_[k]; }
  /// The name of the first file of an output, of the graph or not; empty if there is none.
  std::string any() const;
  /// The names of files that are none of `of`.
  const std::vector<std::string>& others() const { return surplus_; }
  /// Why the first file that is none of `of` should not be there; empty if there is none.
  std::string surplus() const;

 private:
  std::vector<std::optional<std::filesystem::path>> files_;  ///< by output
  std::vector<std::string> surplus_;                         ///< names
};

/// Whether an output may be in the folder: a .pb, .npy or .npz, or the folder of a sequence (0.npy, 0.pb, or empty).
bool may_hold_outputs(const std::filesystem::path& folder);

}  // namespace opref::backend
