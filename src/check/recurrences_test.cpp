// SPDX-License-Identifier: Apache-2.0
// Recurrent kernels of float32 loops: judged step by step where all states are there, else by the spread.
#include "check/recurrences.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <optional>

#include "check/judged_testing.h"
#include "exact/rounding.h"

namespace check_recurrences_test {

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

  NodeUnderTest node(const std::string& op) const {
    const size_t rows = gates * kUnits;
    return {op,
            {format("hidden_size={}", kUnits)},
            {literal("X", x, {kSteps, 1, kInput}), literal("W", w, {1, rows, kInput}),
             literal("R", r, {1, rows, kUnits}), literal("B", b, {1, 2 * rows})}};
  }
};

/// A support vector machine of three classes with a linear kernel, as libsvm computes it over numbers F.
struct Machine {
  static constexpr size_t kClasses = 3;
  Floats vectors, coefficients, rho, a, b;

  explicit Machine(std::uint64_t seed) {
    Draws random(seed);
    vectors = draw(random, kClasses, 2), coefficients = draw(random, (kClasses - 1) * kClasses, 2);
    rho = draw(random, 3, 1), a = draw(random, 3, 2), b = draw(random, 3, 1);
  }
  /// The probability of each class against each other one.
  template <class F>
  std::vector<std::vector<F>> pairs(F x) const {
    std::vector r(kClasses, std::vector<F>(kClasses));
    size_t pair = 0;
    for (size_t i = 0; i < kClasses; ++i)
      for (size_t j = i + 1; j < kClasses; ++j, ++pair) {
        const F s = F(coefficients[(j - 1) * kClasses + i]) * (x * F(vectors[i])) +
                    F(coefficients[i * kClasses + j]) * (x * F(vectors[j])) + F(rho[pair]);
        r[i][j] = std::clamp(1 / (1 + std::exp(F(a[pair]) * s + F(b[pair]))), F(1e-7), F(1 - 1e-7));
        r[j][i] = 1 - r[i][j];
      }
    return r;
  }
  /// libsvm's multiclass_probability, and the steps that it takes; or after `exactly` so many.
  template <class F>
  std::vector<F> probabilities(F x, int* steps = nullptr, std::optional<int> exactly = {}) const {
    const auto r = pairs(x);
    std::vector<F> p(kClasses, F(1) / kClasses), Qp(kClasses);
    std::vector Q(kClasses, std::vector<F>(kClasses));
    for (size_t t = 0; t < kClasses; ++t)
      for (size_t j = 0; j < kClasses; ++j)
        if (j != t) Q[t][t] += r[j][t] * r[j][t], Q[t][j] = -r[j][t] * r[t][j];
    int step = 0;
    for (; step < 1000; ++step) {
      F pQp = 0, worst = 0;
      for (size_t t = 0; t < kClasses; ++t) {
        Qp[t] = 0;
        for (size_t j = 0; j < kClasses; ++j) Qp[t] += Q[t][j] * p[j];
        pQp += p[t] * Qp[t];
      }
      for (const F q : Qp) worst = std::max(worst, std::abs(q - pQp));
      if (exactly ? step == *exactly : worst < F(0.005 / kClasses)) break;
      for (size_t t = 0; t < kClasses; ++t) {
        const F d = (pQp - Qp[t]) / Q[t][t];
        p[t] += d;
        pQp = (pQp + d * (d * Q[t][t] + 2 * Qp[t])) / (1 + d) / (1 + d);
        for (size_t j = 0; j < kClasses; ++j) Qp[j] = (Qp[j] + d * Q[t][j]) / (1 + d), p[j] /= 1 + d;
      }
    }
    if (steps != nullptr) *steps = step;
    return p;
  }
  NodeUnderTest node(float x) const {
    const auto list = [](const std::string& name, const Floats& numbers) {
      const std::string all = literal(name, numbers, {numbers.size()});
      return all.substr(0, all.rfind(':'));
    };
    return {"ai.onnx.ml.SVMClassifier",
            {"kernel_type=LINEAR", "vectors_per_class=[1,1,1]", "classlabels_ints=[0,1,2]",
             list("support_vectors", vectors), list("coefficients", coefficients), list("rho", rho), list("prob_a", a),
             list("prob_b", b)},
            {literal("X", {x}, {1, 1})}};
  }
  template <class F>
  static std::string output(const std::vector<F>& p) {
    return literal("Z", Floats(p.begin(), p.end()), {1, p.size()});
  }
};

std::string all_states(const Floats& y) { return literal("Y", y, {kSteps, 1, 1, kUnits}); }
std::string last_state(const std::string& name, const Floats& y) {
  return literal(name, Floats(y.end() - kUnits, y.end()), {1, 1, kUnits});
}

}  // namespace

TEST_CASE("recurrences: step by step from the kernel's own states", "[bound]") {
  const auto judge = [](const std::string& op, const Layer& layer, const Floats& y) {
    const NodeUnderTest right = layer.node(op);
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
  const NodeUnderTest right = layer.node("LSTM");
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

TEST_CASE("recurrences: coupled probabilities are compared with the spread", "[bound]") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const Machine machine(seed);
    const float x = 0.75F - static_cast<float>(seed) / 8;
    const NodeUnderTest right = machine.node(x);
    const auto fits = [&](const auto& p) {
      const Comparison found = right.compared(Machine::output(p));
      if (!found.equal()) CHECK(found.is_estimate);
      return found.equal();
    };
    const Floats p = machine.probabilities<float>(x);
    CHECK(fits(p));
    CHECK(fits(machine.probabilities<double>(x)));
    // Wrong: float16, shares of the votes, no coupling but the mean of the pairs, and the limit of the steps.
    Floats half = p, votes(3), means(3);
    for (float& one : half) one = static_cast<float>(widen(nearest<Half>(one)));
    const auto r = machine.pairs<float>(x);
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 3; ++j)
        if (i != j) votes[i] += r[i][j] > 0.5F ? 1.F / 3 : 0, means[i] += r[i][j] / 3;
    CHECK_FALSE(fits(half));
    CHECK_FALSE(fits(votes));
    CHECK_FALSE(fits(means));
    CHECK_FALSE(fits(machine.probabilities<double>(x, nullptr, 1000)));
  }
}

TEST_CASE("recurrences: where a coupling all but stops, a right kernel may take a step more or fewer", "[bound]") {
  size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const Machine machine(seed);
    const auto steps = [&](float x) {
      int all = 0;
      machine.probabilities<double>(x, &all);
      return all;
    };
    float low = -1, high = 1;
    const int first = steps(low);
    if (steps(high) == first) continue;
    while (std::nextafter(low, high) < high) {
      const float middle = std::midpoint(low, high);
      (steps(middle) == first ? low : high) = middle;
    }
    ++found;
    const int other = steps(high);
    for (const float x : {low - 0x1p-13F, low, high, high + 0x1p-13F}) {
      const NodeUnderTest right = machine.node(x);
      for (const int taken : {first, other})
        CHECK(right.compared(Machine::output(machine.probabilities<double>(x, nullptr, taken))).equal());
      CHECK_FALSE(right.compared(Machine::output(machine.probabilities<double>(x, nullptr, 0))).equal());
    }
  }
  CHECK(found >= 2);
}

}  // namespace check_recurrences_test
