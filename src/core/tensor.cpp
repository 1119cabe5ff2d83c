// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/memory.h"

namespace opref::core {

template struct Alternatives<Tensor, Sequence, Optional, Map, MapSequence>;

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
/// More are parted: enough that the tree is small beside its tensors, few enough to be copied.
constexpr size_t kMostInLeaf = 64;
}  // namespace

struct TensorList::Node {
  explicit Node(std::vector<Tensor> own) : tensors(std::move(own)), size(tensors.size()) {}
  Node(Subtree first, Subtree second) : left(std::move(first)), right(std::move(second)) { measure(); }

  bool is_leaf() const { return left == nullptr; }
  void measure() {
    size = left->size + right->size;
    height = 1 + std::max(left->height, right->height);
  }

  std::vector<Tensor> tensors;  ///< of a leaf: at least one
  Subtree left, right;          ///< of another node; their heights differ by 1 at most
  size_t size = 0;              ///< how many tensors
  int height = 0;               ///< of a leaf 0
};

TensorList::TensorList(std::vector<Tensor> tensors) {
  if (!tensors.empty()) root_ = tree_of(tensors);
}

TensorList::Subtree TensorList::tree_of(std::span<Tensor> tensors) {
  if (tensors.size() <= kMostInLeaf)
    return std::make_shared<Node>(
        std::vector<Tensor>(std::make_move_iterator(tensors.begin()), std::make_move_iterator(tensors.end())));
  const size_t half = tensors.size() / 2;
  return std::make_shared<Node>(tree_of(tensors.first(half)), tree_of(tensors.subspan(half)));
}

size_t TensorList::size() const { return root_ ? root_->size : 0; }

const Tensor& TensorList::operator[](size_t i) const {
  const Node* node = root_.get();
  while (!node->is_leaf()) {
    const bool is_left = i < node->left->size;
    if (!is_left) i -= node->left->size;
    node = (is_left ? node->left : node->right).get();
  }
  return node->tensors[i];
}

const Tensor& TensorList::at(size_t i) const {
  if (i >= size()) fail(Fault::internal, "there is no tensor {} in a list of {}", i, size());
  return (*this)[i];
}

TensorList::Node& TensorList::own(Subtree& tree) {
  if (tree.use_count() > 1) tree = std::make_shared<Node>(*tree);
  return *tree;
}

void TensorList::balance(Subtree& tree) {
  /// The child on the heavy side takes the place of its parent.
  const auto raise = [](Subtree& parent, Subtree Node::*heavy, Subtree Node::*light) {
    Subtree child = std::move((*parent).*heavy);
    own(child);
    (*parent).*heavy = std::move((*child).*light);
    parent->measure();
    (*child).*light = std::move(parent);
    child->measure();
    parent = std::move(child);
  };
  const auto lighten = [&](Subtree Node::*heavy, Subtree Node::*light) {
    Subtree& child = (*tree).*heavy;
    if (child->height <= ((*tree).*light)->height + 1) return;
    if (((*child).*light)->height > ((*child).*heavy)->height) {
      own(child);
      raise(child, light, heavy);
    }
    raise(tree, heavy, light);
  };
  lighten(&Node::left, &Node::right);
  lighten(&Node::right, &Node::left);
  tree->measure();
}

void TensorList::insert(size_t place, Tensor tensor) {
  if (empty())
    root_ = std::make_shared<Node>(std::vector<Tensor>(1, std::move(tensor)));
  else
    insert(root_, place, std::move(tensor));
}

void TensorList::insert(Subtree& tree, size_t place, Tensor tensor) {
  Node& node = own(tree);
  if (!node.is_leaf()) {
    const size_t before = node.left->size;
    if (place < before)
      insert(node.left, place, std::move(tensor));
    else
      insert(node.right, place - before, std::move(tensor));
    return balance(tree);
  }
  node.tensors.insert(node.tensors.begin() + static_cast<std::ptrdiff_t>(place), std::move(tensor));
  node.size = node.tensors.size();
  if (node.size <= kMostInLeaf) return;
  // What is added at the end leaves full leaves behind.
  const size_t half = place + 1 == node.size ? kMostInLeaf : node.size / 2;
  const std::span<Tensor> all = node.tensors;
  tree = std::make_shared<Node>(tree_of(all.first(half)), tree_of(all.subspan(half)));
}

void TensorList::erase(size_t place) { erase(root_, place); }

void TensorList::erase(Subtree& tree, size_t place) {
  Node& node = own(tree);
  if (node.is_leaf()) {
    node.tensors.erase(node.tensors.begin() + static_cast<std::ptrdiff_t>(place));
    node.size = node.tensors.size();
    if (node.size == 0) tree = nullptr;
    return;
  }
  const size_t before = node.left->size;
  if (place < before)
    erase(node.left, place);
  else
    erase(node.right, place - before);
  if (node.left == nullptr || node.right == nullptr) {
    tree = Subtree(node.left == nullptr ? node.right : node.left);
    return;
  }
  balance(tree);
}

void TensorList::each_part(const std::function<bool(const void*, std::span<const Tensor>)>& enter) const {
  const auto visit = [&](const auto& self, const Node& node) -> void {
    if (!enter(&node, node.tensors) || node.is_leaf()) return;
    self(self, *node.left);
    self(self, *node.right);
  };
  if (root_) visit(visit, *root_);
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
