// SPDX-License-Identifier: Apache-2.0
#include "evaluators/move.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "exact/rounding.h"

namespace move_test {

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

namespace {

constexpr DType kWidths[] = {DType::uint8,      DType::float16, DType::float32, DType::float64,
                             DType::complex128, DType::int4,    DType::int2};

/// Y[i] = x[place(i)], or the fill where that is -1, element by element.
Tensor one_by_one(const TensorType& type, const Tensor& x, const std::function<std::int64_t(std::int64_t)>& place,
                  const std::optional<Tensor>& fill = {}) {
  const auto source = [&](std::int64_t i) { return place(i) < 0 ? Run::fill() : Run{place(i)}; };
  return move(Output(with_threads(1), type), x, source, fill);
}

class Chosen {
 public:
  explicit Chosen(unsigned seed) : random_(seed) {}
  std::int64_t operator()(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }

 private:
  std::mt19937_64 random_;
};

void check_move(const TensorType& type, const Tensor& x, const Strided& place) {
  const Tensor expected = one_by_one(type, x, [&](std::int64_t i) { return place(i); });
  for (const int threads : {1, 2}) {
    INFO(info(type.dtype).name << " " << to_text(type.shape) << " of " << to_text(x.shape()) << ", " << threads);
    CHECK(std::ranges::equal(move(Output(with_threads(threads), type), x, place).bytes(), expected.bytes()));
  }
}

}  // namespace

TEST_CASE("move: axes in another order, in blocks and beside them", "[evaluators]") {
  for (const DType dtype : kWidths)
    for (const Dims& x : {Dims{40, 35}, Dims{16, 16}, Dims{15, 300}, Dims{300, 15}, Dims{2, 3}, Dims{4200, 17}})
      check_move({dtype, {x[1], x[0]}}, counted_up(dtype, element_count(x)).reshaped(x),
                 Strided({x[1], x[0]}, {1, x[1]}));
}

TEST_CASE("move: any strides, also negative ones, 0 and such that leave elements out", "[evaluators]") {
  Chosen chosen(7);
  for (const DType dtype : kWidths)
    for (int k = 0; k < 60; ++k) {
      const auto rank = static_cast<size_t>(chosen(0, 5));
      Dims x = Dims::filled(rank, 1), y = x, strides = x;
      for (std::int64_t& size : x) size = chosen(1, rank > 3 ? 6 : 20);
      std::vector<size_t> order(rank);
      std::iota(order.begin(), order.end(), size_t{0});
      for (size_t a = rank; a-- > 1;)
        std::swap(order[a], order[static_cast<size_t>(chosen(0, static_cast<std::int64_t>(a)))]);
      std::int64_t start = 0;
      for (size_t a = 0; a < rank; ++a) {
        y[a] = x[order[a]], strides[a] = strides_of(x)[order[a]];
        switch (chosen(0, 5)) {
          case 0:
            start += strides[a] * (y[a] - 1), strides[a] = -strides[a];
            break;
          case 1:
            y[a] = (y[a] + 1) / 2, strides[a] *= 2;
            break;
          case 2:
            strides[a] = 0;
            break;
          default:
            break;
        }
      }
      check_move({dtype, y}, counted_up(dtype, element_count(x)).reshaped(x), Strided(y, strides, start));
    }
}

TEST_CASE("move_by_axis: coordinates along each axis, some of them none", "[evaluators]") {
  Chosen chosen(8);
  for (const DType dtype : kWidths)
    for (int k = 0; k < 100; ++k) {
      const auto rank = static_cast<size_t>(chosen(0, 4));
      Dims x = Dims::filled(rank, 1);
      for (std::int64_t& size : x) size = chosen(1, rank > 2 ? 6 : 30);
      Dims y = x;
      std::vector<Coordinates> from(rank);
      for (size_t a = 0; a < rank; ++a) {
        const std::int64_t how = chosen(0, 5), n = how == 1 ? x[a] : chosen(0, rank > 2 ? 7 : 40);
        if (how == 0) continue;
        auto& along = from[a].emplace();
        for (std::int64_t o = 0; o < n; ++o) {
          const std::int64_t moved = o - 3;
          along.push_back(how == 1   ? o                                          // each its own
                          : how == 2 ? o % x[a]                                   // repeated
                          : how == 3 ? (moved < 0 || moved >= x[a] ? -1 : moved)  // padded
                          : how == 4 ? std::min(o / 2, x[a] - 1)                  // twice each
                                     : chosen(-1, x[a] - 1));
        }
        y[a] = n;
      }
      const Tensor data = counted_up(dtype, element_count(x)).reshaped(x), fill = counted_up(dtype, 1);
      const auto place = [&](std::int64_t i) {
        Dims at = coordinates(i, y);
        for (size_t a = 0; a < rank; ++a)
          if (from[a]) at[a] = (*from[a])[static_cast<size_t>(at[a])];
        return std::ranges::find(at, -1) == at.end() ? position(at, x) : -1;
      };
      const TensorType type{dtype, y};
      const Tensor expected = one_by_one(type, data, place, fill);
      INFO(info(dtype).name << " " << to_text(y) << " of " << to_text(x));
      for (const int threads : {1, 2})
        CHECK(std::ranges::equal(move_by_axis(Output(with_threads(threads), type), data, from, fill).bytes(),
                                 expected.bytes()));
    }
  const Tensor words(Dims{3}, std::vector<std::string>{"a", "b", "c"});
  const std::array<Coordinates, 1> twice{{{{2, -1, 2, 0, 1}}}};
  const Tensor y = move_by_axis(Output(with_threads(1), TensorType{DType::string, Dims{5}}), words, twice);
  CHECK(std::ranges::equal(y.strings(), std::vector<std::string>{"c", "", "c", "a", "b"}));
}

TEST_CASE("move and scatter: slices of one element and of more", "[evaluators]") {
  Chosen chosen(9);
  constexpr std::int64_t kCount = 500;
  for (const DType dtype : kWidths)
    for (const std::int64_t size : {1, 2, 7}) {
      INFO(info(dtype).name << ", slices of " << size);
      SlicePlaces places{{}, size};
      for (int j = 0; j < 90; ++j) places.first.push_back(chosen(0, kCount - size));
      const Tensor x = counted_up(dtype, kCount);
      const TensorType type{dtype, Dims{places.count()}};
      const Tensor picked = one_by_one(type, x, [&](std::int64_t i) { return places(i); });
      for (const int threads : {1, 2})
        CHECK(std::ranges::equal(move(Output(with_threads(threads), type), x, places).bytes(), picked.bytes()));
      for (const auto& base : {std::optional<Tensor>(), std::optional(x)}) {
        std::vector<std::int64_t> writer(kCount, -1);  // the last update of each place
        for (std::int64_t e = 0; e < places.count(); ++e) writer[static_cast<size_t>(places(e))] = e;
        const std::array from{base ? *base : zeros_of(x.type()), picked};
        const Tensor expected = move(Output(with_threads(1), x.type()), from, [&](std::int64_t i) {
          const std::int64_t e = writer[static_cast<size_t>(i)];
          return e < 0 ? Run{i} : Run{e, 1, 1, 1};
        });
        CHECK(std::ranges::equal(scatter(Output(with_threads(1), x.type()), base, picked, places).bytes(),
                                 expected.bytes()));
      }
    }
}

TEST_CASE("move_one_hot: one element of each line is another one", "[evaluators]") {
  Chosen chosen(10);
  for (const DType dtype : kWidths)
    for (const Dims& shape : {Dims{50, 30, 1}, Dims{3, 5, 7}, Dims{70, 1, 1}, Dims{1, 4, 100}, Dims{2, 0, 3}}) {
      std::vector<std::int64_t> hot;
      for (std::int64_t line = 0; line < shape[0] * shape[2]; ++line) hot.push_back(chosen(-2, shape[1] + 1));
      const Tensor pair = counted_up(dtype, 2);
      const TensorType type{dtype, shape};
      const Tensor expected = one_by_one(type, pair, [&](std::int64_t i) -> std::int64_t {
        const auto [outer, j, in] = split(i, shape[1], shape[2]);
        return hot[static_cast<size_t>(outer * shape[2] + in)] == j ? 1 : 0;
      });
      INFO(info(dtype).name << " " << to_text(shape));
      for (const int threads : {1, 2})
        CHECK(std::ranges::equal(move_one_hot(Output(with_threads(threads), type), pair, shape[1], shape[2],
                                              [&](std::int64_t line) { return hot[static_cast<size_t>(line)]; })
                                     .bytes(),
                                 expected.bytes()));
    }
}

TEST_CASE("zero_and_one: of numbers and of bool", "[evaluators]") {
  CHECK(std::ranges::equal(zero_and_one(DType::float32).values<float>(), std::vector<float>{0, 1}));
  CHECK(std::ranges::equal(zero_and_one(DType::boolean).values<std::uint8_t>(), std::vector<std::uint8_t>{0, 1}));
  CHECK(element_bits(zero_and_one(DType::bfloat16), 1) == 0x3f80);
  CHECK(element_bits(zero_and_one(DType::int4), 1) == 1);
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

}  // namespace move_test
