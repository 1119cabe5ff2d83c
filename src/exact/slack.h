// SPDX-License-Identifier: Apache-2.0
// What error bounds allow beyond the roundings that they count. With u = 2^-53, an estimate is wrong by at most
//   (h + slack)·u·1.01·magnitude
// where no term takes part in more than h roundings. What h is, and where it is counted:
//
//   estimate                     h                                                        magnitude
//   CompensatedSum               numbers - 2, or products, in lanes less: see there       Σ|lost|, kept beside it
//   …scaled by a/b               that, and 3 of what product and quotient lose            …·a/b, and Σ|lost|/b
//   direct rows                  products + bias - 1 (TransposedCall::additions)          Σ|x·w|, or its most in a row
//   direct rows of double        products: of what products and additions lost            Σ|lost|, kept beside it
//   products (gemm_additions)    products of a block - 1, less for later rows of it,      ‖what an element reads‖ ·
//                                + blocks met in all calls + bias - 1                     ‖its phase's filter‖
//   p-norms, p = 1               terms of a window - 1                                    the sum
//   p-norms, p = 2               (terms - 1)/2 + 1: the root halves the sum's error       the root
//   p-norms, other p             terms - 1 + 2·roundings of a power + 2 (root_bound)      the sum
//   p-norms of double            as other p, each 2^-50 times as much (pair_bound)        the sum
//   a norm by the definition     as other p, 2 more where the sum is scaled               the sum
//   a power (root.h)             roundings of a power                                     the power
//   neighbours of few terms      none: what additions lose is known (times 1.01)          Σ|lost|, kept beside it
//   neighbours of many terms     terms - 1, or LongSum::additions along a line            Σ|x|
//   a row times a matrix         row_product_additions                                    Σ|a·b|
//   scores of an attention       as products; row_product_additions in a second look      ‖query‖·‖key‖; Σ|q·k|
//   numerators of an attention   as products, and kMeanRoundings                          ‖powers‖·‖values‖
//   an attention's sum of powers those of a chunk, chunks and 6 (no slack)                the sum
//
// Products are of elements and taps that meet: TransposedTiles::taps gives their number (`met`), and that of the taps
// which a row's list holds (`listed`), out of which blocks are made. Sums are known to be exact (grid.h) by the same
// numbers. src/fast/drift_test.cpp and src/exact/compensated_sum_test.cpp hit each h, src/fast/attention_test.cpp those
// of attentions. Most are seen lowered by one; by more, which a check says, where not all that is counted can be lost
// in one sum: lanes (9, products 11), runs (14), inputs that are few (97), p-norms (2 to 41).
#pragma once

#include "core/rooms.h"

namespace opref::exact {

/// An estimate is formed by operations that each round by at most 2^-53 of some magnitude; whoever forms it counts how
/// many a term can take part in. The slack is what a bound adds to that count, so that the count itself need not pay
/// for forming the two ends of a bracket and for computing the bound. Tests take it away, and the hardest inputs are
/// still right; with fewer roundings than these meet they are not.
struct Slack {
  double roundings = 3;
  double factor = 1.01;  ///< for higher-order terms and the roundings of the magnitude itself

  /// How wrong an estimate can be, as a part of the magnitude. Counts are below 2^40.
  double bound(double counted) const { return (counted + roundings) * 0x1p-53 * factor; }
};

}  // namespace opref::exact
