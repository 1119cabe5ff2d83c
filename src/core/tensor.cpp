// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/memory.h"

namespace opref::core {

std::string to_text(const TensorType& type) { return to_text(type.dtype) + to_text(type.shape); }

std::int64_t byte_size(const TensorType& type) { return byte_size(type.dtype, element_count(type.shape)); }

void require_bytes(const TensorType& type, std::int64_t most) {
  if (byte_size(type) > most)
    fail(Fault::system, kMoreMemory, "{} takes {}, but the limit leaves {}", type, counted(byte_size(type), "byte"),
         most);
}

Tensor::Tensor(const Dims& shape, std::vector<std::string> elements) : type_{DType::string, shape} {
  if (static_cast<std::int64_t>(elements.size()) != element_count(shape))
    fail(Fault::internal, "{} strings for shape {}", elements.size(), shape);
  const auto owner = std::make_shared<const std::vector<std::string>>(std::move(elements));
  data_ = std::shared_ptr<const std::byte>(owner, reinterpret_cast<const std::byte*>(owner->data()));
}

Tensor Tensor::copy_of(const TensorType& type, std::span<const std::byte> bytes) {
  if (static_cast<std::int64_t>(bytes.size()) != byte_size(type))
    fail(Fault::internal, "{} bytes for {}", bytes.size(), type);
  TensorBuilder builder(type);
  if (!bytes.empty()) std::memcpy(builder.bytes().data(), bytes.data(), bytes.size());
  return std::move(builder).finish();
}

std::span<const std::byte> Tensor::bytes() const {
  if (type_.dtype == DType::string) fail(Fault::internal, "the elements of a string tensor are not plain bytes");
  return {data_.get(), data_ ? static_cast<size_t>(byte_size(type_)) : 0};
}

std::span<const std::string> Tensor::strings() const {
  if (type_.dtype != DType::string) fail(Fault::internal, "the elements of {} are not strings", type_);
  return {reinterpret_cast<const std::string*>(data_.get()), static_cast<size_t>(count())};
}

Tensor Tensor::reshaped(const Dims& shape) const {
  if (element_count(shape) != count()) fail(Fault::internal, "{} cannot have shape {}", type_, shape);
  Tensor result = *this;
  result.type_.shape = shape;
  return result;
}

TensorBuilder::TensorBuilder(const TensorType& type, Content content) : type_(type) {
  const std::int64_t size = byte_size(type_);
  if (content == Content::zeros) {
    data_ = zeroed_memory(static_cast<size_t>(size));  // fresh, they cost only what is written
  } else {
    Memory memory = any_memory(static_cast<size_t>(size));
    data_ = std::move(memory.data);
    was_zero_ = memory.is_zero;
  }
  if (data_ == nullptr) fail(Fault::system, "{} needs {} bytes, which this machine does not give", type_, size);
}

}  // namespace opref::core
