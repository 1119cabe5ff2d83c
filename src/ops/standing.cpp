// SPDX-License-Identifier: Apache-2.0
#include "ops/standing.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/error.h"
#include "exact/rounding.h"
#include "ops/operators.h"
#include "schema/node.h"

namespace opref::ops {
namespace {

using Names = std::span<const std::string_view>;

constexpr auto kPlain = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"ConvInteger", "Conv"},
    {"FusedConv", "Conv"},
    {"Convolution", "Conv"},
    {"GroupConvolution", "Conv"},
    {"MatMulInteger", "MatMul"},
    {"DynamicQuantizeMatMul", "MatMul"},
    {"MatMulIntegerToFloat", "MatMul"},
    {"FusedMatMul", "MatMul"},
    {"TransposeMatMul", "MatMul"},
    {"MatMulNBits", "MatMul"},
    {"QGemm", "Gemm"},
    {"FusedGemm", "Gemm"},
    {"DynamicQuantizeLSTM", "LSTM"},
    {"QAttention", "Attention"},
    {"Flatten", "Reshape"},
    {"Squeeze", "Reshape"},
    {"Unsqueeze", "Reshape"},
    {"Sum", "Add"},
    {"Upsample", "Resize"},
    {"Multiply", "Mul"},
    {"Subtract", "Sub"},
    {"Divide", "Div"},
    {"ReLU", "Relu"},
    {"Clamp", "Clip"},
    {"Maximum", "Max"},
    {"Minimum", "Min"},
    {"Power", "Pow"},
    {"SoftMax", "Softmax"},
});
constexpr auto kRenaming = std::to_array<std::string_view>({"Identity", "Dropout"});
constexpr auto kConverting = std::to_array<std::string_view>({"Cast", "Convert", "ConvertLike"});
constexpr auto kCommuting =
    std::to_array<std::string_view>({"Add", "Mul", "Max", "Min", "And", "Or", "Xor", "Equal", "Mean"});
constexpr auto kVanishing = std::to_array<std::string_view>({"BatchNormalization", "Relu", "Clip"});
constexpr auto kScaling = std::to_array<std::string_view>({"Add", "Mul", "Sub", "Div"});
constexpr auto kShaped = std::to_array<std::string_view>({"Reshape", "Resize", "Expand", "Slice", "Pad"});
constexpr auto kKeepingScale =
    std::to_array<std::string_view>({"MaxPool", "Reshape", "Transpose", "Slice", "Gather", "Resize", "Split", "Pad",
                                     "Clip", "Relu", "Concat", "Expand", "Tile"});
constexpr auto kQuantized =
    std::to_array<std::string_view>({"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "ConvInteger",
                                     "MatMulInteger", "DynamicQuantizeMatMul", "MatMulIntegerToFloat",
                                     "DynamicQuantizeLSTM", "QGemm", "QAttention", "MatMulNBits", "FakeQuantize"});
constexpr auto kUnscaled = std::to_array<std::string_view>({"ConvInteger", "MatMulInteger"});
constexpr auto kWindowed = std::to_array<std::string_view>({"Conv", "ConvTranspose", "MaxPool", "AveragePool"});
constexpr auto kUsualInWindows =
    std::to_array<std::pair<std::string_view, char>>({{"strides", '1'}, {"dilations", '1'}, {"pads", '0'}});
constexpr auto kFollowing = std::to_array<std::string_view>({"kernel_shape",
                                                             "axes",
                                                             "split",
                                                             "to",
                                                             "min",
                                                             "max",
                                                             "pads",
                                                             "starts",
                                                             "ends",
                                                             "ratio",
                                                             "value",
                                                             "scales",
                                                             "is_test",
                                                             "spatial",
                                                             "consumed_inputs",
                                                             "repeats",
                                                             "training_mode",
                                                             "momentum",
                                                             "num_outputs",
                                                             "shape",
                                                             "saturate",
                                                             "round_mode",
                                                             "ceil_mode",
                                                             "storage_order",
                                                             "count_include_pad",
                                                             "auto_pad",
                                                             "allowzero"});

bool is_among(Names names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

/// Operators whose name says that their operands and result have scales.
constexpr std::string_view kLinear = "QLinear";

std::string_view plain_of(std::string_view op_type) {
  const auto found = std::ranges::find(kPlain, op_type, &std::pair<std::string_view, std::string_view>::first);
  if (found != kPlain.end()) return found->second;
  return op_type.starts_with(kLinear) ? op_type.substr(kLinear.size()) : op_type;
}

std::vector<size_t> all_places(size_t inputs) {
  std::vector<size_t> places(inputs);
  std::iota(places.begin(), places.end(), size_t{0});
  return places;
}

/// Each operand is followed by its scale and its zero point.
void place_linear(Standing& standing, std::string_view op_type, size_t inputs) {
  if (op_type == "QLinearConv") {
    standing.places = {0, 3, 8};
    standing.scale = 6;
  } else if (op_type == "QLinearMatMul") {
    standing.places = {0, 3};
    standing.scale = 6;
  } else if (op_type == "QGemm") {
    standing.places = {0, 3, 6};
    if (inputs > 7) standing.scale = 7;
  } else if (op_type == "QLinearAdd" || op_type == "QLinearMul") {
    standing.places = {0, 3};
    standing.scale = 6;
  } else if (op_type == "QLinearConcat") {
    for (size_t k = 2; k < inputs; k += 3) standing.places.push_back(k);
    standing.scale = 0;
  } else if (op_type.starts_with(kLinear)) {
    standing.places = {0};
    if (inputs >= 4) standing.scale = 3;
  } else if (op_type == "ConvInteger" || op_type == "MatMulInteger" || op_type == "DynamicQuantizeMatMul" ||
             op_type == "MatMulIntegerToFloat" || op_type == "MatMulNBits") {
    standing.places = {0, 1};
  } else if (op_type == "QuantizeLinear") {
    standing.places = {0};
    standing.scale = 1;
  } else if (op_type == "DynamicQuantizeLinear" || standing.role == NodeRole::dequantizes ||
             standing.role == NodeRole::renames) {
    standing.places = {0};
  } else {
    standing.places = all_places(inputs);
  }
  std::erase_if(standing.places, [inputs](size_t place) { return place >= inputs; });
}

/// "[1,1]" with '1'
bool has_only(const std::string& list, char digit) {
  return std::ranges::all_of(list, [digit](char c) { return c == digit || c == '[' || c == ']' || c == ','; });
}

}  // namespace

Standing standing_of(std::string_view domain, std::string_view op_type, size_t inputs) {
  Standing standing;
  standing.plain = plain_of(op_type);
  if (const Operator* op = find_operator(domain, op_type); op != nullptr && standing.plain == op_type) {
    standing.plain = op->op_type();  // which lives as long as the program
    if (op->original()) standing.plain = plain_of(op->original()->op_type);
  }
  if (is_among(kRenaming, op_type)) standing.role = NodeRole::renames;
  if (is_among(kConverting, op_type)) standing.role = NodeRole::converts;
  if (op_type == "QuantizeLinear" || op_type == "DynamicQuantizeLinear") standing.role = NodeRole::quantizes;
  if (op_type == "DequantizeLinear") standing.role = NodeRole::dequantizes;
  standing.commutes = is_among(kCommuting, standing.plain);
  standing.vanishes = is_among(kVanishing, standing.plain);
  standing.scales = is_among(kScaling, standing.plain);
  standing.multiplies = standing.plain == "Mul";
  standing.is_shaped = is_among(kShaped, standing.plain);
  standing.keeps_order = standing.plain == "Reshape";
  standing.permutes = standing.plain == "Transpose";
  standing.keeps_scale = is_among(kKeepingScale, standing.plain);
  standing.is_unscaled = is_among(kUnscaled, op_type);
  standing.is_quantized = is_among(kQuantized, op_type) || op_type.starts_with(kLinear);
  place_linear(standing, op_type, inputs);
  return standing;
}

namespace {

std::string value_text(const AttributeValue& value) {
  constexpr std::int64_t kShort = 16;
  if (const auto* tensor = std::get_if<Tensor>(&value.value)) {
    std::string text = to_text(tensor->type());
    if (tensor->dtype() == DType::string) return text + join_text(tensor->strings(), ",");
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::byte b : tensor->bytes()) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
    if (tensor->count() > kShort || info(tensor->dtype()).bits > 64) return format("{} #{}", text, hash);
    for (std::int64_t i = 0; i < tensor->count(); ++i) {
      const double number = is_floating(tensor->dtype()) ? floating_element(*tensor, i) : 0;
      text += is_floating(tensor->dtype()) ? format(" {}", number) : format(" {}", element_bits(*tensor, i));
    }
    return text;
  }
  if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&value.value)) {
    if (*graph == nullptr) return "a graph";
    return format("a graph of {}", join_text((*graph)->nodes, ", "));
  }
  return to_text(value);
}

}  // namespace

AttributeTexts attribute_texts(const Call& call) {
  AttributeTexts texts;
  for (const auto& [name, value] : call.attributes()) texts.emplace_back(name, value_text(value));
  return texts;
}

AttributeTexts telling_attributes(const Standing& standing, const AttributeTexts& all) {
  const bool is_windowed = is_among(kWindowed, standing.plain), is_pool = standing.plain.ends_with("Pool");
  AttributeTexts telling;
  for (const auto& [name, text] : all) {
    const auto usual = std::ranges::find(kUsualInWindows, name, &std::pair<std::string_view, char>::first);
    if (is_windowed && usual != kUsualInWindows.end()) {
      if (!has_only(text, usual->second)) telling.emplace_back(name, text);
    } else if (!is_among(kFollowing, name) || (name == "axes" && standing.plain.starts_with("Reduce")) ||
               (name == "kernel_shape" && is_pool)) {
      telling.emplace_back(name, text);
    }
  }
  return telling;
}

}  // namespace opref::ops
