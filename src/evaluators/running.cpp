// SPDX-License-Identifier: Apache-2.0
#include "evaluators/running.h"

#include <cstring>

#include "evaluators/lines.h"
#include "evaluators/sum.h"
#include "exact/results.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

/// As count_elements, whose header does not go together with exact/results.h.
void count(const Output& out, std::int64_t estimated, std::int64_t exact) {
  if (Stats* stats = out.numerics().stats) stats->estimated += estimated, stats->exact += exact;
}

/// Places of one line's sums; the exact sum is kept beside its estimate.
void add_floats(const Output& out, const Elements& x, const Lines& lines, std::int64_t line, std::byte* y) {
  const DType dtype = out.type().dtype;
  const auto size = static_cast<std::int64_t>(info(dtype).bits / 8);
  CompensatedSum estimate;
  ExactSum exact;
  std::int64_t estimated = 0;
  for (std::int64_t j = 0, added = 0; j < lines.length(); ++j) {
    require_time();
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
