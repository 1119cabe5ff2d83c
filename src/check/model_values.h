// SPDX-License-Identifier: Apache-2.0
// The values that a backend gives of a model's tensors, those between nodes too.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "check/handed.h"
#include "run/bind.h"

namespace opref::check {

/// Under which names another program wrote tensors, by their names in the model.
using CapturedNames = std::map<std::string, std::string, std::less<>>;

/// A JSON object of such names: {"conv1_out": "backbone.conv1"}. Faults: `malformed`; `usage` for a name that no tensor
/// of the graph has, or two tensors of one.
CapturedNames read_captured_names(std::string_view json, const Graph& graph);

/// Files of values by the tensors' names. They are read when they are asked for.
class ModelValues {
 public:
  /// What lies in a folder: NAME.npy, .npz of a sequence or a folder of its elements, as `run -o FOLDER/` writes them;
  /// output_K.pb or .npy of the graph's own output number K. NAME is what `captured` has for the tensor, else its own.
  /// Faults: `system` (no such folder).
  static ModelValues in_folder(const std::filesystem::path& folder, const Graph& graph,
                               std::span<const std::string> names, const CapturedNames& captured = {});

  /// Asks the backend for all these tensors of the case at once: by a copy of the model whose outputs they are. If it
  /// refuses that, by halves, until those that it cannot return are found; a backend that does not answer, or dies, is
  /// asked a few times only. Faults: those of write_case; BackendError of the first question.
  static ModelValues asked(Backend& backend, const Bound& bound, std::span<const std::string> names,
                           const std::filesystem::path& scratch);

  /// Asks for the model's own outputs, by the model's own file where the case's graph is that.
  static ModelValues of_outputs(Backend& backend, const Bound& bound, const std::filesystem::path& scratch);

  /// Null where there is none.
  const std::filesystem::path* find(const std::string& name) const;
  /// Why there is no value, a sentence; empty where there is one.
  std::string why_not(const std::string& name) const;
  /// What the backend answered last.
  const Answer& answer() const { return answer_; }
  /// How often it died or did not answer.
  int deaths() const { return deaths_; }
  /// Whether there is no value at all.
  bool is_empty() const { return files_.empty(); }
  /// Of a folder, the files that hold none of the values.
  const std::vector<std::string>& others() const { return others_; }

 private:
  struct Asking;
  /// `names` of the graph's outputs in the model.
  void take(const std::filesystem::path& folder, const Graph& graph, std::span<const std::string> names);

  std::map<std::string, std::filesystem::path, std::less<>> files_;
  std::map<std::string, std::string, std::less<>> refused_;
  std::vector<std::unique_ptr<CaseFolder>> folders_;
  std::string nothing_ = "the backend left it out";
  std::vector<std::string> others_;
  Answer answer_;
  int deaths_ = 0;
};

/// The names of all that the graph's nodes give, its own outputs first.
std::vector<std::string> computed_names(const Graph& graph);

}  // namespace opref::check
