// SPDX-License-Identifier: Apache-2.0
// openvino GroupedMatMul, version 17 (opset17)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_grouped_mat_mul {
namespace {
bool is_matrix(const Call& call, std::string_view input) { return call.type(input).rank() == 2; }

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, a] = call.type("mat_a");
  const Dims& b = call.type("mat_b").shape;
  require(a.size() == 2 || a.size() == 3, "mat_a has shape {}, but must have 2 or 3 axes", a);
  require(b.size() == 3 || (b.size() == 2 && a.size() == 2), "mat_b has shape {} and mat_a {}: it must have 3 axes{}",
          b, a, a.size() == 2 ? ", or 2 as mat_a" : "");
  require(a[a.size() - 1] == b[b.size() - 2], "mat_a has shape {} and mat_b {}: rows of {} meet columns of {}", a, b,
          a[a.size() - 1], b[b.size() - 2]);
  const std::int64_t M = a[a.size() - 2], N = b[b.size() - 1];
  if (a.size() == 3) {
    require(!call.has("offsets"), "offsets is given, but mat_a has 3 axes: its groups are of equal size");
    require(a[0] == b[0], "mat_a has {} and mat_b {}", counted(a[0], "group"), b[0]);
    return {TensorType{dtype, {a[0], M, N}}};
  }
  require(call.has("offsets"), "offsets is missing, but mat_a has 2 axes: it says where groups end");
  require_list("offsets", call.type("offsets").shape);
  const std::int64_t groups = call.type("offsets").shape[0];
  if (b.size() == 2) return {TensorType{dtype, {groups, M, N}}};
  require(b[0] == groups, "mat_b has {}, but offsets has {}", counted(b[0], "group"), counted(groups, "value"));
  return {TensorType{dtype, {M, N}}};
}

/// Where each group begins among all tokens, and where the last one ends.
std::vector<std::int64_t> begins_of_groups(const Call& call, std::int64_t tokens) {
  std::vector<std::int64_t> ends = call.integers("offsets");
  ends.insert(ends.begin(), 0);
  for (size_t g = 1; g < ends.size(); ++g)
    require(ends[g - 1] <= ends[g], "offsets[{}] is {}, but the group begins at {}", g - 1, ends[g], ends[g - 1]);
  require(ends.back() == tokens, "the last of offsets is {}, but there are {}", ends.back(), counted(tokens, "token"));
  return ends;
}

// mat_a and mat_b of three axes: out[g] = mat_a[g]·mat_b[g], matrix products, of integers modulo 2^bits
std::vector<Value> of_equal_groups(const Call& call, std::span<const Output> outs) {
  const Elements a(call.input("mat_a")), b(call.input("mat_b"));
  const std::int64_t M = outs[0].type().shape[1], N = outs[0].type().shape[2], K = call.type("mat_b").shape[1];
  return {sum(outs[0], a.dtype(), [&](std::int64_t i, auto& terms) {
    const auto [g, m, n] = split(i, M, N);
    terms.add(a[Run{(g * M + m) * K, K, 1}], b[Run{g * K * N + n, K, N}]);
  })};
}

// mat_a of two: out[tokens of g] = mat_a[tokens of g]·mat_b[g]
std::vector<Value> of_rows(const Call& call, std::span<const Output> outs) {
  const Elements a(call.input("mat_a")), b(call.input("mat_b"));
  const std::int64_t tokens = outs[0].type().shape[0], N = outs[0].type().shape[1], K = call.type("mat_b").shape[1];
  const std::vector<std::int64_t> begins = begins_of_groups(call, tokens);
  return {sum(outs[0], a.dtype(), [&](std::int64_t i, auto& terms) {
    const auto [token, n] = split(i, N);
    const std::int64_t g = std::ranges::upper_bound(begins, token) - begins.begin() - 1;
    terms.add(a[Run{token * K, K, 1}], b[Run{g * K * N + n, K, N}]);
  })};
}

// mat_a and mat_b of two: out[g] = mat_a[:, tokens of g]·mat_b[tokens of g]
std::vector<Value> of_columns(const Call& call, std::span<const Output> outs) {
  const Elements a(call.input("mat_a")), b(call.input("mat_b"));
  const std::int64_t tokens = call.type("mat_b").shape[0], K = outs[0].type().shape[1], N = outs[0].type().shape[2];
  const std::vector<std::int64_t> begins = begins_of_groups(call, tokens);
  return {sum(outs[0], a.dtype(), [&](std::int64_t i, auto& terms) {
    const auto [g, k, n] = split(i, K, N);
    const std::int64_t begin = begins[static_cast<size_t>(g)], count = begins[static_cast<size_t>(g + 1)] - begin;
    terms.add(a[Run{k * tokens + begin, count, 1}], b[Run{begin * N + n, count, N}]);
  })};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  if (!is_matrix(call, "mat_a")) return of_equal_groups(call, outs);
  return is_matrix(call, "mat_b") ? of_columns(call, outs) : of_rows(call, outs);
}
}  // namespace
Operator grouped_mat_mul() {
  return Operator("openvino", "GroupedMatMul")
      .summary("a matrix product for each group of rows, or of columns")
      .page("matrix/grouped-matmul-17")
      .category("category matrix multiplication")
      .version(17,
               [](OpSchema& s) {
                 s.input("mat_a", "T")
                     .input("mat_b", "T")
                     .input("offsets", "T_IDX", Arity::optional)
                     .output("out", "T")
                     .types("T", computed_numbers)
                     .types("T_IDX", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_grouped_mat_mul
