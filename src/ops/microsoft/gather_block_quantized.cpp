// SPDX-License-Identifier: Apache-2.0
// com.microsoft GatherBlockQuantized, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GatherBlockQuantized
#include "ops/operator_file.h"
#include "ops/shared/packed.h"
namespace opref::ops::microsoft::file_gather_block_quantized {
namespace {
// data as numbers: uint8 has 8/bits of them in a byte along the last axis. Along quantize_axis block_size of them share
// a scale; of floats and 0 all.
struct Blocks {
  DType dtype;
  size_t gather_axis, quantize_axis;
  std::int64_t bits, size;  ///< bits: 0 where elements are not packed
  Dims data, scales;
  explicit Blocks(const Call& call);
  Dims packed(Dims shape) const {
    if (bits != 0) shape[shape.size() - 1] = packed_bytes(shape[shape.size() - 1], bits);
    return shape;
  }
  bool has_zero_points() const { return !is_floating(dtype); }
};
Blocks::Blocks(const Call& call) : dtype(call.type("data").dtype), bits(0), data(call.type("data").shape) {
  require(!data.empty(), "data is a scalar, but must have axes");
  gather_axis = call.axis("gather_axis", data.size());
  quantize_axis = call.axis("quantize_axis", data.size());
  require(!types::int4s.contains(dtype) || call.integer("bits") == 4, "attribute 'bits' is {}, but must be 4 of {}",
          call.integer("bits"), dtype);
  if (dtype == DType::uint8) {
    require_bits(call, "bits");
    bits = call.integer("bits");
    require(gather_axis == 0, "attribute 'gather_axis' is {}, but must be 0 of {}", gather_axis, dtype);
    require(bits == 8 || quantize_axis != 0, "attributes 'gather_axis' and 'quantize_axis' are both 0, of packed data");
    const bool is_last = quantize_axis + 1 == data.size();
    require(bits == 8 || is_last || call.reads("gather_block_quantized.packed_axis", "any"),
            "attribute 'quantize_axis' is {}, but must be the last one, {}, along which data are packed; the reading "
            "gather_block_quantized.packed_axis=any takes any",
            quantize_axis, data.size() - 1);
    data[data.size() - 1] = checked_multiply(data[data.size() - 1], 8 / bits);
  }
  size = call.integer("block_size");
  if (size != 0 || has_zero_points()) require_block_size(call, "block_size");
  if (size == 0) size = std::max<std::int64_t>(data[quantize_axis], 1);
  scales = data;
  scales[quantize_axis] = ceil_divide(data[quantize_axis], size);
}

std::vector<ValueType> output_types(const Call& call) {
  const Blocks b(call);
  const auto& [dtype, scales] = call.type("scales");
  bool fit = scales.size() == b.scales.size();
  for (size_t axis = 0; fit && axis < scales.size(); ++axis)
    fit = scales[axis] == b.scales[axis] || (scales[axis] == 1 && axis != b.quantize_axis && !b.has_zero_points());
  require(fit, "scales has shape {}, but must have {}{}: blocks of {} along axis {} of {}", scales, b.scales,
          b.has_zero_points() ? "" : ", or 1 along other axes than the blocks'", b.size, b.quantize_axis, b.data);
  if (call.has("zero_points")) {
    require(b.has_zero_points(), "zero_points is given, but data of {} has none", b.dtype);
    const Dims& zero_points = call.type("zero_points").shape;
    require(zero_points == b.packed(b.scales), "zero_points has shape {}, but must have {}", zero_points,
            b.packed(b.scales));
  }
  return {TensorType{dtype, join(join(b.data.first(b.gather_axis), call.type("indices").shape),
                                 b.data.without_first(b.gather_axis + 1))}};
}

// output[…, k…, …] = (data[i] - zero_points[b])·scales[b], i = …, indices[k…], …;  b is i in blocks along
// quantize_axis. "If an index is out of range, the output is zeros"
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Blocks b(call);
  const Elements indices(call.input("indices")), scales(call.input("scales"));
  const Strided scale_place(b.scales, broadcast_strides(call.type("scales").shape, b.scales));
  const auto packed = [&](std::string_view input) {
    const Dims& shape = call.type(input).shape;
    return PackedNumbers(call.input(input), b.bits, shape[shape.size() - 1]);
  };
  const PackedNumbers data = packed("data");
  ZeroPoints zero_points{{}, b.bits == 0 ? 0 : std::ldexp(1.0, static_cast<int>(b.bits) - 1)};
  if (call.has("zero_points")) zero_points.numbers = packed("zero_points");
  const std::int64_t last = b.data[b.data.size() - 1], last_scale = b.scales[b.scales.size() - 1];
  const std::int64_t gathered = b.data[b.gather_axis], chosen = call.input("indices").count();
  const Dims slice = b.data.without_first(b.gather_axis + 1);
  const std::int64_t within = element_count(outs[0].type().shape) == 0 ? 0 : element_count(slice);
  return {real(outs[0], [&]<class R>(std::int64_t o, const Reader<R>& x) {
    const auto [before, k, after] = split(o, chosen, within);
    const std::int64_t index = indices.integer(k), from = index < 0 ? index + gathered : index;
    if (from < 0 || from >= gathered) return x.zero();
    const std::int64_t i = (before * gathered + from) * within + after;
    Dims block = coordinates(i, b.data);
    block[b.quantize_axis] /= b.size;
    const std::int64_t at = position(block, b.scales);
    const R zero_point = zero_points(x, at / last_scale, at % last_scale);
    return (data(x, i / last, i % last) - zero_point) * x(scales, scale_place(at));
  })};
}

void version_1(OpSchema& s) {
  s.input("data", "T1", "of uint8 8/bits numbers in a byte along the last axis, the lowest bits first")
      .input("indices", "Tind", "along gather_axis; negative ones count from the end, of others there are zeros")
      .input("scales", "T2", "one of each block")
      .input("zero_points", "T1", Arity::optional, "one of each block, packed as data");
  s.output("output", "T2")
      .types("T1", types::int4s | types::float8 | Types{DType::float4_e2m1fn, DType::uint8})
      .types("T2", {DType::bfloat16, DType::float16, DType::float32})
      .types("Tind", types::signed_wide);
  s.attribute(with_default("bits", 4))
      .attribute(with_default("block_size", 128))
      .attribute(with_default("gather_axis", 0))
      .attribute(with_default("quantize_axis", 1));
}
}  // namespace
Operator gather_block_quantized() {
  return Operator("com.microsoft", "GatherBlockQuantized")
      .summary("slices of data of few bits by their indices along an axis, dequantized by blocks along another one")
      .version(1, version_1)
      .reading({.name = "gather_block_quantized.packed_axis",
                .alternatives = {"last: bytes of several numbers have their blocks along the last axis",
                                 "any: along any axis but that of the indices"},
                .defaults = {{1, "last"}},
                .reason = "bytes are packed along the last axis; onnxruntime has blocks along no other one"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_gather_block_quantized
