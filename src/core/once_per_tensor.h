// SPDX-License-Identifier: Apache-2.0
// What is made of tensors, of which those that share their memory have the same: what a sequence of one tensor a
// million times needs.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/tensor.h"

namespace opref::core {

/// Texts, or what else is made, so far. It holds no tensor: those it was asked for must outlive it.
template <class Made = std::string>
class OncePerTensor {
 public:
  /// make(tensor), or what that returned for a tensor of the same type in the same memory.
  template <class Make>
  const Made& operator()(const Tensor& tensor, const Make& make) {
    const auto [known, is_new] = made_.try_emplace(tensor.identity());
    auto& [type, made] = known->second;
    if (is_new || type != tensor.type()) known->second = {tensor.type(), make(tensor)};
    return made;
  }

 private:
  std::map<const std::byte*, std::pair<TensorType, Made>> made_;
};

}  // namespace opref::core
