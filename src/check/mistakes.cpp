#include "check/mistakes.h"

#include <algorithm>
#include <array>
#include <functional>

#include "check/arithmetic.h"
#include "check/compare.h"
#include "check/evaluated.h"
#include "core/error.h"
#include "exact/rounding.h"
#include "spec/resolve.h"

namespace opref {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::int64_t kMostElements = std::int64_t{1} << 22;
constexpr std::int64_t kMostTerms = std::int64_t{1} << 21;
/// Elements that are looked at first: nearly all other arithmetic already differs there.
constexpr size_t kSample = 64;
/// Terms that all arithmetic together may look at.
constexpr std::int64_t kMostWork = std::int64_t{1} << 27;

/// A node and its inputs as somebody may have understood them.
struct Understanding {
  std::string name;  ///< of the mistake; empty: as they are
  Node node;
  std::vector<Input> inputs;
  ReadingChoices readings;
};

/// Makes the changes of one node: each is a copy of what is right.
class Changes {
 public:
  Changes(const Call& call, Understanding right) : call_(call), right_(std::move(right)) {}

  std::vector<Understanding> all() {
    attributes();
    kernel();
    bias();
    indices();
    return std::move(found_);
  }

 private:
  void attributes() {
    for (const char* name :
         {"strides", "dilations", "output_padding", "output_shape", "group", "ceil_mode", "p", "auto_pad"})
      if (call_.stated(name)) erase(format("{} ignored", name), {name});
    if (has_list("pads")) {
      const Integers& pads = call_.integers("pads");
      const size_t axes = pads.size() / 2;
      Integers swapped = pads, by_axis = pads;
      std::rotate(swapped.begin(), swapped.begin() + static_cast<std::ptrdiff_t>(axes), swapped.end());
      for (size_t i = 0; 2 * i + 1 < pads.size(); ++i) by_axis[i] = pads[2 * i], by_axis[axes + i] = pads[2 * i + 1];
      set("pads swapped", "pads", AttributeValue::of(swapped));
      set("pads read axis by axis", "pads", AttributeValue::of(by_axis));
      erase("pads ignored", {"pads"});
    }
    if (has_list("pads_begin") || has_list("pads_end")) {
      const auto value = [&](const char* name) {
        const size_t axes = call_.integers(has_list("pads_begin") ? "pads_begin" : "pads_end").size();
        return AttributeValue::of(has_list(name) ? call_.integers(name) : Integers(axes, 0));
      };
      Understanding& swapped = set("pads swapped", "pads_begin", value("pads_end"));
      replace(swapped, "pads_end", value("pads_begin"));
      erase("pads ignored", {"pads_begin", "pads_end"});
    }
    if (call_.has("auto_pad")) {
      const bool openvino = call_.op().domain() == "openvino";
      const std::string upper = openvino ? "same_upper" : "SAME_UPPER", lower = openvino ? "same_lower" : "SAME_LOWER";
      set("odd pad on the other side", "auto_pad",
          AttributeValue::of(call_.string("auto_pad") == upper ? lower : upper));
    }
    for (const char* name : {"strides", "dilations", "kernel_shape", "output_padding", "pads_begin", "pads_end"}) {
      if (!has_list(name)) continue;
      Integers reversed = call_.integers(name);
      std::ranges::reverse(reversed);
      set(format("{} in reverse order of axes", name), name, AttributeValue::of(reversed));
    }
    if (call_.has("ceil_mode") && call_.integer("ceil_mode") == 0)
      set("ceil instead of floor", "ceil_mode", AttributeValue::of(std::int64_t{1}));
  }

  void kernel() {
    const Input* w = input({"W", "kernel"});
    if (w == nullptr) return;
    const Dims& shape = w->tensor().shape();
    const size_t axes = call_.inputs()[0].type.tensor.rank() - 2, first = shape.size() - axes;
    move("kernel flipped", w, [&](Dims at) {
      for (size_t axis = first; axis < shape.size(); ++axis) at[axis] = shape[axis] - 1 - at[axis];
      return at;
    });
    const auto exchanged = [&](const char* name, size_t a, size_t b) {
      if (shape[a] != shape[b]) return;
      move(name, w, [a, b](Dims at) {
        std::swap(at[a], at[b]);
        return at;
      });
    };
    if (axes >= 2) exchanged("kernel's axes exchanged", shape.size() - 2, shape.size() - 1);
    exchanged("kernel's input and output channels exchanged", first - 2, first - 1);
  }

  void bias() {
    const Input* b = input({"B"});
    if (b == nullptr) return;
    Understanding& dropped = copy("bias dropped");
    input_of(dropped, b) = {};
    dropped.node.inputs[static_cast<size_t>(b - call_.inputs().data())] = "";
    const std::int64_t groups = call_.has("group") ? call_.integer("group") : 1;
    if (groups < 2 || b->tensor().count() % groups != 0) return;
    const std::int64_t outputs = b->tensor().count() / groups;
    move("bias per group", b, [=](Dims at) { return Dims{at[0] / outputs}; });
    move("bias of the first group for all", b, [=](Dims at) { return Dims{at[0] % outputs}; });
  }

  /// Of unpooling.
  void indices() {
    const Input *x = input({"X"}), *i = input({"I"});
    if (x == nullptr || i == nullptr || i->type.dtype() != DType::int64) return;
    const Dims& shape = x->type.tensor.shape;
    const std::vector<ValueType> types = call_.op().output_types(call_);
    const std::int64_t planes = element_count(shape.first(2)),
                       plane = element_count(types[0].tensor.shape) / std::max<std::int64_t>(planes, 1);
    const auto from = i->tensor().values<std::int64_t>();
    if (planes == 0 || plane == 0) return;
    Integers own(from.begin(), from.end());
    const std::int64_t each = static_cast<std::int64_t>(own.size()) / planes;
    for (size_t e = 0; e < own.size(); ++e)
      own[e] = static_cast<std::int64_t>(e) / each * plane + std::max<std::int64_t>(own[e], 0) % plane;
    input_of(copy("indices counted within each plane"), i).value = Tensor::of<std::int64_t>(DType::int64, shape, own);

    const std::int64_t count = i->tensor().count();
    const auto reversed = [&](Dims at) { return coordinates(count - 1 - position(at, shape), shape); };
    Understanding& first_wins = copy("the first of several writes wins");
    input_of(first_wins, i).value = moved(i->tensor(), reversed);
    input_of(first_wins, x).value = moved(x->tensor(), reversed);
  }

  bool has_list(const char* name) const { return call_.has(name) && !call_.integers(name).empty(); }

  /// The input with one of these formal names, if it has values.
  const Input* input(std::initializer_list<std::string_view> names) const {
    const auto& formal = call_.schema().inputs();
    for (size_t i = 0; i < std::min(formal.size(), call_.inputs().size()); ++i)
      if (std::ranges::find(names, formal[i].name) != names.end() && call_.inputs()[i].value) return &call_.inputs()[i];
    return nullptr;
  }
  Input& input_of(Understanding& other, const Input* input) const {
    return other.inputs[static_cast<size_t>(input - call_.inputs().data())];
  }

  Understanding& copy(std::string name) {
    found_.push_back(right_);
    found_.back().name = std::move(name);
    return found_.back();
  }
  static void remove(Understanding& other, std::string_view attribute) {
    std::erase_if(other.node.attributes, [&](const Attribute& stated) { return stated.name == attribute; });
  }
  static void replace(Understanding& other, const char* attribute, AttributeValue value) {
    remove(other, attribute);
    other.node.attributes.push_back({attribute, std::move(value)});
  }
  Understanding& set(std::string name, const char* attribute, AttributeValue value) {
    Understanding& other = copy(std::move(name));
    replace(other, attribute, std::move(value));
    return other;
  }
  void erase(std::string name, std::initializer_list<std::string_view> attributes) {
    Understanding& other = copy(std::move(name));
    for (const std::string_view attribute : attributes) remove(other, attribute);
  }

  /// The tensor whose element `at` is the original's element `source(at)`.
  static Tensor moved(const Tensor& tensor, const std::function<Dims(Dims)>& source) {
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
  void move(std::string name, const Input* input, const std::function<Dims(Dims)>& source) {
    input_of(copy(std::move(name)), input).value = moved(input->tensor(), source);
  }

  const Call& call_;
  Understanding right_;
  std::vector<Understanding> found_;
};

/// Compares what understandings and arithmetic give with what a backend gave.
class Search {
 public:
  Search(const Step& step, std::span<const Tensor> actual) : step_(step), actual_(actual) {}

  /// The call where its outputs have the backend's types; nothing where the node refuses the change.
  std::optional<Call> call_of(const Understanding& other) const {
    return unless_refused([&]() -> std::optional<Call> {
      Call call = resolve(step_.call.op(), other.node, step_.opset, other.inputs, other.readings);
      call.set_subgraphs(step_.call.subgraphs());
      if (!std::ranges::equal(call.op().output_types(call), actual_, {}, &ValueType::tensor, &Tensor::type))
        return std::nullopt;
      return call;
    });
  }

  bool exactly(const Call& call) const {
    const auto values = values_of(call);
    return values && std::ranges::equal(*values, actual_, [](const Tensor& a, const Tensor& b) {
             return compare(a, b, Tolerance{}).equal();
           });
  }

  /// The arithmetic that gives the backend's output, as text; or "".
  std::string by_arithmetic(const Call& call) {
    const DType dtype = actual_[0].dtype();
    const Kind kind = info(dtype).kind;
    const bool integer = kind == Kind::signed_integer || kind == Kind::unsigned_integer;
    if (actual_.size() != 1 || actual_[0].count() == 0 || (integer && info(dtype).bits > 32)) return "";
    const auto table = unless_refused([&] { return collect_terms(call, call.op().output_types(call), kMostTerms); });
    const auto values = values_of(call);
    if (!table || !values) return "";
    const std::vector<size_t> sample = sample_of(values->front());
    const std::optional<double> p = table->norm;
    for (const Arithmetic& way : known_arithmetic(dtype, p)) {
      if (to_text(way).empty()) continue;
      if (agrees(way, *table, sample)) return to_text(way);
      if (work_ > kMostWork) break;
    }
    return "";
  }

 private:
  template <class F>
  static auto unless_refused(const F& f) -> decltype(f()) {
    try {
      return f();
    } catch (const Error& error) {
      if (error.fault() == Fault::internal) throw;
      return std::nullopt;
    }
  }

  static std::optional<std::vector<Tensor>> values_of(const Call& call) {
    return unless_refused(
        [&] { return std::optional(tensors_of(call.op().kernel(call, call.op().output_types(call)))); });
  }

  bool same(const Arithmetic& way, const TermTable& table, size_t element) {
    const DType dtype = actual_[0].dtype();
    work_ += static_cast<std::int64_t>(table.of(element).size()) + 1;
    return is_actual(way.element(table, element, dtype), element);
  }

  bool is_actual(std::uint64_t bits, size_t element) const {
    const DType dtype = actual_[0].dtype();
    const std::uint64_t wanted = element_bits(actual_[0], static_cast<std::int64_t>(element));
    if (bits == wanted) return true;
    return info(dtype).kind == Kind::floating && std::isnan(floating_value(dtype, bits)) &&
           std::isnan(floating_value(dtype, wanted));
  }

  /// The first elements in which the correct values are not the backend's.
  std::vector<size_t> sample_of(const Tensor& correct) const {
    std::vector<size_t> sample;
    const auto count = static_cast<size_t>(correct.count());
    for (size_t i = 0; i < count && sample.size() < kSample; ++i)
      if (!is_actual(element_bits(correct, static_cast<std::int64_t>(i)), i)) sample.push_back(i);
    return sample;
  }

  bool agrees(const Arithmetic& way, const TermTable& table, std::span<const size_t> sample) {
    for (const size_t element : sample)
      if (!same(way, table, element)) return false;
    for (size_t element = 0; element < table.ends.size(); ++element)
      if (work_ > kMostWork || !same(way, table, element)) return false;
    return true;
  }

  const Step& step_;
  std::span<const Tensor> actual_;
  std::int64_t work_ = 0;
};

Understanding as_stated(const Step& step, const Environment& environment) {
  Understanding right{"", *step.node, step.call.inputs(), {}};
  for (Input& input : right.inputs)
    if (const auto known = environment.find(input.name); known != environment.end()) input.value = known->second.value;
  for (const Reading& reading : step.call.op().readings())
    if (step.call.reading_selected(reading.name)) right.readings.emplace(reading.name, step.call.reading(reading.name));
  return right;
}

}  // namespace

std::string explain_by_mistakes(const Step& step, const Environment& environment, std::span<const Tensor> actual) {
  const auto too_large = [](const Tensor& tensor) {
    return tensor.dtype() == DType::string || tensor.count() > kMostElements;
  };
  if (actual.empty() || std::ranges::any_of(actual, too_large)) return "";
  const Understanding right = as_stated(step, environment);
  Search search(step, actual);
  if (const auto call = search.call_of(right)) {
    if (search.exactly(*call)) return "";
    if (const std::string way = search.by_arithmetic(*call); !way.empty()) return way;
  }
  std::vector<Understanding> others = Changes(step.call, right).all();
  for (const Understanding& other : others)
    if (const auto call = search.call_of(other); call && search.exactly(*call)) return other.name;
  for (const auto& [reading, alternative] : other_readings({&step, 1})) {
    others.push_back(right);
    others.back().name = format("reading {}={}", reading, alternative);
    others.back().readings.insert_or_assign(reading, alternative);
  }
  for (const Understanding& other : others)
    if (const auto call = search.call_of(other))
      if (const std::string way = search.by_arithmetic(*call); !way.empty()) return format("{}, {}", other.name, way);
  return "";
}

}  // namespace opref
