// SPDX-License-Identifier: Apache-2.0
// Constants of the kernels: Taylor coefficients and parts of numbers, rounded once.
#pragma once

#include "core/rooms.h"

namespace opref::exact {

/// 1/2!, 1/3!, … 1/14!: of e^r
inline constexpr double kExp[] = {0x1p-1,
                                  0x1.5555555555555p-3,
                                  0x1.5555555555555p-5,
                                  0x1.1111111111111p-7,
                                  0x1.6c16c16c16c17p-10,
                                  0x1.a01a01a01a01ap-13,
                                  0x1.a01a01a01a01ap-16,
                                  0x1.71de3a556c734p-19,
                                  0x1.27e4fb7789f5cp-22,
                                  0x1.ae64567f544e4p-26,
                                  0x1.1eed8eff8d898p-29,
                                  0x1.6124613a86d09p-33,
                                  0x1.93974a8c07c9dp-37};
/// ln 2 as a number of 42 bits, so that its products with whole numbers below 2^11 are exact, and the rest.
inline constexpr double kLn2Hi = 0x1.62e42fefa3800p-1, kLn2Lo = 0x1.ef35793c76730p-45;
/// 1/ln 2
inline constexpr double kLog2E = 0x1.71547652b82fep+0;

}  // namespace opref::exact
