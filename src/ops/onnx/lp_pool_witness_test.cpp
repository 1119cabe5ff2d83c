// SPDX-License-Identifier: Apache-2.0
// ONNX's own shape inference (libonnx, opsets up to 17) as a witness of LpPool's sizes.
#include <catch2/catch.hpp>

#include "ops/witness_testing.h"

namespace lp_pool_witness_test {

using namespace opref::ops;
using namespace opref::ops::witness;

namespace {

Question lp_pool(const Dims& x, const Attributes& attributes) { return {"LpPool", {input("X", x)}, attributes}; }

// Two deliberate differences in every sweep: libonnx states sizes <= 0 as dimensions, where opref refuses the node; and
// its division truncates where the text says floor, so that a kernel beyond the padded input can leave a size of 1.
struct Sweep {
  int compared = 0, refused = 0, truncated = 0;

  /// `room` is L + pads - kernel of the first spatial axis, the only one whose windows may not fit.
  void compare(int opset, const Dims& x, const Attributes& attributes, std::int64_t room, std::int64_t stride) {
    const auto theirs = witnessed_shape(opset, lp_pool(x, attributes));
    const auto ours = own_shape(opset, lp_pool(x, attributes));
    REQUIRE(theirs.has_value());
    if (room >= 0) {
      REQUIRE(ours.has_value());
      CHECK(*ours == *theirs);
      ++compared;
    } else {
      CHECK_FALSE(ours.has_value());
      CHECK((*theirs)[2] == room / stride + 1);
      ++((*theirs)[2] > 0 ? truncated : refused);
    }
  }
};

}  // namespace

TEST_CASE("LpPool: shapes with explicit pads equal libonnx's inference", "[LpPool]") {
  Sweep sweep;
  for (const int opset : {2, 10, 11, kNewestWitnessed})
    for (const std::int64_t L : {1, 2, 3, 5, 8})
      for (const std::int64_t k : {1, 2, 3, 4})
        for (const std::int64_t s : {0, 1, 2, 3})         // 0: the attribute is absent
          for (const std::int64_t begin : {-1, 0, 1, 2})  // -1: the attribute is absent
            for (const std::int64_t end : {0, 1, 3}) {
              Attributes attributes{{{"kernel_shape", {k, 2}}}, begin == 1 ? "NOTSET" : ""};
              if (s > 0) attributes.lists["strides"] = {s, 3};
              if (begin >= 0) attributes.lists["pads"] = {begin, 0, end, 1};
              INFO("opset " << opset << " L " << L << " k " << k << " s " << s << " pads " << begin << "," << end);
              const std::int64_t room = L + (begin < 0 ? 0 : begin + end) - k;
              sweep.compare(opset, Dims{2, 3, L, 4}, attributes, room, std::max<std::int64_t>(s, 1));
            }
  CHECK(sweep.compared > 2000);
  CHECK(sweep.refused > 50);
  CHECK(sweep.truncated > 50);
}

TEST_CASE("LpPool: shapes with auto_pad equal libonnx's inference", "[LpPool]") {
  Sweep sweep;
  for (const int opset : {2, 10, 11, kNewestWitnessed})
    for (const char* mode : {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"})
      for (const std::int64_t L : {1, 2, 3, 4, 5, 8, 9})
        for (const std::int64_t k : {1, 2, 3, 4, 7})
          for (const std::int64_t s : {0, 1, 2, 3, 5}) {
            Attributes attributes{{{"kernel_shape", {k, 3, 1}}}, mode};
            if (s > 0) attributes.lists["strides"] = {s, 2, 2};
            INFO("opset " << opset << " " << mode << " L " << L << " k " << k << " s " << s);
            const bool same = mode[0] == 'S';  // pads what is missing
            sweep.compare(opset, Dims{1, 2, L, 5, 4}, attributes, same ? 0 : L - k, std::max<std::int64_t>(s, 1));
          }
  CHECK(sweep.compared > 2000);
  CHECK(sweep.refused > 50);
  CHECK(sweep.truncated > 50);
}

TEST_CASE("LpPool: what libonnx's inference takes otherwise", "[LpPool]") {
  const Dims x{1, 1, 4};
  const auto both = [&x](int opset, const Attributes& attributes) {
    return std::pair(witnessed_shape(opset, lp_pool(x, attributes)), own_shape(opset, lp_pool(x, attributes)));
  };
  // Refused by both: wrong lengths, no kernel_shape.
  for (const Attributes& attributes :
       {Attributes{{{"kernel_shape", {2, 2}}}}, Attributes{}, Attributes{{{"kernel_shape", {2}}, {"strides", {1, 1}}}},
        Attributes{{{"kernel_shape", {2}}, {"pads", {1}}}}})
    CHECK(both(11, attributes) == std::pair(std::optional<Dims>(), std::optional<Dims>()));
  // Version 1 has no inference; opref follows the rules of 2.
  CHECK(both(1, {{{"kernel_shape", {2}}}}) == std::pair(std::optional<Dims>(), std::optional(Dims{1, 1, 3})));
  // "This attribute cannot be used simultaneously with auto_pad attribute": libonnx lets the pads win.
  CHECK(both(11, {{{"kernel_shape", {3}}, {"pads", {1, 0}}}, "SAME_UPPER"}) ==
        std::pair(std::optional(Dims{1, 1, 3}), std::optional<Dims>()));
  // "auto_pad must be either NOTSET, SAME_UPPER, SAME_LOWER or VALID": libonnx takes any text for NOTSET.
  CHECK(both(11, {{{"kernel_shape", {3}}}, "SAME"}) == std::pair(std::optional(Dims{1, 1, 2}), std::optional<Dims>()));
  // Pads "can take any value greater than or equal to 0": libonnx crops.
  CHECK(both(11, {{{"kernel_shape", {2}}, {"pads", {-1, 0}}}}) ==
        std::pair(std::optional(Dims{1, 1, 2}), std::optional<Dims>()));
  // "N x C x D1 …": libonnx gives (N, C).
  CHECK(witnessed_shape(11, lp_pool(Dims{1, 1}, {{{"kernel_shape", {}}}})) == Dims{1, 1});
  CHECK_FALSE(own_shape(11, lp_pool(Dims{1, 1}, {{{"kernel_shape", {}}}})));
}

}  // namespace lp_pool_witness_test
