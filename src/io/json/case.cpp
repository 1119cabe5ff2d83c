// SPDX-License-Identifier: Apache-2.0
// JSON cases.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/error.h"
#include "io/json/fields.h"
#include "io/json/json.h"
#include "io/json/parse.h"
#include "io/json/tensors.h"
#include "schema/domains.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 13> kCaseKeys = {"op_type",    "domain",   "opset",   "name",   "seed",
                                                        "attributes", "inputs",   "outputs", "expect", "expect_error",
                                                        "tolerance",  "readings", "source"};
constexpr std::array<std::string_view, 2> kErrorKeys = {"fault", "message"};
constexpr std::array<std::string_view, 5> kToleranceKeys = {"exact", "ulp", "rtol", "atol", "bound"};

/// Parameters, each as often as it stands for an output.
std::vector<std::string> read_outputs(const JsonValue& list) {
  require_kind(list, JsonKind::list);
  if (list.size() == 0) fail(Fault::malformed, "{} is empty, but a node has an output", place(list));
  std::vector<std::string> names;
  for (const JsonValue name : list) {
    names.push_back(string_of(name));
    if (names.back().empty()) fail(Fault::malformed, "{} is empty", place(name));
  }
  return names;
}

/// A name, as of a data type: no text that could be a number.
bool is_word(std::string_view text) {
  double ignored = 0;
  const bool begins = !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
  return begins && std::from_chars(text.data(), text.data() + text.size(), ignored).ec == std::errc::invalid_argument;
}

/// A word is read as -a reads it: {"to": "float16"}.
UntypedItem read_item(const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::number:
    case JsonKind::boolean:
      return {std::string(value.text()), false};
    case JsonKind::string:
      return {std::string(value.text()), !is_word(value.text())};
    default:
      must_be(value, "a number, a string or a boolean");
  }
}

/// A tensor that has all its values here.
Tensor read_attribute_tensor(const JsonValue& value) {
  constexpr std::array<std::string_view, 3> kKeys = {"dtype", "shape", "data"};
  require_kind(value, JsonKind::object);
  require_known_keys(value, kKeys);
  for (const char* key : {"dtype", "data"})
    if (!value.find(key)) fail(Fault::malformed, "{} has no '{}'", place(value), key);
  const TensorSource source = read_tensor(value, {fs::path(), Values::compulsory, 0, {}});
  return malformed_at(value, [&] { return *load(source).value.tensor(); });
}

/// A node where a graph is meant.
void refuse_node(const JsonValue& value) {
  for (const char* key : {"op_type", "node", "nodes", "graph", "inputs", "outputs"})
    if (value.find(key)) {
      const auto op_type = value.find("op_type");
      const bool is_named = op_type && op_type->kind() == JsonKind::string;
      fail(Fault::malformed, R"({} is an object, but a graph is ONNX text: "t () => (y) {})", place(value),
           is_named ? "{ y = " + printable(op_type->text()) + R"( (x) }")" : R"({ y = Neg (x) }")");
    }
}

AttributeValue read_tensor_attribute(const JsonValue& value) {
  refuse_node(value);
  constexpr std::array<std::string_view, 3> kSparseKeys = {"values", "indices", "shape"};
  const auto values = value.find("values"), indices = value.find("indices"), shape = value.find("shape");
  if (!values) return {AttributeType::TENSOR, read_attribute_tensor(value)};
  require_known_keys(value, kSparseKeys);
  if (!indices || !shape) fail(Fault::malformed, "{} has 'values', but not both 'indices' and 'shape'", place(value));
  return {AttributeType::SPARSE_TENSOR,
          SparseTensor{read_attribute_tensor(*values), read_attribute_tensor(*indices), read_shape(*shape)}};
}

std::vector<Attribute> read_attributes(const JsonValue& object) {
  require_kind(object, JsonKind::object);
  std::vector<Attribute> attributes;
  for (const JsonValue member : object) {
    if (member.kind() == JsonKind::null) continue;  // says that it is absent
    if (member.kind() == JsonKind::object) {
      attributes.push_back({std::string(member.key()), read_tensor_attribute(member)});
      continue;
    }
    Untyped value;
    value.is_list = member.kind() == JsonKind::list;
    if (value.is_list)
      for (const JsonValue item : member) value.items.push_back(read_item(item));
    else
      value.items.push_back(read_item(member));
    attributes.push_back({std::string(member.key()), std::move(value)});
  }
  return attributes;
}

BoundedKernel read_kernel(const JsonValue& object) {
  require_known_keys(object, BoundedKernel::kKeys);
  BoundedKernel kernel;
  if (const auto accumulator = object.find("accumulator")) {
    const std::string name = string_of(*accumulator);
    malformed_at(*accumulator, [&] { kernel.set_accumulator(name); });
  }
  if (const auto flush = object.find("flush")) {
    if (flush->kind() != JsonKind::number || (flush->text() != "0" && flush->text() != "1")) must_be(*flush, "0 or 1");
    if (flush->text() == "1") kernel.subnormals = BoundedKernel::Subnormals::flushed;
  }
  if (const auto functions = object.find("functions")) {
    if (functions->kind() == JsonKind::string) {
      if (string_of(*functions) != "absolute") must_be(*functions, "a number of ULP or \"absolute\"");
      kernel.functions.absolute = true;
    } else {
      const double ulp = real_of(*functions);
      malformed_at(*functions, [&] { kernel.set_functions(ulp); });
    }
  }
  if (const auto formula = object.find("formula")) {
    const std::string name = string_of(*formula);
    if (name != "page" && name != "accurate") must_be(*formula, "\"page\" or \"accurate\"");
    if (name == "accurate") kernel.formula = BoundedKernel::Formula::accurate;
  }
  if (const auto error = object.find("input-error")) {
    const double value = real_of(*error);
    malformed_at(*error, [&] { kernel.set_input_error(value); });
  }
  return kernel;
}

Tolerance read_tolerance(const JsonValue& object) {
  if (object.kind() != JsonKind::object) must_be(object, R"(an object, as {"rtol": 0.01, "atol": 0} is)");
  require_known_keys(object, kToleranceKeys);
  const auto exact = object.find("exact"), ulp = object.find("ulp"), bound = object.find("bound");
  const auto rtol = object.find("rtol"), atol = object.find("atol");
  const int rules = exact.has_value() + ulp.has_value() + bound.has_value() + (rtol || atol);
  if (rules != 1)
    fail(Fault::malformed, "{} states {}, but must state one of exact, ulp, bound, or rtol and atol", place(object),
         counted(rules, "rule"));
  Tolerance tolerance;
  if (exact && (exact->kind() != JsonKind::boolean || exact->text() != "true")) must_be(*exact, "true");
  if (ulp) tolerance = {.rule = Tolerance::Rule::ulp, .ulp = integer_of(*ulp, 0)};
  if (rtol || atol)
    tolerance = {
        .rule = Tolerance::Rule::relative, .rtol = rtol ? real_of(*rtol) : 0, .atol = atol ? real_of(*atol) : 0};
  if (bound) tolerance = {.rule = Tolerance::Rule::bound, .kernel = read_kernel(*bound)};
  return tolerance;
}

ExpectedError read_expected_error(const JsonValue& object) {
  constexpr std::array kFaults = {Fault::usage, Fault::malformed, Fault::invalid, Fault::unsupported, Fault::system};
  std::vector<std::string_view> names;
  names.reserve(kFaults.size());
  for (const Fault fault : kFaults) names.push_back(name(fault));
  if (object.kind() != JsonKind::object) {
    const std::string text = object.kind() == JsonKind::string ? printable(object.text()) : "";
    const bool is_fault = std::ranges::find(names, text) != names.end();
    must_be(object, R"(an object, as {"fault": )" + json_string(is_fault ? text : "invalid") + R"(, "message": )" +
                        json_string(is_fault || text.empty() ? "axis is 2, but must be …" : text) + "} is");
  }
  require_known_keys(object, kErrorKeys);
  const JsonValue fault = required(object, "fault"), message = required(object, "message");
  const std::string fault_name = string_of(fault);
  const auto found = std::ranges::find(names, fault_name);
  if (found == names.end())
    fail(Fault::malformed, "{} is '{}', which is no fault{}", place(fault), printable(fault_name),
         did_you_mean(fault_name, names));
  std::string text = string_of(message);
  if (text.empty() || text.find('\n') != std::string::npos)
    fail(Fault::malformed, "{} must be one line", place(message));
  return {kFaults[static_cast<size_t>(found - names.begin())], std::move(text)};
}

Node read_node(const JsonValue& document) {
  Node node;
  const JsonValue op_type = required(document, "op_type");
  node.op_type = string_of(op_type);
  if (node.op_type.empty()) fail(Fault::malformed, "{} is empty", place(op_type));
  node.domain = canonical_domain(string_or_empty(document, "domain"));
  node.name = string_or_empty(document, "name");
  if (const auto attributes = document.find("attributes")) node.attributes = read_attributes(*attributes);
  return node;
}

std::vector<std::string> names_of(const std::vector<NamedSource>& tensors) {
  std::vector<std::string> names;
  names.reserve(tensors.size());
  for (const NamedSource& tensor : tensors) names.push_back(tensor.name);
  return names;
}

}  // namespace

bool is_onnx_json(const Json& parsed) {
  const JsonValue document = parsed.root();
  const auto has_list = [&](std::string_view key) {
    const auto member = document.find(key);
    return member && member->kind() == JsonKind::list;
  };
  return document.find("graph") || document.find("opType") || has_list("input") || has_list("attribute");
}

Case read_json_case(const JsonValue& document, std::optional<std::int64_t> opset, const fs::path& folder) {
  require_known_keys(document, kCaseKeys);
  Node node = read_node(document);
  Case loaded{};
  loaded.format = CaseFormat::json;
  if (const auto stated = document.find("opset"))
    loaded.graph.opset_import[node.domain] = opset ? *opset : opset_number(*stated);
  // A case states one opset, its domain's: subgraphs of another's node are of the newest ai.onnx.
  const Domain* domain = find_domain(node.domain);
  if (domain != nullptr && domain->written_in == WrittenIn::onnx_models && !loaded.graph.opset_import.empty())
    loaded.graph.opset_import.emplace("", kNewestOpset);
  const auto seed = document.find("seed");
  TensorsOf all{folder, Values::optional, seed ? unsigned_of(*seed) : Fill{}.seed};
  loaded.inputs = read_tensors(document, "inputs", all);
  all.values = Values::compulsory;
  loaded.expected = read_tensors(document, "expect", all);
  node.inputs = names_of(loaded.inputs);
  node.outputs = names_of(loaded.expected);
  if (const auto outputs = document.find("outputs")) loaded.outputs = read_outputs(*outputs);
  loaded.graph.nodes.push_back(std::move(node));
  if (const auto error = document.find("expect_error")) {
    if (document.find("expect")) fail(Fault::malformed, "a case has either 'expect' or 'expect_error', not both");
    loaded.expect_error = read_expected_error(*error);
  }
  if (const auto tolerance = document.find("tolerance")) loaded.tolerance = read_tolerance(*tolerance);
  if (const auto readings = document.find("readings")) {
    require_kind(*readings, JsonKind::object);
    for (const JsonValue reading : *readings) loaded.readings.emplace(reading.key(), string_of(reading));
  }
  loaded.source = string_or_empty(document, "source");
  return loaded;
}

Json type_json(const ValueType& type) {
  constexpr std::array<std::string_view, kForms.size()> kNames = {
      "tensor", "sequence", "optional", "optional sequence", "map", "sequence of maps"};
  Json json;
  if (type.form != Form::tensor) json.set("form", kNames[static_cast<size_t>(type.form)]);
  if (is_of_maps(type.form)) json.set("key", name(type.key));
  json.set("dtype", name(type.dtype()));
  if (type.has_shape) json.set("shape", type.tensor.shape);
  return json;
}

ExpectedError read_expected_error(std::string_view text) {
  const Json document = parse_json(text);
  return read_expected_error(document.root());
}

}  // namespace opref::io
