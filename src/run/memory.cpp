// SPDX-License-Identifier: Apache-2.0
#include "run/memory.h"

#include <algorithm>

#include "core/error.h"

namespace opref::run {
namespace {

const void* elements_of(const Tensor& tensor) {
  return tensor.dtype() == DType::string ? static_cast<const void*>(tensor.strings().data()) : tensor.bytes().data();
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

HeldBytes::HeldBytes(const Environment& environment) {
  for (const auto& [name, known] : environment)
    if (known.value) add(*known.value);
}

void HeldBytes::add(const Value& value) {
  const bool shares = value.tensor() == nullptr;
  for (const Tensor& tensor : tensors_in(value))
    if (!shares || counted_.insert(elements_of(tensor)).second) total_ = checked_add(total_, byte_size(tensor.type()));
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

}  // namespace opref::run
