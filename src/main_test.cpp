// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "system/large_pages.h"

namespace {

const struct AsInTheProgram {
  AsInTheProgram() { opref::system::use_large_pages(); }
} kAsInTheProgram;

}  // namespace
