// SPDX-License-Identifier: Apache-2.0
// Which sizes of the symbols are tried.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"
#include "symbols/fit.h"

namespace opref::symbols {

/// The sizes that a symbol may have.
struct Bounds {
  std::int64_t least = 1;
  std::optional<std::int64_t> most = {};  ///< nothing: any

  bool contains(std::int64_t size) const { return size >= least && (!most || size <= *most); }
};

/// 1 to 12, to 600, multiples of 32, to 60,000, to 900,000, multiples of 64, beside a number of the model, or each
/// symbol as another one of these.
enum class Style : std::uint8_t { small, middle, blocks, large, huge, large_blocks, constant, mixed };

/// Draws assignments; the same seed draws the same ones.
class Sampler {
 public:
  Sampler(std::vector<Bounds> bounds, std::uint64_t seed) : bounds_(std::move(bounds)), random_(seed) {}

  /// Numbers about which a model may change.
  void set_constants(std::vector<std::int64_t> constants) { constants_ = std::move(constants); }
  const std::vector<std::int64_t>& constants() const { return constants_; }
  const std::vector<Bounds>& bounds() const { return bounds_; }

  std::int64_t between(std::int64_t least, std::int64_t most);
  /// Of a list that is not empty.
  template <class List>
  const auto& any_of(const List& list) {
    return list[static_cast<size_t>(between(0, std::ssize(list) - 1))];
  }
  /// Inside the bounds of each symbol.
  Assignment draw(Style style);
  /// What is not inside its symbol's bounds is drawn anew.
  Assignment inside(Assignment sizes);
  bool is_inside(std::span<const std::int64_t> sizes) const;
  /// Every assignment, where there are at most so many.
  std::optional<std::vector<Assignment>> all(std::int64_t most) const;

 private:
  std::int64_t one(Style style);

  const std::vector<Bounds> bounds_;
  const Random random_;
  std::int64_t drawn_ = 0;
  std::vector<std::int64_t> constants_;
};

}  // namespace opref::symbols
