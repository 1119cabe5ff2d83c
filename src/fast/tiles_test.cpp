// SPDX-License-Identifier: Apache-2.0
#include "fast/tiles.h"

#include <catch2/catch.hpp>
#include <map>

namespace opref::fast::tiles_test {
namespace {

/// By the definition i*s + k*d - p = o: the most taps of one output, and of all outputs o with one o mod s.
std::pair<int, int> counted_taps(int L, int k, int s, int d, int p, int O) {
  std::map<int, int> outputs;
  std::map<int, std::map<int, int>> phases;
  for (int i = 0; i < L; ++i)
    for (int tap = 0; tap < k; ++tap)
      if (const int o = i * s + tap * d - p; o >= 0 && o < O) ++outputs[o], phases[o % s][tap] = 1;
  std::pair<int, int> most = {0, 0};
  for (const auto& [o, count] : outputs) most.first = std::max(most.first, count);
  for (const auto& [phase, taps] : phases) most.second = std::max(most.second, static_cast<int>(taps.size()));
  return most;
}

TEST_CASE("tiles: no output has more taps than most_taps, no phase more than most_row_taps", "[rows]") {
  for (int L = 1; L <= 4; ++L)
    for (int k = 1; k <= 5; ++k)
      for (int s = 1; s <= 4; ++s)
        for (int d = 1; d <= 3; ++d)
          for (int p = 0; p <= 3; ++p) {
            const int full = s * (L - 1) + (k - 1) * d + 1, O = full - p;
            if (O <= 0) continue;
            INFO("L " << L << ", k " << k << ", s " << s << ", d " << d << ", p " << p);
            const auto [output, phase] = counted_taps(L, k, s, d, p, O);
            const auto taps = [&](const Dims& l, const Dims& kernel, const Dims& o, const Dims& stride,
                                  const Dims& dilation, const Dims& pad) {
              const TransposedTiles tiles(transposed_axes(l, kernel, o, stride, dilation, pad));
              REQUIRE(tiles.usable());
              return std::pair(tiles.taps().met, tiles.taps().listed);
            };
            const auto line = taps({L}, {k}, {O}, {s}, {d}, {p});
            CHECK(output <= line.first);
            CHECK(phase <= line.second);
            if (p == 0 && d == 1) CHECK(line.first == output);  // nothing is cut off or left out
            const auto plane = taps({L, 3}, {k, 4}, {O, 9}, {s, 2}, {d, 1}, {p, 0});
            CHECK(output * 2 <= plane.first);  // 3 inputs, 4 taps, every second one: 2
            CHECK(output * 2 <= plane.second);
          }
}

TEST_CASE("tiles: few inputs under a large kernel have few taps", "[rows]") {
  const TransposedTiles tiles(transposed_axes({1, 1}, {128, 128}, {128, 128}, {1, 1}, {1, 1}, {0, 0}));
  CHECK(tiles.taps().met == 1);
  CHECK(tiles.taps().listed == 128);
}

}  // namespace
}  // namespace opref::fast::tiles_test
