// SPDX-License-Identifier: Apache-2.0
// Constants of the quick tier: short polynomials, each with a proven bound of its truncation error (…Cut), and parts of
// numbers. Written by scripts/lab/quick-constants.
#pragma once

#include "core/rooms.h"

namespace opref::exact {

/// (e^r - 1)/r, |r| <= 0.3466; wrong by 2^-49.15 of it.
inline constexpr double kQuickExp[] = {
    0x1.0000000000006p+0,  0x1.0000000000005p-1,  0x1.5555555550d7ap-3,  0x1.55555555520a6p-5,  0x1.11111123c1a3cp-7,
    0x1.6c16c17f462d4p-10, 0x1.a01994be8ef72p-13, 0x1.a019a6628c5ffp-16, 0x1.72e1132b8844cp-19, 0x1.28a2c8cb8bfa1p-22};
inline constexpr double kQuickExpCut = 0x1.cd68f8bcc498ap-50;

/// log((1 + s)/(1 - s))/s in s², |s| <= 0.17158; wrong by 2^-45.07 of it.
inline constexpr double kQuickLog[] = {0x1.fffffffffff10p+0, 0x1.5555555672b52p-1, 0x1.99999628f2f9bp-2,
                                       0x1.249439482be2bp-2, 0x1.c62092d0e0230p-3, 0x1.9197d4d3d419ap-3};
inline constexpr double kQuickLogCut = 0x1.e63e2caefd874p-46;

/// sin(r)/r in r², |r| <= π/2 + 0.0001; wrong by 2^-43.53 of it.
inline constexpr double kQuickSin[] = {0x1.ffffffffffe3bp-1,   -0x1.5555555543c44p-3, 0x1.11111109f0dabp-7,
                                       -0x1.a019fd49b63edp-13, 0x1.71dcf8459a980p-19, -0x1.ae044f4f11346p-26,
                                       0x1.52e5e4df60b63p-33};
inline constexpr double kQuickSinCut = 0x1.63cbe66efa9a4p-44;

/// arctan(t)/t in t², |t| <= √2 - 1; wrong by 2^-45.06 of it.
inline constexpr double kQuickAtan[] = {0x1.fffffffffff17p-1,  -0x1.55555554e90bap-2, 0x1.99999914aa9dbp-3,
                                        -0x1.249229a084913p-3, 0x1.c714ec082f2f1p-4,  -0x1.73daf71237656p-4,
                                        0x1.35d6e4a657088p-4,  -0x1.e1746c87e26d0p-5, 0x1.f6ffa1575f5ecp-6};
inline constexpr double kQuickAtanCut = 0x1.eb8fa996a18a3p-46;

/// erf(z)/z in z², z <= 1/2; wrong by 2^-43.24 of it.
inline constexpr double kQuickErf[] = {0x1.20dd7504299a9p+0,  -0x1.812746af8a484p-2, 0x1.ce2f20f26eec1p-4,
                                       -0x1.b82ca1a0d8d57p-6, 0x1.56500b78d397bp-8,  -0x1.be0071a9ee1e3p-11,
                                       0x1.c5f6d829ef065p-14};
inline constexpr double kQuickErfCut = 0x1.b2b38dad9f159p-44;

/// e^(z²)·erfc(z)·(z + K) in (z - K)/(z + K), z <= 18.75; wrong by 2^-42.30 of it.
inline constexpr double kQuickErfc[] = {0x1.1649466cd0c11p+0,   -0x1.e027491667d64p-1,  0x1.6362dd27fecc8p-1,
                                        -0x1.bdb3c18394a02p-2,  0x1.ce500ceb37bf1p-3,   -0x1.7a232d22d5a07p-4,
                                        0x1.b27b28a4400ccp-6,   -0x1.a06d3d4674cffp-9,  -0x1.56323f54cafe6p-10,
                                        0x1.76b3f36528ae3p-11,  -0x1.5fb481f84f289p-15, -0x1.3b49d9840c4f4p-14,
                                        0x1.31688e2082971p-16,  0x1.02f049f08bc96p-17,  -0x1.65f64dbf05a4cp-19,
                                        -0x1.fbffadcf184fcp-21, 0x1.412265fb72c17p-25};
inline constexpr double kQuickErfcCut = 0x1.9fc1caa73e184p-43;

/// K of erfc
inline constexpr double kQuickErfcK = 0x1.c000000000000p+1;

/// ln 2
inline constexpr double kQuickLn2 = 0x1.62e42fefa39efp-1;

/// π as two numbers of 32 bits, whose products with whole numbers below 2^21 are exact, and the rest; 1/π
inline constexpr double kQuickPiA = 0x1.921fb54400000p+1, kQuickPiB = 0x1.0b4611a600000p-33,
                        kQuickPiC = 0x1.3198a2e037073p-68, kQuickOverPi = 0x1.45f306dc9c883p-2;

}  // namespace opref::exact
