// SPDX-License-Identifier: Apache-2.0
#include "check/element_verdicts.h"

#include <span>

namespace opref::check {
namespace {

/// The least of them, ascending, at most so many.
std::vector<std::int64_t> first_of(std::vector<std::int64_t> places, size_t most) {
  std::ranges::sort(places);
  places.resize(std::min(places.size(), most));
  return places;
}

/// `ours` with the elements of `foreign` at these places.
Tensor with_elements(const Tensor& ours, const Tensor& foreign, std::span<const std::int64_t> places) {
  TensorBuilder tensor(ours.type());
  std::ranges::copy(ours.bytes(), tensor.bytes().begin());
  for (const std::int64_t place : places)
    set_bits(tensor.bytes(), info(ours.dtype()).bits, place, element_bits(foreign, place));
  return std::move(tensor).finish();
}

/// What is said of all elements' shares; those that were not judged have the same bits.
void set_shares(Comparison& comparison, const Verdicts& verdicts) {
  std::vector<double> shares = verdicts.passing;
  for (const Verdicts::Failing& one : verdicts.failing) shares.push_back(one.share);
  const std::int64_t equal = comparison.count - std::ssize(shares), middle = (comparison.count - 1) / 2;
  for (const double share : shares) comparison.bound_histogram.add(share);
  comparison.bound_histogram.bins[0] += equal;
  if (middle >= equal) {
    const auto median = shares.begin() + (middle - equal);
    std::ranges::nth_element(shares, median);
    comparison.bound_median = *median;
  }
}

/// The elements of both at these places, which all differ, in their order.
std::vector<Mismatch> mismatches_at(std::span<const Verdicts::Failing> places, const Tensor& actual,
                                    const Tensor& expected) {
  const auto some = [&](const Tensor& tensor) {
    return tensor_of_bits({tensor.dtype(), Dims{std::ssize(places)}},
                          [&](std::int64_t i) { return element_bits(tensor, places[static_cast<size_t>(i)].place); });
  };
  std::vector<Mismatch> list = compare_values(some(actual), some(expected), Tolerance{}).worst_mismatches;
  std::ranges::sort(list, {}, [](const Mismatch& mismatch) { return mismatch.index[0]; });
  for (Mismatch& mismatch : list) {
    const Verdicts::Failing& one = places[static_cast<size_t>(mismatch.index[0])];
    mismatch.index = coordinates(one.place, actual.shape());
    mismatch.share = one.share;
    if (std::isfinite(one.allowed)) mismatch.allowed = one.allowed;
  }
  return list;
}

}  // namespace

Comparison with_verdicts(Comparison comparison, const Verdicts& verdicts, const Tensor& actual, const Tensor& expected,
                         Foreign foreign, DType accumulator) {
  const bool has_none = static_cast<std::int64_t>(verdicts.without_bound.size()) == actual.count();
  comparison.bound_accumulator = accumulator;
  if (!has_none || !verdicts.failing.empty()) {
    comparison.bound_ratio = verdicts.worst().second;
    set_shares(comparison, verdicts);
  }
  if (comparison.reason.empty()) {
    comparison.without_bound = static_cast<std::int64_t>(verdicts.without_bound.size());
    for (const std::int64_t element : first_of(verdicts.without_bound, Comparison::kMostMismatches))
      comparison.first_without_bound.push_back(coordinates(element, actual.shape()));
  }
  if (verdicts.failing.empty()) {
    comparison.mismatches = 0;
    comparison.first = comparison.worst = std::nullopt;
    comparison.worst_mismatches.clear();
    comparison.where.clear();
    return comparison;
  }
  for (const Verdicts::Failing& one : verdicts.failing) comparison.out_of_bound.push_back(one.place);
  const bool is_actual = foreign == Foreign::actual;
  const Tensor some =
      with_elements(is_actual ? expected : actual, is_actual ? actual : expected, comparison.out_of_bound);
  const Comparison failing =
      is_actual ? compare_values(some, expected, Tolerance{}) : compare_values(actual, some, Tolerance{});
  comparison.mismatches = failing.mismatches;
  comparison.where = failing.where;
  std::vector<Verdicts::Failing> worst = verdicts.failing;
  const auto most = std::min(worst.size(), Comparison::kMostMismatches);
  std::ranges::partial_sort(worst, worst.begin() + static_cast<std::ptrdiff_t>(most), [](const auto& a, const auto& b) {
    return a.share > b.share || (a.share == b.share && a.place < b.place);
  });
  comparison.worst_mismatches = mismatches_at(std::span(worst).first(most), actual, expected);
  comparison.worst = comparison.worst_mismatches.front();
  comparison.first = mismatches_at(std::span(verdicts.failing).first(1), actual, expected).front();
  return comparison;
}

}  // namespace opref::check
