// SPDX-License-Identifier: Apache-2.0
// Spectra by transforms of whole lines have the bytes of the exact tier, which knows sums alone.
#include <catch2/catch.hpp>

#include "evaluators/real_testing.h"
#include "exact/oracle_testing.h"
#include "ops/shared/signals.h"

namespace opref::ops::spectra_test {
namespace {

namespace oracle = exact::oracle;

/// A tone of the length, with hardly anything beside it: most bins are near zero beside one that is not.
double tone(std::int64_t n, std::int64_t N, oracle::Random& random) {
  const double noise = random.one_in(40) ? 0x1p-20 : 0.0;
  return std::cos(6.2831853 * 3 * static_cast<double>(n) / static_cast<double>(N)) + noise;
}

}  // namespace

TEMPLATE_TEST_CASE("spectra: rows have the bytes of the exact tier", "[DFT][STFT][rows]", float, exact::Half,
                   exact::BFloat16) {
  using oracle::Inputs;
  oracle::Random random(11);
  std::int64_t estimated = 0, elements = 0;
  const std::int64_t lengths[] = {1, 2, 3, 4, 5, 8, 9, 12, 16, 24, 31, 37, 67, 71};
  for (int turn = 0; turn < 60; ++turn) {
    const std::int64_t N = lengths[static_cast<size_t>(turn) % std::size(lengths)], lines = random.in(1, 11);
    const bool is_half = turn % 5 == 4, is_complex = is_half || random.one_in(2), inverse = is_half || random.one_in(3);
    const std::int64_t parts = is_complex ? 2 : 1, inner = random.in(1, 2), outer = lines,
                       used = is_half ? N / 2 + 1 : random.in(1, N);
    const auto inputs = turn % 6 == 0 ? Inputs::small_integers : turn % 6 == 1 ? Inputs::special : Inputs::normal;
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < outer * used * inner * parts; ++i)
      numbers.push_back(turn % 6 == 2                         ? tone(i / parts / inner % used, N, random)
                        : turn % 6 == 3 && i % 7 != 0         ? 0.0
                        : inputs == Inputs::special && N > 12 ? oracle::random_number<TestType>(random, Inputs::normal)
                                                              : oracle::random_number<TestType>(random, inputs));
    fast::Spectra s{.x = evaluators::tensor<TestType>({std::ssize(numbers)}, numbers),
                    .lines = evaluators::Strided({outer, inner}, {used * inner * parts, parts}),
                    .step = inner * parts,
                    .used = used,
                    .is_complex = is_complex,
                    .N = N,
                    .bins = random.one_in(2) || inverse ? N : N / 2 + 1,
                    .inner = inner,
                    .inverse = inverse,
                    .is_half = is_half};
    if (used == N && !inverse && random.one_in(2))
      s.window = evaluators::tensor<TestType>(
          {N}, oracle::random_numbers<TestType>(random, N, random.one_in(2) ? Inputs::normal : Inputs::small_integers));
    const TensorType type{oracle::kDType<TestType>, {outer, s.bins, inner, is_half ? 1 : 2}};
    exact::Stats stats;
    const auto by = [&](const Numerics& numerics) {
      const Call call = evaluators::with(numerics);
      return spectra(Output(call, type), s);
    };
    CAPTURE(turn, N, inner, used, is_complex, inverse, is_half);
    CHECK(evaluators::bits_of<TestType>(by({.stats = &stats, .threads = 1 + turn % 2})) ==
          evaluators::bits_of<TestType>(by({.exact_only = true})));
    estimated += stats.estimated, elements += element_count(type.shape);
  }
  CHECK(estimated > elements / 2);
}

}  // namespace opref::ops::spectra_test
