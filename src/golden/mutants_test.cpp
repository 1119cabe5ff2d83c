// Is a set of golden cases any good? Deliberate mistakes, each a kernel that somebody may have written, are evaluated
// on every case of the folders in OPREF_GOLDEN (separated by ':'); one that gives the expected outputs of all cases
// survives. Hidden: scripts/mutants makes the folders, runs this and prints its table.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "check/arithmetic.h"
#include "check/compare.h"
#include "core/error.h"
#include "core/parallel.h"
#include "exact/results.h"
#include "exact/rounding.h"
#include "golden/manifest.h"
#include "io/tensor_source.h"
#include "ops/operators.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "spec/resolve.h"

using namespace opref;

namespace fs = std::filesystem;

namespace {

using Integers = std::vector<std::int64_t>;

/// A golden case: what its node is, and what it must give.
struct Golden {
  std::string name;
  Node node;
  std::int64_t opset;
  std::vector<Input> inputs;
  std::vector<Tensor> expected;

  Call call(const ReadingChoices& readings = {}) const {
    return resolve(get_operator(canonical_domain(node.domain), node.op_type), node, opset, inputs, readings);
  }
};

/// What a mistaken kernel gives; nothing where the mistake cannot be made in this case.
using Outcome = std::optional<std::vector<Tensor>>;

Golden read_golden(const fs::path& folder, const std::string& name) {
  const fs::path json = folder / name / "case.json";
  const Bound loaded = bind_case(read_case(fs::exists(json) ? json.string() : (folder / name).string()));
  std::vector<std::string> warnings;
  const EvaluationOptions options;
  const Environment environment = load_inputs(loaded, options, warnings);
  const Node& node = loaded.graph.nodes.front();
  const Call call = resolve_node(loaded.graph, node, environment, options);
  Golden golden{name, node, opset_in_force(loaded.graph, node, options), call.inputs(), {}};
  const DType dtype = call.op().output_types(call).front().dtype();
  for (const NamedSource& expected : loaded.expected)
    golden.expected.push_back(*settle(load(expected.source), dtype).tensor());
  return golden;
}

Outcome evaluated(const Golden& golden, const ReadingChoices& readings = {}) {
  const Call call = golden.call(readings);
  return tensors_of(call.op().kernel(call, call.op().output_types(call)));
}

// --- Mistakes in what the node says

bool states(const Golden& golden, const char* attribute) {
  const Call call = golden.call();
  return call.schema().find_attribute(attribute) != nullptr && call.stated(attribute);
}

void erase(Golden& golden, const char* attribute) {
  std::erase_if(golden.node.attributes, [&](const Attribute& stated) { return stated.name == attribute; });
}

void set(Golden& golden, const char* attribute, AttributeValue value) {
  erase(golden, attribute);
  golden.node.attributes.push_back({attribute, std::move(value)});
}

using Mistake = std::function<Outcome(const Golden&)>;

Mistake ignored(const char* attribute) {
  return [attribute](Golden golden) -> Outcome {
    if (!states(golden, attribute)) return std::nullopt;
    erase(golden, attribute);
    return evaluated(golden);
  };
}

/// A list attribute with its values changed.
Mistake changed(const char* attribute, const std::function<void(Integers&)>& change) {
  return [attribute, change](Golden golden) -> Outcome {
    if (!states(golden, attribute)) return std::nullopt;
    Integers values = golden.call().integers(attribute);
    change(values);
    set(golden, attribute, AttributeValue::of(values));
    return evaluated(golden);
  };
}

void reverse(Integers& values) { std::ranges::reverse(values); }
void swap_halves(Integers& values) {
  std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
}
void interleave(Integers& values) {
  const Integers old = values;
  for (size_t i = 0; i < old.size() / 2; ++i) values[i] = old[2 * i], values[old.size() / 2 + i] = old[2 * i + 1];
}
void add_one(Integers& values) {
  for (std::int64_t& value : values) ++value;
}

Mistake set_integer(const char* attribute, std::int64_t value) {
  return [=](Golden golden) -> Outcome {
    if (golden.call().schema().find_attribute(attribute) == nullptr) return std::nullopt;
    set(golden, attribute, AttributeValue::of(value));
    return evaluated(golden);
  };
}

Mistake same_sides_exchanged() {
  return [](Golden golden) -> Outcome {
    const std::string mode = golden.call().string("auto_pad");
    const std::map<std::string, std::string> other = {{"SAME_UPPER", "SAME_LOWER"},
                                                      {"SAME_LOWER", "SAME_UPPER"},
                                                      {"same_upper", "same_lower"},
                                                      {"same_lower", "same_upper"}};
    if (!other.contains(mode)) return std::nullopt;
    set(golden, "auto_pad", AttributeValue::of(other.at(mode)));
    return evaluated(golden);
  };
}

/// Another alternative of a reading, or its default of a version.
Mistake reading(const char* name, const char* alternative) {
  return [=](const Golden& golden) -> Outcome {
    const std::string_view now = golden.call().reading(name);
    if (now.empty() || now == alternative) return std::nullopt;
    return evaluated(golden, {{name, alternative}});
  };
}

Mistake pads_begin_and_end_exchanged() {
  return [](Golden golden) -> Outcome {
    if (!states(golden, "pads_begin") || !states(golden, "pads_end")) return std::nullopt;
    const Call call = golden.call();
    set(golden, "pads_begin", AttributeValue::of(call.integers("pads_end")));
    set(golden, "pads_end", AttributeValue::of(call.integers("pads_begin")));
    return evaluated(golden);
  };
}

// --- Mistakes in the inputs' elements

/// The tensor whose element `at` is the original's element `source(at)`.
Tensor moved(const Tensor& tensor, const std::function<Dims(Dims)>& source) {
  TensorBuilder result(tensor.type());
  with_unit(tensor.dtype(), [&]<class Unit>(Unit) {
    const auto from = tensor.values<Unit>();
    const auto to = result.values<Unit>();
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = from[static_cast<size_t>(
          position(source(coordinates(static_cast<std::int64_t>(i), tensor.shape())), tensor.shape()))];
  });
  return std::move(result).finish();
}

/// Input `index` with its elements moved, where it is there.
Mistake input_moved(size_t index, const std::function<Dims(const Golden&, Dims)>& source) {
  return [=](Golden golden) -> Outcome {
    if (index >= golden.inputs.size() || !golden.inputs[index].value) return std::nullopt;
    const Golden right = golden;
    golden.inputs[index].value = moved(right.inputs[index].tensor(), [&](const Dims& at) { return source(right, at); });
    return evaluated(golden);
  };
}

size_t spatial_axes(const Golden& golden) { return golden.inputs[0].type.tensor.rank() - 2; }

Dims flipped(const Golden& golden, Dims at) {
  const Dims& w = golden.inputs[1].type.tensor.shape;
  for (size_t axis = w.size() - spatial_axes(golden); axis < w.size(); ++axis) at[axis] = w[axis] - 1 - at[axis];
  return at;
}

/// The kernel's elements in another order of axes: read with the last two spatial sizes exchanged.
Dims last_axes_exchanged(const Golden& golden, const Dims& at) {
  const Dims& w = golden.inputs[1].type.tensor.shape;
  Dims exchanged = w, place = at;
  if (spatial_axes(golden) < 2) return at;
  std::swap(exchanged[w.size() - 1], exchanged[w.size() - 2]);
  std::swap(place[w.size() - 1], place[w.size() - 2]);
  return coordinates(position(place, exchanged), w);
}

Dims channels_exchanged(const Golden& golden, const Dims& at) {
  const Dims& w = golden.inputs[1].type.tensor.shape;
  const size_t first = w.size() - spatial_axes(golden) - 2;
  Dims exchanged = w, place = at;
  std::swap(exchanged[first], exchanged[first + 1]);
  std::swap(place[first], place[first + 1]);
  return coordinates(position(place, exchanged), w);
}

Dims first_of(size_t axis, Dims at) {
  at[axis] = 0;
  return at;
}

Mistake without_input(size_t index) {
  return [index](Golden golden) -> Outcome {
    if (index >= golden.inputs.size() || golden.inputs[index].name.empty()) return std::nullopt;
    golden.inputs[index] = {};
    golden.node.inputs[index] = "";
    return evaluated(golden);
  };
}

// --- Mistakes in the loops: the kernels once more, as written from the specification, with a switch

enum class Loop : std::uint8_t {
  right,
  dilation_off_by_one,
  first_tap_skipped,
  last_tap_skipped,
  last_window_dropped,
  last_channel_skipped,
  groups_read_first_channels,
  groups_read_first_kernels,
  edge_repeated,
  bias_twice,
  bias_by_position
};

bool is_float(const Golden& golden) { return info(golden.inputs[0].type.dtype()).kind == Kind::floating; }

Dims list_or(const Call& call, const char* attribute, size_t axes, std::int64_t absent) {
  const bool has = call.schema().find_attribute(attribute) != nullptr && call.has(attribute);
  return has ? Dims(call.integers(attribute)) : Dims::filled(axes, absent);
}

double element(const Tensor& tensor, std::int64_t index) { return floating_element(tensor, index); }

TermTable norm_terms(const Call& call, Loop mistake) {
  const Tensor& x = call.input("X");
  const Dims L = x.shape().without_first(2);
  const std::vector<Dims> placed = call.op().geometry(call);
  const Dims &begin = placed[0], &O = placed[1];
  const Dims k = list_or(call, "kernel_shape", L.size(), 1), s = list_or(call, "strides", L.size(), 1);
  Dims d = list_or(call, "dilations", L.size(), 1);
  if (mistake == Loop::dilation_off_by_one) d = d + 1;
  TermTable table;
  table.norm =
      call.version() == 1 ? static_cast<double>(call.number("p")) : static_cast<double>(call.integer("p"));
  const std::int64_t planes = x.shape()[0] * x.shape()[1], plane = element_count(L), taps = element_count(k);
  for (std::int64_t c = 0; c < planes; ++c)
    for (std::int64_t o = 0; o < element_count(O); ++o) {
      const Dims at = coordinates(o, O);
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        if (mistake == Loop::first_tap_skipped && tap == 0) continue;
        if (mistake == Loop::last_tap_skipped && tap == taps - 1) continue;
        if (mistake == Loop::last_window_dropped && at[O.size() - 1] == O[O.size() - 1] - 1) continue;
        Dims i = at * s + coordinates(tap, k) * d - begin;
        bool inside = true;
        for (size_t axis = 0; axis < L.size(); ++axis) {
          if (mistake == Loop::edge_repeated) i[axis] = std::clamp<std::int64_t>(i[axis], 0, L[axis] - 1);
          inside &= i[axis] >= 0 && i[axis] < L[axis];
        }
        if (inside) table.terms.push_back({element(x, c * plane + position(i, L)), 1, false});
      }
      table.ends.push_back(table.terms.size());
    }
  table.kernel = taps;
  return table;
}

/// [groups, channels of a group, output channels of a group]
Dims kernel_channels(const Call& call) {
  const Dims& w = call.inputs()[1].type.tensor.shape;
  if (call.op().op_type() == "GroupConvolutionBackpropData") return w.first(3);
  const std::int64_t groups = call.op().op_type() == "ConvTranspose" ? call.integer("group") : 1;
  return {groups, w[0] / groups, w[1]};
}

TermTable product_terms(const Call& call, Loop mistake) {
  const Tensor &x = call.inputs()[0].tensor(), &w = call.inputs()[1].tensor();
  const bool onnx = call.op().op_type() == "ConvTranspose";
  const Tensor* b = onnx && call.has("B") ? &call.input("B") : nullptr;
  const Dims L = x.shape().without_first(2), channels = kernel_channels(call);
  const Dims k = w.shape().without_first(w.shape().size() - L.size());
  const std::vector<Dims> placed = call.op().geometry(call);
  const Dims &begin = placed[0], &O = placed[1];
  const Dims s = list_or(call, "strides", L.size(), 1);
  Dims d = list_or(call, "dilations", L.size(), 1);
  if (mistake == Loop::dilation_off_by_one) d = d + 1;
  const std::int64_t G = channels[0], C = channels[1], M = channels[2], plane = element_count(L),
                     taps = element_count(k);
  TermTable table;
  for (std::int64_t n = 0; n < x.shape()[0]; ++n)
    for (std::int64_t g = 0; g < G; ++g)
      for (std::int64_t m = 0; m < M; ++m)
        for (std::int64_t o = 0; o < element_count(O); ++o) {
          const Dims at = coordinates(o, O);
          const std::int64_t bias = mistake == Loop::bias_by_position ? o % (G * M) : g * M + m;
          for (int times = 0; b != nullptr && times < (mistake == Loop::bias_twice ? 2 : 1); ++times)
            table.terms.push_back({element(*b, bias), 1, false});
          for (std::int64_t c = 0; c < C; ++c)
            for (std::int64_t tap = 0; tap < taps; ++tap) {
              if (mistake == Loop::last_channel_skipped && c == C - 1) continue;
              if (mistake == Loop::first_tap_skipped && tap == 0) continue;
              if (mistake == Loop::last_tap_skipped && tap == taps - 1) continue;
              if (mistake == Loop::last_window_dropped && at[O.size() - 1] == O[O.size() - 1] - 1) continue;
              const Dims from = at + begin - coordinates(tap, k) * d;
              Dims i = from;
              bool inside = true;
              for (size_t axis = 0; axis < L.size(); ++axis) {
                inside &= from[axis] >= 0 && from[axis] % s[axis] == 0 && from[axis] / s[axis] < L[axis];
                i[axis] = from[axis] / s[axis];
              }
              if (!inside) continue;
              const std::int64_t gx = mistake == Loop::groups_read_first_channels ? 0 : g;
              const std::int64_t gw = mistake == Loop::groups_read_first_kernels ? 0 : g;
              table.terms.push_back({element(x, ((n * G + gx) * C + c) * plane + position(i, L)),
                                     element(w, ((gw * C + c) * M + m) * taps + tap), true});
            }
          table.ends.push_back(table.terms.size());
        }
  table.channels = C;
  table.kernel = taps;
  return table;
}

std::optional<TermTable> terms_of(const Golden& golden, Loop mistake) {
  if (!is_float(golden)) return std::nullopt;
  const Call call = golden.call();
  return call.op().op_type() == "LpPool" ? norm_terms(call, mistake) : product_terms(call, mistake);
}

std::vector<Tensor> computed(const Golden& golden, const TermTable& table, const Arithmetic& way) {
  const TensorType& type = golden.expected.front().type();
  TensorBuilder y(type);
  const int bytes = info(type.dtype).bits / 8;
  const bool is_norm = table.norm.has_value() && to_text(way).empty();
  for (size_t i = 0; i < table.ends.size(); ++i) {
    std::byte* const element = &y.bytes()[i * static_cast<size_t>(bytes)];
    if (is_norm) {
      // Arithmetic's norms are float64: rounded once only here.
      std::vector<double> window;
      for (const TermTable::Term& term : table.of(i)) window.push_back(term.a);
      store_norm(type.dtype, window, *table.norm, {}, element);
      continue;
    }
    const std::uint64_t bits = way.element(table, i, type.dtype);
    for (int byte = 0; byte < bytes; ++byte) element[byte] = static_cast<std::byte>(bits >> (8 * byte));
  }
  std::vector<Tensor> outputs;
  outputs.push_back(std::move(y).finish());
  return outputs;
}

Mistake loop(Loop mistake) {
  return [mistake](const Golden& golden) -> Outcome {
    const auto table = terms_of(golden, mistake);
    return table ? Outcome(computed(golden, *table, {})) : std::nullopt;
  };
}

Mistake arithmetic(const std::function<std::optional<Arithmetic>(DType)>& way_for) {
  return [way_for](const Golden& golden) -> Outcome {
    const auto way = way_for(golden.inputs[0].type.dtype());
    const auto table = way ? terms_of(golden, Loop::right) : std::nullopt;
    return table ? Outcome(computed(golden, *table, *way)) : std::nullopt;
  };
}

Mistake accumulation(DType in) {
  return arithmetic([in](DType dtype) -> std::optional<Arithmetic> {
    // A wider type than twice the elements' is no mistake that a value shows.
    if (info(in).bits < info(dtype).bits) return std::nullopt;
    return Arithmetic{.accumulator = in};
  });
}

Mistake accumulation_in_own_type() {
  return arithmetic([](DType dtype) { return std::optional(Arithmetic{.accumulator = dtype}); });
}

Mistake double_rounding(DType through) {
  return arithmetic([through](DType dtype) -> std::optional<Arithmetic> {
    if (info(through).bits <= info(dtype).bits) return std::nullopt;
    return Arithmetic{.through = through};
  });
}

Mistake always(const Arithmetic& way) {
  return arithmetic([way](DType) { return std::optional(way); });
}

/// Y + B in the elements' type, after the sum without B was rounded.
Outcome bias_after_rounding(const Golden& golden) {
  if (golden.inputs.size() < 3 || !golden.inputs[2].value) return std::nullopt;
  Golden without = golden;
  without.inputs[2] = {};
  without.node.inputs[2] = "";
  const Tensor y = evaluated(without)->front();
  const Tensor& b = golden.inputs[2].tensor();
  const std::int64_t plane = element_count(y.shape().without_first(2)), channels = y.shape()[1];
  TermTable table;
  for (std::int64_t i = 0; i < y.count(); ++i) {
    table.terms.push_back({element(y, i), 1, false});
    table.terms.push_back({element(b, i / plane % channels), 1, false});
    table.ends.push_back(table.terms.size());
  }
  return computed(golden, table, {});
}

// --- MaxUnpool

enum class Unpool : std::uint8_t {
  right,
  plane_indices,
  plane_indices_wrapped,
  batch_dropped,
  first_write_wins,
  writes_added,
  column_major,
  shifted_by_pads,
  zero_is_nan,
  through_float32,
  through_float16,
  minus_zero_lost,
  subnormal_lost,
  nan_is_zero,
  last_element_skipped
};

double changed_value(double x, DType dtype, Unpool mistake) {
  if (mistake == Unpool::through_float32) return static_cast<double>(static_cast<float>(x));
  if (mistake == Unpool::through_float16) return widen(nearest<Half>(x));
  if (mistake == Unpool::minus_zero_lost) return x + 0.0;
  if (mistake == Unpool::nan_is_zero) return std::isnan(x) ? 0 : x;
  const double least = dtype == DType::float16 ? 0x1p-14 : dtype == DType::float64 ? 0x1p-1022 : 0x1p-126;
  if (mistake == Unpool::subnormal_lost) return std::abs(x) < least ? std::copysign(0.0, x) : x;
  return x;
}

Outcome unpooled(const Golden& golden, Unpool mistake) {
  const Call call = golden.call();
  const Tensor &x = call.input("X"), &indices = call.input("I");
  const Dims output = golden.expected.front().shape();
  const size_t axes = output.size() - 2;
  const Dims pads = list_or(call, "pads", 2 * axes, 0);
  std::vector<double> y(static_cast<size_t>(element_count(output)),
                        mistake == Unpool::zero_is_nan ? std::nan("") : 0.0);
  std::vector<char> written(y.size());
  const std::int64_t plane = element_count(output.without_first(2)), channels = output[1];
  const std::int64_t each = element_count(x.shape().without_first(2));
  const auto from = indices.values<std::int64_t>();
  for (std::int64_t e = 0; e < x.count() - (mistake == Unpool::last_element_skipped); ++e) {
    std::int64_t to = from[static_cast<size_t>(e)];
    if (mistake == Unpool::plane_indices) to += e / each * plane;
    if (mistake == Unpool::plane_indices_wrapped) to = e / each * plane + to % plane;
    if (mistake == Unpool::batch_dropped) to %= plane * channels;
    if (mistake == Unpool::column_major) {
      Dims at = coordinates(to, output), reversed = output;
      std::reverse(at.begin() + 2, at.end());
      std::reverse(reversed.begin() + 2, reversed.end());
      to = position(at, reversed);
    }
    if (mistake == Unpool::shifted_by_pads && axes > 0) to += pads[axes - 1];
    if (to < 0 || to >= static_cast<std::int64_t>(y.size())) return std::vector<Tensor>{};  // it crashes
    const auto place = static_cast<size_t>(to);
    const double value = changed_value(element(x, e), x.dtype(), mistake);
    if (mistake == Unpool::first_write_wins && written[place] != 0) continue;
    y[place] = mistake == Unpool::writes_added && written[place] != 0 ? y[place] + value : value;
    written[place] = 1;
  }
  TensorBuilder tensor(golden.expected.front().type());
  const int bytes = info(x.dtype()).bits / 8;
  for (size_t i = 0; i < y.size(); ++i) {
    const Scaled parts = std::isfinite(y[i]) ? scaled(y[i]) : Scaled{false, 0, 0};
    std::uint64_t bits = encode_bits(x.dtype(), parts.negative, parts.significand, parts.exponent);
    if (std::isnan(y[i])) bits = *nan_of(x.dtype());
    if (std::isinf(y[i])) bits = *infinity_of(x.dtype(), y[i] < 0);
    for (int byte = 0; byte < bytes; ++byte)
      tensor.bytes()[i * static_cast<size_t>(bytes) + static_cast<size_t>(byte)] =
          static_cast<std::byte>(bits >> (8 * byte));
  }
  std::vector<Tensor> outputs;
  outputs.push_back(std::move(tensor).finish());
  return outputs;
}

Mistake unpool(Unpool mistake) {
  return [mistake](const Golden& golden) { return unpooled(golden, mistake); };
}

// --- All of them

struct Mutant {
  std::string name;
  std::set<std::string> operators;
  Mistake mistake;
  /// Why no case of the set can find it; empty: one must.
  std::string survives = {};
};

const std::set<std::string> kPool = {"LpPool"}, kUnpool = {"MaxUnpool"}, kOnnx = {"ConvTranspose"},
                            kOpenvino = {"ConvolutionBackpropData", "GroupConvolutionBackpropData"},
                            kConvolutions = {"ConvTranspose", "ConvolutionBackpropData",
                                             "GroupConvolutionBackpropData"},
                            kGroups = {"ConvTranspose", "GroupConvolutionBackpropData"},
                            kSums = {"LpPool", "ConvTranspose", "ConvolutionBackpropData",
                                     "GroupConvolutionBackpropData"},
                            kWindows = {"LpPool", "MaxUnpool", "ConvTranspose"};

std::vector<Mutant> mutants() {
  return {
      {"pads: begin and end exchanged", {"LpPool", "ConvTranspose"}, changed("pads", swap_halves)},
      {"pads: read axis by axis", kWindows, changed("pads", interleave)},
      {"pads: in reverse order of axes", {"LpPool", "ConvTranspose"}, changed("pads", reverse)},
      {"pads: ignored", kWindows, ignored("pads")},
      {"pads_begin and pads_end exchanged", kOpenvino, pads_begin_and_end_exchanged()},
      {"pads_begin: ignored", kOpenvino, ignored("pads_begin")},
      {"pads_end: ignored", kOpenvino, ignored("pads_end")},
      {"strides: ignored",
       {"LpPool", "MaxUnpool", "ConvTranspose", *kOpenvino.begin(), *kOpenvino.rbegin()},
       ignored("strides")},
      {"strides: in reverse order of axes",
       {"LpPool", "MaxUnpool", "ConvTranspose", *kOpenvino.begin(), *kOpenvino.rbegin()},
       changed("strides", reverse)},
      {"dilations: ignored", kSums, ignored("dilations")},
      {"dilations: in reverse order of axes", kSums, changed("dilations", reverse)},
      {"dilations: off by one in the taps", kSums, loop(Loop::dilation_off_by_one)},
      {"dilations: off by one in the size too", kSums, changed("dilations", add_one)},
      {"kernel_shape: in reverse order of axes", {"LpPool", "MaxUnpool"}, changed("kernel_shape", reverse)},
      {"auto_pad: ignored", kSums, ignored("auto_pad")},
      {"auto_pad: the odd pad on the other side", kSums, same_sides_exchanged()},
      {"ceil_mode: ignored", kPool, ignored("ceil_mode")},
      {"ceil_mode: always", kPool, set_integer("ceil_mode", 1)},
      {"ceil_mode: a window that starts in the end padding is kept", kPool, reading("lp_pool.ceil_drop", "keep")},
      {"ceil_mode: a window that starts in the end padding is dropped", kPool, reading("lp_pool.ceil_drop", "drop")},
      {"ceil_mode: not with VALID", kPool, reading("lp_pool.valid_ceil", "ignored")},
      {"auto_pad: SAME pads for the kernel without dilations", kPool, reading("lp_pool.same_dilation", "ignored")},
      {"auto_pad: SAME keeps the size, whatever the strides", kPool, reading("lp_pool.same_size", "input")},
      {"p: always 2", kPool, ignored("p")},
      {"every window's first tap skipped", kSums, loop(Loop::first_tap_skipped)},
      {"every window's last tap skipped", kSums, loop(Loop::last_tap_skipped)},
      {"the last window of each row dropped", kSums, loop(Loop::last_window_dropped)},
      {"the edge repeated instead of padding", kPool, loop(Loop::edge_repeated)},
      {"partial windows scaled to whole ones", kPool, reading("lp_pool.partial_window", "rescaled")},
      {"NaN left out", kPool, reading("lp_pool.nan", "skip")},
      {"mean instead of sum under the root", kPool, always({.divide = Arithmetic::Divide::by_terms})},
      {"the root forgotten", kPool, always({.norm = Arithmetic::Norm::without_root})},
      {"the absolute value forgotten", kPool, always({.norm = Arithmetic::Norm::without_abs})},
      {"all batches read the first", kSums,
       input_moved(0, [](const Golden&, const Dims& at) { return first_of(0, at); })},
      {"all channels read the first", kSums,
       input_moved(0, [](const Golden&, const Dims& at) { return first_of(1, at); })},
      {"group: ignored", kOnnx, ignored("group")},
      {"groups: all read the first group's channels", kGroups, loop(Loop::groups_read_first_channels)},
      {"groups: all use the first group's kernels", kGroups, loop(Loop::groups_read_first_kernels)},
      {"the last input channel of each group skipped", kConvolutions, loop(Loop::last_channel_skipped)},
      {"kernel: flipped", kConvolutions, input_moved(1, flipped)},
      {"kernel: spatial axes exchanged", kConvolutions, input_moved(1, last_axes_exchanged)},
      {"kernel: input and output channels exchanged", kConvolutions, input_moved(1, channels_exchanged)},
      {"bias: missing", kOnnx, without_input(2)},
      {"bias: twice", kOnnx, loop(Loop::bias_twice)},
      {"bias: by position, not by channel", kOnnx, loop(Loop::bias_by_position)},
      {"bias: the first channel's for all", kOnnx,
       input_moved(2, [](const Golden&, const Dims& at) { return first_of(0, at); })},
      {"bias: added after the sum was rounded", kOnnx, bias_after_rounding},
      {"output_padding: ignored", kConvolutions, ignored("output_padding")},
      {"output_padding: in reverse order of axes", kConvolutions, changed("output_padding", reverse)},
      {"output_padding: elements are zero", kOnnx, reading("conv_transpose.output_padding_values", "zeros")},
      {"output_shape: ignored", kOnnx, ignored("output_shape")},
      {"output_shape: in reverse order of axes", kOnnx, changed("output_shape", reverse)},
      {"output_shape: the split of version 1", kOnnx, reading("conv_transpose.split", "rule-1")},
      {"output_shape: the split of version 11", kOnnx, reading("conv_transpose.split", "rule-11")},
      {"output_shape: what exceeds the full size on both sides", kOnnx, reading("conv_transpose.surplus", "split")},
      {"auto_pad: SAME gives L*strides even where the kernel is smaller", kOnnx,
       reading("conv_transpose.same_size", "text")},
      {"auto_pad: SAME adds output_padding", kOnnx, reading("conv_transpose.same_size", "inference")},
      {"auto_pad: SAME keeps the size", kOnnx, reading("conv_transpose.same_size", "input")},
      {"output_shape: the split of the text", kOpenvino, reading("openvino.same_split", "text")},
      {"output_shape: the pads of the document", kOpenvino, reading("openvino.output_shape_pads", "document")},
      {"output_shape: ignored (input)", {"MaxUnpool", *kOpenvino.begin(), *kOpenvino.rbegin()}, without_input(2)},
      {"integers: saturate", kOpenvino, reading("openvino.integer_overflow", "saturate")},
      {"sum: in the elements' type", kSums, accumulation_in_own_type()},
      {"sum: in float16", kSums, accumulation(DType::float16)},
      {"sum: in bfloat16", kSums, accumulation(DType::bfloat16)},
      {"sum: in float32", kSums, accumulation(DType::float32)},
      {"sum: in float64", kSums, accumulation(DType::float64)},
      {"rounding: twice, through float32", kSums, double_rounding(DType::float32)},
      {"rounding: twice, through float64", kSums, double_rounding(DType::float64)},
      {"rounding: ties away from zero", kSums, always({.rounding = Arithmetic::Rounding::ties_away})},
      {"rounding: toward zero", kSums, always({.rounding = Arithmetic::Rounding::toward_zero})},
      {"inputs: rounded to bfloat16", kSums, always({.inputs = DType::bfloat16})},
      {"subnormal inputs are zero", kSums, always({.flush = Arithmetic::Flush::inputs})},
      {"subnormal results are zero", kSums, always({.flush = Arithmetic::Flush::results})},
      {"indices: taken as each plane's own", kUnpool, unpool(Unpool::plane_indices)},
      {"indices: modulo the plane, put into their own", kUnpool, unpool(Unpool::plane_indices_wrapped),
       "an index of a real pooling lies in its own plane: it stays the same"},
      {"indices: without the batch", kUnpool, unpool(Unpool::batch_dropped)},
      {"indices: column by column", kUnpool, unpool(Unpool::column_major)},
      {"indices: shifted by pads", kUnpool, unpool(Unpool::shifted_by_pads)},
      {"indices: of the inferred tensor", kUnpool, reading("max_unpool.index_space", "inferred")},
      {"of several writes the first wins", kUnpool, unpool(Unpool::first_write_wins)},
      {"several writes are added", kUnpool, unpool(Unpool::writes_added)},
      {"what is not written is NaN", kUnpool, unpool(Unpool::zero_is_nan)},
      {"values go through float32", kUnpool, unpool(Unpool::through_float32)},
      {"values go through float16", kUnpool, unpool(Unpool::through_float16)},
      {"-0 becomes +0", kUnpool, unpool(Unpool::minus_zero_lost)},
      {"subnormal values become zero", kUnpool, unpool(Unpool::subnormal_lost)},
      {"NaN becomes zero", kUnpool, unpool(Unpool::nan_is_zero)},
      {"the last element is not moved", kUnpool, unpool(Unpool::last_element_skipped)},
      {"pads: begin and end exchanged (unpooling)", kUnpool, changed("pads", swap_halves),
       "only the sum of both pads of an axis matters: it decides the output's size, the indices all else"},
  };
}

/// Whether the outcome is not what the case expects.
bool kills(const Golden& golden, const std::vector<Tensor>& outputs) {
  if (outputs.size() != golden.expected.size()) return true;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].type() != golden.expected[i].type() || !compare(outputs[i], golden.expected[i], Tolerance{}).equal())
      return true;
  return false;
}

struct Tally {
  size_t tried = 0;
  std::set<size_t> killers;
};

void try_on(const Golden& golden, size_t index, const std::vector<Mutant>& all, std::vector<Tally>& tallies) {
  for (size_t m = 0; m < all.size(); ++m) {
    if (!all[m].operators.contains(golden.node.op_type)) continue;
    bool killed = true;
    try {
      const Outcome outcome = all[m].mistake(golden);
      if (!outcome) continue;
      killed = kills(golden, *outcome);
    } catch (const Error& error) {
      if (error.fault() == Fault::internal) throw;  // else it refuses a valid node
    }
    ++tallies[m].tried;
    if (killed) tallies[m].killers.insert(index);
  }
}

std::vector<Golden> all_golden() {
  const char* folders = std::getenv("OPREF_GOLDEN");
  std::vector<Golden> cases;
  for (std::string rest = folders == nullptr ? "" : folders; !rest.empty();) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path folder = rest.substr(0, colon);
    rest = rest.substr(std::min(colon + 1, rest.size()));
    for (const auto& [name, entry] : read_manifest(folder).entries)
      if (entry.find("\"expect_error\"") == std::string::npos) cases.push_back(read_golden(folder, name));
  }
  return cases;
}

/// Few cases that kill all that can be killed: always the one that kills most of those that are left.
std::vector<size_t> few_that_kill_all(const std::vector<Tally>& tallies) {
  std::set<size_t> left;
  for (size_t m = 0; m < tallies.size(); ++m)
    if (!tallies[m].killers.empty()) left.insert(m);
  std::vector<size_t> chosen;
  while (!left.empty()) {
    std::map<size_t, size_t> kills_of;
    for (const size_t m : left)
      for (const size_t killer : tallies[m].killers) ++kills_of[killer];
    const auto best = std::ranges::max_element(kills_of, {}, [](const auto& entry) { return entry.second; });
    chosen.push_back(best->first);
    std::erase_if(left, [&](size_t m) { return tallies[m].killers.contains(best->first); });
  }
  return chosen;
}

}  // namespace

TEST_CASE("the kernels without a mistake give every golden case", "[.mutants]") {
  const std::vector<Golden> cases = all_golden();
  REQUIRE(cases.size() > 100);
  for (const Golden& golden : cases) {
    INFO(golden.name);
    CHECK_FALSE(kills(golden, *evaluated(golden)));
    if (golden.node.op_type == "MaxUnpool") CHECK_FALSE(kills(golden, *unpooled(golden, Unpool::right)));
    if (golden.node.op_type != "MaxUnpool" && is_float(golden)) CHECK_FALSE(kills(golden, *loop(Loop::right)(golden)));
  }
}

TEST_CASE("every mistake is found by some golden case, unless it is explained", "[.mutants]") {
  const std::vector<Golden> cases = all_golden();
  const std::vector<Mutant> all = mutants();
  REQUIRE(cases.size() > 100);
  REQUIRE(all.size() >= 40);
  std::vector<Tally> tallies(all.size());
  for (size_t i = 0; i < cases.size(); ++i) try_on(cases[i], i, all, tallies);
  std::printf("%-68s %6s %6s  %s\n", "mistake", "tried", "killed", "for example by");
  for (size_t m = 0; m < all.size(); ++m) {
    const Tally& tally = tallies[m];
    std::printf("%-68s %6zu %6zu  %s\n", all[m].name.c_str(), tally.tried, tally.killers.size(),
                tally.killers.empty() ? "SURVIVES" : cases[*tally.killers.begin()].name.c_str());
    if (!all[m].survives.empty()) std::printf("    %s\n", all[m].survives.c_str());
    INFO(all[m].name);
    CHECK(tally.tried > 0);
    CHECK(tally.killers.empty() == !all[m].survives.empty());
  }
  const std::vector<size_t> few = few_that_kill_all(tallies);
  const auto killed = std::ranges::count_if(tallies, [](const Tally& tally) { return !tally.killers.empty(); });
  std::printf("\n%td of %zu mistakes are found by %zu cases; these %zu would do:\n", killed, all.size(), cases.size(),
              few.size());
  for (const size_t i : few) std::printf("  %s\n", cases[i].name.c_str());
}
