// SPDX-License-Identifier: Apache-2.0
// For tests that compare with published schemas: onnx's names of types, and where opref departs on purpose.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "schema/types.h"

namespace opref::ops {

struct Departure {
  std::string_view of, field;  ///< "Concat-1", or "openvino:MaxPool" in all versions; "attribute axis"
  std::string_view why;        ///< the reading or the page's sentence
};

constexpr std::string_view kNoNames = "OpenVINO's files name no ports, nor do its pages these";

constexpr std::string_view kMoreTypes = "both programs take more types than the word of the page";
constexpr std::string_view kPageDefault = "the page's default; read_model refuses a layer without it";
constexpr std::string_view kPortMap = "the page: attributes of entries of the port map; here lists beside it";
constexpr std::string_view kOwnInteger = "both programs take any integer type here, whatever that of other inputs";

inline const std::vector<Departure> kDepartures = {
    {"Concat-1", "attribute axis", "the page: \"Which axis to concat on. Default value is 1.\""},
    {"Resize-11", "input 1", "the reading resize.v11_roi: required by default, as onnx has it"},
    {"openvino:AvgPool", "input 0", kNoNames},
    {"openvino:AvgPool", "output 0", kNoNames},
    {"openvino:Convolution", "input 0", kNoNames},
    {"openvino:Convolution", "input 1", kNoNames},
    {"openvino:Convolution", "output 0", kNoNames},
    {"openvino:ConvolutionBackpropData", "input 1", kNoNames},
    {"openvino:ConvolutionBackpropData", "output 0", kNoNames},
    {"openvino:GroupConvolution", "input 0", kNoNames},
    {"openvino:GroupConvolution", "input 1", kNoNames},
    {"openvino:GroupConvolution", "output 0", kNoNames},
    {"openvino:GroupConvolutionBackpropData", "input 1", kNoNames},
    {"openvino:GroupConvolutionBackpropData", "output 0", kNoNames},
    {"openvino:MaxPool", "input 0", kNoNames},
    {"openvino:MaxPool", "output 0", kNoNames},
    {"openvino:MaxPool", "output 1", kNoNames},
    {"openvino:Broadcast", "attribute mode", kPageDefault},
    {"openvino:Broadcast", "input 2", "the page: axes_mapping goes with mode explicit alone"},
    {"openvino:Broadcast", "input 2's type", kOwnInteger},
    {"openvino:Broadcast", "type T", kMoreTypes},
    {"openvino:Bucketize", "attribute output_type", kPageDefault},
    {"openvino:DeformableConvolution", "attribute deformable_group", kPageDefault},
    {"openvino:DeformableConvolution", "attribute group", kPageDefault},
    {"openvino:DepthToSpace", "attribute block_size", kPageDefault},
    {"openvino:Eye", "input 3's type", kOwnInteger},
    {"openvino:ISTFT", "input 3's type", kOwnInteger},
    {"openvino:ISTFT", "input 4's type", kOwnInteger},
    {"openvino:Loop", "attribute concatenated_outputs", kPortMap},
    {"openvino:Loop", "attribute output_axis", kPortMap},
    {"openvino:Loop", "attribute output_end", kPortMap},
    {"openvino:Loop", "attribute output_part_size", kPortMap},
    {"openvino:Loop", "attribute output_start", kPortMap},
    {"openvino:Loop", "attribute output_stride", kPortMap},
    {"openvino:Loop", "attribute part_size", kPortMap},
    {"openvino:Loop", "attribute sliced_inputs", kPortMap},
    {"openvino:MVN", "attribute across_channels", "the page: either of the two names the axes"},
    {"openvino:MVN", "attribute reduction_axes", "the page: either of the two names the axes"},
    {"openvino:MVN", "type T_IND", kMoreTypes},
    {"openvino:OneHot", "input 1's type", kOwnInteger},
    {"openvino:PSROIPooling", "attribute group_size", kPageDefault},
    {"openvino:PSROIPooling", "attribute mode", kPageDefault},
    {"openvino:PSROIPooling", "attribute spatial_bins_x", kPageDefault},
    {"openvino:PSROIPooling", "attribute spatial_bins_y", kPageDefault},
    {"openvino:Pad", "type T", kMoreTypes},
    {"openvino:ReadValue-6", "input 0", "read_model: without a first value the variable is zeros"},
    {"openvino:Reshape", "type T", kMoreTypes},
    {"openvino:Reverse", "type T2", kMoreTypes},
    {"openvino:STFT", "input 3's type", kOwnInteger},
    {"openvino:ScatterElementsUpdate", "type T", kMoreTypes},
    {"openvino:ScatterNDUpdate", "type T", kMoreTypes},
    {"openvino:Select", "type T", kMoreTypes},
    {"openvino:ShapeOf", "attribute output_type", kPageDefault},
    {"openvino:ShapeOf", "type T", kMoreTypes},
    {"openvino:ShuffleChannels", "type T", kMoreTypes},
    {"openvino:SpaceToDepth", "attribute block_size", kPageDefault},
    {"openvino:Squeeze", "type T", kMoreTypes},
    {"openvino:TensorIterator", "attribute concatenated_outputs", kPortMap},
    {"openvino:TensorIterator", "attribute output_axis", kPortMap},
    {"openvino:TensorIterator", "attribute output_end", kPortMap},
    {"openvino:TensorIterator", "attribute output_part_size", kPortMap},
    {"openvino:TensorIterator", "attribute output_start", kPortMap},
    {"openvino:TensorIterator", "attribute output_stride", kPortMap},
    {"openvino:TensorIterator", "attribute part_size", kPortMap},
    {"openvino:TensorIterator", "attribute sliced_inputs", kPortMap},
    {"openvino:Unsqueeze", "type T", kMoreTypes},
    {"openvino:VariadicSplit", "input 2's type", kOwnInteger},
};

/// Null where there is none.
inline const Departure* departure(std::string_view version, std::string_view field) {
  const auto found = std::ranges::find_if(kDepartures, [&](const Departure& known) {
    return known.field == field && (known.of == version || known.of == version.substr(0, version.rfind('-')));
  });
  return found == kDepartures.end() ? nullptr : &*found;
}

/// "tensor(double)", "optional(seq(tensor(double)))", "map(int64, double)": as ONNX writes types.
inline std::set<std::string> onnx_names(const Types& types) {
  constexpr std::array<std::pair<const char*, const char*>, kForms.size()> kAround = {{{"tensor(", ")"},
                                                                                       {"seq(tensor(", "))"},
                                                                                       {"optional(tensor(", "))"},
                                                                                       {"optional(seq(tensor(", ")))"},
                                                                                       {"map({}, ", ")"},
                                                                                       {"seq(map({}, ", "))"}}};
  std::set<std::string> names;
  for (const Form form : kForms)
    for (const DType key : {DType::int64, DType::string})
      for (const DType dtype : types.dtypes(form, key)) {
        auto [before, after] = kAround[static_cast<size_t>(form)];
        std::string text(before);
        if (const size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, info(key).onnx_type);
        names.insert(format("{}{}{}", text, info(dtype).onnx_type, after));
      }
  return names;
}

}  // namespace opref::ops
