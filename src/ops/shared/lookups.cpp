// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/lookups.h"
#include <bit>
#include <string>
#include <unordered_map>
#include <variant>

#include "core/error.h"
#include "evaluators/elements.h"
#include "evaluators/move.h"
#include "exact/rounding.h"
#include "exact/term_sink.h"
namespace opref::ops {
namespace {
std::int64_t length(const Call& call, std::string_view attribute) {
  switch (call.schema().find_attribute(attribute)->type) {
    case FLOATS:
      return std::ssize(call.numbers(attribute));
    case INTS:
      return std::ssize(call.integers(attribute));
    case STRINGS:
      return std::ssize(call.strings(attribute));
    default:
      return call.tensor(attribute).count();
  }
}

/// Equal keys are equal here; monostate is no key.
using Key = std::variant<std::monostate, std::uint64_t, std::string_view>;

class Keys {
 public:
  Keys(const Tensor& tensor, FloatKeys floats) : tensor_(tensor), floats_(floats) {}
  Key operator()(std::int64_t i) const {
    if (tensor_.dtype() == DType::string) return std::string_view(tensor_.strings()[static_cast<size_t>(i)]);
    if (!is_floating(tensor_.dtype()) || floats_ == FloatKeys::bits) return element_bits(tensor_, i);
    const double number = floating_element(tensor_, i);
    if (number != number && floats_ == FloatKeys::numbers) return {};
    if (number != number) return std::bit_cast<std::uint64_t>(quiet_nan<double>());
    return std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);
  }

 private:
  const Tensor& tensor_;
  FloatKeys floats_;
};
}  // namespace
bool is_given(const Call& call, std::string_view attribute) {
  if (!call.has(attribute)) return false;
  return call.schema().find_attribute(attribute)->type == TENSOR || length(call, attribute) > 0;
}

std::string_view given_one(const Call& call, std::initializer_list<std::string_view> attributes) {
  std::vector<std::string_view> known, given;
  for (const std::string_view name : attributes) {
    if (call.schema().find_attribute(name) == nullptr) continue;
    known.push_back(name);
    if (is_given(call, name)) given.push_back(name);
  }
  require(!given.empty(), "none of {} is given, but one of them must be", join_some(known, ", "));
  require(given.size() == 1, "{} are given, but only one of {} may be", join_some(given, " and "),
          join_some(known, ", "));
  return given[0];
}

Tensor list_tensor(const Call& call, std::string_view attribute) {
  const AttributeType type = call.schema().find_attribute(attribute)->type;
  if (type == TENSOR) {
    const Tensor& tensor = call.tensor(attribute);
    require(tensor.shape().size() == 1, "{} has shape {}, but must have one axis", attribute, tensor.shape());
    return tensor;
  }
  const Dims shape{length(call, attribute)};
  if (type == STRINGS) return Tensor(shape, call.strings(attribute));
  if (type == INTS) return Tensor::of<std::int64_t>(DType::int64, shape, call.integers(attribute));
  return Tensor::of<float>(DType::float32, shape, call.numbers(attribute));
}

void require_equal_lengths(const Call& call, std::string_view a, std::string_view b) {
  const std::int64_t of_a = length(call, a), of_b = length(call, b);
  require(of_a == of_b, "{} has {}, but {} {}", a, counted(of_a, "value"), b, of_b);
}

std::vector<std::int64_t> places_among(const Tensor& x, const Tensor& keys, Repeated repeated, FloatKeys floats) {
  const Keys key(keys, floats), looked_for(x, floats);
  std::unordered_map<Key, std::int64_t> place;
  for (std::int64_t k = 0; k < keys.count(); ++k) {
    const auto [known, is_new] = place.emplace(key(k), k);
    if (!is_new && repeated == Repeated::last) known->second = k;
  }
  place.erase(Key());
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < x.count(); ++i) {
    const auto found = place.find(looked_for(i));
    places.push_back(found == place.end() ? -1 : found->second);
  }
  return places;
}

Tensor looked_up(const Output& out, const Tensor& x, const Table& table, Repeated repeated, FloatKeys floats) {
  const std::vector<std::int64_t> places = places_among(x, table.keys, repeated, floats);
  const auto place = [&](std::int64_t i) { return places[static_cast<size_t>(i)]; };
  if (out.only()) {
    const std::int64_t i = *out.only();
    tell_rule(out, x, i,
              place(i) < 0 ? "no key equals it, so the default stands for it"
                           : format("the value of the key that equals it, number {} from 0", place(i)));
  }
  return move(
      out, table.values, [&](std::int64_t i) { return Run{place(i)}; }, table.otherwise);
}

std::vector<Note> unused_defaults(const Call& call, std::string_view in_force) {
  std::vector<Note> notes;
  for (const std::string_view name : {"default_float", "default_int64", "default_string"})
    if (call.schema().find_attribute(name) != nullptr && call.stated(name) && name != in_force)
      notes.push_back(remark(name, "plays no part: Y has another default"));
  return notes;
}

void tell_rule(const Output& out, const Tensor& x, std::int64_t i, const std::string& rule) {
  TermSink* sink = out.sink();
  if (sink == nullptr || !out.only()) return;
  sink->reads({x.identity(), i});
  sink->converts(rule);
}
}  // namespace opref::ops
