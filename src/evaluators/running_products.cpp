// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "evaluators/lines.h"
#include "evaluators/move.h"
#include "evaluators/programs.h"
#include "exact/rows.h"
#include "exact/running_product.h"
#include "exact/storage.h"

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

/// Products of lines of narrow floats, a part at a time; what their errors leave open is the definition's.
template <class T>
class NarrowProducts {
 public:
  NarrowProducts(const RowTarget& y, const Elements& x, const Lines& lines) : y_(y), x_(x), lines_(lines) {}

  void compute() const {
    for_each_part(lines_.count(), 1, y_.numerics, [&](std::int64_t first, std::int64_t last) {
      std::vector<std::int64_t> open;
      for (std::int64_t line = first; line < last; ++line) multiply(line, open);
      count_elements(y_.numerics, (last - first) * lines_.length() - std::ssize(open), 0);
      y_.by_definition(open);
    });
  }

 private:
  static constexpr std::int64_t kPart = 512;

  void multiply(std::int64_t line, std::vector<std::int64_t>& open) const {
    double numbers[kPart + kRowSlack], products[kPart + kRowSlack], errors[kPart + kRowSlack];
    SettledRow<T, kPart> row;
    T* y = reinterpret_cast<T*>(y_.y.data());
    RunningProduct product;
    const std::int64_t shift = 1 - lines_.own(), n = lines_.length() - shift;  // element j completes that of j + shift
    if (shift > 0 && lines_.length() > 0) y[lines_.at(line, 0)] = exact::nearest<T>(1.0);
    for (std::int64_t first = 0; first < n; first += kPart) {
      require_time();
      const std::int64_t size = std::min(kPart, n - first);
      const auto count = static_cast<size_t>(size);
      x_.numbers(Run{lines_.at(line, first), size, lines_.step()}, numbers);
      product.multiply(numbers, count, products, errors);
      const bool has_open = row.settle(products, errors, count) > 0;
      for (std::int64_t j = 0; j < size; ++j) {
        const std::int64_t at = lines_.at(line, first + shift) + j * lines_.step();
        y[at] = row.y[static_cast<size_t>(j)];
        if (has_open && row.is_open[static_cast<size_t>(j)] != 0) open.push_back(at);
      }
    }
  }

  const RowTarget& y_;
  const Elements& x_;
  const Lines& lines_;
};

}  // namespace

Tensor running_products(const Output& out, const Tensor& x, const Running& how) {
  if (!out.wanted()) return {};
  const TensorType& type = out.type();
  const Elements elements(x);
  const Lines lines(type.shape, how);
  if (is_floating(x.dtype())) {
    const auto rows = [&](const RowTarget& y) {
      with_float(type.dtype, [&]<class T>(T) {
        if constexpr (!std::is_same_v<T, double>) NarrowProducts<T>(y, elements, lines).compute();
      });
      return type.dtype != DType::float64;
    };
    const std::vector<Value> y = programs(std::span(&out, 1), lines.count(), Products{elements, lines}, {}, rows);
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
