// SPDX-License-Identifier: Apache-2.0
// Somebody else's evaluation of cases, to be judged.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "core/error.h"

namespace opref::backend {

/// A case as a backend finds it on disk: copies of its files, beside which nothing lies that is expected of it.
struct HandedCase {
  std::string name;               ///< see discover.h; each question of a bisection has its own
  std::filesystem::path model;    ///< model.onnx or layer.xml
  std::filesystem::path inputs;   ///< a folder with input_K.pb (ONNX) or NAME.npy (OpenVINO)
  std::filesystem::path outputs;  ///< an empty folder to fill
};

struct Answer {
  enum class Status : std::uint8_t {
    ok,           ///< it says that it has written outputs
    unsupported,  ///< it says that it does not know the operator, type …
    refused,      ///< it says that the case is an error
    broken,       ///< it crashed, took too long, or does not keep the protocol
    absent,       ///< there is nothing from it for this case
  } status = Status::ok;
  std::string why;                ///< one line, not empty; empty if ok
  std::string last_lines;         ///< that it wrote, at most 20
  std::filesystem::path outputs;  ///< output_K.pb, output_K.npy or NAME.npy
  /// Of a broken one: a signal ended it, it took too long, it says that its machine or itself is at fault.
  enum class How : std::uint8_t { protocol, killed, late, machine, bug } how = How::protocol;
};

class Backend {
 public:
  /// Whether it reads a HandedCase's files; otherwise only the name counts.
  enum class Needs : std::uint8_t { name, files };

  virtual ~Backend() = default;
  virtual Needs needs() const = 0;
  /// May be called on several threads at once. Fault: `system` where the backend as a whole cannot be started.
  virtual Answer evaluate(const HandedCase& handed) = 0;
};

struct RunnerOptions {
  double timeout = 60;                         ///< seconds for one case
  const std::atomic<bool>* stopped = nullptr;  ///< true: nobody wants the answer any more
};

/// DIR/CASE with outputs that were produced elsewhere; of a case "CASE#K" the folder is DIR/CASE/test_data_set_K.
/// Fault: `system` (no such folder).
std::unique_ptr<Backend> outputs_folder(const std::filesystem::path& folder);

/// A shell command with {model}, {inputs} or {outputs} in it (shell.h) is started for each case, with the same paths
/// and the case's name in OPREF_MODEL, OPREF_INPUTS, OPREF_OUTPUTS and OPREF_CASE: exit code 0 is ok, 5 unsupported,
/// any other but 6, 126 and 127 refused: 6 is a full disk or the like, as of opref itself. One without is a worker: see
/// runner.h. Fault: `usage` (a place that is misspelt; what the shell cannot parse).
std::unique_ptr<Backend> runner(const std::string& command, const RunnerOptions& options);

}  // namespace opref::backend
