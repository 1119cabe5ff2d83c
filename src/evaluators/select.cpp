// SPDX-License-Identifier: Apache-2.0
#include "evaluators/select.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "evaluators/parts.h"
#include "system/deadline.h"

namespace opref::evaluators {

Order::Order(const Tensor& x, Zeros zeros) : x_(x), zeros_(zeros) {}

std::int64_t Order::operator()(std::int64_t i) const {
  if (x_.is_floating()) {
    const double v = x_.number(i);
    if (v != v) return kNan;
    if (v == 0 && zeros_ == Zeros::equal) return 0;
    const auto bits = std::bit_cast<std::int64_t>(v);
    return bits < 0 ? bits ^ INT64_MAX : bits;  // -0 is -1
  }
  const std::int64_t n = x_.integer(i);
  return x_.dtype() == DType::uint64 ? n ^ INT64_MIN : n;
}

Tensor neutral(DType dtype, Extreme extreme, Ends ends) {
  const DTypeInfo& type = info(dtype);
  const bool negative = extreme == Extreme::greatest;
  std::uint64_t bits = 0;
  if (type.kind == Kind::floating) {
    const auto infinity = infinity_of(dtype, negative);
    bits = infinity ? *infinity - (ends == Ends::finite ? 1 : 0) : encode_bits(dtype, negative, 1, 1100);
  } else {
    const int width = type.kind == Kind::boolean ? 1 : type.bits;
    if (!negative) bits = ~std::uint64_t{0} >> (64 - width);
    if (type.kind == Kind::signed_integer) bits ^= std::uint64_t{1} << (width - 1);
  }
  return tensor_of_bits({dtype, Dims{}}, [&](std::int64_t) { return bits; });
}

Selection::Selection(const Output& out, const Tensor& x, Zeros zeros, Extreme extreme, Tie tie, Definition definition)
    : numerics_(out.numerics()), order_(x, zeros), extreme_(extreme), tie_(tie), definition_(std::move(definition)) {}

std::int64_t Selection::operator()(std::int64_t i) const {
  require_time();
  Best best(order_, extreme_, tie_, numerics_.sink);
  definition_(i, best);
  return best.position();
}

void Selection::all(std::span<std::int64_t> chosen) const {
  if (numerics_.only) std::ranges::fill(chosen, 0);
  for_each_part(std::ssize(chosen), 1, numerics_, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) chosen[static_cast<size_t>(i)] = (*this)(i);
  });
}

Ranking::Ranking(const Output& out, const Tensor& x, const Lines& lines, std::int64_t k, Extreme extreme)
    : out_(out), order_(x, Zeros::equal), lines_(lines), k_(k), extreme_(extreme) {
  if (out.only()) return;
  chosen_.resize(static_cast<size_t>(lines.count() * k));
  for_each_part(k == 0 ? 0 : lines.count(), 1, out.numerics(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t line = first; line < last; ++line) std::ranges::copy(ranked(line), chosen_.begin() + line * k_);
  });
}

std::int64_t Ranking::operator()(std::int64_t line, std::int64_t j) const {
  return chosen_.empty() ? ranked(line)[static_cast<size_t>(j)] : chosen_[static_cast<size_t>(line * k_ + j)];
}

std::vector<std::int64_t> Ranking::ranked(std::int64_t line) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> keys;
  for (std::int64_t j = 0; j < lines_.length(); ++j) {
    const std::int64_t at = lines_.at(line, j), key = order_(at);
    if (out_.sink() != nullptr) out_.sink()->considers(order_.place(at));
    keys.emplace_back(extreme_ == Extreme::greatest ? ~key : key, at);  // ~ turns the order, and keeps it in 64 bits
  }
  std::partial_sort(keys.begin(), keys.begin() + k_, keys.end(), [](const auto& a, const auto& b) {
    require_time();
    return a < b;
  });
  std::vector<std::int64_t> best;
  for (std::int64_t j = 0; j < k_; ++j) best.push_back(keys[static_cast<size_t>(j)].second);
  return best;
}

}  // namespace opref::evaluators
