// SPDX-License-Identifier: Apache-2.0
// ai.onnx MaxPool, versions 1, 8, 10, 11, 12, 22
// https://onnx.ai/onnx/operators/onnx__MaxPool.html
#include "families/move.h"
#include "families/select.h"
#include "families/taps.h"
#include "ops/common/mistakes.h"
#include "ops/common/pooling.h"

namespace opref::ops::onnx {
namespace {

PoolingWindows windows(const Call& call) {
  return pooling_windows(call, {.drops_ceil_window = call.reads("max_pool.ceil_drop", "drop"),
                                .same_size_is_input = call.reads("max_pool.same_size", "input"),
                                .same_ignores_dilations = call.reads("max_pool.same_dilation", "ignored"),
                                .valid_ignores_ceil_mode = call.reads("max_pool.valid_ceil", "ignored"),
                                .pads_with_auto_pad = "max_pool.pads_with_auto_pad"});
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  require_spatial(call, "X");
  const Dims y = join(x.first(2), windows(call).O);
  return {TensorType{dtype, y}, TensorType{DType::int64, y}};
}

// "The index values are that of a flatten 1-D tensor"; storage_order 1 is column major: the first axis runs fastest, of
// each plane, or of the whole tensor.
std::int64_t index_of(const Call& call, std::int64_t at) {
  if (!call.has("storage_order") || call.integer("storage_order") == 0) return at;
  const Dims& x = call.type("X").shape;
  const Dims turned = call.reads("max_pool.column_major", "plane") ? spatial(x) : x;
  const std::int64_t size = element_count(turned);
  const Dims inside = coordinates(at % size, turned);
  std::int64_t index = 0;
  for (size_t axis = turned.size(); axis-- > 0;) index = index * turned[axis] + inside[axis];
  return at / size * size + index;
}

bool wants_indices(const Call& call) { return call.version() >= 8 && call.wants("Indices"); }

void indices_from_places(const Call& call, const Dims& y, std::span<std::int64_t> chosen) {
  for (std::int64_t i = 0; i < std::ssize(chosen); ++i) {
    std::int64_t& at = chosen[static_cast<size_t>(i)];
    if (at < 0 && !call.reads("max_pool.empty", "lowest_finite"))
      fail(Fault::invalid,
           "the window of Y{} lies outside X: Indices has nothing to name; the reading max_pool.empty=lowest_finite "
           "names element 0, and Y alone needs no Indices",
           coordinates(i, y));
    at = at < 0 ? 0 : index_of(call, at);
  }
}

// Y[n,c,o] = the greatest X[n, c, o*s + k*d - pb] inside X;  NaN wins, +0 is greater than -0. Indices[n,c,o] is its
// place in X, of equals the first one.
std::vector<Value> kernel(const Call& call, std::span<const ValueType> types) {
  const PoolingWindows w = windows(call);
  const Tensor& x = call.input("X");
  const TensorType& y = types[0].tensor;
  const Taps taps(window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin), call.numerics().sink);
  const std::int64_t plane = element_count(w.O), x_plane = element_count(w.L);
  const Tie tie = call.reads("max_pool.tie", "last") ? Tie::last : Tie::first;
  const Selection greatest(call, x, Zeros::ordered, Extreme::greatest, tie, [&](std::int64_t i, Best& best) {
    const auto [nc, o] = split(i, plane);
    for (const Tap& tap : taps.of(o)) best.consider(nc * x_plane + tap.x);
  });
  const Ends ends = call.reads("max_pool.empty", "supremum") ? Ends::infinite : Ends::finite;
  const auto moved = [&](const auto& place) {
    return move(
        call, y, x, [&](std::int64_t i) { return Run{place(i)}; }, neutral(y.dtype, Extreme::greatest, ends));
  };
  if (!wants_indices(call)) return {moved(greatest)};
  TensorBuilder indices(types[1].tensor, Content::any);
  const auto chosen = indices.values<std::int64_t>();
  greatest.all(chosen);
  const Tensor best = moved([&](std::int64_t i) { return chosen[static_cast<size_t>(i)]; });
  indices_from_places(call, y.shape, chosen);
  return {best, std::move(indices).finish()};
}

std::vector<Dims> placement(const Call& call) { return {windows(call).pads.begin, windows(call).O}; }
bool is_column_major(const Call& call) { return wants_indices(call) && call.integer("storage_order") != 0; }
bool has_empty_windows(const Call& call) { return has_empty_window(windows(call)); }
std::vector<Note> notes(const Call& call) { return window_notes(call, windows(call)); }

void version_1(OpSchema& s) {
  s.attribute(auto_pad_attribute())
      .attribute(required(INTS, "kernel_shape", at_least(1)))
      .attribute(pads_attribute(DefaultStated::no))
      .attribute(per_axis_attribute("strides", 1, DefaultStated::no))
      .input("X", "T", "the data, (N, C, D1, …)")
      .output("Y", "T", "the greatest elements of the windows")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

void version_8(OpSchema& s) {
  s.attribute(with_default("storage_order", 0, flag()))
      .output("Indices", "I", Arity::optional, "the places of Y's elements in X")
      .types("I", DType::int64, "Constrain index tensor to int64");
}

void version_10(OpSchema& s) {
  s.attribute(with_default("ceil_mode", 0, flag())).attribute(per_axis_attribute("dilations", 1));
}

void version_11(OpSchema& s) {
  s.change("strides").default_stated = s.change("pads").default_stated = DefaultStated::yes;
  s.wording("SAME_* of auto_pad gives ceil(input / strides); before, the output \"matches the input\"");
}

}  // namespace

Operator max_pool() {
  return Operator("ai.onnx", "MaxPool")
      .summary("the greatest element of each window of each channel, and where it lies")
      .version(1, version_1)
      .version(8, version_8)
      .version(10, version_10)
      .version(11, version_11)
      .version(12, [](OpSchema& s) { s.add_types("T", Types(DType::int8) | DType::uint8); })
      .version(22, [](OpSchema& s) { s.add_types("T", DType::bfloat16); })
      .reading("max_pool.ceil_drop", {"keep: a last window that starts in the end padding counts", "drop: it does not"},
               {{10, "keep"}, {22, "drop"}},
               "the text and ONNX's inference of 22 drop a last ceil window that starts in the end padding, earlier "
               "ones keep it")
      .reading("max_pool.same_size", {"ceil: the output has ceil(L/strides) elements", "input: it has X's size, L"},
               {{1, "ceil"}, {11, ""}},
               "inference and the text from 11 on give ceil(L/strides); earlier texts want X's size")
      .reading("max_pool.same_dilation",
               {"effective: SAME_* pads for the dilated kernel", "ignored: for kernel_shape alone"},
               {{10, "effective"}},
               "ONNX's inference pads SAME_* for the dilated kernel; onnxruntime pads for kernel_shape alone")
      .reading("max_pool.valid_ceil", {"honoured: VALID rounds up with ceil_mode", "ignored: VALID rounds down always"},
               {{12, "honoured"}},
               "inference honours ceil_mode with VALID; the text's formula of VALID is that of the floor mode")
      .reading(pads_with_auto_pad_reading("max_pool.pads_with_auto_pad", 1))
      .reading("max_pool.column_major",
               {"plane: storage_order 1 counts column by column in each plane",
                "tensor: over the whole tensor, its first axis fastest"},
               {{8, "plane"}},
               "the text says \"column major\" alone; onnxruntime and onnx.reference count within each plane", "",
               is_column_major)
      .reading("max_pool.tie", {"first: of equal elements Indices names the first", "last: the last"}, {{8, "first"}},
               "the text is silent; onnxruntime and torch take the first of equal elements", "", wants_indices)
      .reading("max_pool.empty",
               {"supremum: a window without elements gives -Inf, the least of an integer type",
                "lowest_finite: the least finite number, and index 0"},
               {{1, "supremum"}},
               "the greatest of no numbers is -Inf, and no index names it; OpenVINO writes the least finite number and "
               "index 0",
               "", has_empty_windows)
      .output_types(output_types)
      .placement(placement)
      .kernel(kernel)
      .notes(notes)
      .short_names(spatial_short_names())
      .mistakes(pooling_mistakes())
      .mistake("NaN passed over", nan_passed_over);
}

}  // namespace opref::ops::onnx
