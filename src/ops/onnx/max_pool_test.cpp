// SPDX-License-Identifier: Apache-2.0
// MaxUnpool undoes MaxPool: with X's shape for output_shape, the greatest elements come back to their places.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "ops/operators.h"
#include "schema/resolve.h"

using namespace opref::ops;

namespace {

using IntegerList = std::vector<std::int64_t>;

std::vector<Value> evaluated(const char* op_type, const std::vector<Attribute>& attributes,
                             const std::vector<std::pair<const char*, Tensor>>& inputs,
                             const std::vector<std::string>& outputs) {
  const Operator& op = get_operator("ai.onnx", op_type);
  Node node{op_type, "", "", {}, {}, outputs};
  node.attributes = attributes;
  std::vector<Input> actual;
  for (const auto& [name, tensor] : inputs) {
    node.inputs.emplace_back(name);
    actual.push_back({name, tensor.type(), Value{tensor}});
  }
  const Call call = resolve(op.at(22), node, std::move(actual), {});
  return op.kernel(call, op.output_types(call));
}

}  // namespace

TEST_CASE("MaxUnpool brings the elements that MaxPool chose back, in every geometry", "[MaxPool][MaxUnpool]") {
  std::mt19937_64 random(5);
  const auto any = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  int compared = 0, overlapping = 0;
  for (int i = 0; i < 400; ++i) {
    const std::int64_t axes = any(1, 3), ceil = any(0, 1);
    Dims shape{any(1, 2), any(1, 2)};
    IntegerList k, s, begin, end;
    for (std::int64_t axis = 0; axis < axes; ++axis) {
      k.push_back(any(1, 4)), s.push_back(any(1, 4));
      begin.push_back(any(0, k.back() - 1)), end.push_back(any(0, k.back() - 1));
      shape.push_back(any(k.back(), k.back() + 5));
    }
    IntegerList pads = begin;
    pads.insert(pads.end(), end.begin(), end.end());
    std::vector<float> values(static_cast<size_t>(element_count(shape)));
    std::iota(values.begin(), values.end(), 1.0F);
    std::ranges::shuffle(values, random);
    const Tensor x = Tensor::of<float>(DType::float32, shape, values);
    CAPTURE(i, to_text(shape), to_text(Dims(k)), to_text(Dims(s)), to_text(Dims(pads)), ceil);
    const std::vector<Value> pooled = evaluated("MaxPool",
                                                {{"kernel_shape", AttributeValue::of(k)},
                                                 {"strides", AttributeValue::of(s)},
                                                 {"pads", AttributeValue::of(pads)},
                                                 {"ceil_mode", AttributeValue::of(ceil)}},
                                                {{"X", x}}, {"Y", "Indices"});
    const Tensor indices = *pooled[1].tensor();
    const IntegerList sizes(shape.begin(), shape.end());
    const std::vector<Value> unpooled =
        evaluated("MaxUnpool",
                  {{"kernel_shape", AttributeValue::of(k)},
                   {"strides", AttributeValue::of(s)},
                   {"pads", AttributeValue::of(pads)}},
                  {{"X", *pooled[0].tensor()},
                   {"I", indices},
                   {"output_shape", Tensor::of<std::int64_t>(DType::int64, Dims{std::ssize(sizes)}, sizes)}},
                  {"output"});
    std::vector<float> expected(values.size());
    for (const std::int64_t at : indices.values<std::int64_t>()) {
      float& place = expected[static_cast<size_t>(at)];
      overlapping += place != 0;
      place = values[static_cast<size_t>(at)];
    }
    CHECK(std::ranges::equal(unpooled[0].tensor()->values<float>(), expected));
    ++compared;
  }
  CHECK(compared == 400);
  CHECK(overlapping > 100);
}

TEST_CASE("MaxPool: of several NaNs each version takes the first", "[MaxPool]") {
  const float numbers[] = {std::bit_cast<float>(0x7fc00001), std::bit_cast<float>(0xffc00002), 1};
  const Tensor x = Tensor::of<float>(DType::float32, {1, 1, 3}, std::span(numbers));
  const Attribute stated{"kernel_shape", AttributeValue::of(std::vector<std::int64_t>{3})};
  for (const int opset : {1, 8, 10, 11, 12, 22}) {
    CAPTURE(opset);
    const Call call = resolve(find_operator("", "MaxPool")->at(opset), {"MaxPool", "", "", {stated}, {"X"}, {"Y"}},
                              {{"X", x.type(), x, {}}}, {});
    const auto y = std::get<Tensor>(call.op().kernel(call, call.op().output_types(call)).front());
    CHECK(std::bit_cast<std::uint32_t>(y.values<float>()[0]) == 0x7fc00001);
  }
}
