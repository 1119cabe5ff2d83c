// SPDX-License-Identifier: Apache-2.0
// Rows of attentions as two certified products.
#pragma once

#include <functional>
#include <vector>

#include "core/tensor.h"
#include "evaluators/rows.h"
#include "evaluators/strided.h"
#include "exact/real/paired.h"

namespace opref::fast {

/// Y: of each head and query i, the mean of the values of all keys j, each weighted by e^score(i, j).
///   score(i, j) = S + added(i, j), S = scale·(query i times key j), or softcap·tanh(S/softcap) in place of S
struct Attention {
  /// Number d of token i of head h is at head(h) + i*step + d.
  struct Tokens {
    Tensor x;
    evaluators::Strided head;
    std::int64_t count, step;
  };
  struct Keys {
    Tokens key, value;
  };
  Tokens query;            ///< of Y's dtype
  std::vector<Keys> keys;  ///< one after another: the past and the new ones. Keys are of Y's dtype
  evaluators::Strided y_head;
  std::int64_t y_step, size, value_size;
  Bounded scale;
  Paired precise_scale;
  double softcap = 0;  ///< 0: none
  /// to[i] = added(first + i, j) for n queries of a head; +Inf, not NaN, where the definition shall decide. Null: 0.
  std::function<void(std::int64_t head, std::int64_t first, std::int64_t n, std::int64_t j, double* to)> added =
      nullptr;
};

/// A query whose keys all have -Inf added has zeros. Of types of 16 and 32 bits. A thread keeps the scores of 16
/// queries, or of so many as take about 2 MiB.
#ifndef OPREF_WITHOUT_FAST
bool attention(const RowTarget& y, const Attention& a);
#else
inline bool attention(const RowTarget&, const Attention&) { return false; }
#endif

}  // namespace opref::fast
