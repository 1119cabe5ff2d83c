// SPDX-License-Identifier: Apache-2.0
#include "exact/numerics.h"

#include <catch2/catch.hpp>
#include <cfenv>

#include "core/error.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace opref::exact {

TEST_CASE("the environment rounds to nearest and keeps subnormal numbers", "[exact][numerics]") {
  CHECK_NOTHROW(require_ieee_environment());
}

TEST_CASE("another rounding mode is noticed", "[exact][numerics]") {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    std::string message;
    try {
      require_ieee_environment();
    } catch (const Error& error) {
      message = error.message();
    }
    std::fesetround(FE_TONEAREST);
    CHECK(message.find("does not round to nearest") != std::string::npos);
  }
}

#ifdef __SSE__
TEST_CASE("flushed subnormal results and operands are noticed", "[exact][numerics]") {
  const unsigned flush_results = 0x8000, zero_operands = 0x0040, usual = _mm_getcsr();
  for (const unsigned flag : {flush_results, zero_operands}) {
    _mm_setcsr(usual | flag);
    std::string message;
    try {
      require_ieee_environment();
    } catch (const Error& error) {
      message = error.message();
    }
    _mm_setcsr(usual);
    CHECK(message.find("flushes subnormal numbers to zero") != std::string::npos);
  }
}
#endif

}  // namespace opref::exact
