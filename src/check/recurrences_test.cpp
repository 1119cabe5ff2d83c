// SPDX-License-Identifier: Apache-2.0
// Recurrent kernels of float32 loops: judged step by step where all states are there, else by the spread.
#include "check/recurrences.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "check/judged_testing.h"
#include "exact/rounding.h"

using namespace opref::check;
using namespace opref::check::testing;
using Draws = opref::exact::oracle::Random;

namespace {

constexpr size_t kSteps = 40, kInput = 3, kUnits = 5;

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

struct Layer {
  size_t gates;
  Floats x, w, r, b;

  Layer(std::uint64_t seed, size_t n) : gates(n) {
    Draws random(seed);
    x = draw(random, kSteps * kInput, 2), w = draw(random, gates * kUnits * kInput, 2);
    r = draw(random, gates * kUnits * kUnits, 2), b = draw(random, 2 * gates * kUnits, 2);
  }
  float input(size_t t, size_t row) const {
    float sum = b[row];
    for (size_t k = 0; k < kInput; ++k) sum += x[t * kInput + k] * w[row * kInput + k];
    return sum;
  }
  float state(const Floats& h, size_t row) const {
    float sum = b[gates * kUnits + row];
    for (size_t k = 0; k < kUnits; ++k) sum += h[k] * r[row * kUnits + k];
    return sum;
  }
  float both(size_t t, const Floats& h, size_t row) const { return input(t, row) + state(h, row); }

  Floats lstm(Floats* cells = nullptr) const {
    Floats y, h(kUnits), c(kUnits);
    for (size_t t = 0; t < kSteps; ++t) {
      Floats next(kUnits);
      for (size_t u = 0; u < kUnits; ++u) {
        const float i = sigmoid(both(t, h, u)), o = sigmoid(both(t, h, kUnits + u)),
                    f = sigmoid(both(t, h, 2 * kUnits + u));
        c[u] = f * c[u] + i * std::tanh(both(t, h, 3 * kUnits + u));
        next[u] = o * std::tanh(c[u]);
      }
      h = next;
      y.insert(y.end(), h.begin(), h.end());
    }
    if (cells != nullptr) *cells = c;
    return y;
  }
  Floats gru() const {
    Floats y, h(kUnits);
    for (size_t t = 0; t < kSteps; ++t) {
      Floats reset(kUnits), next(kUnits);
      for (size_t u = 0; u < kUnits; ++u) reset[u] = sigmoid(both(t, h, kUnits + u)) * h[u];
      for (size_t u = 0; u < kUnits; ++u) {
        const float z = sigmoid(both(t, h, u)), g = std::tanh(both(t, reset, 2 * kUnits + u));
        next[u] = (1 - z) * g + z * h[u];
      }
      h = next;
      y.insert(y.end(), h.begin(), h.end());
    }
    return y;
  }

  JudgedNode node(const std::string& op) const {
    const size_t rows = gates * kUnits;
    return {op,
            {format("hidden_size={}", kUnits)},
            {literal("X", x, {kSteps, 1, kInput}), literal("W", w, {1, rows, kInput}),
             literal("R", r, {1, rows, kUnits}), literal("B", b, {1, 2 * rows})}};
  }
};

std::string all_states(const Floats& y) { return literal("Y", y, {kSteps, 1, 1, kUnits}); }
std::string last_state(const std::string& name, const Floats& y) {
  return literal(name, Floats(y.end() - kUnits, y.end()), {1, 1, kUnits});
}

}  // namespace

TEST_CASE("recurrences: step by step from the kernel's own states", "[bound]") {
  const auto judge = [](const std::string& op, const Layer& layer, const Floats& y) {
    const JudgedNode right = layer.node(op);
    const Comparison fits = right.compared(all_states(y));
    INFO(op);
    CHECK(fits.equal());
    CHECK_FALSE(fits.is_estimate);
    CHECK(fits.without_bound == 0);
    CHECK(fits.bound_ratio.value() < 0.5);
    CHECK_FALSE(fits.is_untypical());
    // A step that is wrong is wrong, however late; those after it go on from it.
    Floats off = y;
    off[30 * kUnits + 2] += 1e-4F;
    const Comparison wrong = right.compared(all_states(off));
    CHECK_FALSE(wrong.equal());
    CHECK(wrong.worst.value().index[0] >= 30);
    CHECK(wrong.worst.value().index[0] <= 31);
    // float16 results: 2^-11 is far more than a step loses.
    Floats half = y;
    for (float& one : half) one = static_cast<float>(widen(nearest<Half>(one)));
    CHECK(right.compared(all_states(half)).mismatches > static_cast<std::int64_t>(half.size()) / 2);
  };
  const Layer lstm(1, 4), gru(2, 3);
  judge("LSTM", lstm, lstm.lstm());
  judge("GRU", gru, gru.gru());
}

TEST_CASE("recurrences: a last state alone is compared with the spread", "[bound]") {
  const Layer layer(1, 4);
  Floats cells;
  const Floats y = layer.lstm(&cells);
  const JudgedNode right = layer.node("LSTM");
  for (const auto& [name, state] : {std::pair("Y_h", y), {"Y_c", cells}}) {
    const Comparison fits = right.compared(last_state(name, state));
    INFO(name);
    CHECK(fits.equal());
    CHECK(fits.is_estimate);
    CHECK(describe(fits, {.rule = Tolerance::Rule::bound}).find("an estimate") != std::string::npos);
    Floats off = state;
    for (float& one : off) one *= 1 + 1e-4F;
    CHECK_FALSE(right.compared(last_state(name, off)).equal());
  }
}
