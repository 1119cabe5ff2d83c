// SPDX-License-Identifier: Apache-2.0
// Every float16 and bfloat16 through the operators that are functions of one real number, by both tiers, against a
// second formulation: the pages' formulas in 600 bits. An element that the highest precision leaves open is an error
// that names it, so that none passes unseen.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "evaluators/elementwise.h"
#include "evaluators/programs.h"
#include "exact/real/function_oracle_testing.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace opref::ops::real_sweep_test {
namespace {

using oracle::Wide;

struct Function {
  const char* op_type;
  Wide (*f)(const Wide& x);
  const char* approximate = nullptr;
};

template <int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
Wide mpfr(const Wide& x) {
  return Wide::of(f, x);
}
int ceil(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_ceil(y, x); }
int floor(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_floor(y, x); }
int round(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_roundeven(y, x); }
/// The sign of what is 0 after rounding is x's.
template <int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
Wide integral(const Wide& x) {
  const Wide y = Wide::of(f, x);
  return mpfr_zero_p(y.number()) == 0 ? y : x < 0.0 ? Wide(-0.0) : x * 0.0;
}
Wide exp(const Wide& x) { return Wide::of(mpfr_exp, x); }
Wide expm1(const Wide& x) { return Wide::of(mpfr_expm1, x); }
Wide log1p(const Wide& x) { return Wide::of(mpfr_log1p, x); }
bool is_nan(const Wide& x) { return mpfr_nan_p(x.number()) != 0; }
bool is_zero(const Wide& x) { return mpfr_zero_p(x.number()) != 0; }
/// alpha·(e^x - 1) below 0
Wide elu(const Wide& x) { return x < 0.0 ? expm1(x) : x; }
Wide softplus(const Wide& x) { return Wide(1000.0) < x ? x : log1p(exp(x)); }
/// x·max(0, min(1, x/6 + 1/2)), as one quotient.
Wide hard_swish(const Wide& x) {
  if (!(Wide(-3.0) < x) && !is_nan(x)) return x * 0.0;
  return Wide(3.0) < x ? x : x * (x + 3.0) / 6.0;
}
Wide hard_sigmoid(const Wide& x) {
  const Wide y = Wide(static_cast<double>(0.2F)) * x + 0.5;
  return y < 0.0 ? Wide(0.0) : Wide(1.0) < y ? Wide(1.0) : y;
}
Wide selu(const Wide& x) {
  const double alpha = static_cast<double>(1.67326319217681884765625F),
               gamma = static_cast<double>(1.0507010221481323F);
  return x < 0.0 ? Wide(gamma) * alpha * expm1(x) : Wide(gamma) * (x + 0.0);
}
Wide gelu(const Wide& x) { return x * Wide::of(mpfr_erfc, -x / Wide::of(mpfr_sqrt, 2.0)) / 2.0; }
Wide gelu_by_tanh(const Wide& x) {
  const Wide pi = Wide::of([](mpfr_ptr y, mpfr_srcptr, mpfr_rnd_t d) { return mpfr_const_pi(y, d); }, 0.0);
  const Wide z = Wide::of(mpfr_sqrt, Wide(2.0) / pi) * (x + Wide(44715.0) / 1000000.0 * x * x * x);
  return x / (Wide(1.0) + exp(z * -2.0));
}

const Function kFunctions[] = {
    {"Abs", mpfr<mpfr_abs>},
    {"Acos", mpfr<mpfr_acos>},
    {"Acosh", mpfr<mpfr_acosh>},
    {"Asin", mpfr<mpfr_asin>},
    {"Asinh", mpfr<mpfr_asinh>},
    {"Atan", mpfr<mpfr_atan>},
    {"Atanh", mpfr<mpfr_atanh>},
    {"Ceil", integral<ceil>},
    {"Celu", [](const Wide& x) { return is_zero(x) ? Wide(0.0) : elu(x); }},
    {"Cos", mpfr<mpfr_cos>},
    {"Cosh", mpfr<mpfr_cosh>},
    {"Elu", elu},
    {"Erf", mpfr<mpfr_erf>},
    {"Exp", exp},
    {"Floor", integral<floor>},
    {"Gelu", gelu},
    {"Gelu", gelu_by_tanh, "tanh"},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", hard_swish},
    {"LeakyRelu", [](const Wide& x) { return x < 0.0 ? x * static_cast<double>(0.01F) : x; }},
    {"Log", [](const Wide& x) { return is_zero(x) ? Wide(-HUGE_VAL) : Wide::of(mpfr_log, x); }},
    {"Mish", [](const Wide& x) { return x * Wide::of(mpfr_tanh, softplus(x)); }},
    {"Neg", [](const Wide& x) { return -x; }},
    {"Reciprocal", [](const Wide& x) { return Wide(1.0) / x; }},
    {"Relu", [](const Wide& x) { return x < 0.0 ? Wide(0.0) : x + 0.0; }},
    {"Round", integral<round>},
    {"Selu", selu},
    {"Shrink", [](const Wide& x) { return x < -0.5 || Wide(0.5) < x ? x : Wide(0.0); }},
    {"Sigmoid", [](const Wide& x) { return Wide(1.0) / (Wide(1.0) + exp(-x)); }},
    {"Sign", [](const Wide& x) { return x < 0.0         ? Wide(-1.0)
                                        : Wide(0.0) < x ? Wide(1.0)
                                                        : x + 0.0; }},
    {"Sin", mpfr<mpfr_sin>},
    {"Sinh", mpfr<mpfr_sinh>},
    {"Softplus", softplus},
    {"Softsign", [](const Wide& x) { return x / (Wide(1.0) + Wide::of(mpfr_abs, x)); }},
    {"Sqrt", mpfr<mpfr_sqrt>},
    {"Swish", [](const Wide& x) { return x / (Wide(1.0) + exp(-x)); }},
    {"Tan", mpfr<mpfr_tan>},
    {"Tanh", mpfr<mpfr_tanh>},
    {"ThresholdedRelu", [](const Wide& x) { return Wide(1.0) < x ? x : Wide(0.0); }},
};

/// The numbers whose bits are `first`, `first + step`, ….
template <class T>
Tensor numbers_from(std::uint64_t first, std::uint64_t step) {
  TensorBuilder builder({oracle::kDType<T>, Dims{static_cast<std::int64_t>((0xffff - first) / step + 1)}});
  for (T& x : builder.template values<T>()) {
    x = from_bits<T>(static_cast<std::uint16_t>(first));
    first += step;
  }
  return std::move(builder).finish();
}

/// What the operator's last version gives of x, by both tiers; nothing where it does not take such numbers.
std::vector<Tensor> by_both_tiers(std::string_view op_type, std::vector<Attribute> attributes, const Tensor& x) {
  const Operator& op = *find_operator("", op_type);
  const OpSchema& schema = op.versions().back();
  if (!schema.types_of(schema.inputs().front()).contains(x.dtype())) return {};
  const Node node{std::string(op_type), "", "", std::move(attributes), {"x"}, {"y"}};
  Call call = resolve(op.at(schema.since_version()), node, {{"x", x.type(), x}}, {});
  std::vector<Tensor> results;
  for (const bool exact_only : {false, true}) {
    Numerics numerics;
    numerics.exact_only = exact_only;
    call.set_numerics(numerics);
    results.push_back(*op.kernel(call, op.output_types(call)).front().tensor());
  }
  return results;
}

/// How many results are the function's, rounded once.
template <class T>
std::int64_t sweep(const Function& function, std::uint64_t first, std::uint64_t step) {
  std::vector<Attribute> attributes;
  if (function.approximate != nullptr)
    attributes = {{"approximate", AttributeValue::of(std::string(function.approximate))}};
  const Tensor x = numbers_from<T>(first, step);
  const std::vector<Tensor> results = by_both_tiers(function.op_type, attributes, x);
  std::int64_t right = 0, wrong = 0;
  for (size_t i = 0; !results.empty() && i < x.values<T>().size(); ++i) {
    const double number = floating_value(oracle::kDType<T>, to_bits(x.values<T>()[i]));
    const std::uint64_t expected = function.f(Wide(number)).template bits<T>();
    for (const Tensor& result : results) {
      const std::uint64_t bits = to_bits(result.values<T>()[i]);
      ++(bits == expected ? right : wrong);
      if (bits == expected || wrong > 5) continue;
      INFO(function.op_type << (function.approximate == nullptr ? "" : " by tanh") << " of " << number);
      CHECK(bits == expected);
    }
  }
  CHECK(wrong == 0);
  return right;
}

/// The operators that ask what kind of number one is: by its bits without the sign, and those of the infinity.
template <class T>
void sweep_kinds(std::uint64_t infinity) {
  const Tensor x = numbers_from<T>(0, 1);
  const auto check = [&](std::string_view op_type, std::vector<Attribute> attributes, auto expected) {
    const std::vector<Tensor> results = by_both_tiers(op_type, std::move(attributes), x);
    CHECK(results.size() == 2);
    for (const Tensor& result : results) {
      std::int64_t wrong = 0;
      for (std::uint64_t bits = 0; bits <= 0xffff; ++bits)
        wrong += (result.values<std::uint8_t>()[bits] != 0) != expected(bits & 0x7fff, bits > 0x7fff) ? 1 : 0;
      CHECK(wrong == 0);
    }
  };
  check("IsNaN", {}, [&](std::uint64_t size, bool) { return size > infinity; });
  for (const std::int64_t positive : {0, 1})
    for (const std::int64_t negative : {0, 1})
      check("IsInf",
            {{"detect_positive", AttributeValue::of(positive)}, {"detect_negative", AttributeValue::of(negative)}},
            [&](std::uint64_t size, bool is_negative) {
              return size == infinity && (is_negative ? negative : positive) != 0;
            });
}

}  // namespace

TEST_CASE("functions of one real number: some of all float16 and bfloat16", "[ops][release]") {
  for (const Function& function : kFunctions) {
    sweep<Half>(function, 0, 509);
    sweep<BFloat16>(function, 3, 509);
    for (const std::uint64_t special : {0x0001, 0x8001, 0x8000, 0x7f80, 0xff80, 0x7c00, 0xfc00, 0x7e00, 0x7fc0})
      sweep<Half>(function, special, 0x10000), sweep<BFloat16>(function, special, 0x10000);
  }
}

TEST_CASE("kinds of numbers: all float16 and bfloat16", "[ops]") {
  sweep_kinds<Half>(0x7c00);
  sweep_kinds<BFloat16>(0x7f80);
}

/// All of them, or those operators that OPREF_SWEEP_PART names ("1/2": every second, from the second on).
TEST_CASE("functions of one real number: all float16 and bfloat16", "[ops][.fullsweepreal]") {
  unsigned part = 0, parts = 1;
  if (const char* text = std::getenv("OPREF_SWEEP_PART")) REQUIRE(std::sscanf(text, "%u/%u", &part, &parts) == 2);
  REQUIRE(part < parts);
  std::int64_t functions = 0, right = 0;
  for (size_t k = part; k < std::size(kFunctions); k += parts, ++functions) {
    const std::int64_t of_halves = sweep<Half>(kFunctions[k], 0, 1), of_others = sweep<BFloat16>(kFunctions[k], 0, 1);
    const auto line = format("{}{}: {} results right of float16, {} of bfloat16, by both tiers", kFunctions[k].op_type,
                             kFunctions[k].approximate == nullptr ? "" : " by tanh", of_halves, of_others);
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    right += of_halves + of_others;
  }
  std::printf("%s\n", format("in all {} results of {} functions right", right, functions).c_str());
}

namespace {

/// e^(ln x) + y: no precision tells that e^(ln 3) is 3.
struct HiddenSum : evaluators::RealFormula<2> {
  template <class R>
  R operator()(const R& x, const R& y) const {
    return exp(log(x)) + y;
  }
};
struct HiddenSums {
  evaluators::Elements x, y;
  template <class R>
  void operator()(std::int64_t at, const evaluators::Reader<R>& read, evaluators::Writer<R>& sums) const {
    sums.put(0, at, HiddenSum()(read(x, at), read(y, at)));
  }
  std::int64_t program_of(size_t /*output*/, std::int64_t at) const { return at; }
};

}  // namespace

TEST_CASE("an element that the highest precision leaves open is an error that names it", "[ops]") {
  const Operator& op = *find_operator("", "Add");
  const TensorType type{DType::float32, {2, 2}};
  const Tensor x = Tensor::of<float>(type.dtype, type.shape, std::array{1.0F, 2.0F, 3.0F, 5.0F}),
               y = Tensor::of<float>(type.dtype, type.shape,
                                     std::array{1.0F, 1.0F, 0x1p-23F, 0x1p-30F});  // ties at [1,0]
  Node node;
  node.op_type = "Add";
  node.inputs = {"x", "y"};
  node.outputs = {"z"};
  const Call call = resolve(op.at(14), node, {{"x", type, x}, {"y", type, y}}, {});
  const std::array out{Output(call, 0, type, true, call.numerics())};
  const std::array operands{x, y};
  const std::string error = " of Add-14 cannot be told from a tie with 24576 bits";
  CHECK_THROWS_WITH(evaluators::elementwise(out[0], operands, HiddenSum()), "element [1,0]" + error);
  CHECK_THROWS_WITH(evaluators::programs(out, 4, HiddenSums{evaluators::Elements(x), evaluators::Elements(y)}),
                    "element [1,0] of C" + error);
}

}  // namespace opref::ops::real_sweep_test
