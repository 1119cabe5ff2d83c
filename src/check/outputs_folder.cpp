// Outputs that were produced elsewhere.
#include "check/backend.h"
#include "core/error.h"
#include "io/file.h"

namespace opref {
namespace {

namespace fs = std::filesystem;

class OutputsFolder : public Backend {
 public:
  explicit OutputsFolder(fs::path folder) : folder_(std::move(folder)) {
    if (!is_folder(folder_)) fail(Fault::system, "no such folder: {}", printable(folder_.string()));
  }

  Needs needs() const override { return Needs::name; }

  Answer evaluate(const HandedCase& handed) override {
    std::error_code ignored;
    fs::path outputs = folder_ / handed.name;
    const size_t hash = handed.name.rfind('#');
    if (!is_folder(outputs) && hash != std::string::npos)
      outputs = folder_ / handed.name.substr(0, hash) / ("test_data_set_" + handed.name.substr(hash + 1));
    if (!is_folder(outputs))
      return {Answer::Status::absent, format("there is no folder {}", printable(outputs.string())), "", {}};
    if (fs::is_empty(outputs, ignored))
      return {Answer::Status::absent, format("there is nothing in {}", printable(outputs.string())), "", {}};
    return {Answer::Status::ok, "", "", outputs};
  }

 private:
  fs::path folder_;
};

}  // namespace

std::unique_ptr<Backend> outputs_folder(const fs::path& folder) { return std::make_unique<OutputsFolder>(folder); }

}  // namespace opref
