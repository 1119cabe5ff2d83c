// SPDX-License-Identifier: Apache-2.0
#include "evaluators/axis_moves.h"

#include <catch2/catch.hpp>

#include "core/index.h"
#include "evaluators/strided.h"
#include "exact/rounding.h"

namespace axis_moves_test {

using namespace opref::evaluators;

namespace {

Tensor counted_up(const TensorType& type, std::uint64_t from = 0) {
  TensorBuilder builder(type);
  const int bits = info(type.dtype).bits;
  for (std::int64_t i = 0; i < element_count(type.shape); ++i)
    set_bits(builder.bytes(), bits, i, (static_cast<std::uint64_t>(i) + from) * 2654435761U);
  return std::move(builder).finish();
}

/// Element by element, as the header says.
void check(const Dims& y_shape, const Dims& x_shape, const PlaceAlong& place) {
  for (const DType dtype : {DType::uint8, DType::float16, DType::float32, DType::float64, DType::int4}) {
    const Tensor x = counted_up({dtype, x_shape}), one = counted_up({dtype, Dims{1}}, 12345);
    for (const int threads : {1, 3}) {
      Call call;
      call.set_numerics({.threads = threads});
      const Tensor y = move_by_axes(Output(call, TensorType{dtype, y_shape}), x, place, one);
      bool same = true;
      for (std::int64_t i = 0; i < y.count(); ++i) {
        const Dims at = coordinates(i, y_shape);
        Dims from = at;
        bool is_fill = false;
        for (size_t a = 0; a < at.size(); ++a) from[a] = place(a, at[a]), is_fill = is_fill || from[a] < 0;
        same &= element_bits(y, i) == (is_fill ? element_bits(one, 0) : element_bits(x, position(from, x_shape)));
      }
      INFO(info(dtype).name << ", " << threads << " threads");
      CHECK(same);
    }
  }
}

}  // namespace

TEST_CASE("move by axes: repeated, skipped, backwards, whole and filled coordinates", "[evaluators]") {
  const auto doubled = [](size_t, std::int64_t o) { return o / 2; };
  check({4, 6, 10}, {2, 3, 5}, doubled);
  check({3, 10}, {7, 3}, [](size_t a, std::int64_t o) { return a == 0 ? 3 * o : 2 - o % 3; });
  check({5, 4, 3}, {2, 4, 3}, [](size_t a, std::int64_t o) { return a == 0 ? o / 3 : o; });  // pieces of 12
  check({5, 4, 3}, {2, 4, 3}, [](size_t a, std::int64_t o) { return a == 2 ? o : o % 2; });
  check({6, 6}, {4, 4}, [](size_t, std::int64_t o) { return o == 0 || o == 5 ? -1 : o - 1; });
  check({6, 2, 3}, {4, 2, 3}, [](size_t a, std::int64_t o) { return a > 0 ? o : o == 2 ? -1 : o % 4; });
  check({9000}, {300}, [](size_t, std::int64_t o) { return o % 7 == 0 ? -1 : o % 300; });  // parts of a row
}

TEST_CASE("move by axes: strings, scalars and nothing", "[evaluators]") {
  const Tensor words(Dims{2}, std::vector<std::string>{"a", "b"});
  const auto place = [](size_t, std::int64_t o) { return o == 4 ? -1 : o / 2; };
  const Tensor y = move_by_axes(Output(Call(), TensorType{DType::string, Dims{5}}), words, place);
  CHECK(std::vector(y.strings().begin(), y.strings().end()) == std::vector<std::string>{"a", "a", "b", "b", ""});
  const Tensor one = counted_up({DType::float32, {}});
  CHECK(element_bits(move_by_axes(Output(Call(), one.type()), one, place), 0) == element_bits(one, 0));
  const Tensor none = counted_up({DType::float32, Dims{0, 2}});
  CHECK(move_by_axes(Output(Call(), TensorType{DType::float32, Dims{0, 5}}), none, place).count() == 0);
}

}  // namespace axis_moves_test
