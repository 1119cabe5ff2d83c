// SPDX-License-Identifier: Apache-2.0
// Faults of the machine itself.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace opref::system {

/// What the machine lacks at this moment: space, threads, open files. A `system` fault that says nothing about the
/// files and nodes that were in work, so it is no verdict on them.
class MachineError : public Error {
 public:
  explicit MachineError(std::string message) : Error(Fault::system, std::move(message)) {}
};

/// A MachineError of one file or folder (its disk is full, broken or read-only): others can still be read and written.
class PathError : public MachineError {
 public:
  using MachineError::MachineError;
};

/// In a handler: throws on what is no verdict on the files and nodes in work, a fault of opref or of the machine.
inline void pass_on(const Error& error) {
  if (error.fault() == Fault::internal || dynamic_cast<const MachineError*>(&error) != nullptr) throw;
}

/// Throws MachineError with the message that `pattern` gives with each {} replaced by an argument.
template <class... A>
[[noreturn]] void fail_machine(std::string_view pattern, const A&... arguments) {
  throw MachineError(format(pattern, arguments...));
}

/// The same for an error number of a call that named a path: MachineError where the process lacks memory or descriptors
/// for any path, else PathError.
template <class... A>
[[noreturn]] void fail_path(int error, std::string_view pattern, const A&... arguments) {
  if (error == EMFILE || error == ENFILE || error == ENOMEM) fail_machine(pattern, arguments...);
  throw PathError(format(pattern, arguments...));
}

}  // namespace opref::system
