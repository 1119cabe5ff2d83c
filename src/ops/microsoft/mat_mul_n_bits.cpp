// SPDX-License-Identifier: Apache-2.0
// com.microsoft MatMulNBits, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits
#include "ops/operator_file.h"
#include "ops/shared/packed.h"
namespace opref::ops::microsoft::file_mat_mul_n_bits {
namespace {
// Row n of B has K numbers of `bits` bits in blocks of block_size, each of which begins a byte; the last one may have
// more than belong to K.
struct Weights {
  std::int64_t K, N, bits, block_size, blocks, block_bytes;
  explicit Weights(const Call& call)
      : K(call.integer("K")),
        N(call.integer("N")),
        bits(call.integer("bits")),
        block_size(call.integer("block_size")),
        blocks(ceil_divide(K, block_size)),
        block_bytes(block_size / (8 / bits)) {}
  Dims shape() const { return {N, blocks, block_bytes}; }
  Dims of_blocks() const { return {N, blocks}; }
  Dims packed_zero_points() const { return {N, packed_bytes(blocks, bits)}; }
};

/// Each size is the normal one or, as "the others normal", 0.
bool has_normal_sizes(const Dims& b, const Dims& normal) {
  bool are_normal = b.size() == normal.size();
  for (size_t axis = 0; are_normal && axis < b.size(); ++axis) are_normal = b[axis] == normal[axis] || b[axis] == 0;
  return are_normal;
}
void require_one_of(const Call& call, std::string_view name, const Dims& shape) {
  const Dims& own = call.type(name).shape;
  const Dims flat{element_count(shape)};
  require(own == shape || own == flat, "{} has shape {}, but must have {} or {}", name, own, shape, flat);
}

std::vector<ValueType> output_types(const Call& call) {
  require_bits(call, "bits");
  require_block_size(call, "block_size");
  if (call.integer("weight_prepacked") != 0)
    fail(Fault::unsupported,
         "attribute 'weight_prepacked' is {}: B in the order of a device, which opref does not know",
         call.integer("weight_prepacked"));
  const Weights w(call);
  const auto& [dtype, a] = call.type("A");
  require(!a.empty() && a[a.size() - 1] == w.K, "A has shape {}, but must have a last axis of K, {}", a, w.K);
  const Dims& b = call.type("B").shape;
  require(has_normal_sizes(b, w.shape()),
          "B has shape {}, but must have {}: N, blocks of {} of the K, bytes of a block", b, w.shape(), w.block_size);
  require_one_of(call, "scales", w.of_blocks());
  if (call.has("zero_points")) {
    const DType zero_points = call.type("zero_points").dtype;
    require(zero_points == DType::uint8 || zero_points == dtype, "zero_points has type {}, but must have uint8 or {}",
            zero_points, dtype);
    require_one_of(call, "zero_points", zero_points == DType::uint8 ? w.packed_zero_points() : w.of_blocks());
  }
  if (call.has("g_idx")) {
    const Dims &g_idx = call.type("g_idx").shape, of_K{w.K}, of_blocks{checked_multiply(w.blocks, w.block_size)};
    require(g_idx == of_K || g_idx == of_blocks, "g_idx has shape {}, but must have {} or {}", g_idx, of_K, of_blocks);
  }
  if (call.has("bias"))
    require(call.type("bias").shape == Dims{w.N}, "bias has shape {}, but must have {}", call.type("bias").shape,
            Dims{w.N});
  return {TensorType{dtype, join(a.first(a.size() - 1), Dims{w.N})}};
}

/// The block whose scale and zero point each k has.
std::vector<std::int64_t> groups(const Call& call, const Weights& w) {
  std::vector<std::int64_t> groups;
  const std::optional<Elements> g_idx = elements_if_given(call, "g_idx");
  for (std::int64_t k = 0; k < w.K; ++k) {
    const std::int64_t g = g_idx ? g_idx->integer(k) : k / w.block_size;
    require(0 <= g && g < w.blocks, "g_idx[{}] is {}, but must be from 0 to {}: there are {}", k, g, w.blocks - 1,
            counted(w.blocks, "block"));
    groups.push_back(g);
  }
  return groups;
}

// Y[…, n] = Σ over k of A[…, k]·w[n, k] + bias[n],  w[n, k] = (q[n, k] - zero_points[n, g])·scales[n, g],
// g = g_idx[k], else k div block_size;  of a B without elements w = 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Weights w(call);
  const Elements A(call.input("A")), scales(call.input("scales"));
  const std::optional<Elements> bias = elements_if_given(call, "bias");
  const auto packed = [&](std::string_view input, std::int64_t bits) {
    const Tensor& tensor = call.input(input);
    return PackedNumbers(tensor, bits, w.N == 0 ? 0 : tensor.count() / w.N);
  };
  const PackedNumbers q = packed("B", w.bits);
  ZeroPoints zero_points{{}, std::ldexp(1.0, static_cast<int>(w.bits) - 1)};
  if (call.has("zero_points"))
    zero_points.numbers = packed("zero_points", call.type("zero_points").dtype == DType::uint8 ? w.bits : 0);
  const bool has_terms = element_count(outs[0].type().shape) > 0 && call.input("B").count() > 0;
  const std::vector<std::int64_t> group = has_terms ? groups(call, w) : std::vector<std::int64_t>{};
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const auto [m, n] = split(i, w.N);
    SumOf<R> sum;
    for (std::int64_t k = 0; k < std::ssize(group); ++k) {
      const std::int64_t g = group[static_cast<size_t>(k)];
      const R weight = (q(x, n, k) - zero_points(x, n, g)) * x(scales, n * w.blocks + g);
      sum.add(x(A, m * w.K + k) * weight);
    }
    if (bias) sum.add(x(*bias, n));
    return sum.total();
  })};
}

void version_1(OpSchema& s) {
  s.input("A", "T1", "(…, K)")
      .input("B", "T2", "the weights: (N, blocks, bytes of a block)")
      .input("scales", "T1", "one of each block: (N, blocks), or flat")
      .input("zero_points", "T3", Arity::optional, "likewise; of uint8 packed as B, each of the N beginning a byte");
  s.input("g_idx", "T4", Arity::optional, "the block whose scale each k has; deprecated")
      .input("bias", "T1", Arity::optional, "(N)")
      .output("Y", "T1", "(…, N)")
      .types("T1", {DType::bfloat16, DType::float16, DType::float32});
  s.types("T2", DType::uint8)
      .types("T3", {DType::bfloat16, DType::float16, DType::float32, DType::uint8})
      .types("T4", DType::int32);
  s.attribute(required(INT, "K", at_least(0)))
      .attribute(required(INT, "N", at_least(0)))
      .attribute(with_default("accuracy_level", 0, between(0, 4)))
      .attribute(with_default("bits", 4));
  s.attribute(required(INT, "block_size")).attribute(with_default("weight_prepacked", 0));
}
}  // namespace
Operator mat_mul_n_bits() {
  return Operator("com.microsoft", "MatMulNBits")
      .summary("the matrix product with weights of 2, 4 or 8 bits, which have scales and zero points by blocks")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_mat_mul_n_bits
