// SPDX-License-Identifier: Apache-2.0
#include "schema/resolve.h"

#include <algorithm>
#include <atomic>
#include <cctype>

#include "core/error.h"
#include "core/hints.h"
#include "core/letter_case.h"
#include "schema/as_input.h"
#include "schema/domains.h"
#include "schema/double_attributes.h"
#include "schema/remedies.h"

namespace opref::schema {
namespace {

/// ", did you mean 'scales'? That is an input"; empty where none has a name like it.
std::string near_input(const OpSchema& schema, std::string_view name) {
  std::vector<std::string_view> names;
  for (const FormalParameter& input : schema.inputs()) names.push_back(input.name);
  const std::string near = did_you_mean(name, names);
  return near.empty() ? "" : near + " That is an input";
}

/// "; ratio and training_mode are inputs": attributes of other versions.
std::string former_attributes(const Operator& op, const OpSchema& schema) {
  std::vector<std::string_view> inputs;
  for (const FormalParameter& input : schema.inputs())
    if (std::ranges::any_of(op.versions(), [&](const OpSchema& other) { return other.find_attribute(input.name); }))
      inputs.push_back(input.name);
  if (inputs.empty()) return "";
  return format("; {} {}", join_text(inputs, " and "), inputs.size() == 1 ? "is an input" : "are inputs");
}

/// "'ceil_mode' is not an attribute of LpPool-11; it was added in 18", or a near name of this version.
[[noreturn]] void unknown_attribute(const Operator& op, const OpSchema& schema, const Attribute& stated) {
  const std::string& name = stated.name;
  const std::string title = format("{}-{}", op.op_type(), schema.since_version());
  const OpSchema* other = nullptr;
  for (const OpSchema& version : op.versions())
    if (version.find_attribute(name) != nullptr &&
        (other == nullptr || version.since_version() < schema.since_version()))
      other = &version;
  const bool is_input = std::ranges::find(schema.inputs(), name, &FormalParameter::name) != schema.inputs().end();
  const WayOut as_input = is_input ? WayOut(kGiveInput, schema::as_input(stated, name)) : WayOut();
  if (other != nullptr) {
    const std::int64_t version = other->since_version();
    fail(Fault::invalid, as_input, "'{}' is not an attribute of {}; {}", name, title,
         version > schema.since_version() ? format("it was added in {}", version)
                                          : format("version {} was the last that had it", version));
  }
  std::vector<std::string_view> names;
  for (const AttributeSchema& attribute : schema.attributes()) names.push_back(attribute.name);
  std::string near = did_you_mean(name, names);
  if (near.empty() && !is_input) near = near_input(schema, name);
  const WayOut way_out = !is_input && near.empty() && !names.empty()
                             ? WayOut(kKnownNames, join_text(names, ", ") + former_attributes(op, schema))
                             : as_input;
  fail(Fault::invalid, way_out, "'{}' is not an attribute of {}{}", printable(name), title,
       is_input                        ? ""
       : names.empty() && near.empty() ? ", which has none"
                                       : near);
}

/// The number that a word of an INT's range stands for, by any name of an element type; nothing of what is no word.
std::optional<std::int64_t> number_of_word(const Untyped& untyped, const AttributeSchema& known) {
  if (known.type != AttributeType::INT || untyped.items.size() != 1 || untyped.items[0].quoted) return std::nullopt;
  const auto& words = known.range.words;
  auto found = std::ranges::find(words, untyped.items[0].text);
  if (found == words.end())
    if (const auto dtype = dtype_meant(untyped.items[0].text)) found = std::ranges::find(words, info(*dtype).onnx);
  if (found != words.end()) return found - words.begin() + 1;
  const std::string& text = untyped.items[0].text;
  if (words.empty() || text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return std::nullopt;
  const std::string near = dtypes_near(text, words);
  fail(Fault::invalid, "attribute '{}' is '{}', but must be an integer or its name{}", known.name, printable(text),
       near.empty() ? format(": {}", join_text(words, ", ")) : near);
}

/// As OpenVINO writes values: all as text, booleans as "true", "True" or "1", words in letters of any case.
Untyped text_in_layer(const Untyped& untyped, const AttributeSchema& known) {
  Untyped read = split_text(untyped, known.type);
  for (UntypedItem& item : read.items) {
    if (known.range == flag() && (item.text == "true" || item.text == "True")) item = {"1"};
    if (known.range == flag() && (item.text == "false" || item.text == "False")) item = {"0"};
    for (const std::string_view word : known.range.words)
      if (mapped_case(word, lower_case) == mapped_case(item.text, lower_case)) item.text = word;
  }
  return read;
}

/// A word that is written as "" is none: the default is what stands where the attribute is left out.
void require_not_blank(const AttributeSchema& known, const AttributeValue& value) {
  const auto* word = std::get_if<std::string>(&value.value);
  if (word == nullptr || !word->empty() || known.range.kind != Range::Kind::one_of || !known.default_value) return;
  fail(Fault::invalid, "attribute '{}' is '', but must be {}; left out it is {}", known.name,
       join_text(known.range.words, ", "), *known.default_value);
}

bool has_reading(const Operator& op, std::string_view name) {
  return std::ranges::find(op.readings(), name, &Reading::name) != op.readings().end();
}

/// The value in the type that the schema gives it.
AttributeValue typed_value(const Operator& op, const OpSchema& schema, const AttributeSchema& known,
                           const Attribute& attribute) {
  const Untyped* untyped = std::get_if<Untyped>(&attribute.value);
  const bool as_text = untyped != nullptr && is_of_layers(op.domain());
  if (untyped != nullptr && !untyped->is_list)
    if (const auto number = number_of_word(*untyped, known)) return AttributeValue::of(*number);
  AttributeValue value = untyped == nullptr
                             ? std::get<AttributeValue>(attribute.value)
                             : coerce(attribute.name, as_text ? text_in_layer(*untyped, known) : *untyped, known.type);
  if (as_text && has_reading(op, kAttributeDouble)) value = with_all_digits(std::move(value), *untyped);
  if (const auto* unread = std::get_if<Opaque>(&value.value); unread != nullptr && value.type == known.type) {
    if (unread->why != nullptr) throw Error(*unread->why).add_place(format("in attribute '{}'", attribute.name));
    fail(Fault::unsupported, "attribute '{}': values of type {} are not read", attribute.name, value.type);
  }
  require(value.type == known.type, "attribute '{}' has type {}, but {}-{} takes {}", attribute.name, value.type,
          op.op_type(), schema.since_version(), known.type);
  require_not_blank(known, value);
  require_in_range(attribute.name, value, known.range);
  return value;
}

/// "axis=INT", "mode=linear|nearest": how an attribute is written whose value only the user knows; of a graph an
/// example.
std::string as_written(const Operator& op, const AttributeSchema& attribute) {
  if (attribute.type == AttributeType::GRAPH) {
    const std::string_view example = meant("example", op.op_type());
    return format("'{}={}'", attribute.name, example.empty() ? meant("example", "") : example);
  }
  constexpr size_t kFewWords = 4;
  std::string value = to_text(attribute.type);
  const std::vector<std::string_view>& words = attribute.range.words;
  if (!words.empty() && words.size() <= kFewWords)
    value = join_text(words, "|");
  else if (std::ranges::count(words, info(DType::float32).onnx) > 0)
    value = "float32|float16|...";
  else if (value.ends_with('S'))
    value = format("{0},{0}", std::string_view(value).substr(0, value.size() - 1));
  return format("{}={}", attribute.name, value);
}

AttributeValues typed_attributes(const Operator& op, const OpSchema& schema, const std::vector<Attribute>& stated) {
  AttributeValues values;
  for (const Attribute& attribute : stated) {
    const AttributeSchema* known = schema.find_attribute(attribute.name);
    if (known == nullptr) unknown_attribute(op, schema, attribute);
    try {
      const bool is_first = values.emplace(attribute.name, typed_value(op, schema, *known, attribute)).second;
      require(is_first, "attribute '{}' is given twice", attribute.name);
    } catch (Error& error) {
      error.set_attribute(attribute.name);
      throw;
    }
  }
  std::vector<std::string> missing, written;
  for (const AttributeSchema& attribute : schema.attributes()) {
    if (attribute.presence != Presence::required || values.contains(attribute.name)) continue;
    missing.push_back(format("'{}'", attribute.name));
    written.push_back(as_written(op, attribute));
  }
  const WayOut way_out{kGiveAttributes, join_text(written, "\n")};
  if (missing.size() == 1)
    fail(Fault::invalid, way_out, "attribute {} is missing; {}-{} requires it", missing[0], op.op_type(),
         schema.since_version());
  if (!missing.empty())
    fail(Fault::invalid, way_out, "attributes {} are missing; {}-{} requires them", join_text(missing, " and "),
         op.op_type(), schema.since_version());
  for (const AttributeSchema& attribute : schema.attributes()) {
    if (values.contains(attribute.name)) continue;
    if (attribute.default_value) values.emplace(attribute.name, *attribute.default_value);
  }
  return values;
}

std::string range_text(size_t least, size_t most, std::string_view noun) {
  if (most == SIZE_MAX) return format("at least {}", counted(static_cast<long long>(least), noun));
  if (least == most) return counted(static_cast<long long>(least), noun);
  return format("{} to {}", least, counted(static_cast<long long>(most), noun));
}

/// "X and W": what the node lacks after its first `given` inputs.
std::string missing_inputs(const OpSchema& schema, size_t given) {
  std::string names;
  for (size_t i = given; i < schema.least_inputs(); ++i) {
    const FormalParameter& formal = OpSchema::formal(schema.inputs(), i);
    if (formal.arity != Arity::optional) names += format("{}{}", names.empty() ? "" : " and ", formal.name);
  }
  return names;
}

void check_arity(const Call& call) {
  const OpSchema& schema = call.schema();
  const size_t inputs = call.inputs().size();
  if (inputs < schema.least_inputs()) {
    const std::string missing = missing_inputs(schema, inputs);
    fail(Fault::invalid, missing.empty() ? WayOut() : WayOut(kMissingInputs, missing),
         "{} takes {}, but the node has {}", call.title(),
         range_text(schema.least_inputs(), schema.most_inputs(), "input"), inputs);
  }
  if (inputs > schema.most_inputs())
    fail(Fault::invalid, "{} takes {}, but the node has {}", call.title(),
         range_text(schema.least_inputs(), schema.most_inputs(), "input"), inputs);
  for (size_t i = 0; i < inputs; ++i) {
    const FormalParameter& formal = OpSchema::formal(schema.inputs(), i);
    if (call.inputs()[i].name.empty() && formal.arity != Arity::optional)
      fail(Fault::invalid, "input '{}' is omitted, but {} requires it", formal.name, call.title());
  }
  const size_t outputs = call.output_count();
  if (outputs < schema.least_outputs() || outputs > schema.most_outputs())
    fail(Fault::invalid, "{} gives {}, but the node has {}", call.title(),
         range_text(schema.least_outputs(), schema.most_outputs(), "output"), outputs);
}

/// The version in which the type variable of `parameter` first allowed `type`, for "float32 only since 22".
std::string since_note(const Operator& op, const OpSchema& schema, std::string_view parameter, const ValueType& type) {
  for (const OpSchema& version : op.versions()) {
    if (version.since_version() <= schema.since_version()) continue;
    const auto formal = std::ranges::find(version.inputs(), parameter, &FormalParameter::name);
    if (formal == version.inputs().end()) continue;
    if (version.types_of(*formal).contains(type))
      return format("; {} allows it from opset {}", op.op_type(), version.since_version());
  }
  return "";
}

void check_types(const Call& call) {
  struct Bound {
    std::string_view variable;
    std::string parameter;
    DType dtype;
  };
  std::vector<Bound> bound;
  for (size_t i = 0; i < call.inputs().size(); ++i) {
    const Input& input = call.inputs()[i];
    if (input.name.empty()) continue;
    const FormalParameter& formal = OpSchema::formal(call.schema().inputs(), i);
    const DType dtype = input.type.dtype();
    // Of a variadic parameter's inputs the name tells which one it is.
    const std::string name =
        is_variadic(formal.arity) ? format("'{}'", printable(input.name)) : std::string(formal.name);
    const Types allowed = call.schema().types_of(formal);
    if (!allowed.contains(input.type)) {
      const bool is_sequence_meant = input.type.form == Form::tensor && allowed.contains(dtype, Form::sequence);
      fail(Fault::invalid, is_sequence_meant ? WayOut(kGiveSequence, "") : WayOut(),
           "{} has type {}, but {} takes {}{}", name, kind_text(input.type), call.title(),
           listed(call.op().type_names(call.schema(), formal.type)),
           since_note(call.op(), call.schema(), formal.name, input.type));
    }
    if (formal.arity >= Arity::heterogeneous) continue;
    const auto same = std::ranges::find(bound, formal.type, &Bound::variable);
    if (same == bound.end()) {
      bound.push_back({formal.type, name, dtype});
    } else {
      const DType other = dtype == DType::float64 ? same->dtype : dtype;  // numpy's type where none is stated
      const bool is_numpys = dtype == DType::float64 || same->dtype == DType::float64;
      if (same->dtype != dtype)
        fail(Fault::invalid, is_numpys ? WayOut(kConvertFile, to_text(other)) : WayOut(),
             "{} has type {}, but {} has type {}; both must have one type, {}", name, dtype, same->parameter,
             same->dtype, formal.type);
    }
  }
}

}  // namespace

void Call::take(const std::vector<Attribute>& stated, std::vector<Input> inputs) {
  attributes_ = typed_attributes(*op_, *schema_, stated);
  stated_.clear();
  for (const Attribute& attribute : stated) stated_.push_back(attribute.name);
  inputs_ = std::move(inputs);
  check_arity(*this);
  check_types(*this);
}

std::vector<Attribute> Call::stated_but(std::string_view name) const {
  std::vector<Attribute> attributes;
  for (const std::string& stated : stated_)
    if (stated != name) attributes.push_back({stated, attribute(stated)});
  return attributes;
}

Call Call::changed(const std::vector<Attribute>& stated, std::vector<Input> inputs) const {
  Call call = *this;
  call.numerics_.stats = nullptr;
  call.take(stated, std::move(inputs));
  return call;
}

Call Call::with_attribute(std::string_view name, AttributeValue value) const {
  std::vector<Attribute> attributes = stated_but(name);
  attributes.push_back({std::string(name), std::move(value)});
  return changed(attributes, inputs_);
}

Call Call::without_attribute(std::string_view name) const { return changed(stated_but(name), inputs_); }

Call Call::with_input(std::string_view name, Value value) const {
  const size_t index = place_of_input(name);
  std::vector<Input> inputs = inputs_;
  if (index >= inputs.size()) inputs.resize(index + 1);
  Input& input = inputs[index];
  if (input.name.empty()) input.name = name;
  if (const Tensor* tensor = value.tensor()) input.type = tensor->type();
  input.value = std::move(value);
  return changed(stated_but(""), std::move(inputs));
}

Call Call::without_input(std::string_view name) const {
  const size_t index = place_of_input(name);
  std::vector<Input> inputs = inputs_;
  if (index < inputs.size()) inputs[index] = {};
  return changed(stated_but(""), std::move(inputs));
}

Call Call::with_tensors(const std::function<Tensor(const Tensor&)>& replaced) const {
  std::vector<Input> inputs = inputs_;
  for (Input& input : inputs)
    if (const Tensor* tensor = input.value ? input.value->tensor() : nullptr) input.value = replaced(*tensor);
  return changed(stated_but(""), std::move(inputs));
}

Call Call::with_version(const OpSchema& version) const {
  Call call = *this;
  call.schema_ = &version;
  return call.changed(stated_but(""), inputs_);
}

Call Call::read_by(const Version& other) const {
  Call call = *this;
  call.op_ = &other.op;
  call.schema_ = &other.schema;
  call.selected_.clear();
  return call.changed(stated_but(""), inputs_);
}

Call Call::computed_by(const Operator& other) const {
  Call call = *this;
  call.numerics_.stats = nullptr;
  call.op_ = &other;
  return call;
}

namespace {

std::atomic<std::int64_t> resolved_so_far = 0;

void require_no_references(const Node& node) {
  for (const AttributeReference& reference : node.references)
    fail(Fault::invalid, "attribute '{}' stands for the attribute '{}' of a function, but the node is in none",
         printable(reference.name), printable(reference.stands_for));
}

/// Those that the node states, without those that the reading openvino.unknown_attribute leaves out.
std::vector<Attribute> taken_attributes(const Version& version, const Node& node, const ReadingChoices& choices) {
  std::vector<Attribute> attributes = node.attributes;
  const auto choice = choices.find(kUnknownAttribute);
  if (is_of_layers(version.op.domain()) && choice != choices.end() && choice->second == kUnknownAttributes[1])
    std::erase_if(attributes,
                  [&](const Attribute& attribute) { return version.schema.find_attribute(attribute.name) == nullptr; });
  return attributes;
}

}  // namespace

AttributeValues attributes_in_force(const Version& version, const Node& node, const ReadingChoices& choices) {
  require_no_references(node);
  return typed_attributes(version.op, version.schema, taken_attributes(version, node, choices));
}

Call resolve(const Version& version, const Node& node, std::vector<Input> inputs, const ReadingChoices& choices) {
  resolved_so_far.fetch_add(1, std::memory_order_relaxed);
  require_no_references(node);
  Call call;
  call.op_ = &version.op;
  call.schema_ = &version.schema;
  call.outputs_ = node.outputs;
  call.take(taken_attributes(version, node, choices), std::move(inputs));
  for (const Reading& reading : version.op.readings()) {
    const auto choice = choices.find(reading.name);
    if (choice == choices.end()) continue;
    if (std::ranges::find(reading.alternatives, choice->second) == reading.alternatives.end()) {
      fail(Fault::usage, "'{}' is not an alternative of the reading '{}' ({}){}", printable(choice->second),
           reading.name, join_text(reading.alternatives, ", "), did_you_mean(choice->second, reading.alternatives));
    }
    if (default_of(reading, call.version()).empty()) {
      fail(Fault::usage, "the reading '{}' is of {} of {}; {} leaves no choice", reading.name, versions_text(reading),
           version.op.op_type(), call.title());
    }
    call.selected_.emplace(choice->first, choice->second);
  }
  return call;
}

std::int64_t nodes_resolved() { return resolved_so_far; }

}  // namespace opref::schema
