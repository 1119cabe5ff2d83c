// SPDX-License-Identifier: Apache-2.0
#include "evaluators/taps.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace opref::evaluators::taps_test {
namespace {

using Expanded = std::vector<std::vector<Tap>>;

/// The taps of the first output positions.
Expanded expanded(const TapAxes& axes, std::int64_t positions) {
  const Taps taps(axes);
  Expanded all;
  for (std::int64_t o = 0; o < positions; ++o) {
    const TapList list = taps.of(o);
    all.emplace_back(list.begin(), list.end());
    CHECK(list.size() == all.back().size());
  }
  return all;
}
/// Of all of them.
Expanded expanded(const TapAxes& axes) {
  std::int64_t positions = 1;
  for (const TapAxis& axis : axes) positions *= axis.output;
  return expanded(axes, positions);
}

bool same(const Expanded& a, const Expanded& b) {
  return std::ranges::equal(a, b, [](const auto& p, const auto& q) {
    return std::ranges::equal(p, q, [](const Tap& s, const Tap& t) { return s.x == t.x && s.w == t.w; });
  });
}

struct Sizes {
  Dims input, kernel, output, strides, dilations, pads;
};

/// All pairs of an input and a kernel coordinate that `relates(i, k, o)` on every axis, o the output coordinate.
template <class Relation>
Expanded by_search(const Sizes& s, const Relation& relates) {
  Expanded all;
  for (std::int64_t o = 0; o < element_count(s.output); ++o) {
    all.emplace_back();
    const Dims to = coordinates(o, s.output);
    for (std::int64_t k = 0; k < element_count(s.kernel); ++k)
      for (std::int64_t i = 0; i < element_count(s.input); ++i)
        if (relates(coordinates(i, s.input), coordinates(k, s.kernel), to)) all.back().push_back({i, k});
  }
  return all;
}

void check(const Sizes& s) {
  CAPTURE(to_text(s.input), to_text(s.kernel), to_text(s.output), to_text(s.strides), to_text(s.dilations),
          to_text(s.pads));
  const Expanded windows = by_search(
      s, [&](const Dims& i, const Dims& k, const Dims& o) { return i == o * s.strides + k * s.dilations - s.pads; });
  const Expanded transposed = by_search(
      s, [&](const Dims& i, const Dims& k, const Dims& o) { return i * s.strides + k * s.dilations - s.pads == o; });
  CHECK(same(expanded(window_axes(s.input, s.kernel, s.output, s.strides, s.dilations, s.pads)), windows));
  CHECK(same(expanded(transposed_axes(s.input, s.kernel, s.output, s.strides, s.dilations, s.pads)), transposed));
}

/// What is told of an output position's taps.
std::vector<std::string> told(const TapAxes& axes, std::int64_t o) {
  struct : TermSink {
    void leaves_out(const std::string& sentence) override { sentences.push_back(sentence); }
    std::vector<std::string> sentences;
  } sink;
  Taps(axes, &sink).of(o);
  return sink.sentences;
}

/// The same of one axis of few taps, one after another.
std::vector<std::string> told_by_search(const TapAxis& axis, std::int64_t o) {
  std::vector<std::string> skipped, before, behind, sentences;
  for (std::int64_t k = 0; k < axis.kernel; ++k) {
    const std::int64_t at = o * axis.output_step + k * axis.kernel_step + axis.offset;
    if (at % axis.divisor != 0)
      skipped.push_back(std::to_string(k));
    else if (at < 0 || at / axis.divisor >= axis.input)
      (at < 0 ? before : behind).push_back(std::to_string(k));
  }
  const auto tell = [&](std::vector<std::string>& list, const std::string& one, const std::string& several) {
    if (list.empty()) return;
    const size_t count = list.size();
    if (count > 8) list.resize(8), list.emplace_back("…");
    sentences.push_back(format("along spatial axis 0, kernel position{} {} ({}of {}) {}", count == 1 ? "" : "s",
                               join_text(list, ", "), count > 8 ? format("{} ", count) : "", axis.kernel,
                               count == 1 ? one : several));
  };
  tell(skipped, format("is skipped by stride {}", axis.divisor), format("are skipped by stride {}", axis.divisor));
  tell(before, "lies before the first element", "lie before the first element");
  tell(behind, "lies behind the last element", "lie behind the last element");
  return sentences;
}

}  // namespace

TEST_CASE("taps are those that the formulas relate, 1-D", "[evaluators][taps]") {
  for (std::int64_t input = 1; input <= 4; ++input)
    for (std::int64_t kernel = 1; kernel <= 3; ++kernel)
      for (std::int64_t stride = 1; stride <= 3; ++stride)
        for (std::int64_t dilation = 1; dilation <= 3; ++dilation)
          for (std::int64_t pad = 0; pad <= 3; ++pad) check({{input}, {kernel}, {5}, {stride}, {dilation}, {pad}});
}

TEST_CASE("taps are those that the formulas relate, 2-D and 3-D", "[evaluators][taps]") {
  check({{3, 4}, {2, 3}, {4, 5}, {2, 1}, {1, 2}, {1, 0}});
  check({{1, 5}, {3, 1}, {3, 4}, {1, 3}, {2, 1}, {3, 2}});
  check({{2, 3, 2}, {2, 2, 3}, {3, 4, 2}, {2, 1, 1}, {1, 2, 1}, {1, 0, 1}});
  check({{2, 2}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {9, 0}});  // no taps at all
}

TEST_CASE("more taps than lie on the stack, and more coordinates than are kept", "[evaluators][taps]") {
  check({{9, 10}, {9, 10}, {9, 10}, {1, 1}, {1, 1}, {4, 5}});
  // Output 5001: i*3 + k*2 - 1 = 5001, k < 7.
  const TapAxes axes = transposed_axes({2000}, {7}, {6000}, {3}, {2}, {1});
  CHECK(same({expanded(axes, 5002).back()}, {{{1666, 2}, {1664, 5}}}));
}

TEST_CASE("nothing to read, nothing to write, nothing computed", "[evaluators][taps]") {
  CHECK(expanded(window_axes({3}, {2}, {0}, {1}, {1}, {0})).empty());
  CHECK(same(expanded(window_axes({0}, {2}, {2}, {1}, {1}, {1})), {{}, {}}));
  CHECK(same(expanded(without_taps(window_axes({3}, {2}, {2}, {1}, {1}, {0}))), {{}, {}}));
  TapAxes axes = transposed_axes({2}, {3}, {5}, {2}, {1}, {0});
  axes[0].computed = 4;
  CHECK(same(expanded(axes), {{{0, 0}}, {{0, 1}}, {{1, 0}, {0, 2}}, {{1, 1}}, {}}));
}

TEST_CASE("what is told of taps that read nothing", "[evaluators][taps]") {
  size_t sentences = 0;
  for (const std::int64_t input : {1, 3, 12})
    for (const std::int64_t kernel : {1, 2, 5, 13})
      for (const std::int64_t stride : {1, 2, 3, 6})
        for (const std::int64_t dilation : {1, 2, 4})
          for (const std::int64_t pad : {0, 1, 7})
            for (const std::int64_t o : {0, 1, 5, 11})
              for (const TapAxes& axes : {window_axes({input}, {kernel}, {12}, {stride}, {dilation}, {pad}),
                                          transposed_axes({input}, {kernel}, {12}, {stride}, {dilation}, {pad})}) {
                CAPTURE(input, kernel, stride, dilation, pad, o, axes[0].divisor);
                CHECK(told(axes, o) == told_by_search(axes[0], o));
                sentences += told(axes, o).size();
              }
  CHECK(sentences > 1000);
  CHECK(told(without_taps(window_axes({3}, {2}, {2}, {1}, {1}, {0})), 1).empty());
}

TEST_CASE("what is told of a window costs nothing, however large it is", "[evaluators][taps]") {
  constexpr std::int64_t kHalf = std::int64_t{1} << 40;
  CHECK(told(window_axes({4}, {2 * kHalf}, {1}, {1}, {1}, {kHalf}), 0) ==
        std::vector<std::string>{
            "along spatial axis 0, kernel positions 0, 1, 2, 3, 4, 5, 6, 7, … (1099511627776 of 2199023255552) lie "
            "before the first element",
            "along spatial axis 0, kernel positions 1099511627780, 1099511627781, 1099511627782, 1099511627783, "
            "1099511627784, 1099511627785, 1099511627786, 1099511627787, … (1099511627772 of 2199023255552) lie behind "
            "the last element"});
}

TEST_CASE("taps cost what they read, not what sizes say", "[evaluators][taps]") {
  const std::int64_t huge = std::int64_t{1} << 61;
  CHECK(same(expanded(window_axes({3}, {huge}, {2}, {huge}, {1}, {huge - 1})), {{{0, huge - 1}}, {{1, 0}, {2, 1}}}));
  CHECK(same(expanded(transposed_axes({2}, {3}, {2}, {huge}, {huge}, {huge})), {{{1, 0}, {0, 1}}, {}}));
  // Windows of 2^122 taps, of which two are inside: there is no filter, and no place in one.
  CHECK(same(expanded(window_axes({1, 2}, {huge, huge}, {1, 1}, {1, 1}, {1, 1}, {0, 0})), {{{0, 0}, {1, 0}}}));
  // Far from the other sizes, an output that does not exist costs nothing.
  CHECK(same(expanded(window_axes({3}, {2}, {huge}, {1}, {1}, {0}), 2), {{{0, 0}, {1, 1}}, {{1, 0}, {2, 1}}}));
  CHECK_THROWS_AS(Taps(window_axes({3}, {2}, {5}, {huge}, {1}, {0})), Error);
}

}  // namespace opref::evaluators::taps_test
