#include "io/numpy/libzip.h"

#include <catch2/catch.hpp>

#include "core/error.h"

using namespace opref;
using Catch::Contains;

TEST_CASE("libzip: found when it is needed; what is not there is named", "[npz]") {
  CHECK(libzip().zip_fread != nullptr);
  CHECK_THROWS_WITH(LateLibrary("libnot-there.so.7"), Contains("libnot-there.so.7"));
  struct Other : LateLibrary {
    Other() : LateLibrary("libm.so.6") { address("zip_fread"); }
  };
  CHECK_THROWS_WITH(Other(), Contains("zip_fread"));
}
