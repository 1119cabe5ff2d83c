// The files in which a backend left its outputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "schema/node.h"

namespace opref::backend {

/// Output K of a graph is output_K.pb, output_K.npy or NAME.npy. Files of inputs (input_K, NAME.npy) may lie beside;
/// other names than .pb and .npy say nothing.
class OutputFiles {
 public:
  /// A folder that cannot be read has none.
  OutputFiles(const std::filesystem::path& folder, const Graph& graph);

  /// The file of the graph's output number k.
  const std::optional<std::filesystem::path>& of(size_t k) const { return files_[k]; }
  /// The name of the first file of an output, of the graph or not; empty if there is none.
  std::string any() const;
  /// Why the first file that is none of `of` should not be there; empty if there is none.
  std::string surplus() const;

 private:
  std::vector<std::optional<std::filesystem::path>> files_;  ///< by output
  std::vector<std::string> surplus_;                         ///< names
};

}  // namespace opref::backend
