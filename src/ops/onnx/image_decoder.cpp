// SPDX-License-Identifier: Apache-2.0
// ai.onnx ImageDecoder, version 20
// https://onnx.ai/onnx/operators/onnx__ImageDecoder.html
#include "ops/operator_file.h"
namespace opref::ops::onnx {
namespace {
/// The image is [height, width, channels], which the stream decides.
std::vector<ValueType> output_types(const Call& call) {
  const Dims& stream = call.type("encoded_stream").shape;
  require(stream.size() == 1, "encoded_stream has shape {}, but must be a list", stream);
  return {ValueType::of_unknown_shape(DType::uint8)};
}

void version_20(OpSchema& s) {
  s.input("encoded_stream", "T1").output("image", "T2").types("T1", DType::uint8).types("T2", DType::uint8);
  s.attribute(with_default("pixel_format", "RGB", one_of({"RGB", "BGR", "Grayscale"})));
}
}  // namespace
Operator image_decoder() {
  return Operator("ai.onnx", "ImageDecoder")
      .summary("the pixels of an encoded image")
      .version(20, version_20)
      .output_types(output_types)
      .undetermined("the pixels of lossy formats depend on the decoder, and opref has none");
}
}  // namespace opref::ops::onnx
