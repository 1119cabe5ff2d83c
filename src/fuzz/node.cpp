// SPDX-License-Identifier: Apache-2.0
// Nodes that bytes choose.
#include <array>
#include <cmath>
#include <limits>

#include "fuzz/choices.h"
#include "fuzz/targets.h"
#include "io/generate.h"
#include "io/json/cases.h"
#include "io/json/json.h"
#include "io/onnx/onnx.h"
#include "ops/operators.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_inputs.h"

namespace opref::fuzz {
namespace {

class NodeMaker {
 public:
  explicit NodeMaker(std::string_view bytes) : choices_(bytes) {}

  Json make() {
    const OperatorRow row = choices_.one_of(operator_rows());
    const Operator& op = *find_operator(row.domain, row.op_type);
    const OpSchema& schema = op.versions()[choices_.of(op.versions().size())];
    for (std::int64_t& size : sizes_) size = static_cast<std::int64_t>(choices_.of(5));
    rank_ = choices_.of(6);
    Json node;
    node.set("op_type", row.op_type).set("domain", row.domain).set("opset", schema.since_version());
    Json inputs, attributes;
    std::map<std::string, DType, std::less<>> types;
    for (const FormalParameter& parameter : schema.inputs()) add_input(inputs, schema, parameter, types);
    if (choices_.one_in(8)) add_outputs(node, schema);
    for (const AttributeSchema& attribute : schema.attributes()) add_attribute(attributes, attribute);
    node.set("inputs", std::move(inputs)).set("attributes", std::move(attributes));
    return node;
  }

 private:
  Dims shape() {
    Dims dims;
    const size_t rank = choices_.one_in(6) ? choices_.of(7) : rank_;
    for (size_t axis = 0; axis < rank; ++axis) dims.push_back(choices_.one_of(sizes_));
    // Without elements other sizes may be huge; with some they are refused.
    if (!dims.empty() && choices_.one_in(12)) {
      constexpr std::array<std::int64_t, 6> kHuge = {
          1 << 30, INT64_MAX, std::int64_t{1} << 62, 100'000'000, std::int64_t{1} << 32, INT64_MAX / 2};
      dims[choices_.of(dims.size())] = choices_.one_of(kHuge);
      if (dims.size() > 1 && !choices_.one_in(8)) dims[choices_.of(dims.size())] = 0;
    }
    return dims;
  }

  /// Any number of them, at most two more than the operator gives.
  void add_outputs(Json& node, const OpSchema& schema) {
    Json names = Json::list();
    for (size_t i = 0, count = 1 + choices_.of(schema.outputs().size() + 2); i < count; ++i)
      names.append(format("out{}", i));
    node.set("outputs", std::move(names));
  }

  Json tensor(DType dtype) {
    static const std::vector<std::string_view> generators = generator_names();
    Json source;
    source.set("dtype", name(dtype)).set("shape", shape());
    if (choices_.one_in(16)) return source;  // a type without a value
    source.set("fill", choices_.one_of(generators));
    source.set("seed", choices_.of(256));
    return source;
  }

  void add_input(Json& inputs, const OpSchema& schema, const FormalParameter& parameter,
                 std::map<std::string, DType, std::less<>>& types) {
    if (parameter.arity == Arity::optional && choices_.one_in(2)) return;
    const std::vector<DType> allowed = schema.types_of(parameter).dtypes();
    if (allowed.empty()) return;
    const auto dtype = [&] {
      const auto [known, is_new] = types.try_emplace(std::string(parameter.type), allowed[0]);
      if (is_new) known->second = choices_.one_of(allowed);
      return choices_.one_in(16) ? choices_.one_of(allowed) : known->second;
    };
    if (!is_variadic(parameter.arity)) {
      inputs.set(parameter.name, tensor(dtype()));
      return;
    }
    Json list = Json::list();
    for (size_t i = 0, count = 1 + choices_.of(3); i < count; ++i) list.append(tensor(dtype()));
    inputs.set(parameter.name, std::move(list));
  }

  std::int64_t integer() {
    constexpr std::array<std::int64_t, 16> kIntegers = {1, 0, 2, 3,  -1,   10,        4,         -2,
                                                        6, 5, 7, -7, 1000, INT64_MAX, INT64_MIN, 1};
    return choices_.one_of(kIntegers);
  }

  std::vector<std::int64_t> integers() {
    std::vector<std::int64_t> list;
    const size_t count = choices_.one_in(4) ? choices_.of(8) : choices_.one_in(2) ? 2 * rank_ : rank_;
    for (size_t i = 0; i < count; ++i) list.push_back(integer());
    return list;
  }

  std::string word(const AttributeSchema& attribute) {
    if (!attribute.range.words.empty() && !choices_.one_in(8))
      return std::string(choices_.one_of(attribute.range.words));
    constexpr std::array<std::string_view, 4> kWords = {"", "NOTSET", "x", "\xc3\xa9"};
    return std::string(choices_.one_of(kWords));
  }

  double number() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr std::array<double, 12> kNumbers = {1, 0, 0.5, -1, 2, 3.7, 1e38, 1e30, -1e-40, NAN, kInfinity, -kInfinity};
    return choices_.one_of(kNumbers);
  }

  void add_attribute(Json& attributes, const AttributeSchema& attribute) {
    if (choices_.one_in(attribute.presence == Presence::required ? 16 : 2)) return;
    Json list = Json::list();
    switch (attribute.type) {
      case INT:
        attributes.set(attribute.name, integer());
        break;
      case INTS:
        attributes.set(attribute.name, integers());
        break;
      case FLOAT:
        attributes.set(attribute.name, number());
        break;
      case STRING:
        attributes.set(attribute.name, word(attribute));
        break;
      case STRINGS:
        for (size_t i = choices_.of(4); i > 0; --i) list.append(word(attribute));
        attributes.set(attribute.name, std::move(list));
        break;
      case TENSOR: {
        Json tensor;
        for (size_t i = choices_.of(4); i > 0; --i) list.append(std::to_string(integer()));
        tensor.set("dtype", name(choices_.one_of(std::array{DType::float32, DType::string})))
            .set("data", std::move(list));
        attributes.set(attribute.name, std::move(tensor));
        break;
      }
      case GRAPH:
        attributes.set(attribute.name, choices_.one_of(kGraphs));
        break;
      default:
        break;
    }
  }

  static constexpr std::array<std::string_view, 4> kGraphs = {
      "g () => (y) { y = Constant <value_int = 3> () }", "g () => (y) { y = Constant <value_floats = [1.5, 2]> () }",
      "g () => (y) { x = Constant <value_float = 2> ()  y = Add (x, x) }", "g (x) => (x) { }"};

  Choices choices_;
  std::array<std::int64_t, 3> sizes_;
  size_t rank_ = 0;
};

/// The values of the node's outputs.
std::string outputs_of(const Bound& bound, const Environment& inputs, const EvaluationOptions& options) {
  Environment environment = inputs;
  run_graph(bound.graph, environment, options);
  std::string all;
  for (const ValueInfo& output : bound.graph.outputs)
    if (const auto found = environment.find(output.name); found != environment.end() && found->second.value)
      all += onnx_value_bytes(output.name, *found->second.value);
  return all;
}

}  // namespace

void evaluate_node(std::string_view bytes) {
  const std::string text = NodeMaker(bytes).make().text();
  const JsonCaseFile file(text);
  const Bound bound = bind_case(read_json_case(file.cases.at(0).object, {}, "/nonexistent"));
  EvaluationOptions options = bound.options;
  options.max_bytes = 1 << 15;  // what is large takes other ways only in rows, which tests sweep
  options.confirm_readings_below = 64;
  std::vector<std::string> warnings;
  const Environment inputs = load_inputs(bound, options, warnings);
  Environment types = inputs;
  infer(bound.graph, types, options);
  const std::string outputs = outputs_of(bound, inputs, options);
  options.exact_only = true;
  options.threads = 1 + static_cast<int>(bytes.size() % 8 == 7);  // threads take longer to start than to compute this
  if (outputs_of(bound, inputs, options) != outputs) finding("the exact tier gives other bytes, of " + text);
}

}  // namespace opref::fuzz
