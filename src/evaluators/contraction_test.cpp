// SPDX-License-Identifier: Apache-2.0
// The matrix products of a contraction read what its definition reads.
#include "evaluators/contraction.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace opref::evaluators::contraction_test {

TEST_CASE("contractions of two operands as matrix products", "[evaluators]") {
  std::mt19937_64 random(3);
  const auto one_in = [&](std::uint64_t n) { return random() % n == 0; };
  int served = 0, of_several_labels = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    Contraction e{{{}, {}}, {{}, {}}, {}};
    for (Label label = 0; label < 5; ++label) {
      const std::int64_t size = static_cast<std::int64_t>(random() % 4) + (one_in(2) ? 1 : 2);
      const std::uint64_t where = random() % 3;
      for (const size_t k : {0, 1}) {
        if (where == 1 - k) continue;
        e.terms[k].push_back(label), e.shapes[k].push_back(one_in(20) ? 1 : size);
        if (one_in(20)) e.terms[k].push_back(label), e.shapes[k].push_back(e.shapes[k][e.shapes[k].size() - 1]);
        e.sizes[label] = std::max(e.sizes[label], e.shapes[k][e.shapes[k].size() - 1]);
      }
      if (!one_in(3)) e.output.push_back(label);
    }
    if (one_in(2)) std::ranges::shuffle(e.output, random);
    const std::optional<MatrixForm> form = e.matrix_form();
    if (!form) continue;
    ++served;
    const Dims shape = e.sizes_of(e.output);
    of_several_labels += form->y.count() * form->M * form->N == element_count(shape) && shape.size() > 3;
    const auto places = [&](size_t k, const Labels& labels) {
      return Strided(e.sizes_of(labels), e.strides(k, labels));
    };
    const Strided a = places(form->first, e.output), b = places(1 - form->first, e.output);
    const Strided a_summed = places(form->first, e.summed()), b_summed = places(1 - form->first, e.summed());
    CAPTURE(turn);
    REQUIRE(form->K == a_summed.count());
    std::set<std::int64_t> all;
    for (std::int64_t i = 0; i < form->y.count(); ++i)
      for (std::int64_t m = 0; m < form->M; ++m)
        for (std::int64_t n = 0; n < form->N; ++n) {
          const std::int64_t at = form->y(i) + m * form->y_row + n;
          all.insert(at);
          for (std::int64_t k = 0; k < form->K; ++k) {
            REQUIRE(form->a(i) + m * form->a_line + k * form->a_depth == a(at) + a_summed(k));
            REQUIRE(form->b(i) + n * form->b_line + k * form->b_depth == b(at) + b_summed(k));
          }
        }
    REQUIRE(std::ssize(all) == element_count(shape));
  }
  CHECK(served > 800);
  CHECK(of_several_labels > 100);
}

}  // namespace opref::evaluators::contraction_test
