// SPDX-License-Identifier: Apache-2.0
// A second formulation of pooling and transposed convolution, from the specification alone: scatter where the operators
// gather, integers of any length where they bound errors, and geometry of its own. It must agree with the operators bit
// for bit, and on what is rejected, over every small configuration.
#include "ops/sweep_testing.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "core/error.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace opref::ops::sweep::sweep_test {
namespace {

using Ints = std::vector<std::int64_t>;

/// One spatial axis; `output` is its entry in output_shape.
struct Axis {
  std::int64_t input = 1, kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0, output_padding = 0, output = 0;
  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
  /// Of a transposed convolution before anything is cut off.
  std::int64_t full() const { return stride * (input - 1) + output_padding + reach(); }
};

struct Config {
  std::string op_type;
  std::int64_t opset = 1;
  std::vector<Axis> axes;
  std::string auto_pad;
  bool pads = false, output_shape = false;  ///< whether stated
  std::optional<std::int64_t> ceil_mode;
  std::int64_t group = 1;
  unsigned p = 2, p_divisor = 1;  ///< LpPool's p as a fraction
  DType dtype = DType::float32;
  Data data = Data::integers;
  std::uint64_t variety = 0;  ///< chooses what the specification gives no rule about: channels, bias, values, spelling
  ReadingChoices readings;

  bool is_pool() const { return op_type == "LpPool"; }
  bool is_onnx() const { return is_pool() || op_type == "ConvTranspose"; }
  bool is_base() const { return op_type == "ConvolutionBackpropData"; }
  bool same() const { return lower() || upper(); }
  bool lower() const { return auto_pad == "SAME_LOWER" || auto_pad == "same_lower"; }
  bool upper() const { return auto_pad == "SAME_UPPER" || auto_pad == "same_upper"; }
  bool valid() const { return auto_pad == "VALID" || auto_pad == "valid"; }
  bool automatic() const { return same() || valid(); }
  std::uint64_t choose(std::uint64_t salt, std::uint64_t count) const {
    return mixed(variety + salt * 1000003) % count;
  }
  std::int64_t batch() const { return static_cast<std::int64_t>(1 + choose(1, 8) / 7); }
  std::int64_t group_inputs() const { return static_cast<std::int64_t>(1 + choose(2, 3) / 2); }
  std::int64_t group_outputs() const { return is_pool() ? 1 : static_cast<std::int64_t>(1 + choose(3, 3) / 2); }
  bool bias() const { return op_type == "ConvTranspose" && choose(4, 2) == 0; }
  std::string_view reading(std::string_view name, std::string_view otherwise) const {
    const auto chosen = readings.find(name);
    return chosen == readings.end() ? otherwise : std::string_view(chosen->second);
  }
};

std::string describe(const Config& c) {
  std::string text = format("{} opset {} {} data {} auto_pad '{}' group {} ceil {} p {}/{} pads {} variety {};",
                            c.op_type, c.opset, name(c.dtype), static_cast<int>(c.data), c.auto_pad, c.group,
                            c.ceil_mode.value_or(-1), c.p, c.p_divisor, c.pads, c.variety);
  for (const Axis& a : c.axes)
    text += format(" [L {} k {} s {} d {} pads {},{} op {} output {}]", a.input, a.kernel, a.stride, a.dilation,
                   a.begin, a.end, a.output_padding, c.output_shape ? a.output : -1);
  for (const auto& [name, choice] : c.readings) text += format(" {}={}", name, choice);
  return text;
}

// Geometry.

/// Where output element 0 lies on an axis, and how many there are.
struct Placement {
  std::int64_t begin, size;
};

std::int64_t floor_of(std::int64_t n, std::int64_t d) { return n >= 0 ? n / d : -((-n + d - 1) / d); }
std::int64_t ceil_of(std::int64_t n, std::int64_t d) { return -floor_of(-n, d); }

Placement place_pool(const Config& c, const Axis& a) {
  const bool same_ignores_dilation = c.reading("lp_pool.same_dilation", "effective") == "ignored";
  std::int64_t begin = c.pads && !c.automatic() ? a.begin : 0, end = c.pads && !c.automatic() ? a.end : 0;
  if (c.same()) {
    const bool whole = c.opset < 11 && c.reading("lp_pool.same_size", "ceil") == "input";
    const std::int64_t reach = same_ignores_dilation ? a.kernel : a.reach();
    const std::int64_t size = whole ? a.input : ceil_of(a.input, a.stride);
    const std::int64_t total = std::max<std::int64_t>(0, (size - 1) * a.stride + reach - a.input);
    begin = c.upper() ? total / 2 : total - total / 2;
    end = total - begin;
    if (!same_ignores_dilation) return {begin, size};  // else the windows that fit, as onnxruntime
  }
  const std::int64_t room = a.input + begin + end - a.reach();
  const bool ceil = c.ceil_mode.value_or(0) == 1 && !c.same() &&
                    (!c.valid() || c.reading("lp_pool.valid_ceil", "honoured") == "honoured");
  if (!ceil) return {begin, floor_of(room, a.stride) + 1};
  const std::int64_t size = ceil_of(room, a.stride) + 1;
  const bool drop = c.reading("lp_pool.ceil_drop", c.opset >= 22 ? "drop" : "keep") == "drop";
  return {begin, drop && (size - 1) * a.stride >= a.input + begin ? size - 1 : size};
}

Placement place_conv_transpose(const Config& c, const Axis& a) {
  const bool as_notset = c.pads && c.reading("conv_transpose.pads_with_auto_pad", "reject") == "pads-win";
  const bool upper = c.upper() && !as_notset;
  const auto cropped_to = [&](std::int64_t size, bool begin_smaller) {
    std::int64_t total = a.full() - size;
    if (total < 0 && c.reading("conv_transpose.surplus", "end") == "end") total = 0;
    const std::int64_t half = floor_of(total, 2);
    return Placement{begin_smaller ? half : total - half, size};
  };
  if (c.output_shape) {
    const std::string_view rule = c.reading("conv_transpose.split", c.opset >= 11 ? "rule-11" : "rule-1");
    return cropped_to(a.output, rule == "rule-11" ? upper : !upper);
  }
  if (c.same() && !as_notset) {
    const std::string_view reading = c.reading("conv_transpose.same_size", "natural");
    std::int64_t size = a.input * a.stride;
    if (reading == "natural") size = std::min(size, a.full());
    if (reading == "inference") size = a.reach() >= a.stride ? size + a.output_padding : a.full();
    if (reading == "input") size = a.input;
    return cropped_to(size, upper);
  }
  if ((c.valid() && !as_notset) || !c.pads) return {0, a.full()};
  return {a.begin, a.full() - a.begin - a.end};
}

Placement place_backprop(const Config& c, const Axis& a) {
  const std::int64_t begin = c.pads && !c.automatic() ? a.begin : 0, end = c.pads && !c.automatic() ? a.end : 0;
  if (!c.output_shape) return {begin, a.full() - begin - end};
  const bool document = c.reading("openvino.output_shape_pads", "implementation") == "document";
  if (!c.same() && !document) return {begin, a.output};
  const std::int64_t total = std::max<std::int64_t>(0, a.full() - a.output);
  const bool upper_begins_small = c.reading("openvino.same_split", "equation") == "text";
  return {c.upper() == upper_begins_small ? total / 2 : total - total / 2, a.output};
}

/// The placement on each axis, or nothing where the specification rejects the node.
std::optional<std::vector<Placement>> place(const Config& c) {
  if (c.is_onnx() && c.pads && c.automatic()) {
    bool zero = true;
    for (const Axis& a : c.axes) zero = zero && a.begin == 0 && a.end == 0;
    const bool chosen = c.reading("conv_transpose.pads_with_auto_pad", "reject") != "reject";
    if (!(c.is_pool() && c.valid() && zero) && !chosen) return std::nullopt;
  }
  if (c.is_pool() && c.opset < 18 && c.ceil_mode) return std::nullopt;
  std::vector<Placement> placements;
  for (const Axis& a : c.axes) {
    if (c.is_pool() && c.opset < 18 && a.dilation != 1) return std::nullopt;
    if (c.op_type == "ConvTranspose") {
      const std::string_view limit = c.reading("conv_transpose.output_padding_limit", c.opset >= 11 ? "max" : "none");
      if (limit == "max" && a.output_padding >= std::max(a.stride, a.dilation)) return std::nullopt;
      if (limit == "stride" && a.output_padding >= a.stride) return std::nullopt;
    }
    const Placement placement = c.is_pool()   ? place_pool(c, a)
                                : c.is_onnx() ? place_conv_transpose(c, a)
                                              : place_backprop(c, a);
    if (placement.size <= 0) return std::nullopt;
    placements.push_back(placement);
  }
  return placements;
}

// Values.

/// The input position and the tap that meet at an output position; positions are row-major over the spatial axes.
struct Meeting {
  std::int64_t input, tap, output;
};

/// Every meeting on one axis, found from the input's side.
std::vector<Meeting> meetings_on(const Config& c, const Axis& a, const Placement& at) {
  const bool zeros = c.reading("conv_transpose.output_padding_values", "computed") == "zeros";
  const std::int64_t size = zeros ? at.size - a.output_padding : at.size;
  std::vector<Meeting> found;
  for (std::int64_t i = 0; i < a.input; ++i)
    for (std::int64_t k = 0; k < a.kernel; ++k) {
      const std::int64_t scaled =
          c.is_pool() ? i + at.begin - k * a.dilation : i * a.stride + k * a.dilation - at.begin;
      if (scaled < 0 || (c.is_pool() && scaled % a.stride != 0)) continue;
      const std::int64_t o = c.is_pool() ? scaled / a.stride : scaled;
      if (o < size) found.push_back({i, k, o});
    }
  return found;
}

std::vector<Meeting> meetings(const Config& c, const std::vector<Placement>& placements) {
  std::vector<Meeting> all{{0, 0, 0}};
  for (size_t axis = 0; axis < c.axes.size(); ++axis) {
    const Axis& a = c.axes[axis];
    const std::int64_t size = placements[axis].size;
    const auto here = meetings_on(c, a, placements[axis]);
    std::vector<Meeting> next;
    for (const Meeting& m : all)
      for (const Meeting& n : here)
        next.push_back({m.input * a.input + n.input, m.tap * a.kernel + n.tap, m.output * size + n.output});
    all = std::move(next);
  }
  return all;
}

/// One output element: an integer in the sum's unit, and what else met there.
struct Cell {
  mpz_class sum;
  long terms = 0;  // of a power sum
  bool nan = false, positive_infinity = false, negative_infinity = false;
};

struct Operand {
  Dims shape;
  std::vector<const Number*> elements;
  Operand(const Pool& pool, const Dims& dims, std::uint64_t seed) : shape(dims) {
    for (std::int64_t n = element_count(dims); n > 0; --n)
      elements.push_back(&pool.numbers[mixed(seed + static_cast<std::uint64_t>(n)) % pool.numbers.size()]);
  }
  Tensor tensor(DType dtype) const {
    TensorBuilder builder({dtype, shape});
    const auto bytes = builder.bytes();
    const size_t size = static_cast<size_t>(info(dtype).bits) / 8;
    for (size_t i = 0; i < elements.size(); ++i) std::memcpy(&bytes[i * size], &elements[i]->bits, size);
    return std::move(builder).finish();
  }
};

void add_product(Cell& cell, const Number& x, const Number& w) {
  using Class = Number::Class;
  if (x.kind == Class::finite && w.kind == Class::finite) {
    cell.sum += x.root * w.root;
    return;
  }
  const bool zero = (x.kind == Class::finite && x.root == 0) || (w.kind == Class::finite && w.root == 0);
  if (x.kind == Class::nan || w.kind == Class::nan || zero)
    cell.nan = true;
  else
    (x.negative == w.negative ? cell.positive_infinity : cell.negative_infinity) = true;
}

void add_power(Cell& cell, const Number& x, unsigned a) {
  ++cell.terms;
  if (x.kind == Number::Class::nan) cell.nan = true;
  if (x.kind == Number::Class::infinite) cell.positive_infinity = true;
  if (x.kind != Number::Class::finite) return;
  mpz_class power;
  mpz_pow_ui(power.get_mpz_t(), mpz_class(abs(x.root)).get_mpz_t(), a);
  cell.sum += power;
}

/// The bits of an integer type's number that is nearest to `sum`.
mpz_class saturated_bits(DType dtype, const mpz_class& sum) {
  const bool is_signed = info(dtype).kind == Kind::signed_integer;
  const mpz_class range = mpz_class(1) << static_cast<mp_bitcnt_t>(info(dtype).bits);
  const mpz_class least = is_signed ? mpz_class(-range / 2) : mpz_class(0), most = least + range - 1;
  const mpz_class clamped = sum < least ? least : sum > most ? most : sum;
  return clamped < 0 ? mpz_class(clamped + range) : clamped;
}

/// Whether `bits` are what a cell must be stored as. `unit`: of the sum; floats are the (a/b)-th root of the sum.
bool is_right(std::uint64_t bits, const Config& c, const Cell& cell, long unit) {
  if (!is_floating(c.dtype)) {
    if (c.reading("openvino.integer_overflow", "wrap") == "saturate")
      return mpz_class(bits) == saturated_bits(c.dtype, cell.sum);
    mpz_class low;
    mpz_fdiv_r_2exp(low.get_mpz_t(), cell.sum.get_mpz_t(), static_cast<mp_bitcnt_t>(info(c.dtype).bits));
    return low == mpz_class(bits);
  }
  const FloatFormat format = float_format(c.dtype);
  if (cell.nan || (cell.positive_infinity && cell.negative_infinity)) return bits == format.nan();
  if (cell.positive_infinity) return bits == format.infinity();
  if (cell.negative_infinity) return bits == format.infinity() + format.sign();
  if (cell.sum == 0) return bits == 0;
  const bool negative = (bits & format.sign()) != 0;
  if (negative != (cell.sum < 0)) return false;
  const std::uint64_t magnitude = bits & ~format.sign();
  if (!c.is_pool()) return is_nearest(magnitude, format, {abs(cell.sum), unit});
  if (c.reading("lp_pool.partial_window", "norm") == "norm")
    return is_nearest(magnitude, format, {cell.sum, unit}, c.p, c.p_divisor);
  mpz_class whole = cell.sum;
  for (const Axis& a : c.axes) whole *= static_cast<long>(a.kernel);
  return is_nearest(magnitude, format, {whole, unit}, c.p, c.p_divisor, cell.terms);
}

const Pool& pool_of(const Config& c) {
  static std::map<std::tuple<DType, Data, unsigned>, Pool> pools;
  const unsigned b = c.is_pool() ? c.p_divisor : 1;
  Pool& pool = pools[{c.dtype, c.data, b}];
  if (pool.numbers.empty())
    pool = is_floating(c.dtype) ? float_pool(c.dtype, c.data, b) : integer_pool(c.dtype, c.data);
  return pool;
}

struct Operands {
  Operand x, w, b;
  explicit Operands(const Config& c)
      : x(pool_of(c), x_shape(c), c.variety),
        w(pool_of(c), w_shape(c), ~c.variety),
        b(pool_of(c), Dims{c.group * c.group_outputs()}, c.variety ^ 0xb1a5) {}

  static Dims x_shape(const Config& c) {
    Dims shape{c.batch(), c.group * c.group_inputs()};
    for (const Axis& a : c.axes) shape.push_back(a.input);
    return shape;
  }
  static Dims w_shape(const Config& c) {
    Dims shape = c.is_onnx() || c.is_base() ? Dims{c.group * c.group_inputs(), c.group_outputs()}
                                            : Dims{c.group, c.group_inputs(), c.group_outputs()};
    for (const Axis& a : c.axes) shape.push_back(a.kernel);
    return shape;
  }
};

/// All output elements, each input element having been sent to where it belongs.
std::vector<Cell> scattered(const Config& c, const Operands& in, const std::vector<Placement>& placements) {
  std::int64_t inputs = 1, taps = 1, outputs = 1;
  for (size_t i = 0; i < c.axes.size(); ++i) {
    inputs *= c.axes[i].input;
    taps *= c.axes[i].kernel;
    outputs *= placements[i].size;
  }
  const std::int64_t per_group = c.group_inputs(), filters = c.group_outputs(), channels = c.group * per_group;
  const auto at = meetings(c, placements);
  if (c.is_pool()) {
    std::vector<Cell> cells(static_cast<size_t>(c.batch() * channels * outputs));
    for (std::int64_t plane = 0; plane < c.batch() * channels; ++plane)
      for (const Meeting& m : at) {
        const Number& x = *in.x.elements[static_cast<size_t>(plane * inputs + m.input)];
        if (x.kind == Number::Class::nan && c.reading("lp_pool.nan", "propagate") == "skip") continue;
        add_power(cells[static_cast<size_t>(plane * outputs + m.output)], x, c.p);
      }
    return cells;
  }
  const std::int64_t features = c.group * filters;
  std::vector<Cell> cells(static_cast<size_t>(c.batch() * features * outputs));
  const long unit = pool_of(c).unit;
  Number one;  // in the pool's unit; the bias meets it everywhere
  one.root = unit <= 0 ? mpz_class(1) << static_cast<mp_bitcnt_t>(-unit) : mpz_class(0);
  if (c.bias())
    for (size_t i = 0; i < cells.size(); ++i)
      add_product(cells[i], *in.b.elements[i / static_cast<size_t>(outputs) % static_cast<size_t>(features)], one);
  for (std::int64_t n = 0; n < c.batch(); ++n)
    for (std::int64_t channel = 0; channel < channels; ++channel)
      for (std::int64_t m = 0; m < filters; ++m) {
        const std::int64_t feature = channel / per_group * filters + m;
        for (const Meeting& meeting : at)
          add_product(cells[static_cast<size_t>((n * features + feature) * outputs + meeting.output)],
                      *in.x.elements[static_cast<size_t>((n * channels + channel) * inputs + meeting.input)],
                      *in.w.elements[static_cast<size_t>((channel * filters + m) * taps + meeting.tap)]);
      }
  return cells;
}

// The operator itself.

Ints each(const Config& c, std::int64_t Axis::*member) {
  Ints values;
  for (const Axis& a : c.axes) values.push_back(a.*member);
  return values;
}

Node node_of(const Config& c) {
  Node node{c.op_type, c.is_onnx() ? "" : "openvino", "", {}, {}, {"y"}};
  const auto state = [&](const char* name, auto value) {
    node.attributes.push_back({name, AttributeValue::of(std::move(value))});
  };
  const auto state_unless = [&](const char* name, std::int64_t Axis::*member, std::int64_t otherwise,
                                std::uint64_t salt) {
    const Ints values = each(c, member);
    const bool may_omit = std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v == otherwise; });
    if (!may_omit || c.choose(salt, 2) == 0) state(name, values);
  };
  if (c.is_pool() || (c.is_onnx() && c.choose(5, 2) == 0)) state("kernel_shape", each(c, &Axis::kernel));
  state_unless("strides", &Axis::stride, 1, 6);
  if (!(c.is_pool() && c.opset < 18 && Ints(c.axes.size(), 1) == each(c, &Axis::dilation)))
    state_unless("dilations", &Axis::dilation, 1, 7);
  if (c.automatic() || c.choose(10, 2) == 0) state("auto_pad", c.auto_pad);
  Ints begins = each(c, &Axis::begin);
  const Ints ends = each(c, &Axis::end);
  if (c.pads && c.is_onnx()) {
    begins.insert(begins.end(), ends.begin(), ends.end());
    state("pads", begins);
  } else if (c.pads) {
    state("pads_begin", begins);
    state("pads_end", ends);
  }
  if (!c.is_pool()) state_unless("output_padding", &Axis::output_padding, 0, 11);
  if (c.ceil_mode) state("ceil_mode", *c.ceil_mode);
  if (c.op_type == "ConvTranspose") {
    if (c.output_shape) state("output_shape", each(c, &Axis::output));
    if (c.group != 1 || c.choose(8, 2) == 0) state("group", c.group);
  }
  if (c.is_pool()) {
    if (c.opset == 1)
      state("p", static_cast<float>(c.p) / static_cast<float>(c.p_divisor));
    else if (c.p != 2 || c.choose(9, 2) == 0)
      state("p", static_cast<std::int64_t>(c.p));
  }
  return node;
}

/// What the operator makes of it, by both tiers; nothing where it says that the node is invalid.
std::optional<std::pair<Tensor, Tensor>> evaluated(const Config& c, const Operands& in,
                                                   const std::optional<Attribute>& instead = {}) {
  Node node = node_of(c);
  if (instead) {
    std::erase_if(node.attributes, [&](const Attribute& attribute) { return attribute.name == instead->name; });
    node.attributes.push_back(*instead);
  }
  std::vector<Input> inputs;
  const auto give = [&](const char* name, const Tensor& value) {
    node.inputs.emplace_back(name);
    inputs.push_back({name, value.type(), value, {}});
  };
  give("x", in.x.tensor(c.dtype));
  if (!c.is_pool()) give("w", in.w.tensor(c.dtype));
  if (c.bias()) give("b", in.b.tensor(c.dtype));
  if (!c.is_onnx() && c.output_shape) {
    const Ints sizes = each(c, &Axis::output);
    give("s", Tensor::of<std::int64_t>(DType::int64, Dims{static_cast<std::int64_t>(sizes.size())}, sizes));
  }
  const Operator& op = get_operator(node.domain, node.op_type);
  try {
    Call call = resolve(op.at(c.opset), node, inputs, c.readings);
    const auto types = op.output_types(call);
    const Tensor first = std::get<Tensor>(op.kernel(call, types).front());
    Numerics exact;
    exact.exact_only = true;
    call.set_numerics(exact);
    return std::pair{first, std::get<Tensor>(op.kernel(call, types).front())};
  } catch (const Error& error) {
    if (error.fault() != Fault::invalid) throw;
    return std::nullopt;
  }
}

/// Empty where both agree, else what differs.
std::string difference(const Config& c) {
  const Operands in(c);
  const auto placements = place(c);
  const auto results = evaluated(c, in);
  if (!placements != !results) return placements ? "the operator rejects it" : "the operator accepts it";
  if (!placements) return "";
  const Tensor& y = results->first;
  Dims shape{c.batch(), c.group * (c.is_pool() ? c.group_inputs() : c.group_outputs())};
  for (const Placement& at : *placements) shape.push_back(at.size);
  if (y.type() != TensorType{c.dtype, shape}) return format("{} instead of {}", y.type(), TensorType{c.dtype, shape});
  const auto cells = scattered(c, in, *placements);
  const size_t size = static_cast<size_t>(info(c.dtype).bits) / 8;
  const long pool_unit = pool_of(c).unit;
  const long unit = pool_unit * (c.is_pool() ? static_cast<long>(c.p) : 2);
  for (const Tensor* tensor : {&results->first, &results->second})
    for (size_t i = 0; i < cells.size(); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &tensor->bytes()[i * size], size);
      if (!is_right(bits, c, cells[i], unit))
        return format("element {}: bits {} in {}, the sum is {} * 2^{}{}", i, bits, y.type(), cells[i].sum.get_str(),
                      unit, tensor == &results->first ? "" : " (exact tier)");
    }
  return "";
}

// Enumeration.

/// Takes every n-th configuration, in a mixed order, and judges it.
class Sweep {
 public:
  /// `part` of `parts` of the configurations that one in `one_in` leaves.
  explicit Sweep(std::uint64_t one_in, std::uint64_t part = 0, std::uint64_t parts = 1)
      : one_in_(one_in), part_(part), parts_(parts) {}

  void operator()(Config c) {
    const std::uint64_t number = mixed(++seen_);
    if (number % one_in_ != 0 || number / one_in_ % parts_ != part_) return;
    c.variety = number + c.variety;
    rotate(c);
    ++judged_;
    const std::string text = difference(c);
    if (place(c))
      ++accepted_;
    else
      ++rejected_;
    if (!text.empty() && ++different_ <= 5) UNSCOPED_INFO(describe(c) << "\n    " << text);
  }

  /// Ends the sweep: no differences, and both kinds of verdict were met.
  void finish(std::uint64_t least) const {
    INFO(seen_ << " configurations, " << judged_ << " judged, " << rejected_ << " of them rejected");
    CHECK(different_ == 0);
    CHECK(accepted_ >= least);
    CHECK(rejected_ > 0);
  }

 private:
  /// The last opset whose version is that of c.opset.
  static std::int64_t last_opset(const Config& c) {
    if (c.opset >= 22) return kNewestOpset;
    if (!c.is_pool()) return c.opset >= 11 ? 21 : 10;
    return c.opset >= 18 ? 21 : c.opset >= 11 ? 17 : 10;
  }

  /// Opset, type, values and root by turns.
  static void rotate(Config& c) {
    static const std::vector<DType> floats{DType::float16, DType::float32, DType::float64, DType::bfloat16};
    static const std::vector<DType> integers{DType::int8,  DType::uint8,  DType::int16, DType::uint16,
                                             DType::int32, DType::uint32, DType::int64, DType::uint64};
    if (c.opset > 1 && c.is_onnx() && c.choose(19, 2) == 0) c.opset = last_opset(c);
    const bool with_bfloat16 = !c.is_onnx() || c.opset >= 22;
    c.dtype = floats[c.choose(20, with_bfloat16 ? 4 : 3)];
    if (!c.is_onnx() && c.choose(21, 2) == 0) c.dtype = integers[c.choose(22, integers.size())];
    const std::uint64_t data = c.choose(23, 8);
    c.data = data < 3 ? Data::integers : data < 7 || !is_floating(c.dtype) ? Data::fractions : Data::special;
    if (!c.is_pool()) return;
    c.p = static_cast<unsigned>(std::vector{1, 2, 2, 3, 5, 40}[c.choose(24, 6)]);
    if (c.opset == 1 && c.choose(25, 3) == 0) {
      c.p_divisor = 2;
      c.p = static_cast<unsigned>(std::vector{1, 3, 5}[c.choose(26, 3)]);
      if (c.data == Data::special) c.data = Data::fractions;
    }
  }

  std::uint64_t one_in_, part_, parts_, seen_ = 0, judged_ = 0, accepted_ = 0, rejected_ = 0, different_ = 0;
};

/// Every axis of sizes 1-5, kernels 1-3, strides 1-3, dilations 1-2.
template <class Visit>
void each_axis(const Visit& visit) {
  for (std::int64_t input = 1; input <= 5; ++input)
    for (std::int64_t kernel = 1; kernel <= 3; ++kernel)
      for (std::int64_t stride = 1; stride <= 3; ++stride)
        for (std::int64_t dilation = 1; dilation <= 2; ++dilation) visit(Axis{input, kernel, stride, dilation});
}

/// visit(pads stated, axis) for pads absent, then stated; `few`: three pairs, where they hardly matter.
template <class Visit>
void each_padding(Axis axis, bool few, const Visit& visit) {
  visit(false, axis);
  for (axis.begin = 0; axis.begin <= 2; ++axis.begin)
    for (axis.end = 0; axis.end <= 2; ++axis.end)
      if (!few || axis.begin == (axis.end + 1) / 2) visit(true, axis);
}

struct Family {
  std::vector<std::string> op_types;
  Ints versions;
  std::vector<std::string> auto_pads;
};

const Family kPools{{"LpPool"}, {1, 2, 11, 18, 22}, {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}};
const Family kConvTransposes{{"ConvTranspose"}, {1, 11, 22}, {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}};
const Family kBackprops{{"GroupConvolutionBackpropData", "ConvolutionBackpropData"},
                        {1},
                        {"explicit", "valid", "same_upper", "same_lower"}};

template <class Visit>
void each_pool(Config c, const Axis& plain, const Visit& visit) {
  const bool later =
      c.opset < 18 && plain.kernel != 2;  // dilations and ceil_mode came in 18: refused, seen often enough
  if (later && plain.dilation > 1) return;
  each_padding(plain, c.automatic(), [&](bool stated, const Axis& axis) {
    c.pads = stated;
    c.axes = {axis};
    c.ceil_mode.reset();
    visit(c);
    for (c.ceil_mode = 0; !later && *c.ceil_mode <= 1; ++*c.ceil_mode) visit(c);
  });
}

template <class Visit>
void each_transposed(Config c, Axis axis, const Visit& visit) {
  for (c.group = 1; c.group <= (c.is_base() ? 1 : 2); ++c.group)
    for (axis.output_padding = 0; axis.output_padding <= 2; ++axis.output_padding) {
      c.output_shape = false;
      each_padding(axis, c.automatic(), [&](bool stated, const Axis& padded) {
        c.pads = stated;
        c.axes = {padded};
        visit(c);
      });
      c.output_shape = true;
      each_padding(axis, c.is_onnx() || c.automatic(), [&](bool stated, Axis padded) {
        c.pads = stated;
        for (padded.output = 0; padded.output <= padded.full() + 2; ++padded.output) {
          c.axes = {padded};
          visit(c);
        }
      });
    }
}

/// Every configuration of one axis.
template <class Visit>
void each_config(const Family& family, const Visit& visit) {
  Config c;
  for (const std::string& op_type : family.op_types)
    for (const std::int64_t version : family.versions)
      for (const std::string& auto_pad : family.auto_pads)
        each_axis([&](const Axis& axis) {
          c.op_type = op_type;
          c.opset = version;
          c.auto_pad = auto_pad;
          if (c.is_pool())
            each_pool(c, axis, visit);
          else
            each_transposed(c, axis, visit);
        });
}

/// Sixteen second axes; `output` is relative to the full size.
const std::vector<Axis> kSecondAxes{
    {1, 1, 1, 1, 0, 0, 0, 0},  {2, 1, 2, 1, 0, 1, 1, -1}, {3, 2, 1, 1, 1, 0, 0, 1},  {4, 3, 2, 1, 1, 1, 1, -2},
    {5, 3, 3, 1, 2, 1, 2, -3}, {3, 2, 2, 2, 1, 2, 1, 0},  {4, 2, 3, 1, 0, 2, 0, -1}, {5, 2, 2, 2, 2, 2, 1, 2},
    {2, 3, 1, 2, 2, 2, 1, -2}, {5, 1, 3, 1, 1, 0, 2, 0},  {1, 3, 2, 1, 1, 1, 0, -1}, {3, 3, 3, 2, 0, 1, 2, -4},
    {4, 1, 1, 1, 2, 0, 0, 2},  {2, 2, 3, 2, 0, 0, 1, -3}, {5, 3, 1, 2, 2, 2, 0, -5}, {1, 2, 1, 1, 1, 1, 0, 0}};

/// The axes of a second dimension as the configuration states them.
void add_axis(Config& c, Axis axis) {
  if (axis.output_padding > 0 && c.axes.front().output_padding == 0) axis.output_padding = 0;
  axis.output = std::max<std::int64_t>(1, axis.full() + axis.output);
  if (c.opset < 18 && c.is_pool()) axis.dilation = 1;
  c.axes.push_back(axis);
}

/// Every configuration of one axis with each of the sixteen; operators, versions and groups by turns.
template <class Visit>
void each_config_2d(const Family& family, const Visit& visit) {
  std::uint64_t turn = 0;
  Family first = family;
  first.op_types.resize(1);
  first.versions = {family.versions.back()};
  each_config(first, [&](const Config& one) {
    if (one.group != 1) return;
    for (const Axis& second : kSecondAxes) {
      const std::uint64_t random = mixed(++turn + 31);
      Config c = one;
      c.op_type = family.op_types[random % family.op_types.size()];
      c.opset = family.versions[random / 4 % family.versions.size()];
      if (c.is_pool() && (c.ceil_mode || one.axes.front().dilation > 1) && c.opset < 18 && random / 64 % 8 > 0)
        c.opset = random / 512 % 2 == 0 ? 18 : 22;
      if (!c.is_pool() && !c.is_base()) c.group = 1 + static_cast<std::int64_t>(random / 128 % 2);
      add_axis(c, second);
      visit(c);
    }
  });
}

/// One configuration with three axes, of a random sequence.
Config random_3d(const Family& family, std::uint64_t seed) {
  std::uint64_t state = mixed(seed);
  const auto below = [&](std::uint64_t n) {
    state = mixed(state + 1);
    return static_cast<std::int64_t>(state % n);
  };
  const auto one_of = [&](const auto& list) { return list[static_cast<size_t>(below(list.size()))]; };
  Config c;
  c.op_type = one_of(family.op_types);
  c.opset = one_of(family.versions);
  c.auto_pad = one_of(family.auto_pads);
  c.pads = below(4) != 0 && (!c.automatic() || below(8) == 0);
  c.output_shape = !c.is_pool() && below(3) == 0;
  if (c.is_pool() && c.opset >= 18 && below(2) == 0) c.ceil_mode = below(2);
  if (!c.is_pool() && !c.is_base()) c.group = 1 + below(2);
  for (int i = 0; i < 3; ++i) {
    Axis axis{1 + below(5), 1 + below(3), 1 + below(3), 1 + below(2), below(3), below(3)};
    if (c.is_pool() && c.opset < 18) axis.dilation = 1;
    if (!c.is_pool() && below(2) == 0)
      axis.output_padding = below(static_cast<std::uint64_t>(std::max(axis.stride, axis.dilation)));
    axis.output = std::max<std::int64_t>(1, axis.full() + 2 - below(5));
    c.axes.push_back(axis);
  }
  return c;
}

/// Pairs of axes in every mode: with explicit pads all pairs of padded axes; with output_shape five sizes each.
template <class Visit>
void each_pair(const Family& family, const Visit& visit) {
  using Mode = std::tuple<std::string, bool, bool, std::int64_t>;  // auto_pad, pads, output_shape, ceil_mode
  std::map<Mode, std::vector<Axis>> modes;
  each_config({{family.op_types.front()}, {family.versions.back()}, family.auto_pads}, [&](const Config& c) {
    const Axis& axis = c.axes.front();
    const std::int64_t missing = axis.full() - axis.output;
    const bool sized = c.pads && axis.end == 2 && axis.output > 0 && missing >= -1 && missing <= 3;
    const bool unsized = c.automatic() != c.pads;
    if (c.group == 1 && (c.output_shape ? sized && !c.automatic() : unsized))
      modes[{c.auto_pad, c.pads, c.output_shape, c.ceil_mode.value_or(0)}].push_back(axis);
    if (c.group == 1 && c.output_shape && !c.pads && c.automatic() && missing >= -1 && missing <= 3 && axis.output > 0)
      modes[{c.auto_pad, false, true, 0}].push_back(axis);
  });
  std::uint64_t turn = 0;
  for (const auto& [mode, axes] : modes)
    for (const Axis& first : axes)
      for (const Axis& second : axes) {
        const std::uint64_t random = mixed(++turn + 47);
        Config c;
        std::tie(c.auto_pad, c.pads, c.output_shape, std::ignore) = mode;
        const bool newer = std::get<3>(mode) == 1 || first.dilation > 1 || second.dilation > 1;
        c.op_type = family.op_types[random % family.op_types.size()];
        c.opset = family.versions[random / 4 % family.versions.size()];
        if (c.is_pool() && newer) c.opset = random / 64 % 2 == 0 ? 18 : 22;
        if (c.is_pool() && std::get<3>(mode) == 1) c.ceil_mode = 1;
        if (!c.is_pool() && !c.is_base()) c.group = 1 + static_cast<std::int64_t>(random / 128 % 2);
        c.axes = {first, second};
        visit(c);
      }
}

bool leaves_choice(const Config& c, std::string_view reading) {
  const Operator& op = get_operator(c.is_onnx() ? "" : "openvino", c.op_type);
  return !default_of(*std::ranges::find(op.readings(), reading, &Reading::name), c.opset).empty();
}

/// All alternatives of all readings, one at a time, at the versions that leave the choice.
template <class Visit>
void each_with_readings(const Family& family, const std::vector<std::pair<std::string, std::string>>& choices,
                        const Visit& visit) {
  for (const auto& choice : choices)
    each_config(family, [&](const Config& c) {
      Config chosen = c;
      chosen.readings = {{choice.first, choice.second}};
      if (leaves_choice(c, choice.first)) visit(chosen);
    });
}

const std::vector<std::pair<std::string, std::string>> kPoolReadings{{"lp_pool.ceil_drop", "drop"},
                                                                     {"lp_pool.ceil_drop", "keep"},
                                                                     {"lp_pool.same_size", "input"},
                                                                     {"lp_pool.same_dilation", "ignored"},
                                                                     {"lp_pool.valid_ceil", "ignored"},
                                                                     {"lp_pool.partial_window", "rescaled"},
                                                                     {"lp_pool.nan", "skip"}},
    kConvTransposeReadings{{"conv_transpose.split", "rule-1"},
                           {"conv_transpose.split", "rule-11"},
                           {"conv_transpose.output_padding_values", "zeros"},
                           {"conv_transpose.output_padding_limit", "max"},
                           {"conv_transpose.output_padding_limit", "stride"},
                           {"conv_transpose.output_padding_limit", "none"},
                           {"conv_transpose.pads_with_auto_pad", "pads-win"},
                           {"conv_transpose.pads_with_auto_pad", "auto_pad-wins"},
                           {"conv_transpose.surplus", "split"},
                           {"conv_transpose.same_size", "text"},
                           {"conv_transpose.same_size", "inference"},
                           {"conv_transpose.same_size", "input"}},
    kBackpropReadings{{"openvino.output_shape_pads", "document"},
                      {"openvino.same_split", "text"},
                      {"openvino.integer_overflow", "saturate"}};

/// One in `one_in` of everything but the pairs.
void sweep_all(const Family& family, const std::vector<std::pair<std::string, std::string>>& readings,
               std::uint64_t one_in_1d, std::uint64_t one_in_2d, std::uint64_t one_in_readings,
               std::uint64_t count_3d) {
  Sweep one(one_in_1d), two(one_in_2d), three(1), chosen(one_in_readings);
  each_config(family, [&](const Config& c) { one(c); });
  one.finish(300);
  each_config_2d(family, [&](const Config& c) { two(c); });
  two.finish(300);
  for (std::uint64_t seed = 0; seed < count_3d; ++seed) three(random_3d(family, seed));
  three.finish(100);
  each_with_readings(family, readings, [&](const Config& c) { chosen(c); });
  chosen.finish(100);
}

/// The complete product, or the part of it that OPREF_SWEEP_PART names ("2/8": the third of eight).
void sweep_product(const Family& family) {
  unsigned part = 0, parts = 1;
  if (const char* text = std::getenv("OPREF_SWEEP_PART")) REQUIRE(std::sscanf(text, "%u/%u", &part, &parts) == 2);
  REQUIRE(part < parts);
  Sweep one(1, part, parts), pairs(1, part, parts), three(1, part, parts);
  for (std::uint64_t round = 1; round <= 8; ++round)
    each_config(family, [&](Config c) {
      c.variety = round;
      one(c);
    });
  one.finish(100);
  each_pair(family, [&](const Config& c) { pairs(c); });
  pairs.finish(100);
  for (std::uint64_t seed = 0; seed < 1000000; ++seed) three(random_3d(family, seed + 1000000));
  three.finish(100);
}

Attribute attribute(const char* name, Ints values) { return {name, AttributeValue::of(std::move(values))}; }

/// One axis without anything unusual; every attribute in `wrong` must make it invalid.
void refuses(const Family& family, const std::vector<Attribute>& wrong) {
  for (const std::string& op_type : family.op_types)
    for (const std::int64_t version : family.versions) {
      Config c;
      c.op_type = op_type;
      c.opset = version;
      c.auto_pad = family.auto_pads.front();
      c.axes = {Axis{5, 2, 1, 1}};
      const Operands in(c);
      REQUIRE(evaluated(c, in));
      for (const Attribute& instead : wrong) {
        INFO(op_type << "-" << version << " " << instead.name << " "
                     << to_text(std::get<AttributeValue>(instead.value)));
        CHECK_FALSE(evaluated(c, in, instead));
      }
    }
}

}  // namespace

TEST_CASE("scatter agrees with LpPool: a sample", "[LpPool][release]") {
  sweep_all(kPools, kPoolReadings, 15, 70, 150, 200);
}
TEST_CASE("scatter agrees with ConvTranspose: a sample", "[ConvTranspose][release]") {
  sweep_all(kConvTransposes, kConvTransposeReadings, 80, 300, 800, 200);
}
TEST_CASE("scatter agrees with OpenVINO's transposed convolutions: a sample", "[ConvolutionBackpropData][release]") {
  sweep_all(kBackprops, kBackpropReadings, 80, 300, 800, 200);
}

TEST_CASE("the swept operators refuse what their pages exclude", "[ops]") {
  const std::vector<Attribute> common{attribute("strides", {0}),
                                      attribute("strides", {-1}),
                                      attribute("strides", {1, 1}),
                                      attribute("dilations", {0}),
                                      attribute("dilations", {1, 1}),
                                      {"auto_pad", AttributeValue::of(std::string("x"))},
                                      {"unknown", AttributeValue::of(std::int64_t{1})}};
  std::vector<Attribute> onnx = common;
  for (const Attribute& wrong :
       {attribute("pads", {-1, 0}), attribute("pads", {0, -1}), attribute("pads", {0}), attribute("pads", {0, 0, 0, 0}),
        attribute("kernel_shape", {0}), attribute("kernel_shape", {2, 2})})
    onnx.push_back(wrong);
  std::vector<Attribute> pool = onnx, transposed = onnx, backprop = common;
  for (const std::int64_t p : {0, -1}) pool.push_back({"p", AttributeValue::of(p)});
  for (const float p : {0.0f, -1.0f}) pool.push_back({"p", AttributeValue::of(p)});
  for (const Attribute& wrong :
       {attribute("kernel_shape", {3}), attribute("output_padding", {-1}), attribute("output_padding", {0, 0}),
        attribute("output_shape", {0}), attribute("output_shape", {5, 5})})
    transposed.push_back(wrong);
  for (const std::int64_t group : {0, -1, 3}) transposed.push_back({"group", AttributeValue::of(group)});
  for (const Attribute& wrong :
       {attribute("pads_begin", {-1}), attribute("pads_end", {-1}), attribute("pads_end", {0, 0}),
        attribute("output_padding", {-1}), attribute("output_padding", {0, 0})})
    backprop.push_back(wrong);
  refuses(kPools, pool);
  refuses(kConvTransposes, transposed);
  refuses(kBackprops, backprop);
}

TEST_CASE("scatter agrees with LpPool", "[LpPool][.sweep]") { sweep_all(kPools, kPoolReadings, 4, 4, 4, 5000); }
TEST_CASE("scatter agrees with ConvTranspose", "[ConvTranspose][.sweep]") {
  sweep_all(kConvTransposes, kConvTransposeReadings, 4, 4, 80, 5000);
}
TEST_CASE("scatter agrees with OpenVINO's transposed convolutions", "[ConvolutionBackpropData][.sweep]") {
  sweep_all(kBackprops, kBackpropReadings, 4, 4, 80, 5000);
}

TEST_CASE("scatter agrees with LpPool over the complete product", "[LpPool][.fullsweep]") { sweep_product(kPools); }
TEST_CASE("scatter agrees with ConvTranspose over the complete product", "[ConvTranspose][.fullsweep]") {
  sweep_product(kConvTransposes);
}
TEST_CASE("scatter agrees with OpenVINO's transposed convolutions over the complete product",
          "[ConvolutionBackpropData][.fullsweep]") {
  sweep_product(kBackprops);
}

}  // namespace opref::ops::sweep::sweep_test
