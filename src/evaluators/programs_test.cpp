// SPDX-License-Identifier: Apache-2.0
// Programs of several outputs: each element once, whatever is asked, with what `explain` hears.
#include "evaluators/programs.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "evaluators/real_testing.h"

namespace programs_test {

using namespace opref::evaluators;

namespace {

/// Of each row of n numbers its mean (output 1), and each number's distance from it (output 0).
struct Centred {
  const Elements& x;
  std::int64_t n;
  template <class R>
  void operator()(std::int64_t row, const Reader<R>& read, Writer<R>& y) const {
    R mean = read.zero();
    for (std::int64_t k = 0; k < n; ++k) mean = mean + read(x, row * n + k);
    mean = read.named("mean", mean / R(static_cast<double>(n)));
    y.put(1, row, mean);
    for (std::int64_t k = 0; k < n; ++k) y.put(0, row * n + k, [&] { return read(x, row * n + k) - mean; });
  }
  std::int64_t program_of(size_t output, std::int64_t at) const { return output == 0 ? at / n : at; }
};

class Sink : public TermSink {
 public:
  void reads(const Place& place) override { read.push_back(place.at); }
  void real(std::string_view name, const Interval&) override { names.emplace_back(name); }
  std::vector<std::int64_t> read;
  std::vector<std::string> names;
};

/// Asks for the bounds of some elements.
class BoundsSink : public TermSink {
 public:
  explicit BoundsSink(std::set<std::int64_t> asked) : asked_(std::move(asked)) {}
  bool asks_for_bounds() override { return true; }
  bool asks_for_bound(std::int64_t index) const override { return asked_.contains(index); }
  void bound(std::int64_t index, const Faithful& y, const ResultRange&) override { told[index] = y.high(); }
  std::map<std::int64_t, double> told;

 private:
  std::set<std::int64_t> asked_;
};

/// The same, which counts the rows that are worked out.
struct Counted {
  Centred centred;
  int& rows;
  template <class R>
  void operator()(std::int64_t row, const Reader<R>& read, Writer<R>& y) const {
    ++rows;
    centred(row, read, y);
  }
  std::int64_t program_of(size_t output, std::int64_t at) const { return centred.program_of(output, at); }
};
/// Says that it has no bound.
struct WithoutBound : Centred {
  static constexpr bool has_bound = false;
};

const Dims kShape{2, 3};
const std::vector<ValueType> kTypes{TensorType{DType::float32, kShape}, TensorType{DType::float32, {2}}};

std::vector<float> floats(const Value& value) {
  const auto all = value.tensor()->values<float>();
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("a program writes each element of its outputs", "[real]") {
  const Tensor x = tensor<float>(kShape, {1, 2, 6, 0.5, 0.25, 0});
  const Call call = with({.threads = 2});
  const auto y = programs(
      std::array{Output(call, 0, kTypes[0], true, call.numerics()), Output(call, 1, kTypes[1], true, call.numerics())},
      2, Centred{Elements(x), 3});
  CHECK(floats(y[0]) == std::vector<float>{-2, -1, 3, 0.25, 0, -0.25});
  CHECK(floats(y[1]) == std::vector<float>{3, 0.25});
}

TEMPLATE_TEST_CASE("a program's elements of each type, by both tiers", "[real]", Half, BFloat16, float, double) {
  // The mean of 1, 2 and 2 is 5/3, and 1 - 5/3, 2 - 5/3 are no sums of rounded numbers.
  const Tensor x = tensor<TestType>(kShape, {1, 2, 2, 0.5, -0.5, 0});
  const std::vector<ValueType> types{TensorType{oracle::kDType<TestType>, kShape},
                                     TensorType{oracle::kDType<TestType>, {2}}};
  const auto bits = [](oracle::Rational number) { return oracle::nearest_bits<TestType>(std::move(number)); };
  const oracle::Rational mean(5, 3);
  for (const bool exact_only : {false, true}) {
    Stats stats[2];
    const Call call = with({.exact_only = exact_only});
    const auto y = programs(outputs_of(call, types, stats), 2, Centred{Elements(x), 3});
    CHECK(bits_of<TestType>(*y[0].tensor()) ==
          std::vector<std::uint64_t>{bits(1 - mean), bits(2 - mean), bits(2 - mean), bits({1, 2}), bits({-1, 2}), 0});
    CHECK(bits_of<TestType>(*y[1].tensor()) == std::vector<std::uint64_t>{bits(mean), 0});
    const bool exact = exact_only || std::is_same_v<TestType, double>;
    CHECK(stats[0].exact == (exact ? 6 : 0));
    CHECK(stats[0].estimated == (exact ? 0 : 6));
    CHECK(stats[1].exact == (exact ? 2 : 0));
    CHECK(stats[1].estimated == (exact ? 0 : 2));
  }
}

TEST_CASE("rows of a real formula leave elements to it", "[real]") {
  const Tensor x = tensor<float>({600}, std::vector<double>(600, 3));
  const auto third = [&]<class R>(std::int64_t i, const Reader<R>& read) { return read(Elements(x), i) / R(3.0); };
  Stats stats;
  const Call call = with({.stats = &stats});
  const auto some = [](RowTarget& y) {
    auto* to = reinterpret_cast<float*>(y.y.data());
    std::fill_n(to, 600, 7.0F);
    y.by_definition(std::array<std::int64_t, 2>{1, 599});
    return true;
  };
  const Tensor y = real(Output(call, TensorType{DType::float32, {600}}), third, {}, some);
  const auto floats = y.values<float>();
  CHECK(floats[0] == 7);
  CHECK(floats[1] == 1);
  CHECK(floats[599] == 1);
  CHECK(stats.estimated + stats.exact == 2);
  const Tensor exact = real(Output(with({.exact_only = true}), TensorType{DType::float32, {600}}), third, {}, some);
  CHECK(exact.values<float>()[0] == 1);
}

TEST_CASE("rows leave elements to a real formula in any order", "[real]") {
  const Tensor x = tensor<float>({600}, std::vector<double>(600, 3));
  // Beside the tie 1 + 2^-24, of which only intervals tell the side.
  const auto near_tie = [&]<class R>(std::int64_t i, const Reader<R>& read) {
    return R(1.0) + R(0x1p-24) + R(0x1p-100) * read(Elements(x), i);
  };
  Stats stats;
  const std::vector<std::int64_t> open{310, 260, 599, 3, 520};
  const Tensor y = real(Output(with({.stats = &stats}), TensorType{DType::float32, {600}}), near_tie, {},
                        [&](const RowTarget& target) {
                          std::fill_n(reinterpret_cast<float*>(target.y.data()), 600, 7.0F);
                          target.by_definition(open);
                          return true;
                        });
  for (const std::int64_t i : open) CHECK(y.values<float>()[static_cast<size_t>(i)] == 1 + 0x1p-23F);
  CHECK(stats.exact == 5);
}

TEST_CASE("an output that nobody wants is not made", "[real]") {
  const Tensor x = tensor<float>(kShape, {1, 2, 6, 0.5, 0.25, 0});
  const Call call = with({});
  const auto y = programs(
      std::array{Output(call, 0, kTypes[0], false, call.numerics()), Output(call, 1, kTypes[1], true, call.numerics())},
      2, Centred{Elements(x), 3});
  CHECK(y[0].tensor()->count() == 0);
  CHECK(floats(y[1]) == std::vector<float>{3, 0.25});
}

TEST_CASE("programs that have nothing to write are not run, however many they are", "[real]") {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const Tensor x = tensor<float>({kHuge, 0}, {});
  const Call call = with({});
  const ValueType y = TensorType{DType::float32, {kHuge, 0}}, means = TensorType{DType::float32, {kHuge}};
  const auto values =
      programs(std::array{Output(call, 0, y, true, call.numerics()), Output(call, 1, means, false, call.numerics())},
               kHuge, Centred{Elements(x), 0});
  CHECK(values[0].tensor()->shape() == Dims{kHuge, 0});
}

TEST_CASE("one element of a program's second output has its own operands and parts", "[real]") {
  const Tensor x = tensor<float>(kShape, {1, 2, 6, 0.5, 0.25, 0});
  Sink sink;
  const Call call = with({});
  const auto outs = outputs_of(call, kTypes, Asked{1, 1}, &sink);
  programs(outs, 2, Centred{Elements(x), 3});
  CHECK(sink.read == std::vector<std::int64_t>{3, 4, 5});
  REQUIRE(sink.names.size() >= 2);
  CHECK(sink.names[0] == "mean");
  CHECK(sink.names[1].empty());
}

TEST_CASE("programs tell bounds of the elements that are asked for, and run for no other", "[real][bound]") {
  const Tensor x = tensor<float>(kShape, {1, 2, 6, 0.5, 0.25, 0});
  const Elements elements(x);
  const Call call = with({});
  int rows = 0;
  BoundsSink sink({3, 5});
  programs(output_of(call, kTypes, 0, sink), 2, Counted{{elements, 3}, rows});
  CHECK(rows == 1);
  CHECK(sink.told == std::map<std::int64_t, double>{{3, 0.25}, {5, -0.25}});
  BoundsSink means({0});
  programs(output_of(call, kTypes, 1, means), 2, Counted{{elements, 3}, rows});
  CHECK(rows == 2);
  CHECK(means.told == std::map<std::int64_t, double>{{0, 3}});
  BoundsSink nothing({0});
  programs(output_of(call, kTypes, 0, nothing), 2, WithoutBound{{elements, 3}});
  CHECK(nothing.told.empty());
}

TEST_CASE("an exact sum of products of a program begins at +0", "[real]") {
  const Tensor a = tensor<float>({1}, {-1}), b = tensor<float>({1}, {0});
  const auto dotted = [&]<class R>(std::int64_t, const Reader<R>& read) {
    return read.dot(Elements(a), 0, Elements(b), 0, 1);
  };
  const Tensor y = real(Output(with({}), TensorType{DType::float32, {1}}), dotted);
  CHECK(bits_of<float>(y) == std::vector<std::uint64_t>{0});
}

}  // namespace programs_test
