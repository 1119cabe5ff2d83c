// SPDX-License-Identifier: Apache-2.0
// What fuzzed bytes choose.
#pragma once

#include <string_view>

namespace opref::fuzz {

/// Choices, one byte each; zeros at the end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  size_t of(size_t count) {
    if (position_ == bytes_.size()) return 0;
    return static_cast<unsigned char>(bytes_[position_++]) % count;
  }
  bool one_in(size_t count) { return of(count) == count - 1; }
  template <class List>
  auto one_of(const List& list) {
    return list[of(list.size())];
  }

 private:
  std::string_view bytes_;
  size_t position_ = 0;
};

}  // namespace opref::fuzz
