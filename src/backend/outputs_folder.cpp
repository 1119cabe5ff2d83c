// SPDX-License-Identifier: Apache-2.0
// Outputs that were produced elsewhere.
#include "backend/backend.h"
#include "backend/output_files.h"
#include "core/error.h"
#include "system/file.h"

namespace opref::backend {
namespace {

namespace fs = std::filesystem;

class OutputsFolder : public Backend {
 public:
  explicit OutputsFolder(fs::path folder) : folder_(std::move(folder)) {
    if (!is_folder(folder_)) fail(Fault::system, "no such folder: {}", printable(folder_.string()));
  }

  Needs needs() const override { return Needs::name; }

  Answer evaluate(const HandedCase& handed) override {
    fs::path outputs = folder_ / handed.name;
    const size_t hash = handed.name.rfind('#');
    if (!is_folder(outputs) && hash != std::string::npos)
      outputs = folder_ / handed.name.substr(0, hash) / ("test_data_set_" + handed.name.substr(hash + 1));
    if (!is_folder(outputs))
      return {Answer::Status::absent, format("there is no folder {}", printable(outputs.string())), "", {}};
    if (!may_hold_outputs(outputs))
      return {Answer::Status::absent, format("there is no .npy or .pb in {}", printable(outputs.string())), "", {}};
    return {Answer::Status::ok, "", "", outputs};
  }

 private:
  fs::path folder_;
};

}  // namespace

std::unique_ptr<Backend> outputs_folder(const fs::path& folder) { return std::make_unique<OutputsFolder>(folder); }

}  // namespace opref::backend
