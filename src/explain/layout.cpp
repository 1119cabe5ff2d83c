// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/index.h"
#include "core/text.h"
#include "exact/element_text.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "explain/elements.h"
#include "system/deadline.h"

namespace opref::explain {
namespace {

constexpr std::int64_t kLeastDiffering = 3;
constexpr std::size_t kMostAxes = 6;  ///< of which all orders are tried

using Where = std::function<std::optional<std::int64_t>(const Dims& at)>;

class LayoutSearch {
 public:
  LayoutSearch(const Tensor& right, const Tensor& actual, const SameElement& same)
      : right_(right), actual_(actual), same_(same) {}

  std::vector<Layout> found() {
    if (actual_.count() == 0) return {};
    const bool has_shape = right_.shape() == actual_.shape();
    if (has_shape) {
      for (std::int64_t k = 0; k < actual_.count(); ++k)
        if (!same_(k, k)) differing_.push_back(k);
      if (std::ssize(differing_) < kLeastDiffering) return {};
      not_written();
      if (found_.empty()) reversed();
      if (found_.empty()) interleaved();
      if (found_.empty()) shifted();
    }
    if (found_.empty() && right_.count() == actual_.count()) in_other_order();
    return std::move(found_);
  }

 private:
  bool is_as_first(std::int64_t k) const { return is_same_element(actual_, k, actual_, differing_.front()); }

  /// Neither NaN nor infinite.
  bool is_number(std::int64_t k) const {
    return info(actual_.dtype()).kind != Kind::floating || std::isfinite(floating_element(actual_, k));
  }

  /// 0, or a string without characters.
  bool is_empty(std::int64_t k) const {
    if (actual_.dtype() == DType::string) return actual_.strings()[static_cast<size_t>(k)].empty();
    return element_bits(actual_, k) == 0;
  }

  /// All that differs is one value, in a box of nothing else.
  void not_written() {
    const DTypeInfo& type = info(actual_.dtype());
    if (type.bits > 64 || type.dtype == DType::boolean || !is_number(differing_.front())) return;
    for (const std::int64_t k : differing_)
      if (!is_as_first(k)) return;
    const Dims& shape = actual_.shape();
    Dims low = coordinates(differing_.front(), shape), high = low;
    for (const std::int64_t k : differing_) {
      const Dims at = coordinates(k, shape);
      for (size_t a = 0; a < at.size(); ++a) low[a] = std::min(low[a], at[a]), high[a] = std::max(high[a], at[a]);
    }
    std::int64_t inside = 1;
    for (size_t a = 0; a < shape.size(); ++a) inside *= high[a] - low[a] + 1;
    Dims box = high;
    for (size_t a = 0; a < shape.size(); ++a) box[a] = high[a] - low[a] + 1;
    for (std::int64_t k = 0; k < inside; ++k) {
      Dims at = coordinates(k, box);
      for (size_t a = 0; a < at.size(); ++a) at[a] += low[a];
      if (!is_as_first(position(at, shape))) return;
    }
    std::vector<std::string> ranges;
    for (size_t a = 0; a < shape.size(); ++a)
      ranges.push_back(low[a] == 0 && high[a] == shape[a] - 1 ? ":"
                       : low[a] == high[a]                    ? format("{}", low[a])
                                                              : format("{}:{}", low[a], high[a] + 1));
    const bool is_all = inside == actual_.count();
    if (is_all && !is_empty(0)) return;  // anything may have made it
    found_.push_back({format("not written: {} {}", element_text(actual_, differing_.front()),
                             is_all ? "everywhere" : format("at [{}]", join_text(ranges, ","))),
                      0, std::ssize(differing_)});
  }

  /// The backend's element at `at` is the right one at `where(at)`, or any where that is nothing.
  std::optional<std::int64_t> elements_left(const Where& where) const {
    std::int64_t left = 0;
    const auto fits = [&](std::int64_t k) {
      const auto from = where(coordinates(k, actual_.shape()));
      left += from ? 0 : 1;
      return !from || same_(*from, k);
    };
    // Nearly all that does not fit does not fit where the two differ.
    const size_t step = std::max<size_t>(1, differing_.size() / 64);
    for (size_t i = 0; i < differing_.size(); i += step)
      if (!fits(differing_[i])) return std::nullopt;
    left = 0;
    for (std::int64_t k = 0; k < actual_.count(); ++k)
      if (!fits(k)) return std::nullopt;
    return left;
  }
  /// Of differing elements it must tell more than one value.
  bool says_enough(const Where& where) const {
    std::int64_t told = 0;
    std::optional<std::int64_t> first;
    bool varies = false;
    for (const std::int64_t k : differing_) {
      if (!where(coordinates(k, actual_.shape()))) continue;
      if (!first) first = k;
      varies |= element_text(actual_, k) != element_text(actual_, *first);
      if (++told >= kLeastDiffering && varies) return true;
    }
    return false;
  }
  void add_moved(const std::string& name, const Where& where) {
    const auto left = found_.empty() ? elements_left(where) : std::nullopt;
    if (left && says_enough(where)) found_.push_back({name, *left, std::ssize(differing_) - *left});
  }

  /// In memory, or along an axis, by the fewest elements first.
  void shifted() {
    constexpr std::int64_t kMost = 4096, kMostInMemory = 64;
    const Dims& shape = actual_.shape();
    const auto longest = std::ranges::max_element(shape);
    const std::int64_t most = longest == shape.end() ? 0 : std::min(*longest, kMost);
    const bool is_one_row = most == actual_.count();
    for (std::int64_t by = 1; by < std::max(most, kMostInMemory) && found_.empty(); ++by) {
      require_time();
      for (const std::int64_t k : {by, -by}) {
        if (by <= kMostInMemory && !is_one_row) shifted_in_memory(k);
        for (size_t a = 0; a < shape.size(); ++a)
          if (found_.empty() && by < shape[a]) shifted_along(a, k);
      }
    }
  }
  void shifted_in_memory(std::int64_t k) {
    add_moved(format("shifted by {} in memory", counted(k, "element")), [&, k](const Dims& at) {
      const std::int64_t from = position(at, actual_.shape()) - k;
      return from < 0 || from >= actual_.count() ? std::nullopt : std::optional(from);
    });
  }
  /// What goes beyond the end comes in again at the beginning, or is lost: then no more than half of all.
  void shifted_along(size_t a, std::int64_t k) {
    constexpr std::int64_t kNear = 2;  // or no matter how much
    const Dims& shape = actual_.shape();
    const std::int64_t n = shape[a];
    add_moved(format("rotated by {} along axis {}", k, a), [&, k, a, n](Dims at) -> std::optional<std::int64_t> {
      at[a] = (at[a] - k + n) % n;
      return position(at, shape);
    });
    if (!found_.empty() || std::abs(k) > std::max(kNear, n / 2)) return;
    add_moved(format("shifted by {} along axis {}", k, a), [&, k, a, n](Dims at) -> std::optional<std::int64_t> {
      at[a] -= k;
      return at[a] < 0 || at[a] >= n ? std::nullopt : std::optional(position(at, shape));
    });
  }

  void reversed() {
    const Dims& shape = actual_.shape();
    for (size_t a = 0; a < shape.size() && found_.empty(); ++a)
      add_moved(format("in reverse order along axis {}", a), [&, a](Dims at) -> std::optional<std::int64_t> {
        at[a] = shape[a] - 1 - at[a];
        return position(at, shape);
      });
  }

  /// Along an axis, g groups one after the other have become groups of g elements, one of each.
  void interleaved() {
    const Dims& shape = actual_.shape();
    for (size_t a = 0; a < shape.size(); ++a)
      for (std::int64_t g = 2; g <= shape[a] / 2 && found_.empty(); ++g)
        if (shape[a] % g == 0)
          add_moved(format("{} groups interleaved along axis {}", g, a),
                    [&, g, a](Dims at) -> std::optional<std::int64_t> {
                      at[a] = at[a] % g * (shape[a] / g) + at[a] / g;
                      return position(at, shape);
                    });
  }

  /// The elements one after the other are those of the right output with its axes in another order.
  void in_other_order() {
    const Dims& shape = right_.shape();
    if (shape.size() > kMostAxes || right_.count() < kLeastDiffering) return;
    std::vector<size_t> order(shape.size());
    std::iota(order.begin(), order.end(), size_t{0});
    do {
      require_time();
      Dims turned = shape;
      for (size_t a = 0; a < order.size(); ++a) turned[a] = shape[order[a]];
      const auto fits = [&] {
        for (std::int64_t k = 0; k < actual_.count(); ++k) {
          const Dims at = coordinates(k, turned);
          Dims from = shape;
          for (size_t a = 0; a < order.size(); ++a) from[order[a]] = at[a];
          if (!same_(position(from, shape), k)) return false;
        }
        return true;
      };
      const bool is_same_order = std::ranges::is_sorted(order);
      if ((is_same_order && turned == actual_.shape()) || !has_several_values() || !fits()) continue;
      const std::string axes = join_some(order, ",", order.size());
      found_.push_back({is_same_order               ? format("the right values in the shape {}", actual_.shape())
                        : turned == actual_.shape() ? format("transposed: {}", axes)
                                                    : format("written in the order of a transpose {}", axes),
                        0, right_.count()});
      return;
    } while (std::ranges::next_permutation(order).found);
  }
  bool has_several_values() const {
    for (std::int64_t k = 1; k < actual_.count(); ++k)
      if (element_text(actual_, k) != element_text(actual_, 0)) return true;
    return false;
  }

  const Tensor &right_, &actual_;
  const SameElement& same_;
  std::vector<std::int64_t> differing_;
  std::vector<Layout> found_;
};

}  // namespace

std::vector<Layout> layouts(const Tensor& right, const Tensor& actual, const SameElement& same) {
  if (right.dtype() != actual.dtype()) return {};
  return LayoutSearch(right, actual, same).found();
}

}  // namespace opref::explain
