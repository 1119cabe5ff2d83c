// SPDX-License-Identifier: Apache-2.0
#include "system/machine_error.h"

#include <catch2/catch.hpp>

namespace machine_error_test {

using namespace opref::system;

namespace {

/// Whether a handler that passes on what is no verdict keeps the error.
template <class E>
bool is_kept(const E& thrown) {
  try {
    try {
      throw thrown;
    } catch (const Error& error) {
      pass_on(error);
      return true;
    }
  } catch (const E&) {  // the same one, its own type unlost
    return false;
  }
}

}  // namespace

TEST_CASE("faults of the program and of the machine are no verdict: handlers pass them on", "[system]") {
  for (const Fault fault : {Fault::usage, Fault::invalid, Fault::unsupported, Fault::malformed, Fault::system})
    CHECK(is_kept(Error(fault, "a file's or a node's own")));
  CHECK_FALSE(is_kept(Error(Fault::internal, "a bug")));
  CHECK_FALSE(is_kept(MachineError("no descriptors")));
  CHECK_FALSE(is_kept(PathError("a broken disk")));
}

}  // namespace machine_error_test
