// SPDX-License-Identifier: Apache-2.0
#include "families/running.h"

#include <cstring>

#include "exact/results.h"
#include "families/move.h"
#include "families/parts.h"
#include "families/programs.h"
#include "families/sum.h"

namespace opref::families {
namespace {

/// The lines of an array along an axis, in the order in which they are added up.
class Lines {
 public:
  Lines(const Dims& shape, const Running& how)
      : how_(how),
        n_(shape[how.axis]),
        inner_(element_count(shape.without_first(how.axis + 1))),
        count_(n_ == 0 ? 0 : element_count(shape) / n_) {}
  std::int64_t count() const { return count_; }
  std::int64_t length() const { return n_; }
  std::int64_t own() const { return how_.exclusive ? 0 : 1; }
  /// Where the element of place j of a line is.
  std::int64_t at(std::int64_t line, std::int64_t j) const {
    return line / inner_ * n_ * inner_ + line % inner_ + (how_.reverse ? n_ - 1 - j : j) * inner_;
  }
  std::int64_t line_of(std::int64_t i) const { return i / (n_ * inner_) * inner_ + i % inner_; }
  std::int64_t place_of(std::int64_t i) const {
    const std::int64_t j = i / inner_ % n_;
    return how_.reverse ? n_ - 1 - j : j;
  }
  /// What element i of the output is made of.
  Run terms(std::int64_t i) const { return {at(line_of(i), 0), place_of(i) + own(), how_.reverse ? -inner_ : inner_}; }

 private:
  Running how_;
  std::int64_t n_, inner_, count_;
};

bool is_floating(const Tensor& x) { return info(x.dtype()).kind == Kind::floating; }

/// work(line) for all lines, on the output's threads.
template <class Work>
void each_line(const Lines& lines, const Numerics& numerics, const Work& work) {
  for_each_part(lines.count(), 1, numerics, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t line = first; line < last; ++line) work(line);
  });
}

/// Places of one line's sums; the exact sum is kept beside its estimate.
void add_floats(const Output& out, const Elements& x, const Lines& lines, std::int64_t line, std::byte* y) {
  const DType dtype = out.type().dtype;
  const auto size = static_cast<std::int64_t>(info(dtype).bits / 8);
  CompensatedSum estimate;
  ExactSum exact;
  std::int64_t estimated = 0;
  for (std::int64_t j = 0, added = 0; j < lines.length(); ++j) {
    for (; added < j + lines.own(); ++added) {
      const double number = x.number(lines.at(line, added));
      estimate.add(number), exact.add(number);
    }
    std::byte* element = y + lines.at(line, j) * size;
    const auto bracket = out.numerics().exact_only ? std::nullopt : estimate.bracket(out.numerics().slack);
    if (bracket && store_bracket(dtype, *bracket, element))
      ++estimated;
    else
      store_sum(dtype, exact, {}, element);
  }
  count_elements(out.numerics(), estimated, lines.length() - estimated);
}

/// The low bits of what f makes of the integers so far.
template <class F>
void run_integers(const Output& out, const Elements& x, const Lines& lines, std::int64_t line, std::byte* y,
                  std::uint64_t so_far, const F& f) {
  const auto size = static_cast<size_t>(info(out.type().dtype).bits / 8);
  for (std::int64_t j = 0, taken = 0; j < lines.length(); ++j) {
    for (; taken < j + lines.own(); ++taken)
      so_far = f(so_far, static_cast<std::uint64_t>(x.integer(lines.at(line, taken))));
    std::memcpy(y + lines.at(line, j) * static_cast<std::int64_t>(size), &so_far, size);
  }
  count_elements(out.numerics(), 0, lines.length());
}

/// The products of one line.
struct Products {
  const Elements& x;
  const Lines& lines;
  template <class R>
  void operator()(std::int64_t line, const Reader<R>& read, Writer<R>& y) const {
    R product(1.0);
    for (std::int64_t j = 0, taken = 0; j < lines.length(); ++j) {
      for (; taken < j + lines.own(); ++taken) product = product * read(x, lines.at(line, taken));
      y.put(0, lines.at(line, j), product);
    }
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const { return lines.line_of(at); }
};

}  // namespace

Tensor running_sums(const Output& out, const Tensor& x, const Running& how) {
  if (!out.wanted()) return {};
  const TensorType& type = out.type();
  const Elements elements(x);
  const Lines lines(type.shape, how);
  if (out.sink() != nullptr || out.only())
    return sum(out, x.dtype(), [&](std::int64_t i, auto& sum) { sum.add(elements[lines.terms(i)]); });
  TensorBuilder builder(type, Content::any);
  std::byte* y = builder.bytes().data();
  each_line(lines, out.numerics(), [&](std::int64_t line) {
    if (!is_floating(x)) return run_integers(out, elements, lines, line, y, 0, std::plus<std::uint64_t>());
    add_floats(out, elements, lines, line, y);
    const std::int64_t size = info(type.dtype).bits / 8, first = lines.at(line, how.exclusive ? 1 : 0);
    if (how.copies_first && lines.length() > (how.exclusive ? 1 : 0))
      std::memcpy(y + first * size, x.bytes().data() + lines.at(line, 0) * size, static_cast<size_t>(size));
  });
  return std::move(builder).finish();
}

Tensor running_products(const Output& out, const Tensor& x, const Running& how) {
  if (!out.wanted()) return {};
  const TensorType& type = out.type();
  const Elements elements(x);
  const Lines lines(type.shape, how);
  if (is_floating(x)) {
    const std::vector<Value> y = programs(std::span(&out, 1), lines.count(), Products{elements, lines});
    return *y[0].tensor();
  }
  if (TermSink* sink = out.sink()) {
    sink->other();
    if (out.only())
      for (std::int64_t j = 0; j < lines.terms(*out.only()).count; ++j)
        sink->reads(elements.place(lines.at(lines.line_of(*out.only()), j)));
    return zeros_of(type);
  }
  TensorBuilder builder(type, Content::any);
  Numerics whole = out.numerics();
  whole.only = {};
  each_line(lines, whole, [&](std::int64_t line) {
    run_integers(out, elements, lines, line, builder.bytes().data(), 1, std::multiplies<std::uint64_t>());
  });
  return std::move(builder).finish();
}

}  // namespace opref::families
