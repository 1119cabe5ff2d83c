// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/rotary.h"

#include "core/error.h"
#include "evaluators/move.h"
#include "fast/fast.h"
namespace opref::ops {
namespace {
struct Turn {
  RotarySizes z;
  Elements X;
  Rotation rotation;
  std::vector<std::int64_t> rows;
  double scale;

  bool keeps(std::int64_t at) const { return at % z.size >= z.turned; }
  /// Of a head of a token, the row of the caches.
  std::int64_t row_of(std::int64_t head) const {
    const std::int64_t token = z.token_of(head);
    return rows.empty() ? token : rows[static_cast<size_t>(token)];
  }

  template <class R>
  R operator()(std::int64_t at, const Reader<R>& x) const {
    const std::int64_t i = at % z.size;
    const R y = rotation(x, X, at - i, i, row_of(at / z.size));
    return scale == 1 || keeps(at) ? y : R(scale) * y;
  }
};
}  // namespace
std::int64_t turned_elements(std::string_view X, std::int64_t size, std::int64_t turned) {
  require(turned <= size, "attribute 'rotary_embedding_dim' is {}, but a head of {} has {} elements", turned, X, size);
  if (turned == 0) turned = size;
  require(turned % 2 == 0, "{} elements of each head are to be turned, but must be an even number", turned);
  return turned;
}

void require_rotary_row(const Call& call, std::string_view of, std::int64_t row) {
  const std::int64_t rows = std::min(call.type("cos_cache").shape[0], call.type("sin_cache").shape[0]);
  require(row >= 0 && row < rows, "{} is {}, but the caches have {} rows", of, row, rows);
}

std::vector<std::int64_t> rotary_rows(const Call& call, std::string_view positions) {
  std::vector<std::int64_t> p = call.integers(positions);
  for (size_t at = 0; at < p.size(); ++at)
    require_rotary_row(
        call, format("{}{}", positions, coordinates(static_cast<std::int64_t>(at), call.type(positions).shape)), p[at]);
  return p;
}

std::vector<Value> turned_heads(const Call& call, const Output& out, std::string_view X, const RotarySizes& z,
                                std::vector<std::int64_t> rows, double scale) {
  const Tensor &x = call.input(X), &cos = call.input("cos_cache"), &sin = call.input("sin_cache");
  const Turn turn{
      z, Elements(x), {Elements(cos), Elements(sin), z.turned, call.flag("interleaved")}, std::move(rows), scale};
  const auto rest = [&](std::int64_t at) { return z.size - at % z.size; };
  if (out.only() && turn.keeps(*out.only())) return {move(out, x, [&](std::int64_t at) { return Run{at, rest(at)}; })};
  const auto certified = [&](RowTarget& y) {
    return fast::rotation(y, {x, cos, sin, z.size, z.turned, turn.rotation.interleaved,
                              [&](std::int64_t head) { return turn.row_of(head); }});
  };
  Tensor turned = real(out, turn, {}, scale == 1 ? Rows(certified) : Rows());
  if (z.turned == z.size || !out.wanted()) return {std::move(turned)};
  return {move(out.inner(out.type()), std::array{turned, x}, [&](std::int64_t at) {
    return turn.keeps(at) ? Run{at, rest(at), 1, 1} : Run{at, z.turned - at % z.size};
  })};
}
}  // namespace opref::ops
