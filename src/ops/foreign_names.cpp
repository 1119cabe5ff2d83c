// SPDX-License-Identifier: Apache-2.0
#include "ops/foreign_names.h"

#include <algorithm>
#include <array>

#include "ops/operators.h"

namespace opref::ops {
namespace {

// Sorted by name.
constexpr std::array kNames = {ForeignName{"absolute", "Abs", ""},
                               ForeignName{"adaptiveavgpool", "GlobalAveragePool", "where its output has size 1"},
                               ForeignName{"adaptivemaxpool", "GlobalMaxPool", "where its output has size 1"},
                               ForeignName{"addmm", "Gemm", ""},
                               ForeignName{"amax", "ReduceMax", ""},
                               ForeignName{"amin", "ReduceMin", ""},
                               ForeignName{"arange", "Range", ""},
                               ForeignName{"astype", "Cast", ""},
                               ForeignName{"averagepooling", "AveragePool", ""},
                               ForeignName{"avgpool", "AveragePool", ""},
                               ForeignName{"avgpooling", "AveragePool", ""},
                               ForeignName{"batchmatmul", "MatMul", ""},
                               ForeignName{"batchnorm", "BatchNormalization", ""},
                               ForeignName{"bmm", "MatMul", ""},
                               ForeignName{"broadcast", "Expand", ""},
                               ForeignName{"broadcastto", "Expand", ""},
                               ForeignName{"cat", "Concat", ""},
                               ForeignName{"ceiling", "Ceil", ""},
                               ForeignName{"chunk", "Split", ""},
                               ForeignName{"clamp", "Clip", ""},
                               ForeignName{"clipbyvalue", "Clip", ""},
                               ForeignName{"concatenate", "Concat", ""},
                               ForeignName{"concatv2", "Concat", ""},
                               ForeignName{"cond", "If", ""},
                               ForeignName{"convert", "Cast", ""},
                               ForeignName{"convolution", "Conv", ""},
                               ForeignName{"convolutionbackpropdata", "ConvTranspose", ""},
                               ForeignName{"convtransposed", "ConvTranspose", ""},
                               ForeignName{"crop", "Slice", ""},
                               ForeignName{"crossentropy", "SoftmaxCrossEntropyLoss", ""},
                               ForeignName{"crossentropyloss", "SoftmaxCrossEntropyLoss", ""},
                               ForeignName{"deconv", "ConvTranspose", ""},
                               ForeignName{"deconvolution", "ConvTranspose", ""},
                               ForeignName{"deformableconvolution", "DeformConv", ""},
                               ForeignName{"dense", "Gemm", ""},
                               ForeignName{"depthwiseconv", "Conv", "with group = C"},
                               ForeignName{"dequantize", "DequantizeLinear", ""},
                               ForeignName{"divide", "Div", ""},
                               ForeignName{"dot", "MatMul", ""},
                               ForeignName{"embedding", "Gather", ""},
                               ForeignName{"embeddinglookup", "Gather", ""},
                               ForeignName{"eq", "Equal", ""},
                               ForeignName{"expanddims", "Unsqueeze", ""},
                               ForeignName{"exponential", "Exp", ""},
                               ForeignName{"eye", "EyeLike", ""},
                               ForeignName{"fakequantize", "QuantizeLinear", "and DequantizeLinear"},
                               ForeignName{"fft", "DFT", ""},
                               ForeignName{"fill", "ConstantOfShape", ""},
                               ForeignName{"floormod", "Mod", ""},
                               ForeignName{"fmod", "Mod", "with fmod = 1"},
                               ForeignName{"fold", "Col2Im", ""},
                               ForeignName{"foreach", "Scan", ""},
                               ForeignName{"full", "ConstantOfShape", ""},
                               ForeignName{"fullyconnected", "Gemm", ""},
                               ForeignName{"ge", "GreaterOrEqual", ""},
                               ForeignName{"globalaveragepooling", "GlobalAveragePool", ""},
                               ForeignName{"globalavgpool", "GlobalAveragePool", ""},
                               ForeignName{"globalmaxpooling", "GlobalMaxPool", ""},
                               ForeignName{"greaterequal", "GreaterOrEqual", ""},
                               ForeignName{"groupconv", "Conv", "with its group"},
                               ForeignName{"groupconvolution", "Conv", "with its group"},
                               ForeignName{"groupconvolutionbackpropdata", "ConvTranspose", "with its group"},
                               ForeignName{"groupnorm", "GroupNormalization", ""},
                               ForeignName{"grucell", "GRU", ""},
                               ForeignName{"grusequence", "GRU", ""},
                               ForeignName{"gt", "Greater", ""},
                               ForeignName{"hardtanh", "Clip", "with min -1 and max 1"},
                               ForeignName{"hsigmoid", "HardSigmoid", ""},
                               ForeignName{"hswish", "HardSwish", ""},
                               ForeignName{"htanh", "Clip", "with min -1 and max 1"},
                               ForeignName{"indexselect", "Gather", ""},
                               ForeignName{"innerproduct", "Gemm", "with transB = 1"},
                               ForeignName{"instancenorm", "InstanceNormalization", ""},
                               ForeignName{"interpolate", "Resize", ""},
                               ForeignName{"inverse", "Reciprocal", ""},
                               ForeignName{"layernorm", "LayerNormalization", ""},
                               ForeignName{"le", "LessOrEqual", ""},
                               ForeignName{"lessequal", "LessOrEqual", ""},
                               ForeignName{"linear", "Gemm", "with transB = 1"},
                               ForeignName{"localresponsenorm", "LRN", ""},
                               ForeignName{"localresponsenormalization", "LRN", ""},
                               ForeignName{"log1p", "Log", "of Add (x, 1)"},
                               ForeignName{"logicaland", "And", ""},
                               ForeignName{"logicalnot", "Not", ""},
                               ForeignName{"logicalor", "Or", ""},
                               ForeignName{"logicalxor", "Xor", ""},
                               ForeignName{"logsumexp", "ReduceLogSumExp", ""},
                               ForeignName{"lookup", "Gather", ""},
                               ForeignName{"lookuptable", "Gather", ""},
                               ForeignName{"lrelu", "LeakyRelu", ""},
                               ForeignName{"lstmcell", "LSTM", ""},
                               ForeignName{"lstmsequence", "LSTM", ""},
                               ForeignName{"lt", "Less", ""},
                               ForeignName{"maximum", "Max", ""},
                               ForeignName{"maxpooling", "MaxPool", ""},
                               ForeignName{"maxunpooling", "MaxUnpool", ""},
                               ForeignName{"minimum", "Min", ""},
                               ForeignName{"mm", "MatMul", ""},
                               ForeignName{"multiheadattention", "Attention", ""},
                               ForeignName{"multiply", "Mul", ""},
                               ForeignName{"mvn", "MeanVarianceNormalization", ""},
                               ForeignName{"narrow", "Slice", ""},
                               ForeignName{"negative", "Neg", ""},
                               ForeignName{"nllloss", "NegativeLogLikelihoodLoss", ""},
                               ForeignName{"nms", "NonMaxSuppression", ""},
                               ForeignName{"norm", "ReduceL2", ""},
                               ForeignName{"normalize", "LpNormalization", ""},
                               ForeignName{"normalizel2", "LpNormalization", ""},
                               ForeignName{"notequal", "Not", "of Equal (A, B)"},
                               ForeignName{"padding", "Pad", ""},
                               ForeignName{"permute", "Transpose", ""},
                               ForeignName{"pixelshuffle", "DepthToSpace", ""},
                               ForeignName{"pixelunshuffle", "SpaceToDepth", ""},
                               ForeignName{"power", "Pow", ""},
                               ForeignName{"prod", "ReduceProd", ""},
                               ForeignName{"quantize", "QuantizeLinear", ""},
                               ForeignName{"reduceavg", "ReduceMean", ""},
                               ForeignName{"relu6", "Clip", "with min 0 and max 6"},
                               ForeignName{"remainder", "Mod", ""},
                               ForeignName{"repeat", "Tile", ""},
                               ForeignName{"resizebilinear", "Resize", "with mode = \"linear\""},
                               ForeignName{"resizenearestneighbor", "Resize", "with mode = \"nearest\""},
                               ForeignName{"rmsnorm", "RMSNormalization", ""},
                               ForeignName{"rnncell", "RNN", ""},
                               ForeignName{"rnnsequence", "RNN", ""},
                               ForeignName{"roipooling", "MaxRoiPool", ""},
                               ForeignName{"rope", "RotaryEmbedding", ""},
                               ForeignName{"rotaryemb", "RotaryEmbedding", ""},
                               ForeignName{"rsqrt", "Reciprocal", "of Sqrt (x)"},
                               ForeignName{"scaleddotproductattention", "Attention", ""},
                               ForeignName{"scatterelementsupdate", "ScatterElements", ""},
                               ForeignName{"scatterndupdate", "ScatterND", ""},
                               ForeignName{"scatterupdate", "ScatterElements", ""},
                               ForeignName{"select", "Where", ""},
                               ForeignName{"shapeof", "Shape", ""},
                               ForeignName{"silu", "Swish", "from opset 24 on; before, Mul of x and Sigmoid (x)"},
                               ForeignName{"spectrogram", "STFT", ""},
                               ForeignName{"square", "Mul", "of x and x"},
                               ForeignName{"squareroot", "Sqrt", ""},
                               ForeignName{"stack", "Concat", "of what Unsqueeze gives of each input"},
                               ForeignName{"stridedslice", "Slice", ""},
                               ForeignName{"subtract", "Sub", ""},
                               ForeignName{"take", "Gather", ""},
                               ForeignName{"takealongaxis", "GatherElements", ""},
                               ForeignName{"tril", "Trilu", "with upper = 0"},
                               ForeignName{"triu", "Trilu", ""},
                               ForeignName{"truediv", "Div", ""},
                               ForeignName{"upsampling", "Resize", ""},
                               ForeignName{"upsamplingbilinear", "Resize", "with mode = \"linear\""},
                               ForeignName{"upsamplingnearest", "Resize", "with mode = \"nearest\""},
                               ForeignName{"variadicsplit", "Split", ""},
                               ForeignName{"view", "Reshape", ""},
                               ForeignName{"while", "Loop", ""},
                               ForeignName{"zeropad", "Pad", ""},
                               ForeignName{"zeros", "ConstantOfShape", ""}};

struct ForeignAttribute {
  std::string_view name, value;  ///< in lower case; an empty value is any
  std::string_view meant;        ///< {} is the value
};
constexpr std::array kAttributes = {
    ForeignAttribute{"padding", "same", "auto_pad=SAME_UPPER"},
    ForeignAttribute{"padding", "valid", "auto_pad=VALID"},
    ForeignAttribute{"align_corners", "1", "coordinate_transformation_mode=align_corners"},
    ForeignAttribute{"align_corners", "true", "coordinate_transformation_mode=align_corners"},
    ForeignAttribute{"align_corners", "0", "coordinate_transformation_mode=half_pixel"},
    ForeignAttribute{"align_corners", "false", "coordinate_transformation_mode=half_pixel"},
    ForeignAttribute{"half_pixel_centers", "1", "coordinate_transformation_mode=half_pixel"},
    ForeignAttribute{"half_pixel_centers", "true", "coordinate_transformation_mode=half_pixel"},
    ForeignAttribute{"half_pixel_centers", "0", "coordinate_transformation_mode=asymmetric"},
    ForeignAttribute{"half_pixel_centers", "false", "coordinate_transformation_mode=asymmetric"},
    ForeignAttribute{"dim", "", "axis={}"},
    ForeignAttribute{"dim", "", "axes={}"},
    ForeignAttribute{"axis", "", "axes={}"},
    ForeignAttribute{"keepdim", "", "keepdims={}"},
    ForeignAttribute{"keep_dims", "", "keepdims={}"},
    ForeignAttribute{"eps", "", "epsilon={}"},
    ForeignAttribute{"negative_slope", "", "alpha={}"},
    ForeignAttribute{"transpose_a", "", "transA={}"},
    ForeignAttribute{"transpose_b", "", "transB={}"},
    ForeignAttribute{"num_heads", "", "q_num_heads={}"},
};

}  // namespace

std::span<const ForeignName> foreign_names() { return kNames; }

std::string plain_name(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find_last_of(".:") + 1));
  std::string plain;
  for (const char c : name)
    if (c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view axes : {"1d", "2d", "3d"})
    if (plain.size() > axes.size() && plain.ends_with(axes)) return plain.substr(0, plain.size() - axes.size());
  return plain;
}

std::optional<ForeignName> find_foreign_name(std::string_view name) {
  const std::string plain = plain_name(name);
  for (const OperatorRow& row : operator_rows())
    if (row.domain == "ai.onnx" && plain_name(row.op_type) == plain) return ForeignName{row.op_type, row.op_type, ""};
  const auto* const found = std::ranges::lower_bound(kNames, plain, {}, &ForeignName::name);
  return found != kNames.end() && found->name == plain ? std::optional(*found) : std::nullopt;
}

std::vector<std::string> attributes_meant(std::string_view name, std::string_view value) {
  std::string lower(value);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::vector<std::string> meant;
  for (const ForeignAttribute& known : kAttributes) {
    if (known.name != name || (!known.value.empty() && known.value != lower)) continue;
    const size_t place = known.meant.find("{}");
    meant.push_back(std::string(known.meant.substr(0, place)) +
                    (place == std::string_view::npos ? "" : std::string(value)));
  }
  if (name == "padding" && !value.empty() && value.find_first_not_of("0123456789, ") == std::string_view::npos) {
    // one number of each axis, or of all; here of two axes
    const std::string begins =
        value.find(',') == std::string_view::npos ? format("{0},{0}", value) : std::string(value);
    meant.push_back(format("pads={0},{0}", begins));
  }
  return meant;
}

std::string_view operator_that_has(std::string_view attribute) {
  return attribute == "transA" || attribute == "transB" ? "Gemm" : "";
}

std::string_view graph_example(std::string_view op_type) {
  return op_type == "Loop"                               ? "g (i, c, x) => (d, y) { d = Identity (c)  y = Neg (x) }"
         : op_type == "Scan" || op_type == "SequenceMap" ? "g (x) => (y) { y = Neg (x) }"
                                                         : "g () => (y) { y = Neg (x) }";
}

std::string_view successor_of(std::string_view op_type) {
  return op_type == "Upsample" ? "Resize" : op_type == "Scatter" ? "ScatterElements" : "";
}

}  // namespace opref::ops
