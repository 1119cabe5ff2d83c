#include "explain/mistakes.h"

#include <algorithm>

#include "compare/compare.h"
#include "core/error.h"
#include "exact/rounding.h"
#include "explain/arithmetic.h"
#include "explain/evaluated.h"
#include "system/machine_error.h"

namespace opref::explain {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 22;
constexpr std::int64_t kMostTerms = std::int64_t{1} << 21;
/// Elements that are looked at first: nearly all other arithmetic already differs there.
constexpr size_t kSample = 64;
/// Terms that all arithmetic together may look at.
constexpr std::int64_t kMostWork = std::int64_t{1} << 27;

/// Compares what calls and arithmetic give with what a backend gave.
class Search {
 public:
  explicit Search(std::span<const Tensor> actual) : actual_(actual) {}

  /// The call where it is one and its outputs have the backend's types; nothing where the node refuses the change.
  template <class F>
  std::optional<Call> accepted(const F& made) const {
    return unless_refused([&]() -> std::optional<Call> {
      const std::optional<Call> call = made();
      if (!call || !std::ranges::equal(call->op().output_types(*call), actual_, {}, &ValueType::tensor, &Tensor::type))
        return std::nullopt;
      return call;
    });
  }

  bool exactly(const Call& call) const {
    const auto values = values_of(call);
    return values && std::ranges::equal(*values, actual_, [](const Tensor& a, const Tensor& b) {
             return compare_values(a, b, Tolerance{}).equal();
           });
  }

  /// The arithmetic that gives the backend's output, as text; or "".
  std::string by_arithmetic(const Call& call) {
    const DType dtype = actual_[0].dtype();
    const Kind kind = info(dtype).kind;
    const bool integer = kind == Kind::signed_integer || kind == Kind::unsigned_integer;
    const bool in_range = integer ? info(dtype).bits <= 32 : info(dtype).bits >= 16;
    if (actual_.size() != 1 || actual_[0].count() == 0 || !in_range) return "";
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
      if (error.fault() == Fault::internal || dynamic_cast<const MachineError*>(&error) != nullptr) throw;
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

  std::span<const Tensor> actual_;
  std::int64_t work_ = 0;
};

KnownMistake ignored_attribute(std::string_view name) {
  return {format("{} ignored", name), [name](const Call& call) { return std::optional(call.without_attribute(name)); }};
}

KnownMistake ignored_input(std::string_view name) {
  return {format("{} ignored", name), [name](const Call& call) { return std::optional(call.without_input(name)); }};
}

KnownMistake reversed_list(std::string_view name) {
  return {format("{} in reverse order of axes", name), [name](const Call& call) {
            std::vector<std::int64_t> list = call.integers(name);
            std::ranges::reverse(list);
            return std::optional(call.with_attribute(name, AttributeValue::of(std::move(list))));
          }};
}

}  // namespace

std::vector<KnownMistake> known_mistakes(const Call& call) {
  std::vector<KnownMistake> mistakes;
  const OpSchema& schema = call.schema();
  for (const AttributeSchema& attribute : schema.attributes())
    if (call.stated(attribute.name)) mistakes.push_back(ignored_attribute(attribute.name));
  for (const FormalParameter& input : schema.inputs())
    if (input.arity == Arity::optional && call.has(input.name)) mistakes.push_back(ignored_input(input.name));
  for (const Mistake& own : call.op().mistakes()) mistakes.push_back({std::string(own.name), own.made});
  for (const AttributeSchema& attribute : schema.attributes())
    if (call.stated(attribute.name) && attribute.type == AttributeType::INTS)
      mistakes.push_back(reversed_list(attribute.name));
  return mistakes;
}

std::optional<Call> in_play(const KnownMistake& mistake, const Call& call) {
  std::optional<Call> other = mistake.made(call);
  if (other && other->says_as(call)) other.reset();
  return other;
}

std::string explain_by_mistakes(const Step& step, std::span<const Tensor> actual) {
  const auto too_large = [](const Tensor& tensor) {
    return tensor.dtype() == DType::string || tensor.count() > kMostElements;
  };
  if (actual.empty() || std::ranges::any_of(actual, too_large)) return "";
  Search search(actual);
  if (const auto right = search.accepted([&] { return std::optional(step.call); })) {
    if (search.exactly(*right)) return "";
    if (const std::string way = search.by_arithmetic(*right); !way.empty()) return way;
  }
  std::vector<std::pair<std::string, Call>> others;
  for (const KnownMistake& mistake : known_mistakes(step.call)) {
    const auto other = search.accepted([&] { return in_play(mistake, step.call); });
    if (!other) continue;
    if (search.exactly(*other)) return mistake.name;
    others.emplace_back(mistake.name, *other);
  }
  for (const auto& choice : other_readings({&step, 1})) {
    const auto other =
        search.accepted([&] { return std::optional(step.call.with_reading(choice.first, choice.second)); });
    if (other) others.emplace_back(format("reading {}={}", choice.first, choice.second), *other);
  }
  for (const auto& [name, other] : others)
    if (const std::string way = search.by_arithmetic(other); !way.empty()) return format("{}, {}", name, way);
  return "";
}

}  // namespace opref::explain
