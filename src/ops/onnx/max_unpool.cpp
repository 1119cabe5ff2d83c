// SPDX-License-Identifier: Apache-2.0
// ai.onnx MaxUnpool, versions 9, 11, 22
// https://onnx.ai/onnx/operators/onnx__MaxUnpool.html
#include "fast/fast.h"
#include "ops/operator_file.h"
#include "ops/shared/pooling.h"
#include "system/machine_error.h"
namespace opref::ops::onnx::file_max_unpool {
namespace {
// Y = +0 everywhere; then, for e in row-major order of X:  Y.flat[I.flat[e]] = X.flat[e]   (the last write wins)
// Size without output_shape, per spatial axis:             O = s*(L-1) + k - pb - pe
// I counts elements of the whole unpooled tensor, N and C included.

struct Geometry {
  Dims nc, L, k, s;
  Pads pads;
  Dims unpadded() const { return join(nc, s * (L - 1) + k); }
  Dims inferred() const { return unpadded() - join(Dims{0, 0}, pads.begin) - join(Dims{0, 0}, pads.end); }
};

Geometry geometry(const Call& call) {
  const Dims& x = call.type("X").shape;
  const Dims L = spatial(x);
  return {x.first(2), L, per_axis(call, "kernel_shape", L.size(), 1), per_axis(call, "strides", L.size(), 1),
          explicit_pads(call, L.size())};
}

// "The shape of the output can be explicitly set which will cause pads values to be auto generated. If 'output_shape'
// is specified, 'pads' values are ignored."
Dims stated_shape(const Call& call) {
  const Dims& x = call.type("X").shape;
  const TensorType& type = call.type("output_shape");
  require(type.shape == Dims{static_cast<std::int64_t>(x.size())},
          "output_shape has shape {}, but must be a list of {} sizes, one per axis of X", type.shape, x.size());
  const Dims shape(call.integers("output_shape"));
  require(shape.first(2) == x.first(2), "output_shape is {}, but must keep N and C of X, {}", shape, x.first(2));
  require(all_positive(spatial(shape)), "output_shape is {}, but its spatial sizes must be > 0", shape);
  return shape;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  require_spatial(call, "X");
  require(call.type("I").shape == x, "I has shape {}, but X has shape {}; they must be the same", call.type("I").shape,
          x);
  const Geometry g = geometry(call);
  if (call.has("output_shape")) return {TensorType{dtype, stated_shape(call)}};
  const Dims inferred = g.inferred();
  require(all_positive(spatial(inferred)),
          "the output would have shape {}: each spatial size strides*(L-1) + kernel_shape - pads must be > 0",
          inferred);
  return {TensorType{dtype, inferred}};
}

// Not so where no index can mean the inferred tensor: X is empty, or it leaves 64 bits.
bool has_other_size(const Call& call) {
  if (!call.has("output_shape") || element_count(call.type("X").shape) == 0) return false;
  try {
    return geometry(call).unpadded() != stated_shape(call);
  } catch (const Error& error) {
    pass_on(error);
    return false;
  }
}

// The published example's indices address the inferred, unpadded tensor, whose content is then the top-left corner of
// the output; no pooling over the output gives them. Those of a real pooling address the output.
std::string_view index_space(const Call& call) {
  const std::string_view reading = call.reading("max_unpool.index_space");
  if (reading != "auto") return reading;
  if (!has_other_size(call)) return "output";
  const Geometry g = geometry(call);
  const Dims output = stated_shape(call), inferred = g.unpadded(), no_pads = Dims::filled(g.L.size(), 0);
  const Tensor& I = call.input("I");
  return std::ranges::equal(inferred, output, std::less_equal{}) && !can_be_pooled(I, output, g.k, g.s) &&
                 indices_lie_in_windows(I, inferred, g.k, g.s, no_pads)
             ? "inferred"
             : "output";
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& output = outs[0].type().shape;
  const bool in_output = !call.has("output_shape") || index_space(call) == "output";
  const Dims space = in_output ? output : geometry(call).unpadded();
  const std::int64_t size = element_count(space);
  const std::int64_t* I = call.input("I").values<std::int64_t>().data();
  const Target target = [&](std::int64_t e) {
    const auto named = [&] { return format("I{} = {}", coordinates(e, call.type("I").shape), I[e]); };
    if (I[e] < 0 || I[e] >= size)
      fail(Fault::invalid, "{}, but {} has {}", named(),
           in_output ? "the output" : format("the inferred tensor {}", space), counted(size, "element"));
    if (in_output) return I[e];
    const Dims at = coordinates(I[e], space);
    if (!std::ranges::equal(at, output, std::less{}))
      fail(Fault::invalid, "{} is {} of the inferred tensor {}, outside output_shape {}", named(), at, space, output);
    return position(at, output);
  };
  const Tensor& X = call.input("X");
  const auto rows = [&](TensorBuilder& y) {
    return in_output && fast::scatter(X, I, y, element_count(output.first(2)), outs[0].threads(), target);
  };
  return {scatter(outs[0], std::nullopt, X, target, rows)};
}

std::vector<Note> notes(const Call& call) {
  const Geometry g = geometry(call);
  std::vector<Note> notes = in_force(call, {{"strides", to_text(g.s)}, {"pads", to_text(g.pads)}});
  if (call.has("output_shape")) notes.push_back(remark("pads", "ignored (output_shape)"));
  warn_of_denotation(call, "X", notes);
  return notes;
}

// I as a pooling over the output gives it: the position of the largest of random numbers in each window. Of windows
// that shall not overlap, as if the pooling's stride were its kernel, a part that no other has: where it can, from the
// first element that is inside on. No index comes twice then.
template <bool overlap>
Tensor pooled_indices(const Call& call, std::string_view input, const Random& random) {
  if (input != "I") fail(Fault::usage, "the generators of indices have no values for {} of {}", input, call.title());
  const auto [nc, L, k, s, pads] = geometry(call);
  const Dims output = call.op().output_types(call).front().tensor.shape, none = Dims::filled(k.size(), 0);
  Dims width = k, begin = pads.begin;
  for (size_t axis = 0; axis < k.size() && !overlap; ++axis) {
    width[axis] = std::min(k[axis], s[axis]);
    begin[axis] -= std::min(begin[axis], k[axis] - width[axis]);
  }
  return random_indices(output, {spatial(output), width, s, none + 1, {begin, none}, L}, random);
}

void version_9(OpSchema& s) {
  s.attribute(required(INTS, "kernel_shape", at_least(1)))
      .attribute(per_axis_attribute("strides", 1, DefaultStated::no))
      .attribute(pads_attribute())
      .input("X", "T1", "the pooled tensor, (N, C, D1, …)")
      .input("I", "T2", "where each element of X goes: row-major positions in the unpooled tensor")
      .input("output_shape", "T2", Arity::optional, "the whole shape of the output, N and C included")
      .output("output", "T1", "the unpooled tensor")
      .types("T1", types::floats, "Constrain input and output types to float tensors.")
      .types("T2", DType::int64, "Constrain index tensor to int64");
}
}  // namespace
Operator max_unpool() {
  return Operator("ai.onnx", "MaxUnpool")
      .summary(
          "puts pooled values back to the places their indices name, zero elsewhere; the partial inverse of MaxPool")
      .version(9, version_9)
      .version(11, [](OpSchema& s) { s.change("strides").default_stated = DefaultStated::yes; })
      .version(22, adds("T1", DType::bfloat16))
      .reading(
          {.name = "max_unpool.index_space",
           .alternatives =
               {"auto: inferred, where all indices are in their windows there, and no pooling gives them in the output",
                "output: I counts elements of the output",
                "inferred: of the tensor that is inferred without output_shape"},
           .defaults = {{9, "auto"}},
           .reason = "published data address the inferred tensor, real MaxPool indices the output; auto satisfies both",
           .may_change_values = has_other_size,
           .stands_for = index_space})
      .output_types(output_types)
      .kernel(kernel)
      .notes(notes)
      .generator("max_pool_indices", "as a pooling whose windows do not overlap gives them: none comes twice",
                 pooled_indices<false>)
      .generator("max_pool_duplicates", "the same, of windows that may overlap", pooled_indices<true>)
      .short_names(spatial_short_names())
      .short_names({{"max_pool_indices", ""}, {"max_pool_duplicates", "duplicates"}});
}
}  // namespace opref::ops::onnx::file_max_unpool
