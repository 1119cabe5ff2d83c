// SPDX-License-Identifier: Apache-2.0
// Softmax's own formula, in each version and type, against MPFR.
#include <catch2/catch.hpp>
#include <limits>

#include "exact/real/softmax_oracle_testing.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace softmax_test {

using namespace opref::ops;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
std::vector<std::uint64_t> bits_of(int opset, std::int64_t axis, const Dims& shape, const std::vector<double>& numbers,
                                   const ReadingChoices& readings = {}) {
  TensorBuilder builder({oracle::kDType<T>, shape});
  std::transform(numbers.begin(), numbers.end(), builder.values<T>().begin(), nearest<T>);
  const Tensor x = std::move(builder).finish();
  const Attribute stated{"axis", AttributeValue::of(axis)};
  const Call call = resolve(find_operator("", "Softmax")->at(opset), {"Softmax", "", "", {stated}, {"x"}, {"y"}},
                            {{"x", x.type(), x, {}}}, readings);
  const auto y = std::get<Tensor>(call.op().kernel(call, call.op().output_types(call)).front());
  std::vector<std::uint64_t> bits;
  for (const T element : y.values<T>()) bits.push_back(to_bits(element));
  return bits;
}

template <class T>
std::vector<double> random_numbers(std::size_t count) {
  oracle::Random random(count);
  std::vector<double> numbers;
  while (numbers.size() < count) numbers.push_back(oracle::rounded<T>(random.one_in(5) ? -9 : 4 * random.normal()));
  return numbers;
}

template <class T>
std::vector<std::uint64_t> expected(const std::vector<double>& slice) {
  return oracle::softmax_bits<T>(slice, *std::max_element(slice.begin(), slice.end()));
}

}  // namespace

TEMPLATE_TEST_CASE("Softmax: each version's slices by MPFR", "[Softmax]", Half, BFloat16, float, double) {
  const std::vector<double> x = random_numbers<TestType>(120);
  std::vector<std::uint64_t> rows, columns;
  for (std::size_t i = 0; i < x.size(); i += 30) {
    const auto row = expected<TestType>(
        {x.begin() + static_cast<std::ptrdiff_t>(i), x.begin() + static_cast<std::ptrdiff_t>(i) + 30});
    rows.insert(rows.end(), row.begin(), row.end());
  }
  columns.resize(x.size());
  for (std::size_t k = 0; k < 30; ++k) {
    const auto column = expected<TestType>({x[k], x[30 + k], x[60 + k], x[90 + k]});
    for (std::size_t i = 0; i < 4; ++i) columns[30 * i + k] = column[i];
  }
  CHECK(bits_of<TestType>(13, -1, {2, 2, 30}, x) == rows);
  CHECK(bits_of<TestType>(13, 0, {4, 5, 6}, x) == columns);
  if (std::is_same_v<TestType, BFloat16>) return;  // since version 13
  CHECK(bits_of<TestType>(11, -2, {4, 5, 6}, x) == rows);
  CHECK(bits_of<TestType>(1, 1, {4, 5, 6}, x) == rows);
}

TEST_CASE("Softmax: +Inf is NaN where it stands, or by the function's body everywhere", "[Softmax]") {
  const std::uint64_t nan = to_bits(quiet_nan<float>());
  CHECK(bits_of<float>(13, -1, {3}, {1, kInfinity, -kInfinity}) == std::vector<std::uint64_t>{0, nan, 0});
  CHECK(bits_of<float>(13, -1, {3}, {1, kInfinity, -kInfinity}, {{"softmax.plus_infinity", "nan_row"}}) ==
        std::vector<std::uint64_t>{nan, nan, nan});
}

}  // namespace softmax_test
