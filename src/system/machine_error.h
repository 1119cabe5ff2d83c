// SPDX-License-Identifier: Apache-2.0
// Faults of the machine itself.
#pragma once

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

/// Throws MachineError with the message that `pattern` gives with each {} replaced by an argument.
template <class... A>
[[noreturn]] void fail_machine(std::string_view pattern, const A&... arguments) {
  throw MachineError(format(pattern, arguments...));
}

}  // namespace opref::system
