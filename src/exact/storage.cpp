#include "exact/storage.h"

#include <algorithm>

#include "exact/rounding.h"

namespace opref {
namespace {

template <class Element, class S>
void convert(const Tensor& tensor, std::int64_t first, std::vector<S>& to) {
  const Element* from = tensor.values<Element>().data() + first;
  std::transform(from, from + to.size(), to.begin(), [](const Element& element) {
    if constexpr (std::is_class_v<Element>)
      return static_cast<S>(widen(element));
    else
      return S{element};
  });
}

void convert_elements(const Tensor& tensor, std::int64_t first, std::vector<float>& to) {
  if (tensor.dtype() == DType::float16) return convert<Half>(tensor, first, to);
  return convert<BFloat16>(tensor, first, to);
}

[[noreturn]] void convert_elements(const Tensor& tensor, std::int64_t, std::vector<double>&) {
  fail(Fault::internal, "{} is not stored as double", tensor.type());
}

void convert_elements(const Tensor& tensor, std::int64_t first, std::vector<std::int64_t>& to) {
  if (tensor.dtype() == DType::int8) return convert<std::int8_t>(tensor, first, to);
  if (tensor.dtype() == DType::int16) return convert<std::int16_t>(tensor, first, to);
  return convert<std::int32_t>(tensor, first, to);
}

void convert_elements(const Tensor& tensor, std::int64_t first, std::vector<std::uint64_t>& to) {
  if (tensor.dtype() == DType::uint8) return convert<std::uint8_t>(tensor, first, to);
  if (tensor.dtype() == DType::uint16) return convert<std::uint16_t>(tensor, first, to);
  return convert<std::uint32_t>(tensor, first, to);
}

}  // namespace

template <class S>
Widened<S>::Widened(const Tensor& tensor)
    : tensor_(tensor), copies_(info(tensor.dtype()).bits != static_cast<int>(8 * sizeof(S))) {
  with_storage(tensor.dtype(), [&]<class Storage>(Storage) {
    if (!std::is_same_v<Storage, S>) fail(Fault::internal, "{} has another storage", tensor.type());
  });
}

template <class S>
const S* Widened<S>::part(std::int64_t first, std::int64_t count) {
  if (!copies_) return tensor_.values<S>().data() + first;
  buffer_.resize(static_cast<size_t>(count));
  convert_elements(tensor_, first, buffer_);
  return buffer_.data();
}

template class Widened<float>;
template class Widened<double>;
template class Widened<std::int64_t>;
template class Widened<std::uint64_t>;

}  // namespace opref
