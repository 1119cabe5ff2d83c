// SPDX-License-Identifier: Apache-2.0
// Arrays: an element type, a shape and bytes that may belong to somebody else (a mapped file).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/alternatives.h"
#include "core/dtype.h"
#include "core/index.h"

namespace opref::core {

struct TensorType {
  DType dtype;
  Dims shape;

  size_t rank() const { return shape.size(); }
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// "float32[1,3,32,32]"
std::string to_text(const TensorType& type);

/// Bytes that a tensor of this type takes; `invalid` or `system` errors where that leaves 64 bits.
std::int64_t byte_size(const TensorType& type);

/// A `system` error where a tensor of this type takes more than `most` bytes: said before they are allocated.
void require_bytes(const TensorType& type, std::int64_t most);

/// An immutable array in C order, little endian; copies share the elements. 6-, 4- and 2-bit types are packed as in
/// ONNX (first element in the lowest bits); bool is one byte, 0 or 1; string elements are std::string objects.
class Tensor {
 public:
  /// float32 of shape [0].
  Tensor() : type_{DType::float32, Dims{0}} {}
  /// `data` holds byte_size(type) bytes, aligned to the element size (at most 16). Not for string.
  Tensor(const TensorType& type, std::shared_ptr<const std::byte> data) : type_(type), data_(std::move(data)) {}
  /// `elements` has element_count(shape) entries.
  Tensor(const Dims& shape, std::vector<std::string> elements);
  /// The bytes are copied. Not for string.
  static Tensor copy_of(const TensorType& type, std::span<const std::byte> bytes);
  /// Elements given as C++ values (float, double, int64_t, uint16_t bits …) of the dtype's size.
  template <class T>
  static Tensor of(DType dtype, const Dims& shape, std::span<const T> elements) {
    return copy_of({dtype, shape}, std::as_bytes(elements));
  }

  const TensorType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Dims& shape() const { return type_.shape; }
  std::int64_t count() const { return element_count(type_.shape); }

  /// All elements as bytes. Not for string.
  std::span<const std::byte> bytes() const;
  /// The same for all tensors that share these elements, and for no other that there is.
  const std::byte* identity() const { return data_.get(); }
  /// The elements as C++ values of the same size (int64_t, float, uint16_t for the bits of a float16 …).
  template <class T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes().data()), bytes().size() / sizeof(T)};
  }
  /// The elements of a string tensor.
  std::span<const std::string> strings() const;

  /// The same bytes seen as another type of the same size.
  Tensor reinterpreted(DType dtype) const { return {{dtype, type_.shape}, data_}; }
  Tensor reshaped(const Dims& shape) const;

 private:
  TensorType type_;
  std::shared_ptr<const std::byte> data_;  // of a string tensor: the first std::string
};

/// What a tensor holds before it is written. Bits behind the last element of a type of fewer than 8 bits are zeros.
enum class Content : std::uint8_t { zeros, any };

/// A tensor under construction: written, then handed out by `finish`.
class TensorBuilder {
 public:
  explicit TensorBuilder(const TensorType& type, Content content = Content::zeros);
  /// Whether all bytes were zero at first, also of Content::any.
  bool was_zero() const { return was_zero_; }
  std::span<std::byte> bytes() { return {data_.get(), static_cast<size_t>(byte_size(type_))}; }
  template <class T>
  std::span<T> values() {
    return {reinterpret_cast<T*>(data_.get()), bytes().size() / sizeof(T)};
  }
  Tensor finish() && { return {type_, std::move(data_)}; }

 private:
  TensorType type_;
  std::shared_ptr<std::byte> data_;
  bool was_zero_ = true;
};

/// A list of tensors, kept as a balanced tree. Copies share its parts, and a changed copy all parts but those on the
/// way to the changed tensor: a tensor is found, added or taken out in a time that grows with the logarithm of the
/// list.
class TensorList {
 public:
  class Iterator;

  TensorList() = default;
  TensorList(std::initializer_list<Tensor> tensors) : TensorList(std::vector<Tensor>(tensors)) {}
  TensorList(std::vector<Tensor> tensors);

  size_t size() const;
  bool empty() const { return root_ == nullptr; }
  const Tensor& operator[](size_t i) const;
  /// An `internal` error where there is no such tensor.
  const Tensor& at(size_t i) const;
  const Tensor& front() const { return at(0); }
  const Tensor& back() const { return at(size() - 1); }
  Iterator begin() const;
  Iterator end() const;

  void push_back(Tensor tensor) { insert(size(), std::move(tensor)); }
  /// Before the tensor at `place`, which may be the end.
  void insert(size_t place, Tensor tensor);
  void erase(size_t place);

  /// Calls `enter` with each part, which the list may share with others, and the tensors that lie in the part itself;
  /// it says whether the parts of this part follow. An address means the same part as long as a list has it.
  void each_part(const std::function<bool(const void* part, std::span<const Tensor> tensors)>& enter) const;

 private:
  struct Node;
  using Subtree = std::shared_ptr<Node>;
  static Subtree tree_of(std::span<Tensor> tensors);
  /// The node, which no other list has.
  static Node& own(Subtree& tree);
  static void insert(Subtree& tree, size_t place, Tensor tensor);
  static void erase(Subtree& tree, size_t place);
  static void balance(Subtree& tree);

  Subtree root_;  ///< null: no tensors
};

class TensorList::Iterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = Tensor;
  using reference = const Tensor&;
  using pointer = const Tensor*;
  using iterator_category = std::random_access_iterator_tag;

  Iterator() = default;
  Iterator(const TensorList& list, size_t place) : list_(&list), place_(place) {}
  reference operator*() const { return (*list_)[place_]; }
  pointer operator->() const { return &**this; }
  reference operator[](difference_type n) const { return *(*this + n); }
  Iterator& operator+=(difference_type n) { return place_ += static_cast<size_t>(n), *this; }
  Iterator& operator-=(difference_type n) { return place_ -= static_cast<size_t>(n), *this; }
  Iterator& operator++() { return *this += 1; }
  Iterator& operator--() { return *this -= 1; }
  Iterator operator++(int) { return std::exchange(*this, *this + 1); }
  Iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
  friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
  friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
  friend difference_type operator-(const Iterator& a, const Iterator& b) {
    return static_cast<difference_type>(a.place_) - static_cast<difference_type>(b.place_);
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.place_ == b.place_; }
  friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.place_ <=> b.place_; }

 private:
  const TensorList* list_ = nullptr;
  size_t place_ = 0;
};

inline TensorList::Iterator TensorList::begin() const { return {*this, 0}; }
inline TensorList::Iterator TensorList::end() const { return {*this, size()}; }

/// ONNX's sequence type: tensors of one element type, which an empty one has too.
struct Sequence {
  DType dtype = DType::float32;
  TensorList elements = {};
};
/// What a tensor in a sequence takes beside its elements: its type, and what holds them.
inline constexpr std::int64_t kSequenceElementBytes = 256;

/// ONNX's optional type; std::monostate: it has no element, but a type all the same.
struct Optional {
  DType dtype = DType::float32;
  std::variant<std::monostate, Tensor, Sequence> element = {};
};

/// ONNX's map type, [n] keys and their [n] values: keys are unique and in order, as map_of (core/map.h) makes them.
struct Map {
  Tensor keys = Tensor({DType::int64, Dims{0}}, nullptr);
  Tensor values = {};
};
/// ONNX's sequence of maps of one type, which an empty one has too.
struct MapSequence {
  DType key = DType::int64, dtype = DType::float32;
  TensorList tensors = {};  ///< the keys and the values of one map after another

  size_t size() const { return tensors.size() / 2; }
  Map operator[](size_t i) const { return {tensors[2 * i], tensors[2 * i + 1]}; }
  void push_back(const Map& map) {
    tensors.push_back(map.keys);
    tensors.push_back(map.values);
  }
};

/// What an ONNX name can stand for. (Sparse tensors are `unsupported` where they are read.)
extern template struct Alternatives<Tensor, Sequence, Optional, Map, MapSequence>;
struct Value : Alternatives<Tensor, Sequence, Optional, Map, MapSequence> {
  using Alternatives::Alternatives;
  const Tensor* tensor() const { return std::get_if<Tensor>(this); }
};

/// An unsigned integer of 16 bytes, for moving complex128.
struct Unit128 {
  std::uint64_t low, high;
};

/// Calls f with a zero of the unsigned integer type that has the size of one element: operators that only move data
/// are written once and know no element type. The dtype must be byte-sized.
template <class F>
decltype(auto) with_unit(DType dtype, const F& f) {
  switch (info(dtype).bits) {
    case 8:
      return f(std::uint8_t{});
    case 16:
      return f(std::uint16_t{});
    case 32:
      return f(std::uint32_t{});
    case 64:
      return f(std::uint64_t{});
    default:
      return f(Unit128{});
  }
}

}  // namespace opref::core
