// SPDX-License-Identifier: Apache-2.0
// The loops that copy elements, once for each width, packed types and strings: what moves and scatters are made of.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "evaluators/strided.h"
#include "exact/rounding.h"

namespace opref::evaluators {

// A copier writes elements of Y, which are those of `from` or `fill`:
//   run(i, r)               Y[i], Y[i + 1], … are those of the run
//   gather(i, n, base, at)  Y[i + k] = from[0][base + at[k]]
//   scatter(at, n, e)       Y[at[k]] = from[0][e + k], k ascending
// for k from 0 to n - 1.

/// y[a·y_row + b] = x[b·x_row + a] for a < m, b < n, in blocks whose lines stay in the processor's first cache.
constexpr std::int64_t kTransposed = 16;
template <class T>
void transpose(const T* __restrict x, std::int64_t x_row, T* __restrict y, std::int64_t y_row, std::int64_t m,
               std::int64_t n) {
  constexpr std::int64_t kFew = kTransposed, kLong = 256;
  const auto part = [=](std::int64_t first_a, std::int64_t last_a, std::int64_t first_b, std::int64_t last_b) {
    for (std::int64_t b = first_b; b < last_b; ++b)
      for (std::int64_t a = first_a; a < last_a; ++a) y[a * y_row + b] = x[b * x_row + a];
  };
  if (n < kFew) return part(0, m, 0, n);
  if (m < kFew) {
    for (std::int64_t first = 0; first < n; first += kLong)
      for (std::int64_t a = 0; a < m; ++a)
        for (std::int64_t b = first; b < std::min(n, first + kLong); ++b) y[a * y_row + b] = x[b * x_row + a];
    return;
  }
  const std::int64_t blocks_m = m / kFew * kFew, blocks_n = n / kFew * kFew;
  for (std::int64_t a = 0; a < blocks_m; a += kFew) {
    for (std::int64_t b = 0; b < blocks_n; b += kFew)
      for (std::int64_t i = 0; i < kFew; ++i)
        for (std::int64_t j = 0; j < kFew; ++j) y[(a + i) * y_row + b + j] = x[(b + j) * x_row + a + i];
    part(a, a + kFew, blocks_n, n);
  }
  part(blocks_m, m, 0, n);
}

/// Of a type that C++ has.
template <class T>
struct PlainCopies {
  std::vector<const T*> from;
  T fill;
  T* y;

  void run(std::int64_t i, const Run& r) const {
    const std::int64_t n = r.count, step = r.step;
    T* const to = y + i;
    if (r.is_fill()) return void(std::fill_n(to, n, T(fill)));
    const T* const x = from[static_cast<size_t>(r.tensor)] + r.from;
    if (step == 1) return void(std::copy_n(x, n, to));
    if (step == 0) return void(std::fill_n(to, n, T(*x)));
    for (std::int64_t k = 0; k < n; ++k) to[k] = x[k * step];
  }
  void gather(std::int64_t i, std::int64_t n, std::int64_t base, const std::int64_t* at) const {
    const T* const x = from[0] + base;
    T* const to = y + i;
    for (std::int64_t k = 0; k < n; ++k) to[k] = x[at[k]];
  }
  void scatter(const std::int64_t* at, std::int64_t n, std::int64_t e) const {
    const T* const x = from[0] + e;
    T* const to = y;
    for (std::int64_t k = 0; k < n; ++k) to[at[k]] = x[k];
  }
};

/// Of less than 8 bits.
struct PackedCopies {
  std::vector<std::span<const std::byte>> from;
  std::uint64_t fill;
  std::span<std::byte> y;
  int bits;

  void run(std::int64_t i, const Run& r) const {
    for (std::int64_t k = 0; k < r.count; ++k)
      set_bits(y, bits, i + k,
               r.is_fill() ? fill : bits_at(from[static_cast<size_t>(r.tensor)], bits, r.from + k * r.step));
  }
  void gather(std::int64_t i, std::int64_t n, std::int64_t base, const std::int64_t* at) const {
    for (std::int64_t k = 0; k < n; ++k) set_bits(y, bits, i + k, bits_at(from[0], bits, base + at[k]));
  }
  void scatter(const std::int64_t* at, std::int64_t n, std::int64_t e) const {
    for (std::int64_t k = 0; k < n; ++k) set_bits(y, bits, at[k], bits_at(from[0], bits, e + k));
  }
};

/// Y of the type, which write(copier) fills. Before that it is `base`, if there is one, else what `content` says.
template <class Write>
Tensor written(const TensorType& type, std::span<const Tensor> from, const std::optional<Tensor>& fill,
               const std::optional<Tensor>& base, Content content, const Write& write) {
  if (type.dtype == DType::string) {
    std::vector<std::string> y(static_cast<size_t>(element_count(type.shape)));
    if (base) std::ranges::copy(base->strings(), y.begin());
    PlainCopies<std::string> copier{{}, fill ? fill->strings()[0] : "", y.data()};
    for (const Tensor& x : from) copier.from.push_back(x.strings().data());
    write(copier);
    return Tensor(type.shape, std::move(y));
  }
  const int bits = info(type.dtype).bits;
  TensorBuilder y(type, base ? Content::any : bits < 8 ? Content::zeros : content);
  if (base) std::ranges::copy(base->bytes(), y.bytes().begin());
  if (bits < 8) {
    PackedCopies copier{{}, fill ? element_bits(*fill, 0) : 0, y.bytes(), bits};
    for (const Tensor& x : from) copier.from.push_back(x.bytes());
    write(copier);
  } else {
    with_unit(type.dtype, [&]<class Unit>(Unit) {
      PlainCopies<Unit> copier{{}, fill ? fill->template values<Unit>()[0] : Unit{}, y.template values<Unit>().data()};
      for (const Tensor& x : from) copier.from.push_back(x.template values<Unit>().data());
      write(copier);
    });
  }
  return std::move(y).finish();
}

}  // namespace opref::evaluators
