// SPDX-License-Identifier: Apache-2.0
// ai.onnx ImageDecoder, version 20
// https://onnx.ai/onnx/operators/onnx__ImageDecoder.html
#include "ops/images/images.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_image_decoder {
namespace {
using Bytes = std::span<const std::uint8_t>;

/// The image is [height, width, channels], which the stream decides.
std::vector<ValueType> output_types(const Call& call) {
  const Dims& stream = call.type("encoded_stream").shape;
  require(stream.size() == 1, "encoded_stream has shape {}, but must be a list", stream);
  return {ValueType::of_unknown_shape(DType::uint8)};
}

/// (299R + 587G + 114B)/1000, by weights of 2^-16 that sum up to 1, or exactly; halves go up, and to even.
std::uint8_t gray(const Call& call, unsigned red, unsigned green, unsigned blue) {
  if (call.reads("image_decoder.gray", "fixed-point"))
    return static_cast<std::uint8_t>((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16);
  const unsigned sum = 299 * red + 587 * green + 114 * blue, whole = sum / 1000, rest = sum % 1000;
  return static_cast<std::uint8_t>(whole + (rest > 500 || (rest == 500 && whole % 2 == 1) ? 1 : 0));
}

/// What a file has, of one channel or three, as pixel_format wants it.
Tensor converted(const Call& call, const Tensor& file) {
  const std::string format = call.string("pixel_format");
  const bool is_gray = file.shape()[2] == 1, wants_gray = format == "Grayscale";
  if (is_gray == wants_gray && format != "BGR") return file;
  TensorBuilder image({DType::uint8, join(file.shape().first(2), {wants_gray ? 1 : 3})}, Content::any);
  const Bytes from = file.values<std::uint8_t>();
  const std::span<std::uint8_t> to = image.values<std::uint8_t>();
  const size_t step = is_gray ? 1 : 3, g = is_gray ? 0 : 1, b = is_gray ? 0 : 2;
  for (size_t in = 0, out = 0; in < from.size(); in += step) {
    const std::uint8_t red = from[in], green = from[in + g], blue = from[in + b];
    if (wants_gray) {
      to[out++] = gray(call, red, green, blue);
      continue;
    }
    to[out++] = format == "RGB" ? red : blue;
    to[out++] = green;
    to[out++] = format == "RGB" ? blue : red;
  }
  return std::move(image).finish();
}

images::Decoded decoded(const Call& call) { return images::decode(call.input("encoded_stream").bytes()); }

// image = what encoded_stream shows; of a stream that shows none, an empty one
std::vector<Value> kernel(const Call& call, std::span<const Output>) {
  const auto [pixels, error] = decoded(call);
  if (pixels) return {converted(call, *pixels)};
  if (error->fault() == Fault::unsupported) throw Error(*error);
  require(call.reads("image_decoder.failure", "empty"), "encoded_stream cannot be decoded: {}", error->message());
  const std::int64_t channels = call.string("pixel_format") == "Grayscale" ? 1 : 3;
  return {Tensor::of<std::uint8_t>(DType::uint8, {0, 0, channels}, {})};
}

/// Of an unsupported format, no reading gives an image.
bool may_fail(const Call& call) {
  if (!call.has_value("encoded_stream")) return true;
  const auto [pixels, error] = decoded(call);
  return !pixels && error->fault() != Fault::unsupported;
}

std::vector<Note> notes(const Call& call) {
  if (!call.has_value("encoded_stream") || !call.reads("image_decoder.failure", "empty")) return {};
  const auto [pixels, error] = decoded(call);
  if (pixels || error->fault() == Fault::unsupported) return {};
  return {warning("encoded_stream", format("cannot be decoded, so the image is empty: {}", error->message()))};
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
      .reading(
          {.name = "image_decoder.failure",
           .alternatives = {"empty: a stream that cannot be decoded gives an image [0,0,C]", "error: it is refused"},
           .defaults = {{20, "empty"}},
           .reason = "\"it will return an empty matrix\", and not of which shape",
           .may_change_values = may_fail})
      .reading({.name = "image_decoder.gray",
                .alternatives = {"fixed-point: (19595R + 38470G + 7471B + 2^15) div 2^16",
                                 "exact: the integer nearest to (299R + 587G + 114B)/1000"},
                .defaults = {{20, "fixed-point"}},
                .reason = "the page says no formula; so does Pillow, which made ONNX's cases",
                .may_change_values = [](const Call& c) { return c.string("pixel_format") == "Grayscale"; }})
      .output_types(output_types)
      .kernel(kernel)
      .notes(notes);
}
}  // namespace opref::ops::onnx::file_image_decoder
