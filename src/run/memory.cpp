// SPDX-License-Identifier: Apache-2.0
#include "run/memory.h"

#include <algorithm>
#include <span>

#include "core/error.h"

namespace opref::run {
namespace {

/// Of a tensor, or an optional that holds one; null of others.
const Tensor* tensor_of(const Value& value) {
  const auto* optional = std::get_if<Optional>(&value);
  return optional != nullptr ? std::get_if<Tensor>(&optional->element) : value.tensor();
}

/// Of a sequence, of maps too, or an optional that holds one; others have none.
const TensorList& list_of(const Value& value) {
  static const TensorList none;
  if (const auto* maps = std::get_if<MapSequence>(&value)) return maps->tensors;
  const auto* optional = std::get_if<Optional>(&value);
  const auto* sequence =
      optional != nullptr ? std::get_if<Sequence>(&optional->element) : std::get_if<Sequence>(&value);
  return sequence != nullptr ? sequence->elements : none;
}

/// With the characters of strings that a string does not hold itself.
std::int64_t held_bytes(const Tensor& tensor) {
  std::int64_t bytes = byte_size(tensor.type());
  if (tensor.dtype() != DType::string) return bytes;
  static const size_t kOwn = std::string().capacity();
  for (const std::string& text : tensor.strings())
    if (text.capacity() > kOwn) bytes = checked_add(bytes, static_cast<std::int64_t>(text.capacity()));
  return bytes;
}

/// Those up to the last one that the node names: kernels need not compute others.
std::span<const ValueType> wanted_types(const Step& step) {
  size_t count = std::min(step.types.size(), step.node->outputs.size());
  while (count > 0 && step.node->outputs[count - 1].empty()) --count;
  return std::span(step.types).first(count);
}

/// What a thread may work in, at most; of small tensors it is hardly more than they take themselves.
constexpr std::int64_t kMostScratch = std::int64_t{32} << 20;

/// Of all that has a shape: more threads than that have no work.
std::int64_t elements(std::span<const ValueType> types) {
  std::int64_t total = 0;
  for (const ValueType& type : types)
    if (type.has_shape) total = checked_add(total, element_count(type.tensor.shape));
  return total;
}

}  // namespace

HeldBytes::HeldBytes(const Environment& environment, std::shared_ptr<const HeldBytes> around)
    : around_(std::move(around)) {
  for (const auto& [name, known] : environment)
    if (known.value) add(*known.value);
}

std::int64_t HeldBytes::total() const { return around_ == nullptr ? own_ : checked_add(own_, around_->total()); }

bool HeldBytes::is_held(const void* place) const {
  return shared_.contains(place) || (around_ != nullptr && around_->is_held(place));
}

template <class Bytes>
bool HeldBytes::add_user(const void* place, const Bytes& bytes) {
  if (const auto known = shared_.find(place); known != shared_.end()) return ++known->second.users, false;
  const bool is_new = around_ == nullptr || !around_->is_held(place);
  const std::int64_t counted = is_new ? bytes() : 0;
  shared_.emplace(place, Shared{1, counted, is_new});
  own_ = checked_add(own_, counted);
  return is_new;
}

bool HeldBytes::remove_user(const void* place) {
  const auto known = shared_.find(place);
  if (known == shared_.end() || --known->second.users > 0) return false;
  const bool counted = known->second.counts;
  own_ -= known->second.bytes;
  shared_.erase(known);
  return counted;
}

void HeldBytes::add_tensor(const Tensor& tensor) {
  if (tensor.identity() != nullptr) add_user(tensor.identity(), [&] { return held_bytes(tensor); });
}

void HeldBytes::remove_tensor(const Tensor& tensor) {
  if (tensor.identity() != nullptr) remove_user(tensor.identity());
}

void HeldBytes::add(const Value& value) {
  if (const auto* map = std::get_if<Map>(&value)) return add_tensor(map->keys), add_tensor(map->values);
  if (const Tensor* tensor = tensor_of(value)) return add_tensor(*tensor);
  list_of(value).each_part([&](const void* part, std::span<const Tensor> tensors) {
    const bool counts = add_user(part, [&] { return std::ssize(tensors) * kSequenceElementBytes; });
    if (counts)
      for (const Tensor& tensor : tensors) add_tensor(tensor);
    return counts;
  });
}

void HeldBytes::remove(const Value& value) {
  if (const auto* map = std::get_if<Map>(&value)) return remove_tensor(map->keys), remove_tensor(map->values);
  if (const Tensor* tensor = tensor_of(value)) return remove_tensor(*tensor);
  list_of(value).each_part([&](const void* part, std::span<const Tensor> tensors) {
    const bool counted = remove_user(part);
    if (counted)
      for (const Tensor& tensor : tensors) remove_tensor(tensor);
    return counted;
  });
}

void HeldBytes::add_bytes(std::int64_t bytes) { own_ = checked_add(own_, bytes); }

std::int64_t room_beside(std::int64_t held, const EvaluationOptions& options) {
  return options.max_bytes - std::min(options.max_bytes, held);
}

std::int64_t total_bytes(std::span<const ValueType> types) {
  std::int64_t total = 0;
  for (const ValueType& type : types)
    if (type.has_shape) total = checked_add(total, byte_size(type.tensor));
  return total;
}

void require_memory(const Step& step, std::int64_t held, const EvaluationOptions& options) {
  const std::span<const ValueType> outputs = wanted_types(step);
  const std::int64_t tensors = checked_add(held, total_bytes(outputs));
  const std::int64_t threads = std::min<std::int64_t>(options.threads, std::max<std::int64_t>(1, elements(outputs)));
  const std::int64_t needed = checked_add(tensors, checked_multiply(threads, std::min(tensors, kMostScratch)));
  if (needed > options.max_bytes) {
    fail(Fault::system, kMoreMemory,
         "the output {} needs {} bytes, with the inputs and scratch memory {} bytes, but the limit is {}",
         join_some(outputs, ", "), total_bytes(outputs), needed, options.max_bytes);
  }
}

void require_memory(std::int64_t held, const EvaluationOptions& options) {
  if (held > options.max_bytes)
    fail(Fault::system, kMoreMemory, "values of {} bytes are held, but the limit is {}", held, options.max_bytes);
}

}  // namespace opref::run
