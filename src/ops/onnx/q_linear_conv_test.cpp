// SPDX-License-Identifier: Apache-2.0
// What is known of QLinearConv beside its values.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "core/error.h"
#include "mistakes/mistakes.h"
#include "ops/operators.h"
#include "schema/reading.h"
#include "schema/resolve.h"

namespace q_linear_conv_test {

using namespace opref::ops;

namespace {

using IntegerList = std::vector<std::int64_t>;

/// A node of one spatial axis or two, of numbers that are small or not.
struct QuantizedNode {
  std::vector<Attribute> attributes;
  std::vector<std::optional<Tensor>> inputs;  ///< values
  std::vector<ValueType> types;

  Call call(const ReadingChoices& choices = {}, bool with_values = true) const {
    static const Operator& op = get_operator("ai.onnx", "QLinearConv");
    static const char* const kNames[] = {
        "x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point", "y_scale", "y_zero_point", "B"};
    Node node{"QLinearConv", "", "", {}, {}, {"y"}};
    node.attributes = attributes;
    std::vector<Input> actual;
    for (size_t i = 0; i < inputs.size(); ++i) {
      node.inputs.push_back(kNames[i]);
      Input input{kNames[i], types[i]};
      if (with_values) input.value = *inputs[i];
      actual.push_back(input);
    }
    return resolve(op.at(10), node, std::move(actual), choices);
  }
  void add(const Tensor& tensor) {
    inputs.emplace_back(tensor);
    types.emplace_back(tensor.type());
  }
};

template <class T>
Tensor bytes(const Dims& shape, const std::function<std::int64_t()>& next) {
  std::vector<T> values(static_cast<size_t>(element_count(shape)));
  for (T& value : values) value = static_cast<T>(next());
  return Tensor::of<T>(std::is_signed_v<T> ? DType::int8 : DType::uint8, shape, values);
}
Tensor scale(float value) { return Tensor::of<float>(DType::float32, Dims{}, std::vector<float>{value}); }
Tensor int32(const std::vector<std::int32_t>& values) {
  return Tensor::of<std::int32_t>(DType::int32, Dims{std::ssize(values)}, values);
}

struct Numbers {
  float x_scale = 1, w_scale = 1, y_scale = 1;
  std::int64_t x_zero = 0, w_zero = 0, y_zero = 0;
  std::optional<std::int32_t> bias = {};
};

/// x[1,2,5], w[2,2,3] of numbers up to `most`
QuantizedNode node_of(const Numbers& numbers, std::int64_t most = 255, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  const auto any = [&] { return static_cast<std::int64_t>(random()) % (most + 1); };
  QuantizedNode node;
  node.add(bytes<std::uint8_t>({1, 2, 5}, any));
  node.add(scale(numbers.x_scale));
  node.add(bytes<std::uint8_t>({}, [&] { return numbers.x_zero; }));
  node.add(bytes<std::int8_t>({2, 2, 3}, any));
  node.add(scale(numbers.w_scale));
  node.add(bytes<std::int8_t>({}, [&] { return numbers.w_zero; }));
  node.add(scale(numbers.y_scale));
  node.add(bytes<std::uint8_t>({}, [&] { return numbers.y_zero; }));
  if (numbers.bias) node.add(int32({*numbers.bias, -*numbers.bias}));
  return node;
}

const Reading& reading_of(const Call& call, std::string_view name) {
  return *std::ranges::find(call.op().readings(), name, &Reading::name);
}
constexpr std::pair<std::string_view, std::string_view> kReadings[] = {{"q_linear_conv.round", "after_zero_point"},
                                                                       {"q_linear_conv.accumulator", "wrap"},
                                                                       {"q_linear_conv.scale", "float32"}};

bool may_matter(const Call& call, std::string_view name) {
  const auto* const found = std::ranges::find(kReadings, name, &std::pair<std::string_view, std::string_view>::first);
  return effect(reading_of(call, name), call, found->second) != Effect::none;
}

std::vector<std::byte> result(const Call& call) {
  const std::vector<Value> values = call.op().kernel(call, call.op().output_types(call));
  const std::span<const std::byte> y = values[0].tensor()->bytes();
  return {y.begin(), y.end()};
}

}  // namespace

TEST_CASE("QLinearConv: readings matter where they can", "[QLinearConv]") {
  // Sums are below 2^31; scales are 1, so that nothing is half-way and nothing is rounded.
  const Call plain = node_of({.y_zero = 1}).call();
  for (const auto& [name, alternative] : kReadings) CHECK_FALSE(may_matter(plain, name));

  CHECK(may_matter(node_of({.y_scale = 2, .y_zero = 1}).call(), "q_linear_conv.round"));
  CHECK_FALSE(may_matter(node_of({.y_scale = 2, .y_zero = 2}).call(), "q_linear_conv.round"));
  CHECK_FALSE(may_matter(node_of({.y_scale = 3, .y_zero = 1}).call(), "q_linear_conv.round"));
  // 6·255·128 + |B| and twice that for what x - 255 and w - 127 can be
  CHECK_FALSE(may_matter(node_of({.bias = 2147483647 - 6 * 255 * 128}).call(), "q_linear_conv.accumulator"));
  CHECK(may_matter(node_of({.bias = 2147483647 - 6 * 255 * 128 + 1}).call(), "q_linear_conv.accumulator"));
  CHECK(may_matter(node_of({.w_zero = 127, .bias = 2147483647 - 6 * 255 * 128}).call(), "q_linear_conv.accumulator"));
  CHECK(may_matter(node_of({.x_scale = 0.02F, .w_scale = 0.03F}).call(), "q_linear_conv.scale"));
  CHECK_FALSE(may_matter(node_of({.x_scale = 0.02F, .w_scale = 0.5F, .y_scale = 0.25F}).call(), "q_linear_conv.scale"));

  // 0.02f/0.04f is a half and 0.01f/0.06f a sixth, but five times 0.013f/0.13f is not a half, but above it.
  CHECK(may_matter(node_of({.x_scale = 0.02F, .y_scale = 0.04F, .y_zero = 1}).call(), "q_linear_conv.round"));
  CHECK(may_matter(node_of({.x_scale = 0.01F, .y_scale = 0.06F, .y_zero = 1}).call(), "q_linear_conv.round"));
  const QuantizedNode above = node_of({.x_scale = 0.013F, .y_scale = 0.13F, .y_zero = 1});
  CHECK_FALSE(may_matter(above.call(), "q_linear_conv.round"));
  // (1 - 2^-26)/2, but a half in float32
  const QuantizedNode below = node_of({.x_scale = 1 + 0x1p-13F, .w_scale = 1 - 0x1p-13F, .y_scale = 2, .y_zero = 1});
  CHECK_FALSE(may_matter(below.call(), "q_linear_conv.round"));
  CHECK(may_matter(below.call({{"q_linear_conv.scale", "float32"}}), "q_linear_conv.round"));
}

TEST_CASE("QLinearConv: readings may matter where values are not known", "[QLinearConv]") {
  CHECK(may_matter(node_of({}).call({}, false), "q_linear_conv.round"));
  CHECK(may_matter(node_of({}).call({}, false), "q_linear_conv.scale"));
  CHECK(may_matter(node_of({.bias = 0}).call({}, false), "q_linear_conv.accumulator"));
  CHECK_FALSE(may_matter(node_of({}).call({}, false), "q_linear_conv.accumulator"));
}

TEST_CASE("QLinearConv: a reading that cannot matter changes nothing", "[QLinearConv]") {
  std::mt19937 random(3);
  constexpr float kScales[] = {0.01F, 0.06F, 0.013F, 0.13F, 1, 0.5F, 2, 3, 6, 12, 10};
  const auto any_scale = [&] { return kScales[random() % std::size(kScales)]; };
  int none = 0;
  std::map<std::string_view, int> matter;
  for (std::uint32_t i = 0; i < 1500; ++i) {
    Numbers numbers{any_scale(), 1, any_scale()};
    numbers.x_zero = random() % 8, numbers.w_zero = random() % 8, numbers.y_zero = random() % 8 + 120;
    if (i % 3 == 0) numbers.bias = static_cast<std::int32_t>(random() % 8);
    if (i % 3 == 1) numbers.bias = std::numeric_limits<std::int32_t>::max() - static_cast<std::int32_t>(random() % 200);
    if (i % 3 == 1) numbers.w_scale = 0x1p-24F;
    const QuantizedNode node = node_of(numbers, 7, i);
    for (const ReadingChoices& others : {ReadingChoices{}, {{"q_linear_conv.scale", "float32"}}}) {
      const Call call = node.call(others);
      for (const auto& [name, alternative] : kReadings) {
        const bool is_same = result(call) == result(call.with_reading(name, alternative));
        CAPTURE(i, name, numbers.x_scale, numbers.w_scale, numbers.y_scale, numbers.y_zero);
        if (!may_matter(call, name)) CHECK(is_same);
        ++(is_same ? none : matter[name]);
      }
    }
  }
  CHECK(none > 1000);
  for (const auto& [name, alternative] : kReadings) CHECK(matter[name] > 30);
}

namespace {

/// x[1,2,6,5], w[4,1,3,2], two groups, for backends with mistakes.
struct Convolved {
  std::array<std::int64_t, 2> k{3, 2}, s{2, 1}, d{1, 2}, begin{2, 0}, end{1, 1}, L{6, 5};
  std::vector<std::int64_t> x, w, b{-300, 5000, 40, 7000};

  Convolved() {
    std::mt19937 random(4);
    for (int i = 0; i < 60; ++i) x.push_back(random() % 256);
    for (int i = 0; i < 24; ++i) w.push_back(static_cast<std::int64_t>(random() % 256) - 128);
  }
  std::int64_t O(size_t a) const { return (L[a] + begin[a] + end[a] - (k[a] - 1) * d[a] - 1) / s[a] + 1; }
  Tensor y() const {
    std::vector<std::uint8_t> y;
    for (std::int64_t m = 0; m < 4; ++m)
      for (std::int64_t oi = 0; oi < O(0); ++oi)
        for (std::int64_t oj = 0; oj < O(1); ++oj) {
          std::int64_t sum = b[static_cast<size_t>(m)];
          for (std::int64_t i = 0; i < k[0]; ++i)
            for (std::int64_t j = 0; j < k[1]; ++j) {
              const std::int64_t xi = oi * s[0] + i * d[0] - begin[0], xj = oj * s[1] + j * d[1] - begin[1];
              if (xi < 0 || xj < 0 || xi >= L[0] || xj >= L[1]) continue;
              sum += (x[static_cast<size_t>((m / 2 * L[0] + xi) * L[1] + xj)] - 100) *
                     (w[static_cast<size_t>((m * k[0] + i) * k[1] + j)] - 1);
            }
          // sums/512 + 100, nearest, ties to even
          y.push_back(
              static_cast<std::uint8_t>(std::clamp(std::nearbyint(static_cast<double>(sum) / 512) + 100, 0.0, 255.0)));
        }
    return Tensor::of<std::uint8_t>(DType::uint8, {1, 4, O(0), O(1)}, y);
  }
  QuantizedNode node() const {
    const auto list = [](const std::array<std::int64_t, 2>& a) { return AttributeValue::of(IntegerList{a[0], a[1]}); };
    QuantizedNode node;
    node.attributes = {{"group", AttributeValue::of(std::int64_t{2})},
                       {"strides", list(s)},
                       {"dilations", list(d)},
                       {"pads", AttributeValue::of(IntegerList{begin[0], begin[1], end[0], end[1]})}};
    const auto from = [](const std::vector<std::int64_t>& values) {
      return [&values, i = size_t{0}]() mutable { return values[i++]; };
    };
    const auto number = [](std::int64_t value) { return [value] { return value; }; };
    node.add(bytes<std::uint8_t>({1, 2, L[0], L[1]}, from(x)));
    node.add(scale(1));
    node.add(bytes<std::uint8_t>({}, number(100)));
    node.add(bytes<std::int8_t>({4, 1, k[0], k[1]}, from(w)));
    node.add(scale(1));
    node.add(bytes<std::int8_t>({}, number(1)));
    node.add(scale(512));
    node.add(bytes<std::uint8_t>({}, number(100)));
    node.add(int32({-300, 5000, 40, 7000}));
    return node;
  }
};

/// The operator's own mistakes that give this output.
std::vector<std::string> mistakes_giving(const Call& call, const Tensor& y) {
  std::vector<std::string> names;
  const auto bytes = y.bytes();
  for (const auto& mistake : opref::mistakes::listed_mistakes(call.op())) try {
      const std::optional<Call> other = mistake.made(call);
      if (other && !other->says_as(call) && std::ranges::equal(result(*other), bytes)) names.push_back(mistake.name);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::invalid);
    }
  return names;
}

}  // namespace

TEST_CASE("QLinearConv: known mistakes give what an independent formula with them gives", "[QLinearConv]") {
  using Names = std::vector<std::string>;
  const Convolved right;
  const Call call = right.node().call();
  CHECK(std::ranges::equal(result(call), right.y().bytes()));
  Convolved wrong = right;
  for (std::ptrdiff_t f = 0; f < 4; ++f) std::reverse(wrong.w.begin() + f * 6, wrong.w.begin() + f * 6 + 6);
  CHECK(mistakes_giving(call, wrong.y()) == Names{"kernel flipped"});
  wrong = right;
  std::swap(wrong.begin, wrong.end);
  CHECK(mistakes_giving(call, wrong.y()) == Names{"pads swapped"});
  wrong = right;  // [2,0,1,1] read as (2,0), (1,1)
  wrong.begin = {2, 1}, wrong.end = {0, 1};
  CHECK(mistakes_giving(call, wrong.y()) == Names{"pads read axis by axis"});
  wrong = right;
  wrong.b = {right.b[0], right.b[0], right.b[1], right.b[1]};
  CHECK(mistakes_giving(call, wrong.y()) == Names{"bias per group"});
  wrong.b = {right.b[0], right.b[1], right.b[0], right.b[1]};
  CHECK(mistakes_giving(call, wrong.y()) == Names{"bias of the first group for all"});
  const TermOrder order = call.op().order(call);
  CHECK(order.channels == 1);
  CHECK(order.taps == 6);
}

TEST_CASE("QLinearConv: pads beside auto_pad are a matter of reading where sizes are the same", "[QLinearConv]") {
  Convolved both;
  both.s = {1, 1}, both.d = {1, 1}, both.begin = {1, 1}, both.end = {1, 0};
  QuantizedNode node = both.node();
  node.attributes.push_back({"auto_pad", AttributeValue::of(std::string("SAME_UPPER"))});
  const ReadingChoices pads_win{{"q_linear_conv.pads_with_auto_pad", "pads-win"}};
  const Call call = node.call(pads_win);
  const Reading& reading = reading_of(call, "q_linear_conv.pads_with_auto_pad");
  CHECK(effect(reading, call, "auto_pad-wins") == Effect::possible);
  CHECK(effect(reading, call, "reject") == Effect::certain);
}

TEST_CASE("QLinearConv: an element counts once, with wrapping accumulators too", "[QLinearConv]") {
  const QuantizedNode node = Convolved().node();
  for (const char* accumulator : {"exact", "wrap"}) {
    Stats stats;
    Call call = node.call({{"q_linear_conv.accumulator", accumulator}});
    call.set_numerics({.stats = &stats});
    CHECK(stats.estimated + stats.exact == 0);
    CHECK(result(call).size() == static_cast<size_t>(Convolved().y().count()));
    CHECK(stats.estimated + stats.exact == Convolved().y().count());
  }
}

TEST_CASE("QLinearConv: attributes in force are said", "[QLinearConv]") {
  QuantizedNode node = Convolved().node();
  node.attributes = {{"group", AttributeValue::of(std::int64_t{2})},
                     {"auto_pad", AttributeValue::of(std::string("SAME_UPPER"))}};
  std::vector<std::string> said;
  const Call call = node.call();
  for (const Note& note : call.op().notes(call)) said.push_back(note.subject + " " + note.text);
  CHECK(said == std::vector<std::string>{"strides [1,1]", "dilations [1,1]", "kernel_shape [3,2]", "pads [1,0,1,1]"});
  CHECK(call.op().short_name("kernel_shape") == "k");
}

}  // namespace q_linear_conv_test
