// SPDX-License-Identifier: Apache-2.0
#include "evaluators/move.h"

#include <algorithm>
#include <array>
#include <cstring>

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

/// Elements of a type that C++ has.
template <class T>
struct Plain {
  std::vector<const T*> from;
  T fill;
  T* to;

  void operator()(std::int64_t i, const Run& run) const {
    T* y = to + i;
    if (run.is_fill()) return void(std::fill_n(y, run.count, fill));
    const T* x = from[static_cast<size_t>(run.tensor)] + run.from;
    if (run.step == 1)
      std::copy_n(x, run.count, y);
    else
      for (std::int64_t k = 0; k < run.count; ++k) y[k] = x[k * run.step];
  }
};

/// Elements of less than 8 bits.
struct Packed {
  std::vector<std::span<const std::byte>> from;
  std::uint64_t fill;
  std::span<std::byte> to;
  int bits;

  void operator()(std::int64_t i, const Run& run) const {
    for (std::int64_t k = 0; k < run.count; ++k)
      set_bits(to, bits, i + k,
               run.is_fill() ? fill : bits_at(from[static_cast<size_t>(run.tensor)], bits, run.from + k * run.step));
  }
};

template <class Copy>
void move_all(const Output& out, std::int64_t count, const Source& source, const Copy& copy) {
  for_each_part(count, kGrain, out.numerics(), [&](std::int64_t first, std::int64_t last) {
    for_each_stretch(first, last, [&](std::int64_t i, std::int64_t end) {
      while (i < end) {
        Run run = source(i);
        run.count = std::min(run.count, end - i);
        copy(i, run);
        i += run.count;
      }
    });
  });
}

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

Tensor move_strings(const Output& out, std::span<const Tensor> from, const Source& source,
                    const std::optional<Tensor>& fill) {
  const TensorType& type = out.type();
  std::vector<std::string> y(static_cast<size_t>(element_count(type.shape)));
  Plain<std::string> copy{{}, fill ? fill->strings()[0] : "", y.data()};
  for (const Tensor& x : from) copy.from.push_back(x.strings().data());
  move_all(out, std::ssize(y), source, copy);
  return Tensor(type.shape, std::move(y));
}

/// n elements from position i on: where they lie, or in `room`.
template <class Unit>
const Unit* row_of_units(const Tensor& x, const Strided& places, std::int64_t i, std::int64_t n, Unit* room) {
  const Unit* all = x.values<Unit>().data();
  for (std::int64_t k = 0; k < n;) {
    Run run = places.run(i + k);
    if (k == 0 && run.count >= n && run.step == 1) return all + run.from;
    run.count = std::min(run.count, n - k);
    Plain<Unit>{{all}, Unit{}, room}(k, run);
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

Tensor move_packed(const Output& out, std::span<const Tensor> from, const Source& source,
                   const std::optional<Tensor>& fill) {
  const TensorType& type = out.type();
  TensorBuilder y(type);
  Packed copy{{}, fill ? element_bits(*fill, 0) : 0, y.bytes(), info(type.dtype).bits};
  for (const Tensor& x : from) copy.from.push_back(x.bytes());
  move_all(out, element_count(type.shape), source, copy);
  return std::move(y).finish();
}

}  // namespace

Tensor zeros_of(const TensorType& type) {
  if (type.dtype == DType::string)
    return Tensor(type.shape, std::vector<std::string>(static_cast<size_t>(element_count(type.shape))));
  return TensorBuilder(type).finish();
}

Tensor move(const Output& out, std::span<const Tensor> from, const Source& source, const std::optional<Tensor>& fill) {
  const TensorType& type = out.type();
  if (!out.wanted()) return {};
  if (TermSink* sink = out.sink()) {
    if (out.only()) tell(*sink, *out.only(), from, source);
    return zeros_of(type);
  }
  if (type.dtype == DType::string) return move_strings(out, from, source, fill);
  if (info(type.dtype).bits < 8) return move_packed(out, from, source, fill);
  TensorBuilder y(type, Content::any);
  with_unit(type.dtype, [&]<class Unit>(Unit) {
    Plain<Unit> copy{{}, fill ? fill->values<Unit>()[0] : Unit{}, y.values<Unit>().data()};
    for (const Tensor& x : from) copy.from.push_back(x.values<Unit>().data());
    move_all(out, element_count(type.shape), source, copy);
  });
  return std::move(y).finish();
}

Tensor move(const Output& out, const Tensor& from, const Source& source, const std::optional<Tensor>& fill) {
  return move(out, std::span(&from, 1), source, fill);
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
  const auto place = [&](std::int64_t e) { return static_cast<size_t>(target(e)); };
  const auto for_each_update = [&](const auto& write) {
    for_each_stretch(0, updates.count(), [&](std::int64_t e, std::int64_t end) {
      for (; e < end; ++e) write(e);
    });
  };
  if (type.dtype == DType::string) {
    std::vector<std::string> y(static_cast<size_t>(element_count(type.shape)));
    if (base) std::ranges::copy(base->strings(), y.begin());
    for_each_update([&](std::int64_t e) { y[place(e)] = updates.strings()[static_cast<size_t>(e)]; });
    return Tensor(type.shape, std::move(y));
  }
  if (rows && !out.numerics().exact_only) {
    TensorBuilder y(type, Content::any);
    if (rows(y)) return std::move(y).finish();
  }
  TensorBuilder y(type);
  if (base) std::ranges::copy(base->bytes(), y.bytes().begin());
  const int bits = info(type.dtype).bits;
  if (bits < 8)
    for_each_update([&](std::int64_t e) {
      set_bits(y.bytes(), bits, static_cast<std::int64_t>(place(e)), element_bits(updates, e));
    });
  else
    with_unit(type.dtype, [&]<class Unit>(Unit) {
      const auto from = updates.values<Unit>();
      const auto to = y.values<Unit>();
      for_each_update([&](std::int64_t e) { to[place(e)] = from[static_cast<size_t>(e)]; });
    });
  return std::move(y).finish();
}

}  // namespace opref::evaluators
