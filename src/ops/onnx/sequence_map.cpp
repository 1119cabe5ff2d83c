// SPDX-License-Identifier: Apache-2.0
// ai.onnx SequenceMap, version 17
// https://onnx.ai/onnx/operators/onnx__SequenceMap.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
#include "schema/node.h"
namespace opref::ops::onnx::file_sequence_map {
namespace {
/// "Any other sequence inputs should have the same number of samples".
size_t samples(const Call& call) {
  const size_t count = call.sequence("input_sequence").elements.size();
  for (const Input& input : call.inputs("additional_inputs"))
    if (const auto* other = input.value ? std::get_if<Sequence>(&*input.value) : nullptr)
      require(other->elements.size() == count, "'{}' has {}, but input_sequence {}", printable(input.name),
              counted(std::ssize(other->elements), "element"), count);
  return count;
}

/// What body takes in the place of an input: a tensor of a sequence, the first one where it is known; a tensor as it
/// is.
ValueType sample_type(const Input& input) {
  if (input.type.form != Form::sequence) return input.type;
  const auto* sequence = input.value ? std::get_if<Sequence>(&*input.value) : nullptr;
  if (sequence != nullptr && !sequence->elements.empty()) return sequence->elements[0].type();
  return ValueType::of_unknown_shape(input.type.dtype());
}

std::vector<ValueType> output_types(const Call& call) {
  const std::vector<Input>& inputs = call.inputs();
  require_graph(call, "body", inputs.size(), call.output_count());
  if (call.has_value("input_sequence")) samples(call);
  std::vector<ValueType> taken, types;
  for (const Input& input : inputs) taken.push_back(sample_type(input));
  require_takes(call, "body", taken);
  const auto given = types_without_values(call, "body", taken);
  for (size_t k = 0; k < call.output_count(); ++k) {
    const ValueInfo& declared = call.graph("body").outputs[k];
    if (!given && !declared.dtype) call.inferred_graph_types("body", taken);  // says why
    const ValueType type = given ? (*given)[k] : ValueType(declared.form, *declared.dtype, declared.key);
    require(type.form == Form::tensor, "output {} of body is {}, but must be a tensor", k, kind_text(type));
    types.emplace_back(Form::sequence, type.dtype());
  }
  require_given_types(call, "S", types);
  return types;
}

// out_sequence[i] = body(input_sequence[i], additional_inputs[i] of sequences, additional_inputs of tensors)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  std::vector<Sequence> results;
  for (const Output& out : outs) results.push_back({out.type().dtype, {}});
  std::int64_t held = 0;
  for (size_t i = 0; i < samples(call); ++i) {
    std::vector<Value> sample;
    for (const Input& input : call.inputs()) {
      const auto* sequence = std::get_if<Sequence>(&*input.value);
      sample.push_back(sequence != nullptr ? Value(sequence->elements[i]) : *input.value);
    }
    at_place([&] { return format("in sample {}", i); },
             [&] {
               const std::vector<Value> outputs = call.graph_values("body", sample, held);
               for (size_t k = 0; k < results.size(); ++k) {
                 const Tensor& item = item_of(outputs, k);
                 require(item.dtype() == results[k].dtype, "output {} of body is {}, but the sequence one of {}", k,
                         item.dtype(), results[k].dtype);
                 results[k].elements.push_back(item);
                 held = checked_add(held, checked_add(byte_size(item.type()), kSequenceElementBytes));
               }
             });
  }
  return {results.begin(), results.end()};
}

void version_17(OpSchema& s) {
  s.input("input_sequence", "S").input("additional_inputs", "V", Arity::heterogeneous_or_none);
  s.output("out_sequence", "S", Arity::heterogeneous).types("S", sequences(types::basic));
  s.types("V", types::basic | sequences(types::basic)).attribute(required(GRAPH, "body"));
}
}  // namespace
Operator sequence_map() {
  return Operator("ai.onnx", "SequenceMap")
      .summary("a graph on each tensor of a sequence")
      .version(17, version_17)
      .output_types(output_types)
      .outputs_counted_by({.outputs_of = "body"})
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_sequence_map
