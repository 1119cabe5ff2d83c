// SPDX-License-Identifier: Apache-2.0
#include "evaluators/running.h"

#include <cmath>
#include <cstring>

#include "evaluators/lines.h"
#include "evaluators/sum.h"
#include "exact/results.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "exact/sum_rows.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

/// As count_elements, whose header does not go together with exact/results.h.
void count(const Output& out, std::int64_t estimated, std::int64_t exact) {
  if (Stats* stats = out.numerics().stats) stats->estimated += estimated, stats->exact += exact;
}

/// The exact sums of a line, for places whose estimates leave them open, in order.
class ExactLine {
 public:
  ExactLine(const Elements& x, const Lines& lines, std::int64_t line) : x_(x), lines_(lines), line_(line) {}
  void store(DType dtype, std::int64_t elements, std::byte* y) {
    for (; added_ < elements; ++added_) sum_.add(x_.number(lines_.at(line_, added_)));
    store_sum(dtype, sum_, {}, y);
  }

 private:
  const Elements& x_;
  const Lines& lines_;
  std::int64_t line_;
  ExactSum sum_;
  std::int64_t added_ = 0;
};

/// Sums of a line of narrow floats, a part at a time: what their additions lose says which are certain.
template <class T>
void add_narrow(const Output& out, const Elements& x, const Lines& lines, std::int64_t line, T* y) {
  constexpr std::int64_t kPart = 512;
  double numbers[kPart + kRowSlack], sums[kPart + kRowSlack], lost[kPart + kRowSlack];
  T rounded[kPart + kRowSlack];
  std::uint64_t open[kPart + kRowSlack];
  const std::int64_t shift = 1 - lines.own(), n = lines.length() - shift;  // element j completes the sum of j + shift
  ExactLine exact(x, lines, line);
  if (shift > 0 && lines.length() > 0) y[lines.at(line, 0)] = T{};
  double sum = 0, all_lost = 0;
  std::int64_t doubts = 0;
  for (std::int64_t first = 0; first < n; first += kPart) {
    require_time();
    const std::int64_t size = std::min(kPart, n - first);
    x.numbers(Run{lines.at(line, first), size, lines.step()}, numbers);
    for (std::int64_t j = 0; j < size; ++j) {
      const double total = sum + numbers[j], part = total - sum;
      all_lost += std::abs((sum - (total - part)) + (numbers[j] - part));
      sums[j] = sum = total, lost[j] = all_lost;
    }
    const auto count = static_cast<size_t>(size);
    row_divide(sums, lost, 1.01, 1, count);
    const bool has_doubts = settle_row(sums, lost, 1, count, rounded, open) > 0;
    for (std::int64_t j = 0; j < size; ++j) {
      T* element = y + lines.at(line, first + j + shift);
      *element = rounded[j];
      if (!has_doubts || open[j] == 0) continue;
      exact.store(out.type().dtype, first + j + 1, reinterpret_cast<std::byte*>(element));
      ++doubts;
    }
  }
  count(out, lines.length() - doubts, doubts);
}

/// Of doubles, or by exact sums alone.
void add_floats(const Output& out, const Elements& x, const Lines& lines, std::int64_t line, std::byte* y) {
  const DType dtype = out.type().dtype;
  if (x.is_narrow() && !out.numerics().exact_only)
    return with_float(dtype, [&]<class T>(T) {
      if constexpr (!std::is_same_v<T, double>) add_narrow(out, x, lines, line, reinterpret_cast<T*>(y));
    });
  const auto size = static_cast<std::int64_t>(info(dtype).bits / 8);
  CompensatedSum estimate;
  ExactLine exact(x, lines, line);
  std::int64_t estimated = 0, added = 0;
  for (std::int64_t j = 0; j < lines.length(); ++j) {
    require_time();
    for (; added < j + lines.own(); ++added) estimate.add(x.number(lines.at(line, added)));
    std::byte* element = y + lines.at(line, j) * size;
    const auto bracket = out.numerics().exact_only ? std::nullopt : estimate.bracket(out.numerics().slack);
    if (bracket && store_bracket(dtype, *bracket, element))
      ++estimated;
    else
      exact.store(dtype, added, element);
  }
  count(out, estimated, lines.length() - estimated);
}

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
    if (!is_floating(x.dtype())) {
      run_integers(out, elements, lines, line, y, 0, std::plus<std::uint64_t>());
      return count(out, 0, lines.length());
    }
    add_floats(out, elements, lines, line, y);
    const std::int64_t size = info(type.dtype).bits / 8, first = lines.at(line, how.exclusive ? 1 : 0);
    if (how.copies_first && lines.length() > (how.exclusive ? 1 : 0))
      std::memcpy(y + first * size, x.bytes().data() + lines.at(line, 0) * size, static_cast<size_t>(size));
  });
  return std::move(builder).finish();
}

}  // namespace opref::evaluators
