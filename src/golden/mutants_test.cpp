// SPDX-License-Identifier: Apache-2.0
// Is a set of golden cases any good? Deliberate mistakes are evaluated on every case of the folders in OPREF_GOLDEN
// (separated by ':'); one that gives the expected outputs of all cases survives. They are those of explain/mistakes.h,
// the alternatives of readings, both of each operator, and here kernels that somebody may have written. Hidden:
// scripts/lab/mutants makes the folders, runs this and prints its table.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "compare/compare.h"
#include "core/error.h"
#include "exact/results.h"
#include "exact/rounding.h"
#include "explain/arithmetic.h"
#include "explain/mistakes.h"
#include "golden/manifest.h"
#include "io/tensor_source.h"
#include "ops/common/mistakes.h"
#include "ops/operators.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "system/parallel.h"

using namespace opref::golden;

namespace fs = std::filesystem;

namespace {

using Integers = std::vector<std::int64_t>;

/// A golden case: what its node is, and what it must give.
struct Golden {
  std::string name;
  Call call;
  std::vector<Tensor> expected;
};

/// What a mistaken kernel gives; nothing where the mistake cannot be made in this case.
using Outcome = std::optional<std::vector<Tensor>>;

/// Nothing where an output is no tensor.
std::optional<Golden> read_golden(const fs::path& folder, const std::string& name) {
  const fs::path json = folder / name / "case.json";
  const Bound loaded = bind_case(read_case(fs::exists(json) ? json.string() : (folder / name).string()));
  std::vector<std::string> warnings;
  const EvaluationOptions options;
  const Environment environment = load_inputs(loaded, options, warnings);
  Golden golden{name, resolve_node(loaded.graph, loaded.graph.nodes.front(), environment, options), {}};
  const DType dtype = golden.call.op().output_types(golden.call).front().dtype();
  for (const NamedSource& expected : loaded.expected) {
    const Value value = settle(load(expected.source), dtype);
    if (value.tensor() == nullptr) return std::nullopt;
    golden.expected.push_back(*value.tensor());
  }
  return golden;
}

Outcome evaluated(const Call& call) { return tensors_of(call.op().kernel(call, call.op().output_types(call))); }

using Tried = std::function<Outcome(const Golden&)>;

// --- Mistakes in what the node says, beside those of the catalogue

Outcome dilations_off_by_one(const Golden& golden) {
  if (!golden.call.stated("dilations")) return std::nullopt;
  Integers dilations = golden.call.integers("dilations");
  for (std::int64_t& d : dilations) ++d;
  return evaluated(golden.call.with_attribute("dilations", AttributeValue::of(dilations)));
}

/// All elements of input `index` along an axis are the first.
Tried first_for_all(size_t index, size_t axis) {
  return [=](const Golden& golden) -> Outcome {
    const Call& call = golden.call;
    if (index >= call.inputs().size() || !call.inputs()[index].value) return std::nullopt;
    const Tensor changed = moved(call.inputs()[index].tensor(), [axis](Dims at) {
      at[axis] = 0;
      return at;
    });
    return evaluated(call.with_input(call.schema().inputs()[index].name, changed));
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

bool is_float(const Golden& golden) { return is_floating(golden.call.inputs()[0].type.dtype()); }

Dims list_or(const Call& call, const char* attribute, size_t axes, std::int64_t absent) {
  const bool has = call.schema().find_attribute(attribute) != nullptr && call.has(attribute);
  return has ? Dims(call.integers(attribute)) : Dims::filled(axes, absent);
}

double element(const Tensor& tensor, std::int64_t index) { return floating_element(tensor, index); }

TermTable norm_terms(const Call& call, Loop mistake) {
  const Tensor& x = call.input("X");
  const Dims L = x.shape().without_first(2);
  const std::vector<Dims> placed = call.op().placement(call);
  const Dims &begin = placed[0], &O = placed[1];
  const Dims k = list_or(call, "kernel_shape", L.size(), 1), s = list_or(call, "strides", L.size(), 1);
  Dims d = list_or(call, "dilations", L.size(), 1);
  if (mistake == Loop::dilation_off_by_one) d = d + 1;
  TermTable table;
  table.norm = call.version() == 1 ? static_cast<double>(call.number("p")) : static_cast<double>(call.integer("p"));
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
  table.order.taps = taps;
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
  const std::vector<Dims> placed = call.op().placement(call);
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
  table.order = {true, C, taps};
  return table;
}

std::optional<TermTable> terms_of(const Golden& golden, Loop mistake) {
  if (!is_float(golden)) return std::nullopt;
  const Call& call = golden.call;
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

Tried loop(Loop mistake) {
  return [mistake](const Golden& golden) -> Outcome {
    const auto table = terms_of(golden, mistake);
    return table ? Outcome(computed(golden, *table, {})) : std::nullopt;
  };
}

Tried arithmetic(const std::function<std::optional<Arithmetic>(DType)>& way_for) {
  return [way_for](const Golden& golden) -> Outcome {
    const auto way = way_for(golden.call.inputs()[0].type.dtype());
    const auto table = way ? terms_of(golden, Loop::right) : std::nullopt;
    return table ? Outcome(computed(golden, *table, *way)) : std::nullopt;
  };
}

Tried accumulation(DType in) {
  return arithmetic([in](DType dtype) -> std::optional<Arithmetic> {
    // A wider type than twice the elements' is no mistake that a value shows.
    if (info(in).bits < info(dtype).bits) return std::nullopt;
    return Arithmetic{.accumulator = in};
  });
}

Tried accumulation_in_own_type() {
  return arithmetic([](DType dtype) { return std::optional(Arithmetic{.accumulator = dtype}); });
}

Tried double_rounding(DType through) {
  return arithmetic([through](DType dtype) -> std::optional<Arithmetic> {
    if (info(through).bits <= info(dtype).bits) return std::nullopt;
    return Arithmetic{.through = through};
  });
}

Tried always(const Arithmetic& way) {
  return arithmetic([way](DType) { return std::optional(way); });
}

/// Y + B in the elements' type, after the sum without B was rounded.
Outcome bias_after_rounding(const Golden& golden) {
  if (!golden.call.has("B")) return std::nullopt;
  const Tensor y = evaluated(golden.call.without_input("B"))->front();
  const Tensor& b = golden.call.input("B");
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
  batch_dropped,
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
  const Call& call = golden.call;
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

Tried unpool(Unpool mistake) {
  return [mistake](const Golden& golden) { return unpooled(golden, mistake); };
}

// --- All of them

struct Mutant {
  std::string name;
  std::set<std::string> operators;
  Tried mistake;
};

const std::set<std::string> kPool = {"LpPool"}, kUnpool = {"MaxUnpool"}, kOnnx = {"ConvTranspose"},
                            kConvolutions = {"ConvTranspose", "ConvolutionBackpropData",
                                             "GroupConvolutionBackpropData"},
                            kGroups = {"ConvTranspose", "GroupConvolutionBackpropData"},
                            kSums = {"LpPool", "ConvTranspose", "ConvolutionBackpropData",
                                     "GroupConvolutionBackpropData"};

std::vector<Mutant> mutants() {
  return {
      {"dilations: off by one in the taps", kSums, loop(Loop::dilation_off_by_one)},
      {"dilations: off by one in the size too", kSums, dilations_off_by_one},
      {"every window's first tap skipped", kSums, loop(Loop::first_tap_skipped)},
      {"every window's last tap skipped", kSums, loop(Loop::last_tap_skipped)},
      {"the last window of each row dropped", kSums, loop(Loop::last_window_dropped)},
      {"the edge repeated instead of padding", kPool, loop(Loop::edge_repeated)},
      {"mean instead of sum under the root", kPool, always({.divide = Arithmetic::Divide::by_terms})},
      {"the root forgotten", kPool, always({.norm = Arithmetic::Norm::without_root})},
      {"the absolute value forgotten", kPool, always({.norm = Arithmetic::Norm::without_abs})},
      {"all batches read the first", kSums, first_for_all(0, 0)},
      {"all channels read the first", kSums, first_for_all(0, 1)},
      {"groups: all read the first group's channels", kGroups, loop(Loop::groups_read_first_channels)},
      {"groups: all use the first group's kernels", kGroups, loop(Loop::groups_read_first_kernels)},
      {"the last input channel of each group skipped", kConvolutions, loop(Loop::last_channel_skipped)},
      {"bias: twice", kOnnx, loop(Loop::bias_twice)},
      {"bias: by position, not by channel", kOnnx, loop(Loop::bias_by_position)},
      {"bias: the first channel's for all", kOnnx, first_for_all(2, 0)},
      {"bias: added after the sum was rounded", kOnnx, bias_after_rounding},
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
      {"indices: without the batch", kUnpool, unpool(Unpool::batch_dropped)},
      {"indices: column by column", kUnpool, unpool(Unpool::column_major)},
      {"indices: shifted by pads", kUnpool, unpool(Unpool::shifted_by_pads)},
      {"several writes are added", kUnpool, unpool(Unpool::writes_added)},
      {"what is not written is NaN", kUnpool, unpool(Unpool::zero_is_nan)},
      {"values go through float32", kUnpool, unpool(Unpool::through_float32)},
      {"values go through float16", kUnpool, unpool(Unpool::through_float16)},
      {"-0 becomes +0", kUnpool, unpool(Unpool::minus_zero_lost)},
      {"subnormal values become zero", kUnpool, unpool(Unpool::subnormal_lost)},
      {"NaN becomes zero", kUnpool, unpool(Unpool::nan_is_zero)},
      {"the last element is not moved", kUnpool, unpool(Unpool::last_element_skipped)},
  };
}

/// Whether the outcome is not what the case expects.
bool kills(const Golden& golden, const std::vector<Tensor>& outputs) {
  if (outputs.size() != golden.expected.size()) return true;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].type() != golden.expected[i].type() ||
        !compare_values(outputs[i], golden.expected[i], Tolerance{}).equal())
      return true;
  return false;
}

struct Tally {
  size_t tried = 0;
  std::set<size_t> killers;
};

/// By mistake.
using Tallies = std::map<std::string, Tally>;

void try_one(const Golden& golden, size_t index, const std::string& name, const Tried& mistake, Tallies& tallies) {
  bool killed = true;
  try {
    const Outcome outcome = mistake(golden);
    if (!outcome) return;
    killed = kills(golden, *outcome);
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;  // else it refuses a valid node
  }
  Tally& tally = tallies[name];
  ++tally.tried;
  if (killed) tally.killers.insert(index);
}

void try_on(const Golden& golden, size_t index, const std::vector<Mutant>& own, Tallies& tallies) {
  const Call& call = golden.call;
  for (const KnownMistake& known : known_mistakes(call))
    try_one(
        golden, index, format("{}: {}", call.op().op_type(), known.name),
        [&](const Golden&) {
          const auto other = in_play(known, call);
          return other ? evaluated(*other) : std::nullopt;
        },
        tallies);
  for (const Reading& reading : call.op().readings())
    for (const std::string_view alternative : reading.alternatives)
      if (!call.reading(reading.name).empty() && call.reading(reading.name) != alternative)
        try_one(
            golden, index, format("{}: reading {}={}", call.op().op_type(), reading.name, alternative),
            [&](const Golden&) { return evaluated(call.with_reading(reading.name, alternative)); }, tallies);
  for (const Mutant& mutant : own)
    if (mutant.operators.contains(std::string(call.op().op_type())))
      try_one(golden, index, mutant.name, mutant.mistake, tallies);
}

/// Why no valid case can show a mistake.
std::map<std::string, std::string> survivors() {
  const std::string only_refuses = "it decides only what is refused";
  return {
      {"ConvTranspose: kernel_shape ignored", "it can only say what W's shape says"},
      {"ConvTranspose: reading conv_transpose.output_padding_limit=none", only_refuses},
      {"ConvTranspose: reading conv_transpose.pads_with_auto_pad=auto_pad-wins", only_refuses},
      {"ConvTranspose: reading conv_transpose.pads_with_auto_pad=pads-win", only_refuses},
      {"LpPool: reading lp_pool.pads_with_auto_pad=auto_pad-wins", only_refuses},
      {"LpPool: reading lp_pool.pads_with_auto_pad=pads-win", only_refuses},
      {"MaxUnpool: reading max_unpool.index_space=output", "a pooling's indices address the output: auto finds that"},
  };
}

std::vector<Golden> all_golden() {
  const char* folders = std::getenv("OPREF_GOLDEN");
  std::vector<Golden> cases;
  for (std::string rest = folders == nullptr ? "" : folders; !rest.empty();) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path folder = rest.substr(0, colon);
    rest = rest.substr(std::min(colon + 1, rest.size()));
    for (const auto& [name, entry] : read_manifest(folder).entries)
      if (entry.find("\"expect_error\"") == std::string::npos)
        if (auto golden = read_golden(folder, name)) cases.push_back(*std::move(golden));
  }
  return cases;
}

/// Few cases that kill all that can be killed: always the one that kills most of those that are left.
std::vector<size_t> few_that_kill_all(Tallies left) {
  std::erase_if(left, [](const auto& tally) { return tally.second.killers.empty(); });
  std::vector<size_t> chosen;
  while (!left.empty()) {
    std::map<size_t, size_t> kills_of;
    for (const auto& [name, tally] : left)
      for (const size_t killer : tally.killers) ++kills_of[killer];
    const auto best = std::ranges::max_element(kills_of, {}, [](const auto& entry) { return entry.second; });
    chosen.push_back(best->first);
    std::erase_if(left, [&](const auto& tally) { return tally.second.killers.contains(best->first); });
  }
  return chosen;
}

}  // namespace

TEST_CASE("the kernels without a mistake give every golden case", "[golden][.mutants]") {
  const std::vector<Golden> cases = all_golden();
  REQUIRE(cases.size() > 100);
  for (const Golden& golden : cases) {
    INFO(golden.name);
    const std::string op_type(golden.call.op().op_type());
    CHECK_FALSE(kills(golden, *evaluated(golden.call)));
    if (op_type == "MaxUnpool") CHECK_FALSE(kills(golden, *unpooled(golden, Unpool::right)));
    if (kSums.contains(op_type) && is_float(golden)) CHECK_FALSE(kills(golden, *loop(Loop::right)(golden)));
  }
}

TEST_CASE("every mistake is found by some golden case, unless it is explained", "[golden][.mutants]") {
  const std::vector<Golden> cases = all_golden();
  const std::vector<Mutant> own = mutants();
  const std::map<std::string, std::string> explained = survivors();
  REQUIRE(cases.size() > 100);
  Tallies tallies;
  for (const Mutant& mutant : own) tallies[mutant.name];
  for (const auto& [name, why] : explained) tallies[name];
  for (size_t i = 0; i < cases.size(); ++i) try_on(cases[i], i, own, tallies);
  std::printf("%-78s %6s %6s  %s\n", "mistake", "tried", "killed", "for example by");
  for (const auto& [name, tally] : tallies) {
    std::printf("%-78s %6zu %6zu  %s\n", name.c_str(), tally.tried, tally.killers.size(),
                tally.killers.empty() ? "SURVIVES" : cases[*tally.killers.begin()].name.c_str());
    const auto why = explained.find(name);
    if (why != explained.end()) std::printf("    %s\n", why->second.c_str());
    INFO(name);
    CHECK((tally.tried > 0 || why != explained.end()));
    CHECK(tally.killers.empty() == (why != explained.end()));
  }
  const std::vector<size_t> few = few_that_kill_all(tallies);
  const auto killed = std::ranges::count_if(tallies, [](const auto& tally) { return !tally.second.killers.empty(); });
  std::printf("\n%td of %zu mistakes are found by %zu cases; these %zu would do:\n", killed, tallies.size(),
              cases.size(), few.size());
  for (const size_t i : few) std::printf("  %s\n", cases[i].name.c_str());
}
