// SPDX-License-Identifier: Apache-2.0
// Handing a case to a backend, and reading what it left.
#pragma once

#include <filesystem>

#include "backend/backend.h"
#include "core/error.h"
#include "schema/node.h"

namespace opref::check {

/// The trouble of a backend as a whole, which is no verdict on a case.
class BackendError : public Error {
 public:
  explicit BackendError(const Error& error) : Error(error) {}
};

/// The files of one case, with the subfolder outputs; removed with it.
class CaseFolder {
 public:
  explicit CaseFolder(const std::filesystem::path& scratch);
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;
  ~CaseFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Errors of the backend itself become BackendErrors.
Answer ask(Backend& backend, const HandedCase& handed);

/// Temporary names, which are others in each run, become the words of --runner.
void hide_temporary_names(Answer& answer, const HandedCase& handed, const std::filesystem::path& folder);

/// The value in a file that a backend left. Where its file does not state the type it is `expected`; an optional may be
/// written as its element. Faults name the file as it is called in its folder.
Value read_backend_value(const std::filesystem::path& file, const ValueInfo& declared, const ValueType& expected,
                         std::int64_t max_bytes);
/// The same where nothing but the declaration says what it is.
Value read_backend_value(const std::filesystem::path& file, const ValueInfo& declared, std::int64_t max_bytes);

}  // namespace opref::check
