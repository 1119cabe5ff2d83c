// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "fast/transform.h"

namespace opref::fast {
namespace {

using exact::Pair, exact::TurnTable;

/// Fours first; empty where a factor is above kMostRadix.
std::vector<Stage> stages_of(std::size_t N) {
  std::vector<Stage> stages;
  std::size_t rest = N;
  const auto take = [&](std::size_t radix) {
    for (; rest % radix == 0; rest /= radix) stages.push_back({rest, N / rest, radix});
  };
  take(4);
  for (std::size_t radix = 2; radix <= kMostRadix; ++radix) take(radix);
  return rest == 1 ? stages : std::vector<Stage>{};
}

/// H of transform.h.
double roundings_of(const std::vector<Stage>& stages) {
  double sum = 0;
  for (const Stage& stage : stages) {
    const auto r = static_cast<double>(stage.radix);
    sum += 3 + (stage.radix == 2 ? 1 : stage.radix == 4 ? 2 : std::sqrt(2 * r) * (r + 7) / 2);
  }
  return sum;
}

/// e^(-2πi·e/M)
Complex<Pairs> turn(const TurnTable& table, std::size_t e) {
  const auto at = static_cast<std::int64_t>(e);
  return {table.cosine(at), -table.sine(at)};
}
Complex<Doubles> rounded(const Complex<Pairs>& a) { return {a.re.h, a.im.h}; }
std::int64_t fourfold(std::size_t N) { return static_cast<std::int64_t>(std::lcm(N, std::size_t{4})); }

/// e^(-2πi·j/N), j < N
std::vector<Complex<Pairs>> turns_of(std::size_t N, const TurnTable& table) {
  const std::size_t step = static_cast<std::size_t>(table.M()) / N;
  std::vector<Complex<Pairs>> turns(N);
  for (std::size_t j = 0; j < N; ++j) turns[j] = turn(table, j * step);
  return turns;
}
std::vector<Complex<Doubles>> rounded(const std::vector<Complex<Pairs>>& exact) {
  std::vector<Complex<Doubles>> turns(exact.size());
  for (std::size_t j = 0; j < exact.size(); ++j) turns[j] = rounded(exact[j]);
  return turns;
}

}  // namespace

TransformPlan::TransformPlan(std::int64_t given)
    : N(static_cast<std::size_t>(given)), table(fourfold(N)), length(N), stages(stages_of(N)) {
  if (!stages.empty() || N == 1) {
    turns = rounded(turns_of(N, table));
    roundings = roundings_of(stages), gain = std::sqrt(static_cast<double>(N));
    return;
  }
  length = std::bit_ceil(2 * N - 1), stages = stages_of(length);
  const std::vector<Complex<Pairs>> exact_turns = turns_of(length, TurnTable(fourfold(length)));
  turns = rounded(exact_turns);
  const TurnTable halves(fourfold(2 * N));
  const std::size_t step = static_cast<std::size_t>(halves.M()) / (2 * N);
  std::vector<Complex<Pairs>> b(length), room(length);
  for (std::size_t n = 0, square = 0; n < N; square = (square + 2 * n + 1) % (2 * N), ++n) {
    const Complex<Pairs> w = turn(halves, square * step);
    chirp.push_back(rounded(w));
    b[n] = b[(length - n) % length] = conjugate(w);
  }
  const Complex<Pairs>* const spectrum = by_stages(stages, exact_turns.data(), b.data(), room.data());
  const double scale = 1 / static_cast<double>(length);
  for (std::size_t k = 0; k < length; ++k) {
    const Complex<Doubles> B = rounded(spectrum[k]);
    gain = std::max(gain, std::sqrt(B.re * B.re + B.im * B.im));
    filter.push_back({B.re * scale, B.im * scale});
  }
  roundings = 2 * roundings_of(stages) + 9;
}

}  // namespace opref::fast
