// SPDX-License-Identifier: Apache-2.0
#include "ops/common/max_pool.h"

#include "core/error.h"
#include "families/move.h"
#include "families/taps.h"

namespace opref::ops {

using namespace families;

Reading max_pool_empty_reading(std::int64_t first, bool (*has_empty)(const Call&)) {
  return {.name = "max_pool.empty",
          .alternatives = {"supremum: a window without elements gives -Inf, the least of an integer type",
                           "lowest_finite: the least finite number, and index 0"},
          .defaults = {{first, "supremum"}},
          .reason =
              "the greatest of no numbers is -Inf, and no index names it; OpenVINO writes the least finite "
              "number and index 0",
          .may_change_values = has_empty};
}

std::vector<Value> max_pool(const Call& call, const Tensor& x, std::span<const Output> outs, const MaxPool& pool) {
  const PoolingWindows& w = pool.windows;
  const TensorType& y = outs[0].type();
  const Taps taps(window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin), first_wanted(outs));
  const std::int64_t plane = element_count(w.O), x_plane = element_count(w.L);
  const bool has_lowest = call.reads("max_pool.empty", "lowest_finite");
  const Selection greatest(first_wanted(outs), x, Zeros::ordered, Extreme::greatest, pool.tie,
                           [&](std::int64_t i, Best& best) {
                             const auto [nc, o] = split(i, plane);
                             for (const Tap& tap : taps.of(o)) best.consider(nc * x_plane + tap.x);
                           });
  const Tensor fill = neutral(y.dtype, Extreme::greatest, has_lowest ? Ends::finite : Ends::infinite);
  const auto moved = [&](const auto& place) {
    return move(
        outs[0], x, [&](std::int64_t i) { return Run{place(i)}; }, fill);
  };
  const auto named = [&](const auto& place) {
    const auto checked = [&](std::int64_t i) {
      const std::int64_t at = place(i);
      require(at >= 0 || has_lowest,
              "the window of {}{} lies outside {}: {} has nothing to name; the reading max_pool.empty=lowest_finite "
              "names element 0, and {} alone needs no {}",
              call.schema().outputs()[0].name, at < 0 ? coordinates(i, y.shape) : Dims{},
              call.schema().inputs()[0].name, call.schema().outputs()[1].name, call.schema().outputs()[0].name,
              call.schema().outputs()[1].name);
      return at;
    };
    return places(outs[1], x, checked, [&](std::int64_t at) { return at < 0 ? 0 : pool.index(at); });
  };
  if (outs.size() == 1 || !outs[1].wanted()) return {moved(greatest)};
  if (!outs[0].wanted()) return {Value{}, named(greatest)};
  std::vector<std::int64_t> chosen(static_cast<size_t>(element_count(y.shape)));  // once for both
  greatest.all(chosen);
  const auto at = [&](std::int64_t i) { return chosen[static_cast<size_t>(i)]; };
  return {moved(at), named(at)};
}

}  // namespace opref::ops
