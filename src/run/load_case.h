// SPDX-License-Identifier: Apache-2.0
// From what a user names as NODE to a case.
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/case.h"
#include "io/json/cases.h"

namespace opref::run {

/// NODE is a case folder, a JSON case, ONNX's protobuf-JSON, a model or node in protobuf, ONNX text, an OpenVINO IR or
/// layer, the name of an operator, or "-" for any of these on standard input; decided by content. One of several cases
/// in a JSON file is FILE#NAME (see JsonCase), or the only one for `opset`; a `usage` error says which there are.
/// A `system` error before the lists in a binary file take more than `max_bytes` with the copies that are made of them.
Case read_case(const std::string& argument, std::optional<std::int64_t> opset = {}, std::int64_t max_bytes = INT64_MAX);

/// Fails with the command that the JSON is for: "r.json is a recipe, not a case". `file` may have no name.
[[noreturn]] void refuse_other(OtherJson other, std::string_view what, const std::filesystem::path& file);

/// A case as a backend finds it: `model` is what read_case takes; the folder `inputs` has input_K.pb, NAME.npy or
/// NAME.npz of the graph's inputs, instead of tensors that come with the model.
Case read_handed_case(const std::string& model, const std::filesystem::path& inputs,
                      std::int64_t max_bytes = INT64_MAX);

/// Reads cases as read_case; of JSON files that hold several, those read last stay parsed, so that a file of a thousand
/// is not parsed a thousand times. Threads may share one.
class CaseReader {
 public:
  /// Keeps at most so many files; as many as threads read at a time are enough where cases come in the files' order.
  explicit CaseReader(size_t most_kept) : most_kept_(most_kept) {}
  Case read(const std::string& argument, std::int64_t max_bytes = INT64_MAX);

 private:
  struct Kept {
    explicit Kept(std::filesystem::path name) : path(std::move(name)) {}
    const std::filesystem::path path;
    std::mutex parsing = {};
    std::shared_ptr<const JsonCaseFile> parsed = {};
  };
  std::shared_ptr<Kept> entry_of(const std::filesystem::path& file);
  std::shared_ptr<const JsonCaseFile> parsed(const std::filesystem::path& file);

  const size_t most_kept_;
  std::mutex guard_;
  std::list<std::shared_ptr<Kept>> kept_;  ///< the one read last first
};

}  // namespace opref::run
