// SPDX-License-Identifier: Apache-2.0
#include "system/caught_error.h"

#include <catch2/catch.hpp>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "system/machine_error.h"

namespace caught_error_test {

using namespace opref::system;

namespace {

/// What a handler makes of it; nothing where it is thrown on as a fault of the machine.
template <class E>
std::optional<Error> told(const E& thrown) {
  try {
    try {
      throw thrown;
    } catch (const std::exception&) {
      return caught_error();
    }
  } catch (const MachineError&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("what is caught beside others is told, a bug in opref too, but for what the machine lacks", "[system]") {
  for (const Fault fault :
       {Fault::usage, Fault::invalid, Fault::unsupported, Fault::malformed, Fault::system, Fault::internal}) {
    const auto error = told(Error(fault, "its own").add_place("here"));
    REQUIRE(error);
    CHECK((error->fault() == fault && error->text() == "its own\n  here"));
  }
  const auto bug = told(std::length_error("too long"));
  REQUIRE(bug);
  CHECK((bug->fault() == Fault::internal && bug->message() == "too long"));
  CHECK_FALSE(told(MachineError("no descriptors")));
  CHECK_FALSE(told(PathError("a broken disk")));
  CHECK_FALSE(told(std::bad_alloc()));
  CHECK_FALSE(told(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again))));
}

}  // namespace caught_error_test
