// SPDX-License-Identifier: Apache-2.0
// ONNX's own shape inference (libonnx, opsets up to 17) as a witness of ConvTranspose's sizes.
#include <catch2/catch.hpp>

#include "ops/witness_testing.h"

namespace conv_transpose_witness_test {

using namespace opref::ops;
using namespace opref::ops::witness;

namespace {

struct Stated {
  Dims x, w;
  Attributes attributes = {};

  operator Question() const { return {"ConvTranspose", {input("X", x), input("W", w)}, attributes}; }
};

/// What libonnx's inference takes for granted where the text says otherwise; each is a reading of its own.
const ReadingChoices kInference = {{"conv_transpose.same_size", "inference"},
                                   {"conv_transpose.output_padding_limit", "none"}};

struct Sweep {
  int compared = 0, refused = 0, other_size = 0;

  void compare(int opset, const Stated& stated) {
    const auto theirs = witnessed_shape(opset, stated);
    const auto ours = own_shape(opset, stated, kInference);
    INFO("opset " << opset << ", auto_pad '" << stated.attributes.auto_pad << "', X " << to_text(stated.x) << ", W "
                  << to_text(stated.w));
    for (const auto& [name, values] : stated.attributes.lists) UNSCOPED_INFO(name << " = " << join_text(values, ","));
    REQUIRE(theirs.has_value());
    // libonnx states sizes <= 0 as dimensions; opref refuses the node.
    const bool positive = std::ranges::all_of(*theirs, [](std::int64_t size) { return size > 0; });
    REQUIRE(ours.has_value() == positive);
    if (positive) CHECK(*ours == *theirs);
    ++(positive ? compared : refused);
    // SAME_*: the text says L*strides, inference adds output_padding.
    const auto by_default = own_shape(opset, stated, {{"conv_transpose.output_padding_limit", "none"}});
    if (by_default == ours) return;
    CHECK(stated.attributes.auto_pad.starts_with("SAME"));
    CHECK(stated.attributes.lists.contains("output_padding"));
    ++other_size;
  }
};

}  // namespace

TEST_CASE("ConvTranspose: shapes equal libonnx's inference", "[ConvTranspose][release]") {
  Sweep sweep;
  for (const int opset : {1, 10, 11, 17})
    for (const std::int64_t L : {1, 2, 5})
      for (const std::int64_t k : {1, 2, 3})
        for (const std::int64_t s : {0, 1, 2, 4})        // 0: the attribute is absent
          for (const std::int64_t d : {0, 1, 2})         // 0: the attribute is absent
            for (const std::int64_t op : {-1, 0, 1, 3})  // -1: the attribute is absent
              for (const std::int64_t group : {1, 3}) {
                Stated stated{{2, 3, L, 4}, {3, 2, k, 2}, {{}, "", group}};
                if (s > 0) stated.attributes.lists["strides"] = {s, 3};
                if (d > 0) stated.attributes.lists["dilations"] = {d, 2};
                if (op >= 0) stated.attributes.lists["output_padding"] = {op, 1};
                for (const char* auto_pad : {"", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}) {
                  stated.attributes.auto_pad = auto_pad;
                  sweep.compare(opset, stated);
                }
                stated.attributes.auto_pad = op == 0 ? "NOTSET" : "";
                for (const Ints& pads : {Ints{0, 0, 0, 0}, Ints{1, 0, 2, 3}, Ints{3, 1, 0, 0}}) {
                  stated.attributes.lists["pads"] = pads;
                  sweep.compare(opset, stated);
                }
              }
  CHECK(sweep.compared > 20000);
  CHECK(sweep.refused > 500);
  CHECK(sweep.other_size > 1000);
}

TEST_CASE("ConvTranspose: output_shape against libonnx's inference", "[ConvTranspose]") {
  for (const int opset : {1, 11, 17})
    for (const char* auto_pad : {"", "SAME_UPPER", "SAME_LOWER", "VALID"})
      for (const Ints& size : {Ints{2, 5}, Ints{7, 9}, Ints{40, 50}}) {
        const Stated stated{{2, 3, 2, 4}, {3, 2, 3, 3}, {{{"output_shape", size}, {"strides", {2, 3}}}, auto_pad}};
        CHECK(witnessed_shape(opset, stated) == Dims{2, 2, size[0], size[1]});
        CHECK(own_shape(opset, stated) == Dims{2, 2, size[0], size[1]});
      }
  const Stated smaller{{1, 1, 5, 5}, {1, 1, 3, 3}, {{{"output_shape", {6, 4}}}}};
  const Stated whole{{1, 1, 5, 5}, {1, 1, 3, 3}, {{{"output_shape", {1, 1, 6, 6}}}}};
  // A size below X's: libonnx leaves it and all after it away. The equations hold for it as for others.
  CHECK(witnessed_shape(11, smaller) == Dims{1, 1, 6});
  CHECK(own_shape(11, smaller) == Dims{1, 1, 6, 4});
  // With N and C: libonnx gives nothing for any version. Version 1's text does not exclude them.
  CHECK_FALSE(witnessed_shape(1, whole));
  CHECK(own_shape(1, whole) == Dims{1, 1, 6, 6});
  CHECK_FALSE(witnessed_shape(11, whole));
  CHECK_FALSE(own_shape(11, whole));
}

TEST_CASE("ConvTranspose: pads beside auto_pad against libonnx's inference", "[ConvTranspose]") {
  const Stated both{{1, 1, 5}, {1, 1, 3}, {{{"pads", {1, 0}}, {"strides", {2}}}, "SAME_UPPER"}};
  // "This attribute cannot be used simultaneously with auto_pad attribute": version 1's inference lets pads win.
  CHECK(witnessed_shape(1, both) == Dims{1, 1, 10});
  CHECK(own_shape(1, both, {{"conv_transpose.pads_with_auto_pad", "pads-win"}}) == Dims{1, 1, 10});
  CHECK_FALSE(own_shape(1, both));
  CHECK_FALSE(witnessed_shape(11, both));
  CHECK_FALSE(own_shape(11, both));
}

TEST_CASE("ConvTranspose: ranks, lengths and inputs that do not fit against libonnx's inference", "[ConvTranspose]") {
  CHECK(witnessed_shape(11, Stated{{1, 1, 5}, {1, 1, 3}}) == own_shape(11, Stated{{1, 1, 5}, {1, 1, 3}}));
  CHECK(witnessed_shape(11, Stated{{1, 1, 5, 2, 3}, {1, 4, 3, 1, 2}}) ==
        own_shape(11, Stated{{1, 1, 5, 2, 3}, {1, 4, 3, 1, 2}}));
  CHECK(witnessed_shape(1, Stated{{1, 2, 5}, {2, 1, 3}, {{{"kernel_shape", {3}}}}}) ==
        own_shape(1, Stated{{1, 2, 5}, {2, 1, 3}, {{{"kernel_shape", {3}}}}}));
  // Both refuse.
  for (const char* name : {"strides", "dilations", "output_padding", "kernel_shape", "output_shape", "pads"}) {
    const Stated stated{{1, 1, 5, 5}, {1, 1, 3, 3}, {{{name, {1}}}}};
    INFO(name);
    CHECK_FALSE(witnessed_shape(11, stated));
    CHECK_FALSE(own_shape(11, stated));
  }
  // libonnx looks at neither of these; opref refuses them by the page's words in quotes.
  const Stated rank_2{{1, 1}, {1, 1}};  // "(N x C x D1 x D2 … x Dn)"
  CHECK(witnessed_shape(11, rank_2) == Dims{1, 1});
  CHECK_FALSE(own_shape(11, rank_2));
  const Stated other_channels{{1, 2, 5}, {3, 1, 3}};  // W "(C x M/group x k1 x k2 x … x kn)"
  CHECK(witnessed_shape(11, other_channels) == Dims{1, 1, 7});
  CHECK_FALSE(own_shape(11, other_channels));
  const Stated uneven{{1, 3, 5}, {3, 1, 3}, {{}, "", 2}};  // "number of groups input channels … are divided into"
  CHECK(witnessed_shape(11, uneven) == Dims{1, 2, 7});
  CHECK_FALSE(own_shape(11, uneven));
  const Stated other_kernel{{1, 1, 5}, {1, 1, 3}, {{{"kernel_shape", {2}}}}};  // "The shape of the convolution kernel"
  CHECK(witnessed_shape(11, other_kernel) == Dims{1, 1, 6});
  CHECK_FALSE(own_shape(11, other_kernel));
  const Stated no_mode{{1, 1, 5}, {1, 1, 3}, {{}, "SAME"}};  // "must be either NOTSET, SAME_UPPER, SAME_LOWER or VALID"
  CHECK(witnessed_shape(11, no_mode) == Dims{1, 1, 7});
  CHECK_FALSE(own_shape(11, no_mode));
  // "must be less than the corresponding stride/dilation dimension", since 11.
  const Stated padded{{1, 1, 5}, {1, 1, 3}, {{{"output_padding", {1}}}}};
  CHECK(witnessed_shape(11, padded) == Dims{1, 1, 8});
  CHECK_FALSE(own_shape(11, padded));
  CHECK(own_shape(1, padded) == Dims{1, 1, 8});
}

}  // namespace conv_transpose_witness_test
