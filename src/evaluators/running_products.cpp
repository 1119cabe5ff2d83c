// SPDX-License-Identifier: Apache-2.0
#include "evaluators/lines.h"
#include "evaluators/move.h"
#include "evaluators/programs.h"

namespace opref::evaluators {
namespace {

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

Tensor running_products(const Output& out, const Tensor& x, const Running& how) {
  if (!out.wanted()) return {};
  const TensorType& type = out.type();
  const Elements elements(x);
  const Lines lines(type.shape, how);
  if (is_floating(x.dtype())) {
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
    require_time();
    run_integers(out, elements, lines, line, builder.bytes().data(), 1, std::multiplies<std::uint64_t>());
    count_elements(out.numerics(), 0, lines.length());
  });
  return std::move(builder).finish();
}

}  // namespace opref::evaluators
