// SPDX-License-Identifier: Apache-2.0
#include "evaluators/move.h"

#include <catch2/catch.hpp>

#include "exact/rounding.h"

using namespace opref::evaluators;
using namespace opref::evaluators;

namespace {

Call with_threads(int threads) {
  Call call;
  call.set_numerics({.threads = threads});
  return call;
}

/// Element i has the bits i·2654435761, as many as the type has.
Tensor counted_up(DType dtype, std::int64_t count) {
  const int bits = info(dtype).bits;
  std::vector<std::byte> bytes(static_cast<size_t>(byte_size(dtype, count)));
  for (std::int64_t i = 0; i < count; ++i)
    for (int b = 0; b < bits; ++b)
      if ((static_cast<std::uint64_t>(i) * 2654435761U >> (b % 64) & 1) != 0)
        bytes[static_cast<size_t>((i * bits + b) / 8)] |= static_cast<std::byte>(1 << (i * bits + b) % 8);
  return Tensor::copy_of({dtype, Dims{count}}, bytes);
}

}  // namespace

TEST_CASE("move: the bits of every element type, from several tensors, backwards, repeated and filled",
          "[evaluators]") {
  constexpr std::int64_t kCount = 300;
  const auto source = [](std::int64_t i) -> Run {
    if (i < 100) return {99 - i, 100 - i, -1, 0};
    if (i < 170) return {7, 170 - i, 0, 1};
    if (i < 203) return Run::fill(203 - i);
    return {2 * (i - 203), 1 + i % 3, 2, 1};
  };
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.kind == Kind::string || type.bits > 64) continue;
    const Tensor from[] = {counted_up(type.dtype, kCount), counted_up(type.dtype, kCount)};
    const Tensor fill = counted_up(type.dtype, 1);
    for (const int threads : {1, 2}) {
      INFO(type.name << ", " << threads << " threads");
      const Tensor y = move(Output(with_threads(threads), TensorType{type.dtype, Dims{kCount}}), from, source, fill);
      bool same = true;
      for (std::int64_t i = 0; i < kCount; ++i) {
        const Run run = source(i);
        same &=
            element_bits(y, i) == (run.is_fill() ? element_bits(fill, 0) : element_bits(from[run.tensor], run.from));
      }
      CHECK(same);
    }
  }
}

TEST_CASE("move: strings and 16 bytes", "[evaluators]") {
  const Tensor words(Dims{3}, std::vector<std::string>{"a", "b", "c"});
  const auto source = [](std::int64_t i) { return i == 1 ? Run::fill() : Run{2 - i, 1, 0}; };
  const Tensor y = move(Output(with_threads(1), TensorType{DType::string, Dims{3}}), words, source);
  CHECK(std::vector<std::string>(y.strings().begin(), y.strings().end()) == std::vector<std::string>{"c", "", "a"});

  const Tensor numbers = Tensor::of<double>(DType::complex128, Dims{3}, std::vector<double>{1, 2, 3, 4, 5, 6});
  const Tensor z = move(Output(with_threads(1), TensorType{DType::complex128, Dims{3}}), numbers, source);
  CHECK(std::ranges::equal(z.values<double>(), std::vector<double>{5, 6, 0, 0, 1, 2}));
}

TEST_CASE("move: nothing to do, and one position", "[evaluators]") {
  const Tensor x = Tensor::of<float>(DType::float32, Dims{1}, std::vector<float>{5});
  const auto source = [](std::int64_t) { return Run{0}; };
  CHECK(move(Output(with_threads(2), TensorType{DType::float32, Dims{0, 3}}), x, source).count() == 0);
  CHECK(move(Output(with_threads(2), TensorType{DType::float32, Dims{}}), x, source).values<float>()[0] == 5);
}

TEST_CASE("scatter: the last write wins, over a base or over zeros, of every width", "[evaluators]") {
  const std::vector<std::int64_t> places = {4, 0, 4, 2};
  const Target target = [&](std::int64_t e) { return places[static_cast<size_t>(e)]; };
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.kind == Kind::string || type.bits > 64) continue;
    INFO(type.name);
    const Tensor updates = counted_up(type.dtype, 4), base = counted_up(type.dtype, 7);
    for (const auto& under : {std::optional<Tensor>(), std::optional<Tensor>(base)}) {
      const Tensor y = scatter(Output(with_threads(1), TensorType{type.dtype, Dims{7}}), under, updates, target);
      const std::vector<std::int64_t> winners = {1, -1, 3, -1, 2, -1, -1};
      for (std::int64_t i = 0; i < 7; ++i) {
        const std::int64_t e = winners[static_cast<size_t>(i)];
        CHECK(element_bits(y, i) == (e >= 0 ? element_bits(updates, e) : under ? element_bits(base, i) : 0));
      }
    }
  }
  const Tensor words(Dims{2}, std::vector<std::string>{"a", "b"});
  const Tensor y = scatter(Output(with_threads(1), TensorType{DType::string, Dims{3}}), std::nullopt, words,
                           [](std::int64_t e) { return 2 - e; });
  CHECK(std::vector<std::string>(y.strings().begin(), y.strings().end()) == std::vector<std::string>{"", "b", "a"});
}

TEST_CASE("scatter: rows that do not serve leave it to the definition", "[evaluators]") {
  const Tensor x = Tensor::of<float>(DType::float32, Dims{2}, std::vector<float>{5, 6});
  const Target target = [](std::int64_t e) { return 1 - e; };
  for (const bool serves : {true, false}) {
    const Tensor y = scatter(Output(with_threads(1), TensorType{DType::float32, Dims{2}}), std::nullopt, x, target,
                             [&](TensorBuilder& to) {
                               if (serves) std::ranges::fill(to.values<float>(), 9.0F);
                               return serves;
                             });
    CHECK(std::ranges::equal(y.values<float>(), serves ? std::vector<float>{9, 9} : std::vector<float>{6, 5}));
  }
}

TEST_CASE("places: what an element is called may depend on who names it", "[evaluators]") {
  const Tensor x = Tensor::of<float>(DType::float32, Dims{2, 3}, std::vector<float>(6, 1));
  const std::vector<std::int64_t> found = {5, 1};
  const auto place = [&](std::int64_t i) { return found[static_cast<size_t>(i % 2)]; };
  const auto coordinate = [](std::int64_t i, std::int64_t at) { return i < 2 ? at / 3 : at % 3; };
  const Tensor y = places(Output(with_threads(2), TensorType{DType::int64, Dims{2, 2}}), x, place, coordinate);
  CHECK(std::ranges::equal(y.values<std::int64_t>(), std::vector<std::int64_t>{1, 0, 2, 1}));
}

TEST_CASE("move: elements of one of two tensors, by a condition that broadcasts as they do", "[evaluators]") {
  struct Shapes {
    Dims condition, x, z, y;
  };
  const Shapes kShapes[] = {{{9000}, {9000}, {9000}, {9000}},
                            {{3, 1}, {5000}, {3, 5000}, {3, 5000}},
                            {{}, {2, 3}, {}, {2, 3}},
                            {{4, 1, 2}, {3, 1}, {1}, {4, 3, 2}}};
  for (const DType dtype :
       {DType::uint8, DType::float16, DType::float32, DType::float64, DType::complex128, DType::int4})
    for (const Shapes& shapes : kShapes) {
      INFO(info(dtype).name << shapes.y.size());
      TensorBuilder truths({DType::boolean, shapes.condition});
      std::uint8_t turn = 0;
      for (std::uint8_t& truth : truths.values<std::uint8_t>()) truth = ++turn % 3 == 0 ? 1 : 0;
      const Tensor condition = std::move(truths).finish();
      const Tensor x = counted_up(dtype, element_count(shapes.x)).reshaped(shapes.x);
      const Tensor z = move(Output(with_threads(1), TensorType{dtype, shapes.z}),
                            counted_up(dtype, element_count(shapes.z) + 5), [](std::int64_t i) -> Run {
                              return {i + 5, 1, 1};
                            });
      const TensorType type{dtype, shapes.y};
      const Tensor y = move_either(Output(with_threads(2), type), condition, x, z);
      const auto placed = [&](const Dims& shape) { return Strided(shapes.y, broadcast_strides(shape, shapes.y)); };
      const Strided at_condition = placed(shapes.condition), at_x = placed(shapes.x), at_z = placed(shapes.z);
      const Tensor expected = move(Output(with_threads(1), type), std::array{x, z}, [&](std::int64_t i) -> Run {
        const bool is_x = condition.values<std::uint8_t>()[static_cast<size_t>(at_condition(i))] != 0;
        return {is_x ? at_x(i) : at_z(i), 1, 1, is_x ? 0 : 1};
      });
      CHECK(std::ranges::equal(y.bytes(), expected.bytes()));
    }
}
