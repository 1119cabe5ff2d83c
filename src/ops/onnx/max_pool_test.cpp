// SPDX-License-Identifier: Apache-2.0
// What no case can say: bits of NaNs.
#include <bit>
#include <catch2/catch.hpp>

#include "ops/operators.h"
#include "schema/resolve.h"

namespace max_pool_test {

using namespace opref::ops;

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

}  // namespace max_pool_test
