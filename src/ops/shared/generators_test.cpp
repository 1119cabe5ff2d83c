// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/convolutions.h"

#include <gmpxx.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/error.h"
#include "exact/rounding.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace generators_test {

using namespace opref::ops;
using namespace opref::run;

namespace {

struct Ready {
  Bound bound;
  Environment environment;
  const Tensor& value(const char* name) const { return environment.at(name).tensor(); }
};

Ready ready(const std::string& node, std::int64_t opset, const std::vector<std::string>& attributes,
            const std::vector<std::string>& bindings) {
  Ready made{bind_case(read_case(node), bindings, {attributes, {}, opset}), {}};
  std::vector<std::string> warnings;
  made.environment = load_inputs(made.bound, made.bound.options, warnings);
  return made;
}

std::string message(const auto& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

/// Exact sums of the terms of each output element, found by scattering each x over the kernel: 1-D, one group.
struct Sums {
  std::vector<mpf_class> sums, largest;
};

Sums conv_transpose_1d(const Tensor& x, const Tensor& w, std::int64_t stride) {
  const std::int64_t N = x.shape()[0], C = x.shape()[1], L = x.shape()[2], M = w.shape()[1], k = w.shape()[2];
  const std::int64_t O = stride * (L - 1) + k;
  constexpr int kBits = 4000;
  Sums result;
  for (auto* list : {&result.sums, &result.largest}) list->assign(static_cast<size_t>(N * M * O), mpf_class(0, kBits));
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t c = 0; c < C; ++c)
      for (std::int64_t i = 0; i < L; ++i)
        for (std::int64_t m = 0; m < M; ++m)
          for (std::int64_t j = 0; j < k; ++j) {
            mpf_class product(floating_element(x, (n * C + c) * L + i), kBits);
            product *= floating_element(w, (c * M + m) * k + j);
            const auto at = static_cast<size_t>((n * M + m) * O + i * stride + j);
            result.sums[at] += product;
            if (abs(product) > result.largest[at]) result.largest[at] = abs(product);
          }
  return result;
}

/// Whether the value has exactly one significant bit more than the type.
bool is_midpoint(const mpf_class& value, DType dtype) {
  if (value == 0) return false;
  mp_exp_t exponent = 0;
  const mpf_class magnitude = abs(value);
  const std::string digits = magnitude.get_str(exponent, 2);
  return digits.size() == static_cast<size_t>(precision_of(dtype)) + 1;
}

}  // namespace

TEST_CASE("ties: a convolution's sums are midpoints", "[generators]") {
  for (const char* dtype : {"float16", "bfloat16", "float32", "float64"})
    for (const std::int64_t channels : {1, 2, 7}) {
      INFO(dtype << " " << channels);
      const std::string c = std::to_string(channels);
      const Ready made = ready("ConvTranspose", 22, {"strides=2"},
                               {std::string("X=") + dtype + "[2," + c + ",20]:ties:3",
                                std::string("W=") + dtype + "[" + c + ",3,3]:ties:3"});
      const Sums exact = conv_transpose_1d(made.value("X"), made.value("W"), 2);
      std::int64_t ties = 0;
      for (const mpf_class& sum : exact.sums) ties += is_midpoint(sum, made.value("X").dtype());
      CHECK(ties * 10 > static_cast<std::int64_t>(exact.sums.size()));
    }
}

TEST_CASE("ties: a bias moves some midpoints a little", "[generators]") {
  const Ready made =
      ready("ConvTranspose", 22, {}, {"X=float16[1,1,4]:ties", "W=float16[1,300,3]:ties", "B=float16[300]:ties"});
  std::map<double, int> counts;
  for (std::int64_t i = 0; i < 300; ++i) ++counts[floating_element(made.value("B"), i)];
  CHECK(counts.size() == 3);
  for (const double value : {0.0, 0x1p-14, -0x1p-14}) CHECK(counts[value] > 70);
}

TEST_CASE("ties: every whole window of an LpPool is a midpoint, or beside one", "[LpPool]") {
  for (const char* dtype : {"float16", "bfloat16", "float32", "float64"})
    for (const int p : {1, 2, 3}) {
      INFO(dtype << " " << p);
      const Ready made =
          ready("LpPool", 22, {"kernel_shape=2,3", "strides=1,2", "dilations=2,1", "p=" + std::to_string(p)},
                {std::string("X=") + dtype + "[2,8,7,9]:ties:5"});
      const Tensor& x = made.value("X");
      int exact = 0, beside = 0;
      for (std::int64_t plane = 0; plane < 16; ++plane)
        for (std::int64_t i = 0; i + 2 < 7; ++i)
          for (std::int64_t j = 0; j + 2 < 9; j += 2) {
            mpf_class sum(0, 8000);
            for (const std::int64_t a : {0, 1})
              for (const std::int64_t b : {0, 1, 2}) {
                const mpf_class term(std::abs(floating_element(x, (plane * 7 + i + 2 * a) * 9 + j + b)), 8000);
                sum += p == 1 ? term : p == 2 ? mpf_class(term * term, 8000) : mpf_class(term * term * term, 8000);
              }
            const mpf_class whole = trunc(sum);
            mpz_class root;
            const bool is_power =
                mpz_root(root.get_mpz_t(), mpz_class(whole).get_mpz_t(), static_cast<unsigned>(p)) != 0;
            REQUIRE(is_power);
            REQUIRE(is_midpoint(mpf_class(root, 200), x.dtype()));
            ++(sum == whole ? exact : beside);
          }
      CHECK(exact > 0);
      CHECK(beside > 0);
    }
}

TEST_CASE("cancel: exact sums are below 2^-p of the largest term", "[generators]") {
  for (const char* dtype : {"float16", "bfloat16", "float32", "float64"}) {
    INFO(dtype);
    const Ready made =
        ready("ConvTranspose", 22, {"strides=1"},
              {std::string("X=") + dtype + "[1,5,12]:cancel:3", std::string("W=") + dtype + "[5,4,3]:cancel:3"});
    const Sums exact = conv_transpose_1d(made.value("X"), made.value("W"), 1);
    int nonzero = 0;
    for (size_t i = 0; i < exact.sums.size(); ++i) {
      const mpf_class scaled = abs(exact.sums[i]) * mpf_class(std::ldexp(1.0, precision_of(made.value("X").dtype())));
      CHECK((scaled < exact.largest[i]));
      nonzero += exact.sums[i] != 0;
    }
    CHECK(nonzero > 50);
  }
  CHECK(message([] {
          ready("ConvTranspose", 11, {}, {"X=float32[1,1,4]:cancel", "W=float32[1,1,3]:cancel"});
        }) == "the generator 'cancel' needs 2 input channels in each group, but there is 1");
}

TEST_CASE("max_pool_indices lie in their windows, once each; with duplicates where windows overlap", "[generators]") {
  // Windows of 3 in steps of 2 over 2 x 3 channels of 9 x 8, from -1 on.
  const auto indices = [](const char* generator) {
    const Ready made = ready("MaxUnpool", 11, {"kernel_shape=3,3", "strides=2,2", "pads=1,1,1,0"},
                             {"X=float32[2,3,5,4]:normal", std::string("I=int64[2,3,5,4]:") + generator + ":9"});
    const auto values = made.value("I").values<std::int64_t>();
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  for (const char* generator : {"max_pool_indices", "max_pool_duplicates"}) {
    const std::vector<std::int64_t> found = indices(generator);
    std::set<std::int64_t> different(found.begin(), found.end());
    for (size_t e = 0; e < found.size(); ++e) {
      const auto flat = static_cast<std::int64_t>(e), i = flat / 4 % 5, j = flat % 4, plane = flat / 20;
      CHECK(found[e] / 72 == plane);
      const std::int64_t y = found[e] % 72 / 8, x = found[e] % 8;
      CHECK((y >= 2 * i - 1 && y < 2 * i + 2));
      CHECK((x >= 2 * j - 1 && x < 2 * j + 2));
    }
    if (generator == std::string_view("max_pool_indices"))
      CHECK(different.size() == found.size());
    else
      CHECK(different.size() < found.size() * 9 / 10);
  }
}

TEST_CASE("what looks at the node says where that cannot be", "[generators]") {
  CHECK(message([] {
          ready("LpPool", 22, {"kernel_shape=3", "p=4"}, {"X=float32[1,1,9]:ties"});
        }) == "the generator 'ties' knows p-norms on midpoints for p = 1, 2 and 3 only, but p is 4");
  CHECK(message([] { ready("LpPool", 22, {"kernel_shape=3"}, {"X=float32[1,1,9]:cancel"}); }) ==
        "'cancel' is not a generator here (uniform, normal, integers, quantized, iota, zeros, ones, special, bits, "
        "ties)");
  CHECK(message([] { ready("LpPool", 22, {"kernel_shape=3"}, {"X=float32[1,1,9]:gaussian"}); }) ==
        "'gaussian' is not a generator here (uniform, normal, integers, quantized, iota, zeros, ones, special, bits, "
        "ties)");
  CHECK(message([] { ready("LpPool", 22, {"kernel_shape=3,3"}, {"X=float32[1,1,9]:ties"}); }) ==
        "attribute 'kernel_shape' has 2 values, but X has 1 spatial axis");
  CHECK(message([] {
          ready("A = LpPool <kernel_shape = [1]> (X)\nB = LpPool <kernel_shape = [1]> (X)", 18, {},
                {"X=float32[1,1,9]:ties"});
        }).starts_with("the generator 'ties' looks at the node, but several take 'X'"));
}

}  // namespace generators_test
