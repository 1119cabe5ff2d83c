// SPDX-License-Identifier: Apache-2.0
// The quick tier of the operators' real formulas: which have one, and that it changes no byte of what the other tiers
// give, of numbers of all sizes, special ones, and of all float32 (scripts/lab/sweep-quick). Pairs, float64's first
// tier, likewise.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>
#include <regex>
#include <set>

#include "core/content_testing.h"
#include "exact/oracle_testing.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace fs = std::filesystem;

namespace opref::ops {
namespace {

using oracle::Random;

/// An operator whose file has a formula of real numbers, element by element.
struct Formula {
  std::string file, op_type;
  std::string_view without = "";  ///< why it has no quick tier
  std::string approximate = "";
  bool is_tame = false;  ///< of huge numbers it is so near to a tie that no precision tells
};
/// Neither rise nor fall in turn where the sign stays: what they give is the same between two numbers of which it is.
const std::set<std::string_view> kMonotonic = {"Acosh", "Asinh",   "Atan", "Celu",     "Cosh",
                                               "Elu",   "Erf",     "Exp",  "Log",      "Selu",
                                               "Sinh",  "Sigmoid", "Tanh", "Softplus", "Softsign"};
const Formula kFormulas[] = {
    {"onnx/acos", "Acos"},
    {"onnx/acosh", "Acosh"},
    {"onnx/asin", "Asin"},
    {"onnx/asinh", "Asinh"},
    {"onnx/atan", "Atan"},
    {"onnx/atanh", "Atanh"},
    {"onnx/celu", "Celu"},
    {"onnx/cos", "Cos"},
    {"onnx/cosh", "Cosh"},
    {"onnx/elu", "Elu"},
    {"onnx/erf", "Erf"},
    {"onnx/exp", "Exp"},
    {"onnx/gelu", "Gelu"},
    {"onnx/gelu", "Gelu", "", "tanh"},
    {"onnx/hard_sigmoid", "HardSigmoid"},
    {"onnx/hard_swish", "HardSwish"},
    {"onnx/log", "Log"},
    {"onnx/mish", "Mish"},
    {"onnx/pow", "Pow"},
    {"onnx/selu", "Selu"},
    {"onnx/shrink", "Shrink"},
    {"onnx/sigmoid", "Sigmoid"},
    {"onnx/sin", "Sin"},
    {"onnx/sinh", "Sinh"},
    {"onnx/softplus", "Softplus"},
    {"onnx/softsign", "Softsign"},
    {"onnx/swi_glu", "SwiGLU", "", "", true},
    {"onnx/swish", "Swish"},
    {"onnx/tan", "Tan"},
    {"onnx/tanh", "Tanh"},
};
/// Files whose real formulas are of two numbers a tensor, of other types, or of a function without a quick tier.
const std::set<std::string> kOthers = {"microsoft/bias_gelu",
                                       "microsoft/fast_gelu",
                                       "onnx/dropout",
                                       "onnx/dynamic_quantize_linear",
                                       "onnx_ml/binarizer",
                                       "onnx_ml/scaler",
                                       "openvino/erf_inv",
                                       "openvino/h_sigmoid",
                                       "openvino/hard_sigmoid",
                                       "openvino/selu",
                                       "openvino/squared_difference",
                                       "openvino/swish"};

/// The files of operators with a real formula of elements.
std::set<std::string> files_with_real_formulas() {
  const std::regex formula(R"(struct \w+ : RealFormula<\d> \{([\s\S]*?)\n\};)");
  const fs::path folder = fs::path(OPREF_SOURCE_DIR) / "src/ops";
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp" || entry.path().parent_path() == folder) continue;
    const std::string text = content(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), formula), end; at != end; ++at) {
      const std::string body = (*at)[1];
      const auto has = [&](std::string_view word) { return body.find(word) != std::string::npos; };
      if (!has("one_operation = true") && !has("is_real = false") && !has("Row<R>"))
        found.insert(fs::relative(entry.path(), folder).replace_extension().string());
    }
  }
  return found;
}

/// What the operator's last version gives.
Tensor result(const Formula& formula, const std::vector<Tensor>& x, const Numerics& numerics) {
  const Operator& op = *find_operator("", formula.op_type);
  std::vector<Attribute> attributes;
  if (!formula.approximate.empty()) attributes = {{"approximate", AttributeValue::of(formula.approximate)}};
  Node node{formula.op_type, "", "", std::move(attributes), {"a"}, {"y"}};
  std::vector<Input> arguments{{"a", x[0].type(), x[0]}};
  if (x.size() > 1) node.inputs.push_back("b"), arguments.push_back({"b", x[1].type(), x[1]});
  Call call = resolve(op.at(op.versions().back().since_version()), node, arguments, {});
  call.set_numerics(numerics);
  return *op.kernel(call, op.output_types(call)).front().tensor();
}
size_t operands(const Formula& formula) {
  return find_operator("", formula.op_type)->versions().back().inputs().size();
}

/// Where functions are not flat, of all sizes, and special ones: any bits of narrow types.
template <class T>
Tensor numbers(Random& random, std::int64_t count, bool is_tame) {
  constexpr double kSpecial[] = {
      0.0,  -0.0, HUGE_VAL, -HUGE_VAL, 1.0, -1.0,    0.5,    -3.0,
      3.0,  6.0,  2.0,      88.75,     2.5, -103.97, 1.5e-7, std::numeric_limits<double>::quiet_NaN(),
      -2.0, 1e30, -1e30,    0x1p-149};
  TensorBuilder x({oracle::kDType<T>, Dims{count}});
  size_t k = 0;
  for (T& number : x.template values<T>()) {
    const bool is_any = random.one_in(3) && !is_tame;
    number = k < std::size(kSpecial) && !is_tame ? nearest<T>(kSpecial[k])
             : is_any                            ? from_bits<T>(static_cast<BitsOf<T>>(random.bits()))
                                                 : nearest<T>(random.normal() * (random.one_in(3) ? 40 : 2));
    ++k;
  }
  return std::move(x).finish();
}
template <class T>
void compare(const Formula& formula, const std::vector<Tensor>& x) {
  Stats quick, others;
  const Tensor y = result(formula, x, {.stats = &quick});
  const Tensor slow = result(formula, x, {.quick = exact::QuickUse::none, .stats = &others});
  const Tensor exact = result(formula, x, {.exact_only = true});
  CAPTURE(formula.op_type, formula.approximate, info(oracle::kDType<T>).name);
  CHECK(std::ranges::equal(y.bytes(), slow.bytes()));
  CHECK(std::ranges::equal(y.bytes(), exact.bytes()));
  CHECK(others.quick == 0);
  CHECK(quick.estimated + quick.exact == y.count());
  if (formula.without.empty())
    CHECK(quick.quick > y.count() / 6);  // arcsine and its like are of few numbers
  else
    CHECK(quick.quick == 0);
}
template <class T>
void compare_all() {
  Random random(7);
  for (const Formula& formula : kFormulas) {
    const Operator& op = *find_operator("", formula.op_type);
    if (!op.versions().back().types_of(op.versions().back().inputs().front()).contains(oracle::kDType<T>)) continue;
    std::vector<Tensor> x;
    for (size_t k = 0; k < operands(formula); ++k) x.push_back(numbers<T>(random, 1500, formula.is_tame));
    compare<T>(formula, x);
  }
}

/// How many of the float32 numbers with these bits, of one sign, the quick tier decides; checks that the other tiers
/// give the same.
std::int64_t sweep_block(const Formula& formula, std::uint32_t first, std::int64_t count) {
  const auto x = [&](std::span<const std::int64_t> places) {
    TensorBuilder built({DType::float32, Dims{std::ssize(places)}});
    for (size_t k = 0; k < places.size(); ++k)
      built.values<float>()[k] = from_bits<float>(first + static_cast<std::uint32_t>(places[k]));
    return std::vector{std::move(built).finish()};
  };
  std::vector<std::int64_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Tensor> operands = x(all);
  const Tensor y = result(formula, operands, {.quick = exact::QuickUse::alone});
  const std::span quick = y.values<float>();
  const auto is_left = [](float number) { return to_bits(number) == exact::kLeft; };
  const std::int64_t left = std::ranges::count_if(quick, is_left);
  if (left == count) return 0;
  const Tensor ends = result(formula, x(std::array{all.front(), all.back()}), {.quick = exact::QuickUse::none});
  const float least = ends.values<float>()[0], greatest = ends.values<float>()[1];
  const bool is_flat = kMonotonic.contains(formula.op_type) && to_bits(least) == to_bits(greatest) && least == least;
  const Tensor others = is_flat ? ends : result(formula, operands, {.quick = exact::QuickUse::none});
  for (size_t k = 0; k < quick.size(); ++k) {
    const float other = is_flat ? least : others.values<float>()[k];
    if (!is_left(quick[k]) && to_bits(quick[k]) != to_bits(other))
      FAIL_CHECK(formula.op_type << " of " << operands[0].values<float>()[k] << " is " << other
                                 << ", but by the quick tier " << quick[k]);
  }
  return count - left;
}

}  // namespace

TEST_CASE("quick tier: each real formula of elements has one, or a reason", "[ops]") {
  std::set<std::string> listed = kOthers;
  for (const Formula& formula : kFormulas) listed.insert(formula.file);
  CHECK(files_with_real_formulas() == listed);
}

TEST_CASE("quick tier: it changes no byte of float32, float16 and bfloat16", "[ops]") {
  compare_all<float>();
  compare_all<Half>();
  compare_all<BFloat16>();
}

TEST_CASE("pairs: they change no byte of float64, and decide nearly all", "[ops]") {
  Random random(8);
  for (const Formula& formula : kFormulas) {
    CAPTURE(formula.op_type, formula.approximate);
    std::vector<Tensor> all, ordinary;
    for (size_t k = 0; k < operands(formula); ++k) {
      all.push_back(numbers<double>(random, 400, formula.is_tame));
      TensorBuilder x({DType::float64, Dims{2000}});
      for (double& number : x.values<double>())
        number = (formula.op_type == "Acosh" ? 1 : 0) + std::ldexp(static_cast<double>(random.bits() >> 12), -52);
      ordinary.push_back(std::move(x).finish());
    }
    const Tensor y = result(formula, all, {}), exact = result(formula, all, {.exact_only = true});
    CHECK(std::ranges::equal(y.bytes(), exact.bytes()));
    Stats stats;
    result(formula, ordinary, {.stats = &stats});
    CHECK((stats.estimated == 2000 && stats.exact == 0));
  }
}

TEST_CASE("quick tier: some blocks of all float32", "[ops][release]") {
  for (const Formula& formula : kFormulas)
    if (formula.without.empty() && operands(formula) == 1)
      for (std::uint32_t block = 5; block < 1 << 20; block += 33333) sweep_block(formula, block << 12, 64);
}

/// Of functions of one number, those that OPREF_SWEEP_PART names ("1/2": every second), every OPREF_SWEEP_EVERY-th
/// block of 4096 float32.
TEST_CASE("quick tier: all float32", "[ops][.fullsweepquick]") {
  unsigned part = 0, parts = 1, every = 1;
  if (const char* text = std::getenv("OPREF_SWEEP_PART")) REQUIRE(std::sscanf(text, "%u/%u", &part, &parts) == 2);
  if (const char* text = std::getenv("OPREF_SWEEP_EVERY")) REQUIRE(std::sscanf(text, "%u", &every) == 1);
  REQUIRE((part < parts && every > 0));
  unsigned turn = 0;
  for (const Formula& formula : kFormulas) {
    if (!formula.without.empty() || operands(formula) != 1 || turn++ % parts != part) continue;
    std::int64_t all = 0, quick = 0;
    for (std::uint64_t block = turn % every; block < 1 << 20; block += every, all += 4096)
      quick += sweep_block(formula, static_cast<std::uint32_t>(block << 12), 4096);
    std::printf("%s\n", format("{}{}: of {} float32 the quick tier decides {}", formula.op_type,
                               formula.approximate.empty() ? "" : " by tanh", all, quick)
                            .c_str());
    std::fflush(stdout);
  }
}

}  // namespace opref::ops
