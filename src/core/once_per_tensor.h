// SPDX-License-Identifier: Apache-2.0
// Texts of tensors, of which those that share their memory have the same: what a sequence of one tensor a million times
// needs.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/tensor.h"

namespace opref::core {

/// The texts so far. It holds no tensor: those it was asked for must outlive it.
class OncePerTensor {
 public:
  /// make(tensor), or what that returned for a tensor of the same type in the same memory.
  template <class Make>
  const std::string& operator()(const Tensor& tensor, const Make& make) {
    const auto [known, is_new] = texts_.try_emplace(tensor.identity());
    auto& [type, text] = known->second;
    if (is_new || type != tensor.type()) known->second = {tensor.type(), make(tensor)};
    return text;
  }

 private:
  std::map<const std::byte*, std::pair<TensorType, std::string>> texts_;
};

}  // namespace opref::core
