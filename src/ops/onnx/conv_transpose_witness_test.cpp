// ONNX's own shape inference (libonnx, opsets up to 17) as a witness of ConvTranspose's sizes.
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <catch2/catch.hpp>

#include "core/error.h"
#include "ops/operators.h"
#include "spec/resolve.h"

using namespace opref;

namespace {

using Integers = std::vector<std::int64_t>;

struct Stated {
  Dims x, w;
  std::map<std::string, Integers> lists = {};
  std::string auto_pad = {};  // empty: absent
  std::int64_t group = 1;
};

/// The shape that libonnx infers, or nothing where it refuses or does not know.
std::optional<Dims> witnessed_shape(int opset, const Stated& stated) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("ConvTranspose");
  const auto add_input = [&](const std::string& name, const Dims& shape) {
    node.add_input(name);
    onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name(name);
    auto& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t size : shape) type.mutable_shape()->add_dim()->set_dim_value(size);
  };
  add_input("X", stated.x);
  add_input("W", stated.w);
  node.add_output("Y");
  graph.add_output()->set_name("Y");
  const auto add = [&node](const std::string& name, onnx::AttributeProto::AttributeType kind) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(kind);
    return &attribute;
  };
  for (const auto& [name, values] : stated.lists) {
    onnx::AttributeProto* attribute = add(name, onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) attribute->add_ints(value);
  }
  if (!stated.auto_pad.empty()) add("auto_pad", onnx::AttributeProto::STRING)->set_s(stated.auto_pad);
  if (stated.group != 1) add("group", onnx::AttributeProto::INT)->set_i(stated.group);
  try {
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), {true, 1, false});
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const onnx::ValueInfoProto& output = graph.output(0);
  if (!output.type().tensor_type().has_shape()) return std::nullopt;
  Dims shape;
  for (const auto& dim : output.type().tensor_type().shape().dim()) shape.push_back(dim.dim_value());
  return shape;
}

std::optional<Dims> own_shape(int opset, const Stated& stated, const ReadingChoices& readings = {}) {
  Node node{"ConvTranspose", "", "", {}, {"X", "W"}, {"Y"}};
  for (const auto& [name, values] : stated.lists) node.attributes.push_back({name, AttributeValue::of(values)});
  if (!stated.auto_pad.empty()) node.attributes.push_back({"auto_pad", AttributeValue::of(stated.auto_pad)});
  if (stated.group != 1) node.attributes.push_back({"group", AttributeValue::of(stated.group)});
  const Operator& op = *find_operator("", "ConvTranspose");
  try {
    std::vector<CallInput> inputs{{"X", {DType::float32, stated.x}, {}, {}}, {"W", {DType::float32, stated.w}, {}, {}}};
    return op.output_types(resolve(op, node, opset, std::move(inputs), readings)).front().shape;
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::invalid);
    return std::nullopt;
  }
}

/// What libonnx's inference takes for granted where the text says otherwise; each is a reading of its own.
const ReadingChoices kInference = {{"conv_transpose.same_size", "inference"},
                                   {"conv_transpose.output_padding_limit", "none"}};

struct Sweep {
  int compared = 0, refused = 0, other_size = 0;

  void compare(int opset, const Stated& stated) {
    const auto theirs = witnessed_shape(opset, stated);
    const auto ours = own_shape(opset, stated, kInference);
    INFO("opset " << opset << ", auto_pad '" << stated.auto_pad << "', X " << to_text(stated.x) << ", W "
                  << to_text(stated.w));
    for (const auto& [name, values] : stated.lists) UNSCOPED_INFO(name << " = " << join_text(values, ","));
    REQUIRE(theirs.has_value());
    // libonnx states sizes <= 0 as dimensions; opref refuses the node.
    const bool positive = std::ranges::all_of(*theirs, [](std::int64_t size) { return size > 0; });
    REQUIRE(ours.has_value() == positive);
    if (positive) CHECK(*ours == *theirs);
    ++(positive ? compared : refused);
    // SAME_*: the text says L*strides, inference adds output_padding.
    const auto by_default = own_shape(opset, stated, {{"conv_transpose.output_padding_limit", "none"}});
    if (by_default == ours) return;
    CHECK(stated.auto_pad.starts_with("SAME"));
    CHECK(stated.lists.contains("output_padding"));
    ++other_size;
  }
};

}  // namespace

TEST_CASE("ConvTranspose: shapes equal libonnx's inference") {
  Sweep sweep;
  for (const int opset : {1, 10, 11, 17})
    for (const std::int64_t L : {1, 2, 5})
      for (const std::int64_t k : {1, 2, 3})
        for (const std::int64_t s : {0, 1, 2, 4})        // 0: the attribute is absent
          for (const std::int64_t d : {0, 1, 2})         // 0: the attribute is absent
            for (const std::int64_t op : {-1, 0, 1, 3})  // -1: the attribute is absent
              for (const std::int64_t group : {1, 3}) {
                Stated stated{{2, 3, L, 4}, {3, 2, k, 2}, {}, {}, group};
                if (s > 0) stated.lists["strides"] = {s, 3};
                if (d > 0) stated.lists["dilations"] = {d, 2};
                if (op >= 0) stated.lists["output_padding"] = {op, 1};
                for (const char* auto_pad : {"", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}) {
                  stated.auto_pad = auto_pad;
                  sweep.compare(opset, stated);
                }
                stated.auto_pad = op == 0 ? "NOTSET" : "";
                for (const Integers& pads : {Integers{0, 0, 0, 0}, Integers{1, 0, 2, 3}, Integers{3, 1, 0, 0}}) {
                  stated.lists["pads"] = pads;
                  sweep.compare(opset, stated);
                }
              }
  CHECK(sweep.compared > 20000);
  CHECK(sweep.refused > 500);
  CHECK(sweep.other_size > 1000);
}

TEST_CASE("ConvTranspose: output_shape against libonnx's inference") {
  for (const int opset : {1, 11, 17})
    for (const char* auto_pad : {"", "SAME_UPPER", "SAME_LOWER", "VALID"})
      for (const Integers& size : {Integers{2, 5}, Integers{7, 9}, Integers{40, 50}}) {
        const Stated stated{{2, 3, 2, 4}, {3, 2, 3, 3}, {{"output_shape", size}, {"strides", {2, 3}}}, auto_pad};
        CHECK(witnessed_shape(opset, stated) == Dims{2, 2, size[0], size[1]});
        CHECK(own_shape(opset, stated) == Dims{2, 2, size[0], size[1]});
      }
  const Stated smaller{{1, 1, 5, 5}, {1, 1, 3, 3}, {{"output_shape", {6, 4}}}};
  const Stated whole{{1, 1, 5, 5}, {1, 1, 3, 3}, {{"output_shape", {1, 1, 6, 6}}}};
  // A size below X's: libonnx leaves it and all after it away. The equations hold for it as for others.
  CHECK(witnessed_shape(11, smaller) == Dims{1, 1, 6});
  CHECK(own_shape(11, smaller) == Dims{1, 1, 6, 4});
  // With N and C: libonnx gives nothing for any version. Version 1's text does not exclude them.
  CHECK_FALSE(witnessed_shape(1, whole));
  CHECK(own_shape(1, whole) == Dims{1, 1, 6, 6});
  CHECK_FALSE(witnessed_shape(11, whole));
  CHECK_FALSE(own_shape(11, whole));
}

TEST_CASE("ConvTranspose: pads beside auto_pad against libonnx's inference") {
  const Stated both{{1, 1, 5}, {1, 1, 3}, {{"pads", {1, 0}}, {"strides", {2}}}, "SAME_UPPER"};
  // "This attribute cannot be used simultaneously with auto_pad attribute": version 1's inference lets pads win.
  CHECK(witnessed_shape(1, both) == Dims{1, 1, 10});
  CHECK(own_shape(1, both, {{"conv_transpose.pads_with_auto_pad", "pads-win"}}) == Dims{1, 1, 10});
  CHECK_FALSE(own_shape(1, both));
  CHECK_FALSE(witnessed_shape(11, both));
  CHECK_FALSE(own_shape(11, both));
}

TEST_CASE("ConvTranspose: ranks, lengths and inputs that do not fit against libonnx's inference") {
  CHECK(witnessed_shape(11, {{1, 1, 5}, {1, 1, 3}}) == own_shape(11, {{1, 1, 5}, {1, 1, 3}}));
  CHECK(witnessed_shape(11, {{1, 1, 5, 2, 3}, {1, 4, 3, 1, 2}}) == own_shape(11, {{1, 1, 5, 2, 3}, {1, 4, 3, 1, 2}}));
  CHECK(witnessed_shape(1, {{1, 2, 5}, {2, 1, 3}, {{"kernel_shape", {3}}}}) ==
        own_shape(1, {{1, 2, 5}, {2, 1, 3}, {{"kernel_shape", {3}}}}));
  // Both refuse.
  for (const char* name : {"strides", "dilations", "output_padding", "kernel_shape", "output_shape", "pads"}) {
    const Stated stated{{1, 1, 5, 5}, {1, 1, 3, 3}, {{name, {1}}}};
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
  const Stated uneven{{1, 3, 5}, {3, 1, 3}, {}, {}, 2};  // "number of groups input channels … are divided into"
  CHECK(witnessed_shape(11, uneven) == Dims{1, 2, 7});
  CHECK_FALSE(own_shape(11, uneven));
  const Stated other_kernel{{1, 1, 5}, {1, 1, 3}, {{"kernel_shape", {2}}}};  // "The shape of the convolution kernel"
  CHECK(witnessed_shape(11, other_kernel) == Dims{1, 1, 6});
  CHECK_FALSE(own_shape(11, other_kernel));
  const Stated no_mode{{1, 1, 5}, {1, 1, 3}, {}, "SAME"};  // "must be either NOTSET, SAME_UPPER, SAME_LOWER or VALID"
  CHECK(witnessed_shape(11, no_mode) == Dims{1, 1, 7});
  CHECK_FALSE(own_shape(11, no_mode));
  // "must be less than the corresponding stride/dilation dimension", since 11.
  const Stated padded{{1, 1, 5}, {1, 1, 3}, {{"output_padding", {1}}}};
  CHECK(witnessed_shape(11, padded) == Dims{1, 1, 8});
  CHECK_FALSE(own_shape(11, padded));
  CHECK(own_shape(1, padded) == Dims{1, 1, 8});
}
