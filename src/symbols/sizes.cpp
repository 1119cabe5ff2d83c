// SPDX-License-Identifier: Apache-2.0
#include "symbols/sizes.h"

#include <algorithm>
#include <array>

namespace opref::symbols {

std::int64_t Sampler::between(std::int64_t least, std::int64_t most) {
  const auto count = static_cast<std::uint64_t>(most - least) + 1;
  return least + static_cast<std::int64_t>(word64(random_.draw(drawn_++), 0) % count);
}

std::int64_t Sampler::one(Style style) {
  switch (style) {
    case Style::small:
      return between(1, 12);
    case Style::middle:
      return between(13, 600);
    case Style::blocks:
      return 32 * between(1, 24);
    case Style::large:
      return between(601, 60'000);
    case Style::huge:
      return between(60'001, 900'000);
    case Style::large_blocks:
      return 64 * between(10, 9'000);
    case Style::constant:
      if (constants_.empty()) return between(1, 64);
      return std::max<std::int64_t>(1, any_of(constants_) + any_of(std::array<std::int64_t, 4>{-1, 0, 0, 1}));
    case Style::mixed:
      break;
  }
  return one(
      any_of(std::array{Style::small, Style::middle, Style::blocks, Style::large, Style::constant, Style::middle}));
}

Assignment Sampler::draw(Style style) {
  Assignment sizes;
  for (size_t i = 0; i < bounds_.size(); ++i) sizes.push_back(one(style));
  return inside(std::move(sizes));
}

Assignment Sampler::inside(Assignment sizes) {
  constexpr std::int64_t kSpan = 600;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (const auto& [least, most] = bounds_[i]; !bounds_[i].contains(sizes[i]))
      sizes[i] = between(least, most.value_or(least + kSpan));
  return sizes;
}

bool Sampler::is_inside(std::span<const std::int64_t> sizes) const {
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!bounds_[i].contains(sizes[i])) return false;
  return true;
}

std::optional<std::vector<Assignment>> Sampler::all(std::int64_t most) const {
  std::vector<Assignment> all{Assignment()};
  for (const auto& [first, last] : bounds_) {
    if (!last || *last - first >= most / std::ssize(all)) return std::nullopt;
    std::vector<Assignment> longer;
    for (const Assignment& sizes : all)
      for (std::int64_t size = first; size <= *last; ++size) {
        longer.push_back(sizes);
        longer.back().push_back(size);
      }
    all = std::move(longer);
  }
  return all;
}

}  // namespace opref::symbols
