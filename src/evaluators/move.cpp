// SPDX-License-Identifier: Apache-2.0
#include "evaluators/move.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "evaluators/copies.h"
#include "evaluators/moved_rows.h"
#include "evaluators/parts.h"
#include "evaluators/stretches.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "exact/row_conversions.h"
#include "exact/term_sink.h"

namespace opref::evaluators {
namespace {

/// A multiple of the elements that share a byte: each has one writer.
constexpr std::int64_t kGrain = 64;

Place place(const Tensor& tensor, std::int64_t at) { return {tensor.identity(), at}; }

/// Where element i of what is moved comes from.
void tell(TermSink& sink, std::int64_t i, std::span<const Tensor> from, const Source& source) {
  const Run run = source(i);
  if (run.is_fill())
    sink.fills();
  else
    sink.moves(place(from[static_cast<size_t>(run.tensor)], run.from));
}

/// What is written to element i, one after another.
void tell(TermSink& sink, std::int64_t i, const std::optional<Tensor>& base, const Tensor& updates,
          const Target& target) {
  if (base)
    sink.moves(place(*base, i));
  else
    sink.fills();
  for_each_stretch(0, updates.count(), [&](std::int64_t e, std::int64_t end) {
    for (; e < end; ++e)
      if (target(e) == i) sink.moves(place(updates, e));
  });
}

/// Y, of which copy_all(copier) copies all elements, and each comes from source(i).
template <class CopyAll>
Tensor moved(const Output& out, std::span<const Tensor> from, const std::optional<Tensor>& fill, const Source& source,
             const CopyAll& copy_all) {
  if (!out.wanted()) return {};
  if (TermSink* sink = out.sink()) {
    if (out.only()) tell(*sink, *out.only(), from, source);
    return zeros_of(out.type());
  }
  const std::int64_t count = element_count(out.type().shape);
  return written(out.type(), from, fill, std::nullopt, Content::any, [&](const auto& copier) {
    if (count == 0) return;
    if (!out.only()) return copy_all(copier);
    Run run = source(*out.only());
    run.count = 1;
    copier.run(*out.only(), run);
  });
}

/// f(i, end) for neighbouring positions of Y, on its threads.
template <class F>
void for_each_stretch_of(const Output& out, const F& f) {
  for_each_part(element_count(out.type().shape), kGrain, out.numerics(),
                [&](std::int64_t first, std::int64_t last) { for_each_stretch(first, last, f); });
}

Tensor move_rows(const Output& out, const Tensor& x, const MovedRows& rows, const std::optional<Tensor>& fill) {
  return moved(
      out, std::span(&x, 1), fill, [&](std::int64_t i) { return rows.at(i); },
      [&](const auto& copier) {
        for_each_stretch_of(out, [&](std::int64_t i, std::int64_t end) { rows.copy(i, end, copier); });
      });
}

/// n elements from position i on: where they lie, or in `room`.
template <class Unit>
const Unit* row_of_units(const Tensor& x, const Strided& places, std::int64_t i, std::int64_t n, Unit* room) {
  const Unit* all = x.values<Unit>().data();
  for (std::int64_t k = 0; k < n;) {
    Run run = places.run(i + k);
    if (k == 0 && run.count >= n && run.step == 1) return all + run.from;
    run.count = std::min(run.count, n - k);
    PlainCopies<Unit>{{all}, Unit{}, room}.run(k, run);
    k += run.count;
  }
  return room;
}

template <class Unit>
void move_rows_of_either(const Output& out, const std::array<Tensor, 3>& from, const std::array<Strided, 3>& places,
                         Unit* y) {
  constexpr std::int64_t kRow = 4096;
  for_each_part(places[0].count(), kGrain, out.numerics(), [&](std::int64_t first, std::int64_t last) {
    std::array<std::uint8_t, kRow> truths;
    std::array<Unit, kRow> of_x, of_z;
    for (std::int64_t i = first; i < last; i += kRow) {
      require_time();
      const std::int64_t n = std::min(kRow, last - i);
      row_chosen(row_of_units(from[0], places[0], i, n, truths.data()),
                 row_of_units(from[1], places[1], i, n, of_x.data()),
                 row_of_units(from[2], places[2], i, n, of_z.data()), static_cast<size_t>(n), y + i);
    }
  });
}

}  // namespace

Tensor zeros_of(const TensorType& type) {
  if (type.dtype == DType::string)
    return Tensor(type.shape, std::vector<std::string>(static_cast<size_t>(element_count(type.shape))));
  return TensorBuilder(type).finish();
}

Tensor move(const Output& out, std::span<const Tensor> from, const Source& source, const std::optional<Tensor>& fill) {
  return moved(out, from, fill, source, [&](const auto& copier) {
    for_each_stretch_of(out, [&](std::int64_t i, std::int64_t end) {
      while (i < end) {
        Run run = source(i);
        run.count = std::min(run.count, end - i);
        copier.run(i, run);
        i += run.count;
      }
    });
  });
}

Tensor move(const Output& out, const Tensor& from, const Source& source, const std::optional<Tensor>& fill) {
  return move(out, std::span(&from, 1), source, fill);
}

Tensor move(const Output& out, const Tensor& x, const Strided& place) {
  const auto transposition = Transposition::of(place);
  if (!transposition || info(x.dtype()).bits < 8) return move_rows(out, x, MovedRows(place), {});
  return moved(
      out, std::span(&x, 1), {}, [&](std::int64_t i) { return place.run(i); },
      [&](const auto& copier) {
        if constexpr (requires { transposition->copy(out.numerics(), copier); })
          transposition->copy(out.numerics(), copier);
      });
}

Tensor move(const Output& out, const Tensor& x, const SlicePlaces& places) {
  return moved(
      out, std::span(&x, 1), {}, [&](std::int64_t i) { return Run{places(i)}; },
      [&](const auto& copier) {
        for_each_stretch_of(out, [&](std::int64_t i, std::int64_t end) {
          if (places.size == 1) return copier.gather(i, end - i, 0, places.first.data() + i);
          while (i < end) {
            const Run run{places(i), std::min(places.size - i % places.size, end - i)};
            copier.run(i, run);
            i += run.count;
          }
        });
      });
}

Tensor move_by_axis(const Output& out, const Tensor& x, std::span<const Coordinates> from,
                    const std::optional<Tensor>& fill) {
  if (element_count(out.type().shape) == 0) return zeros_of(out.type());
  return move_rows(out, x, MovedRows(x.shape(), from), fill);
}

Tensor move_one_hot(const Output& out, const Tensor& pair, std::int64_t n, std::int64_t inner,
                    const std::function<std::int64_t(std::int64_t)>& hot) {
  const std::int64_t block = n * inner;
  const auto source = [&](std::int64_t i) { return Run{hot(i / block * inner + i % inner) == i / inner % n ? 1 : 0}; };
  return moved(out, std::span(&pair, 1), {}, source, [&](const auto& copier) {
    const std::int64_t blocks = element_count(out.type().shape) / block, grain = kGrain / std::gcd(kGrain, block);
    for_each_part(blocks, grain, out.numerics(), [&](std::int64_t first, std::int64_t last) {
      copier.run(first * block, {0, (last - first) * block, 0});
      for_each_stretch(first * inner, last * inner, [&](std::int64_t line, std::int64_t end) {
        for (; line < end; ++line) {
          const std::int64_t j = hot(line);
          if (j >= 0 && j < n) copier.run(line / inner * block + j * inner + line % inner, {1});
        }
      });
    });
  });
}

Tensor move_either(const Output& out, const Tensor& condition, const Tensor& x, const Tensor& z) {
  if (!out.wanted()) return {};
  const TensorType& type = out.type();
  const auto placed = [&](const Tensor& operand) {
    return Strided(type.shape, broadcast_strides(operand.shape(), type.shape));
  };
  const std::array places{placed(condition), placed(x), placed(z)};
  const int bits = info(type.dtype).bits;
  if (out.sink() == nullptr && type.dtype != DType::string && bits >= 8 && bits <= 64) {
    TensorBuilder y(type, Content::any);
    with_unit(type.dtype, [&]<class Unit>(Unit) {
      if constexpr (std::is_integral_v<Unit>)
        move_rows_of_either(out, {condition, x, z}, places, y.values<Unit>().data());
    });
    return std::move(y).finish();
  }
  const auto truths = condition.values<std::uint8_t>();
  return move(out, std::array{x, z}, [&](std::int64_t i) {
    const int which = truths[static_cast<size_t>(places[0](i))] != 0 ? 0 : 1;
    return Run{places[which == 0 ? 1 : 2](i), 1, 1, which};
  });
}

Tensor zero_and_one(DType dtype) {
  return tensor_of_bits({dtype, Dims{2}},
                        [&](std::int64_t i) { return converted(Number::of(i == 0 ? 0.0 : 1.0), dtype, {}); });
}

Tensor fill_of(double number, DType dtype) {
  const bool is_complex = info(dtype).kind == Kind::complex;
  const DType part = dtype == DType::complex64 ? DType::float32 : DType::float64;
  const std::uint64_t bits = converted(Number::of(number), is_complex ? part : dtype, {});
  TensorBuilder fill({dtype, {}});
  std::memcpy(fill.bytes().data(), &bits, fill.bytes().size() / (is_complex ? 2 : 1));
  return std::move(fill).finish();
}

Tensor places(const Output& out, const Tensor& x, const std::function<std::int64_t(std::int64_t i)>& place,
              const std::function<std::int64_t(std::int64_t at)>& number) {
  return places(out, x, place, [&](std::int64_t, std::int64_t at) { return number(at); });
}

Tensor places(const Output& out, const Tensor& x, const std::function<std::int64_t(std::int64_t i)>& place,
              const std::function<std::int64_t(std::int64_t i, std::int64_t at)>& number) {
  if (!out.wanted()) return {};
  if (TermSink* sink = out.sink()) {
    if (out.only())
      if (const std::int64_t at = place(*out.only()); at >= 0) sink->names({x.identity(), at});
    return zeros_of(out.type());
  }
  TensorBuilder y(out.type());
  const auto fill = [&]<class Int>(Int) {
    const auto to = y.values<Int>();
    for_each_part(std::ssize(to), kGrain, out.numerics(), [&](std::int64_t first, std::int64_t last) {
      for_each_stretch(first, last, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) to[static_cast<size_t>(i)] = static_cast<Int>(number(i, place(i)));
      });
    });
  };
  out.type().dtype == DType::int32 ? fill(std::int32_t{}) : fill(std::int64_t{});
  return std::move(y).finish();
}

Tensor scatter(const Output& out, const std::optional<Tensor>& base, const Tensor& updates, const Target& target,
               const ScatterRows& rows) {
  const TensorType& type = out.type();
  if (!out.wanted()) return {};
  if (TermSink* sink = out.sink()) {
    if (out.only()) tell(*sink, *out.only(), base, updates, target);
    return zeros_of(type);
  }
  if (rows && type.dtype != DType::string && !out.numerics().exact_only) {
    TensorBuilder y(type, Content::any);
    if (rows(y)) return std::move(y).finish();
  }
  return written(type, std::span(&updates, 1), {}, base, Content::zeros, [&](const auto& copier) {
    for_each_stretch(0, updates.count(), [&](std::int64_t e, std::int64_t end) {
      for (; e < end; ++e) copier.run(target(e), {e});
    });
  });
}

Tensor scatter(const Output& out, const std::optional<Tensor>& base, const Tensor& updates, const SlicePlaces& places) {
  if (!out.wanted() || out.sink() != nullptr)
    return scatter(out, base, updates, [&](std::int64_t e) { return places(e); });
  return written(out.type(), std::span(&updates, 1), {}, base, Content::zeros, [&](const auto& copier) {
    for_each_stretch(0, std::ssize(places.first), [&](std::int64_t j, std::int64_t end) {
      if (places.size == 1) return copier.scatter(places.first.data() + j, end - j, j);
      for (; j < end; ++j) copier.run(places.first[static_cast<size_t>(j)], {j * places.size, places.size});
    });
  });
}

}  // namespace opref::evaluators
