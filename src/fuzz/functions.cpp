// SPDX-License-Identifier: Apache-2.0
// Models with local functions that bytes choose.
#include <algorithm>
#include <array>

#include "fuzz/choices.h"
#include "fuzz/targets.h"
#include "io/onnx/onnx.h"
#include "ops/operators.h"

namespace opref::fuzz {
namespace {

constexpr std::array<std::string_view, 9> kInitializers = {
    "float[2] {1, -2}", "float[3] {1, 2, 3}", "float[2, 2] {1, 2, 3, 4}", "float[1, 1, 3] {1, 2, 3}", "float {0.5}",
    "int64[2] {1, -1}", "int64 {1}",          "bool[2] {1, 0}",           "double[2] {1, 2}"};
constexpr std::array<std::string_view, 3> kFormal = {"a", "b", "c"};
constexpr std::array<std::string_view, 4> kAttributes = {"", "", " <axis = @n>", " <alpha = @s>"};

/// Nodes of any operator whose inputs are names that are known there; the last one's output is "y".
std::string nodes(Choices& choices, size_t inputs, bool may_call) {
  std::string text;
  std::vector<std::string> known(kFormal.begin(), kFormal.begin() + static_cast<std::ptrdiff_t>(inputs));
  const size_t count = 1 + choices.of(3);
  for (size_t i = 0; i < count; ++i) {
    const std::string output = i + 1 == count ? "y" : "v" + std::to_string(i);
    const OperatorRow row = choices.one_of(operator_rows());
    const bool is_call = may_call && choices.one_in(4);
    std::string arguments;
    const auto& formal = find_operator(row.domain, row.op_type)->versions().back().inputs();
    const size_t needed = std::clamp<size_t>(
        static_cast<size_t>(std::ranges::count(formal, Arity::single, &FormalParameter::arity)), 1, 3);
    for (size_t j = 0, used = choices.one_in(8) ? 1 + choices.of(3) : needed; j < used; ++j)
      arguments += (j == 0 ? "" : ", ") + choices.one_of(known);
    const std::string op_type = is_call                   ? "own.G"
                                : row.domain == "ai.onnx" ? std::string(row.op_type)
                                                          : format("{}.{}", row.domain, row.op_type);
    text += format("{} = {}{} ({}) ", output, op_type, is_call ? "" : choices.one_of(kAttributes), arguments);
    known.push_back(output);
  }
  return text;
}

std::string function(Choices& choices, std::string_view name, size_t inputs, bool may_call, int opset) {
  return format(
      "<domain: \"own\", opset_import: [\"\" : {}, \"own\" : 1]> {} <n : int = 0, s : float = 0.5> ({}) => (y) {{ "
      "{}}}\n",
      opset, name, join_text(std::span(kFormal).first(inputs), ", "), nodes(choices, inputs, may_call));
}

std::string model(Choices& choices) {
  constexpr std::array kOpsets = {18, 21, 7, 13, 1};
  const int opset = choices.one_of(kOpsets);
  const size_t inputs = 1 + choices.of(kFormal.size());
  std::string values, arguments;
  for (size_t i = 0; i < inputs; ++i) {
    const std::string_view value = choices.one_of(kInitializers);
    const size_t brace = value.find(" {");
    values += format("{}{} {} ={}", i == 0 ? "" : ", ", value.substr(0, brace), kFormal[i], value.substr(brace));
    arguments += (i == 0 ? "" : ", ") + std::string(choices.one_in(8) ? kFormal[0] : kFormal[i]);
  }
  std::string text =
      format("<ir_version: 10, opset_import: [\"\" : {}, \"own\" : 1]> g () => (y) <{}> {{ y = own.F ({}) }}\n", opset,
             values, arguments);
  text += function(choices, "F", inputs, true, opset);
  return text + function(choices, "G", 1 + choices.of(kFormal.size()), false, opset);
}

}  // namespace

void evaluate_function(std::string_view bytes) {
  Choices choices(bytes);
  evaluate_model(read_onnx_text(model(choices)));
}

}  // namespace opref::fuzz
