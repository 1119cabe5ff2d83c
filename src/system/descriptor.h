// SPDX-License-Identifier: Apache-2.0
// An open file or folder of this process.
#pragma once

#include <unistd.h>

#include <utility>

#include "core/rooms.h"

namespace opref::system {

/// Closed at its end; negative where nothing is open.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    const Descriptor former(std::exchange(number_, std::exchange(other.number_, -1)));
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

}  // namespace opref::system
