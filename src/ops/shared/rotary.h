// SPDX-License-Identifier: Apache-2.0
// Rotary position embeddings: pairs of a head's elements, turned by the angle of their token's position, of which two
// caches have the cosine and the sine.
#pragma once

#include <vector>

#include "evaluators/programs.h"
#include "schema/operator.h"
namespace opref::ops {
/// real = cos·x1 - sin·x2,  imag = sin·x1 + cos·x2
/// of the pairs x1, x2 of the first `turned` elements of a head: neighbours if interleaved, else from both halves. A
/// row of the caches has a number for each pair.
struct Rotation {
  Elements cos, sin;
  std::int64_t turned;
  bool interleaved;

  /// Element i of the head that begins there in X, by this row of the caches. Those that are not turned are as they
  /// are.
  template <class R>
  R operator()(const Reader<R>& x, const Elements& X, std::int64_t head, std::int64_t i, std::int64_t row) const {
    if (i >= turned) return x(X, head + i);
    const std::int64_t half = turned / 2;
    const std::int64_t pair = interleaved ? i / 2 : i % half, apart = interleaved ? 1 : half;
    const bool is_real = interleaved ? i % 2 == 0 : i < half;
    const std::int64_t place = row * half + pair, first = head + (is_real ? i : i - apart);
    const R x1 = x(X, first), x2 = x(X, first + apart);
    return is_real ? x(cos, place) * x1 - x(sin, place) * x2 : x(sin, place) * x1 + x(cos, place) * x2;
  }
};

/// X is (batch, heads, steps, size), or (batch, steps, heads·size); of each head the first `turned` elements are
/// turned.
struct RotarySizes {
  std::int64_t batch, heads, steps, size, turned;
  bool is_flat;  ///< 3 axes

  /// Of a head of a token, in X's order, the token in the order of batch and steps.
  std::int64_t token_of(std::int64_t head) const {
    return is_flat ? head / heads : head / (heads * steps) * steps + head % steps;
  }
};
/// So many elements of each head of X, an even number; 0 stands for all of them.
std::int64_t turned_elements(std::string_view X, std::int64_t size, std::int64_t turned);

/// Of each element of an input of positions its row of the caches; one that they do not have is `invalid`.
std::vector<std::int64_t> rotary_rows(const Call& call, std::string_view positions);
/// That the caches have this row. `of` says whose it is.
void require_rotary_row(const Call& call, std::string_view of, std::int64_t row);

/// Y: X with its pairs turned, the token's by row `rows[token]` of the caches; without rows by its own. Elements that
/// are not turned keep their bits, the others are multiplied by `scale`.
std::vector<Value> turned_heads(const Call& call, const Output& out, std::string_view X, const RotarySizes& z,
                                std::vector<std::int64_t> rows, double scale = 1);
}  // namespace opref::ops
