// SPDX-License-Identifier: Apache-2.0
// ONNX's own schemas and shape inference (libonnx, opsets up to 17) as a witness of ours.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "ops/facts_testing.h"
#include "ops/witness_testing.h"

namespace witness_test {

using namespace opref::ops;
using namespace opref::ops::witness;

namespace {

std::set<std::string> type_names(const ::onnx::OpSchema& schema, const ::onnx::OpSchema::FormalParameter& parameter) {
  for (const auto& constraint : schema.typeConstraintParams())
    if (constraint.type_param_str == parameter.GetTypeStr())
      return {constraint.allowed_type_strs.begin(), constraint.allowed_type_strs.end()};
  return {parameter.GetTypeStr()};
}

/// Versions whose types ONNX 1.23 states otherwise than libonnx does: there Erf-13 takes integers too.
bool has_other_types_now(std::string_view version) { return version == "Erf-13"; }
/// In libonnx the grid of GridSample-16 has the type of X, and Y that of the grid.
bool has_other_variables_now(std::string_view version) { return version == "GridSample-16"; }

void check_parameters(const std::string& version, const OpSchema& ours, const std::vector<FormalParameter>& own,
                      const ::onnx::OpSchema& theirs, const std::vector<::onnx::OpSchema::FormalParameter>& other) {
  REQUIRE(own.size() == other.size());
  for (size_t i = 0; i < own.size(); ++i) {
    INFO(own[i].name);
    CHECK(std::string(own[i].name) == other[i].GetName());
    if (has_other_variables_now(version)) continue;
    const auto own_types = onnx_names(ours.types_of(own[i])), other_types = type_names(theirs, other[i]);
    if (has_other_types_now(version))
      CHECK(own_types != other_types);
    else
      CHECK(own_types == other_types);
    const std::string& type = other[i].GetTypeStr();
    const bool is_variable = type.find('(') == std::string::npos;
    CHECK((!is_variable || own[i].type == type));
    const auto option = other[i].GetOption();
    const std::string since = format("{}-{}", theirs.Name(), ours.since_version());
    if (departure(since, format("input {}", i))) continue;
    CHECK((own[i].arity == Arity::optional) == (option == ::onnx::OpSchema::Optional));
    CHECK(is_variadic(own[i].arity) == (option == ::onnx::OpSchema::Variadic));
  }
}

void check_attributes(const std::string& version, const OpSchema& ours, const ::onnx::OpSchema& theirs) {
  std::set<std::string> names, other_names;
  for (const AttributeSchema& attribute : ours.attributes()) names.emplace(attribute.name);
  for (const auto& [name, attribute] : theirs.attributes()) other_names.insert(name);
  CHECK(names == other_names);
  for (const AttributeSchema& attribute : ours.attributes()) {
    INFO(attribute.name);
    const auto& other = theirs.attributes().at(std::string(attribute.name));
    CHECK(static_cast<int>(attribute.type) == static_cast<int>(other.type));
    if (departure(version, format("attribute {}", attribute.name))) continue;
    CHECK((attribute.presence == Presence::required) == other.required);
    const bool has_default = other.default_value.type() != ::onnx::AttributeProto::UNDEFINED;
    REQUIRE(attribute.default_value.has_value() == has_default);
    if (!has_default) continue;
    const auto& value = attribute.default_value->value;
    if (attribute.type == AttributeType::INT) CHECK(std::get<std::int64_t>(value) == other.default_value.i());
    if (attribute.type == AttributeType::FLOAT) CHECK(std::get<float>(value) == other.default_value.f());
    if (attribute.type == AttributeType::STRING) CHECK(std::get<std::string>(value) == other.default_value.s());
  }
}

using MaxUnpoolLists = std::map<std::string, Ints>;

Question max_unpool(const Dims& x, const MaxUnpoolLists& lists, const std::optional<Ints>& output_shape = {}) {
  Question question{"MaxUnpool", {input("X", x), input("I", x, DType::int64)}, {lists}};
  if (output_shape) question.inputs.push_back(constant("output_shape", *output_shape));
  return question;
}

}  // namespace

TEST_CASE("schemas equal libonnx's, version by version", "[schema]") {
  int compared = 0;
  for (const OperatorRow& row : operator_rows()) {
    if (row.domain != "ai.onnx") continue;
    const Operator& op = *find_operator(row.domain, row.op_type);
    for (int opset = 1; opset <= kNewestWitnessed; ++opset) {
      const ::onnx::OpSchema* theirs = ::onnx::OpSchemaRegistry::Schema(std::string(row.op_type), opset, "");
      INFO(row.op_type << " at opset " << opset);
      REQUIRE((theirs == nullptr) == (opset < op.versions().front().since_version()));
      if (theirs == nullptr) continue;
      const OpSchema& ours = op.schema_for(opset);
      CHECK(ours.since_version() == theirs->since_version());
      // Those of ONNX 1.12 infer by their function's body.
      const bool by_body = opset >= 16 && (row.op_type == "GreaterOrEqual" || row.op_type == "LessOrEqual");
      CHECK((ours.shape_inference() == ShapeInference::onnx) ==
            (by_body || theirs->has_type_and_shape_inference_function()));
      const std::string version = format("{}-{}", row.op_type, ours.since_version());
      check_attributes(version, ours, *theirs);
      check_parameters(version, ours, ours.inputs(), *theirs, theirs->inputs());
      check_parameters(version, ours, ours.outputs(), *theirs, theirs->outputs());
      ++compared;
    }
  }
  CHECK(compared >= 9);
}

TEST_CASE("MaxUnpool: shapes equal libonnx's inference", "[MaxUnpool]") {
  // Deliberate differences, none of which the sweep meets silently:
  // - sizes <= 0: libonnx states them as dimensions, opref refuses the node ("inferred size <= 0");
  // - rank 2: libonnx gives (N, C), opref refuses ("X … (N x C x D1 x D2 … Dn)");
  // - output_shape: libonnx leaves the shape to the run time, opref takes it, or refuses another N or C or a size <= 0.
  int compared = 0, refused = 0;
  for (const int opset : {9, 11, 17})
    for (const std::int64_t L : {1, 2, 3, 5})
      for (const std::int64_t k : {1, 2, 3, 4})
        for (const std::int64_t s : {0, 1, 2, 3})         // 0: the attribute is absent
          for (const std::int64_t begin : {-1, 0, 1, 2})  // -1: the attribute is absent
            for (const std::int64_t end : {0, 1, 3}) {
              MaxUnpoolLists attributes{{"kernel_shape", {k, 2}}};
              if (s > 0) attributes["strides"] = {s, 3};
              if (begin >= 0) attributes["pads"] = {begin, 0, end, 1};
              const Dims x{2, 3, L, 4};
              const auto theirs = witnessed_shape(opset, max_unpool(x, attributes));
              const auto ours = own_shape(opset, max_unpool(x, attributes));
              INFO("opset " << opset << " L " << L << " k " << k << " s " << s << " pads " << begin << "," << end);
              REQUIRE(theirs.has_value());
              const bool positive = std::ranges::all_of(*theirs, [](std::int64_t size) { return size > 0; });
              REQUIRE(ours.has_value() == positive);
              if (positive) CHECK(*ours == *theirs);
              ++(positive ? compared : refused);
            }
  CHECK(compared > 1000);
  CHECK(refused > 50);
}

TEST_CASE("MaxUnpool: output_shape, ranks and wrong lengths against libonnx's inference", "[MaxUnpool]") {
  const MaxUnpoolLists k1{{"kernel_shape", {2}}}, k2{{"kernel_shape", {2, 2}}}, k3{{"kernel_shape", {2, 2, 2}}};
  CHECK(own_shape(11, max_unpool(Dims{1, 1, 2, 2}, k2, {{1, 1, 5, 5}})) == Dims{1, 1, 5, 5});
  CHECK(witnessed_shape(9, max_unpool(Dims{1, 2, 3}, k1)) == own_shape(9, max_unpool(Dims{1, 2, 3}, k1)));
  CHECK(witnessed_shape(9, max_unpool(Dims{1, 2, 3, 4, 5}, k3)) == own_shape(9, max_unpool(Dims{1, 2, 3, 4, 5}, k3)));
  // Both refuse.
  CHECK_FALSE(witnessed_shape(11, max_unpool(Dims{1, 1, 2, 2}, k3)));
  CHECK_FALSE(own_shape(11, max_unpool(Dims{1, 1, 2, 2}, k3)));
  CHECK_FALSE(witnessed_shape(11, max_unpool(Dims{1, 1, 2, 2}, {})));
  CHECK_FALSE(own_shape(11, max_unpool(Dims{1, 1, 2, 2}, {})));
  // The listed differences.
  CHECK(witnessed_shape(11, max_unpool(Dims{1, 1}, {{"kernel_shape", {}}})) == Dims{1, 1});
  CHECK_FALSE(own_shape(11, max_unpool(Dims{1, 1}, {{"kernel_shape", {}}})));
  for (const Ints& stated : {Ints{1, 1, 5, 5}, {2, 1, 5, 5}, {1, 1, 0, 5}, {5, 5}})
    CHECK_FALSE(witnessed_shape(11, max_unpool(Dims{1, 1, 2, 2}, k2, stated)));
  for (const Ints& stated : {Ints{2, 1, 5, 5}, {1, 1, 0, 5}, {5, 5}})
    CHECK_FALSE(own_shape(11, max_unpool(Dims{1, 1, 2, 2}, k2, stated)));
}

}  // namespace witness_test
