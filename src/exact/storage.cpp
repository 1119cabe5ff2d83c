#include "exact/storage.h"

#include <algorithm>

namespace opref {
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
  with_element<S>(tensor_.dtype(), [&]<class Element>(Element) {
    const auto from = tensor_.values<Element>().subspan(static_cast<size_t>(first), buffer_.size());
    std::ranges::copy(from, buffer_.begin());
  });
  return buffer_.data();
}

template class Widened<float>;
template class Widened<double>;
template class Widened<std::int64_t>;
template class Widened<std::uint64_t>;

}  // namespace opref
