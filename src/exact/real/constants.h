// SPDX-License-Identifier: Apache-2.0
// Constants of the kernels: Taylor coefficients and parts of numbers, rounded once. Written by
// scripts/lab/real-constants.
#pragma once

#include "core/rooms.h"

namespace opref::exact {

/// 1/2!, 1/3!, … 1/14!: of e^r
inline constexpr double kExp[] = {
    0x1.0000000000000p-1,  0x1.5555555555555p-3,  0x1.5555555555555p-5,  0x1.1111111111111p-7,  0x1.6c16c16c16c17p-10,
    0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-16, 0x1.71de3a556c734p-19, 0x1.27e4fb7789f5cp-22, 0x1.ae64567f544e4p-26,
    0x1.1eed8eff8d898p-29, 0x1.6124613a86d09p-33, 0x1.93974a8c07c9dp-37};

/// 2/3, 2/5, … 2/23: of log((1 + s)/(1 - s)) = 2s + s·(2/3·s² + …)
inline constexpr double kAtanh[] = {0x1.5555555555555p-1, 0x1.999999999999ap-2, 0x1.2492492492492p-2,
                                    0x1.c71c71c71c71cp-3, 0x1.745d1745d1746p-3, 0x1.3b13b13b13b14p-3,
                                    0x1.1111111111111p-3, 0x1.e1e1e1e1e1e1ep-4, 0x1.af286bca1af28p-4,
                                    0x1.8618618618618p-4, 0x1.642c8590b2164p-4};

/// -1/3!, 1/5!, … 1/17!: of sin r
inline constexpr double kSin[] = {-0x1.5555555555555p-3,  0x1.1111111111111p-7,   -0x1.a01a01a01a01ap-13,
                                  0x1.71de3a556c734p-19,  -0x1.ae64567f544e4p-26, 0x1.6124613a86d09p-33,
                                  -0x1.ae7f3e733b81fp-41, 0x1.952c77030ad4ap-49};

/// 1/4!, -1/6!, … -1/18!: of cos r
inline constexpr double kCos[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16c17p-10, 0x1.a01a01a01a01ap-16,
                                  -0x1.27e4fb7789f5cp-22, 0x1.1eed8eff8d898p-29,  -0x1.93974a8c07c9dp-37,
                                  0x1.ae7f3e733b81fp-45,  -0x1.6827863b97d97p-53};

/// -1/3, 1/5, … 1/45: of arctan t
inline constexpr double kAtan[] = {
    -0x1.5555555555555p-2, 0x1.999999999999ap-3,  -0x1.2492492492492p-3, 0x1.c71c71c71c71cp-4,  -0x1.745d1745d1746p-4,
    0x1.3b13b13b13b14p-4,  -0x1.1111111111111p-4, 0x1.e1e1e1e1e1e1ep-5,  -0x1.af286bca1af28p-5, 0x1.8618618618618p-5,
    -0x1.642c8590b2164p-5, 0x1.47ae147ae147bp-5,  -0x1.2f684bda12f68p-5, 0x1.1a7b9611a7b96p-5,  -0x1.0842108421084p-5,
    0x1.f07c1f07c1f08p-6,  -0x1.d41d41d41d41dp-6, 0x1.bacf914c1bad0p-6,  -0x1.a41a41a41a41ap-6, 0x1.8f9c18f9c18fap-6,
    -0x1.7d05f417d05f4p-6, 0x1.6c16c16c16c17p-6};

/// 2/√π times 1, -1/3, 1/10, … of erf z
inline constexpr double kErf[] = {0x1.20dd750429b6dp+0,   -0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,
                                  -0x1.b82ce31288b51p-6,  0x1.565bcd0e6a53fp-8,   -0x1.c02db40040b86p-11,
                                  0x1.f9a326f9b89b7p-14,  -0x1.f4d25c3e0c2ebp-17, 0x1.b9e6c9dc651a3p-20,
                                  -0x1.5f742ec43e71ap-23, 0x1.fcc5720624c1cp-27,  -0x1.51d7181c5d36dp-30,
                                  0x1.9e6ad5e55a730p-34,  -0x1.d8453cb0c46eap-38, 0x1.f683ae4a97007p-42,
                                  -0x1.f56f071a885cfp-46, 0x1.d70b3537f4765p-50,  -0x1.a2007af3447f6p-54,
                                  0x1.5f7919bc67b8cp-58,  -0x1.18cc8a061c479p-62, 0x1.ab5cc31489f29p-67};

/// (1 + 2z)·e^(z²)·erfc z as a polynomial in (z - 4)/(z + 4), z >= 0
inline constexpr double kErfc[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd6c2p-7,   0x1.16ecefcfa5342p-4,
    -0x1.9ddb23c3e8a22p-4,  0x1.7fee004e1312cp-4,   -0x1.0fb06dfe5229fp-4,  0x1.3079edf66992fp-5,
    -0x1.0962388397d97p-6,  0x1.49c6728d8f7d4p-8,   -0x1.8d4a9b00c7997p-11, -0x1.a1df2abbaddf5p-13,
    0x1.3be04bf52bb5ap-13,  -0x1.9958ab3ba5c33p-16, -0x1.78861f18ee7b4p-17, 0x1.7f2369c34c9ffp-18,
    0x1.3981051d34c77p-22,  -0x1.bae01eb0d8ac7p-21, 0x1.4cbb15f961e46p-24,  0x1.d8dd577cdf1c6p-24,
    -0x1.613ab11aa87fdp-26, -0x1.f96a93e7cc6f0p-27, 0x1.b39ff8659b236p-29,  0x1.ec1f75354e746p-30,
    -0x1.246d137a7141bp-32, -0x1.2e4a1567a7226p-33};

/// ln 2 as a number of 42 bits, so that its products with whole numbers below 2^11 are exact, and the rest.
inline constexpr double kLn2Hi = 0x1.62e42fefa3800p-1, kLn2Lo = 0x1.ef35793c76730p-45;

/// 1/ln 2
inline constexpr double kLog2E = 0x1.71547652b82fep+0;

/// π/2 as two numbers of 32 bits, whose products with whole numbers below 2^21 are exact, and the rest.
inline constexpr double kHalfPiHi = 0x1.921fb54400000p+0, kHalfPiMid = 0x1.0b4611a600000p-34,
                        kHalfPiLo = 0x1.3198a2e037073p-69;

/// 2/π; π, and how wrong that is
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1, kPi = 0x1.921fb54442d18p+1, kPiError = 0x1.1d354a959aedep-53;

}  // namespace opref::exact
