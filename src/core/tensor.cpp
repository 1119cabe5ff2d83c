// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/memory.h"

namespace opref::core {

std::string to_text(const TensorType& type) { return to_text(type.dtype) + to_text(type.shape); }

std::int64_t byte_size(const TensorType& type) { return byte_size(type.dtype, element_count(type.shape)); }

void require_bytes(const TensorType& type, std::int64_t most) {
  if (most < 0) fail(Fault::system, kMoreMemory, "the limit leaves nothing for {}", type);
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

namespace {
/// A longer page is parted: long enough that a list has few, short enough to be copied.
constexpr size_t kLongestPage = 256;
}  // namespace

TensorList::TensorList(std::vector<Tensor> tensors) {
  if (tensors.empty()) return;
  pages_ = std::make_shared<std::vector<Page>>();
  for (size_t first = 0; first < tensors.size(); first += kLongestPage) {
    const auto begin = std::make_move_iterator(tensors.begin() + static_cast<std::ptrdiff_t>(first));
    const auto count = static_cast<std::ptrdiff_t>(std::min(kLongestPage, tensors.size() - first));
    pages_->push_back({first, std::make_shared<std::vector<Tensor>>(begin, begin + count)});
  }
}

size_t TensorList::page_of(size_t place) const {
  return static_cast<size_t>(std::ranges::upper_bound(*pages_, place, {}, &Page::first) - pages_->begin()) - 1;
}

const Tensor& TensorList::operator[](size_t i) const {
  const Page& page = (*pages_)[page_of(i)];
  return (*page.tensors)[i - page.first];
}

const Tensor& TensorList::at(size_t i) const {
  if (i >= size()) fail(Fault::internal, "there is no tensor {} in a list of {}", i, size());
  return (*this)[i];
}

std::vector<TensorList::Page>& TensorList::own_pages() {
  if (pages_ == nullptr)
    pages_ = std::make_shared<std::vector<Page>>();
  else if (pages_.use_count() > 1)
    pages_ = std::make_shared<std::vector<Page>>(*pages_);
  return *pages_;
}

std::vector<Tensor>& TensorList::own_tensors(Page& page) {
  if (page.tensors.use_count() > 1) page.tensors = std::make_shared<std::vector<Tensor>>(*page.tensors);
  return *page.tensors;
}

void TensorList::renumber(std::vector<Page>& pages, size_t from) {
  for (size_t k = from; k < pages.size(); ++k) pages[k].first = k == 0 ? 0 : pages[k - 1].end();
}

void TensorList::insert(size_t place, Tensor tensor) {
  const bool is_new = empty() || (place == size() && pages_->back().tensors->size() >= kLongestPage);
  const size_t k = is_new ? 0 : page_of(std::min(place, size() - 1));
  std::vector<Page>& pages = own_pages();
  if (is_new) {
    pages.push_back({place, std::make_shared<std::vector<Tensor>>(1, std::move(tensor))});
    return;
  }
  std::vector<Tensor>& tensors = own_tensors(pages[k]);
  tensors.insert(tensors.begin() + static_cast<std::ptrdiff_t>(place - pages[k].first), std::move(tensor));
  if (tensors.size() > kLongestPage) {
    const auto middle = tensors.begin() + kLongestPage / 2;
    auto rest =
        std::make_shared<std::vector<Tensor>>(std::make_move_iterator(middle), std::make_move_iterator(tensors.end()));
    tensors.erase(middle, tensors.end());
    pages.insert(pages.begin() + static_cast<std::ptrdiff_t>(k) + 1, {0, std::move(rest)});
  }
  renumber(pages, k);
}

void TensorList::erase(size_t place) {
  const size_t k = page_of(place);
  std::vector<Page>& pages = own_pages();
  std::vector<Tensor>& tensors = own_tensors(pages[k]);
  tensors.erase(tensors.begin() + static_cast<std::ptrdiff_t>(place - pages[k].first));
  if (tensors.empty()) pages.erase(pages.begin() + static_cast<std::ptrdiff_t>(k));
  renumber(pages, k);
  if (pages.empty()) pages_ = nullptr;
}

std::vector<std::span<const Tensor>> TensorList::parts() const {
  std::vector<std::span<const Tensor>> parts;
  if (!empty())
    for (const Page& page : *pages_) parts.emplace_back(*page.tensors);
  return parts;
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
  if (size > 0 && info(type_.dtype).bits < 8) data_.get()[size - 1] = {};  // bits of no element
}

}  // namespace opref::core
