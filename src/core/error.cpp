// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace opref::core {

std::string_view name(Fault fault) {
  constexpr std::string_view kNames[] = {"usage", "malformed", "invalid", "unsupported", "system"};
  return fault == Fault::internal ? "internal" : kNames[static_cast<int>(fault) - static_cast<int>(Fault::usage)];
}

Error::Error(Fault fault, std::string message, WayOut way_out)
    : fault_(fault), message_(std::move(message)), way_out_(std::move(way_out)) {}

Error& Error::set_attribute(std::string name) {
  attribute_ = std::move(name);
  return *this;
}

Error& Error::set_way_out(WayOut way_out) {
  way_out_ = std::move(way_out);
  return *this;
}

Error& Error::add_place(std::string place) {
  places_.push_back(std::move(place));
  return *this;
}

std::string Error::text() const {
  std::string text = message_;
  for (const std::string& place : places_) text += "\n  " + place;
  return text;
}

namespace {

/// The number of letters to insert, delete, replace or swap with their neighbour; upper and lower case count as equal.
size_t distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto same = [&](size_t i, size_t j) { return lower(a[i]) == lower(b[j]); };
  std::vector<size_t> before_last, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + !same(i, j), last[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j)) row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
  }
  return row.back();
}

/// "attn_mask" of "mask": the only candidate that ends with the name as a word of its own; empty where there is none.
std::string_view only_with_part(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr size_t kLeast = 3;
  std::string_view found;
  if (name.size() < kLeast) return found;
  const std::string part = "_" + std::string(name);
  for (const std::string_view candidate : candidates) {
    if (!candidate.ends_with(part)) continue;
    if (!found.empty()) return "";
    found = candidate;
  }
  return found;
}

constexpr size_t kLongestName = 100;  // longer ones are no typing errors, and the distance is quadratic

std::string suggestion(std::string_view name) { return format(", did you mean '{}'?", printable(name, kLongestName)); }

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > kLongestName) return "";
  std::string_view nearest;
  // Up to a third of the letters may be wrong: of "-V" none, of two one that is too much or missing.
  const size_t letters = name.size() - std::min(name.find_first_not_of('-'), name.size());
  size_t least = letters / 3 + 1;
  constexpr size_t kLeastBeginning = 4;
  std::vector<std::string_view> begins;
  for (std::string_view candidate : candidates) {
    const bool is_other = candidate != name && candidate.size() <= kLongestName;
    if (is_other && candidate.starts_with(name)) begins.push_back(candidate);
    const size_t d = is_other ? distance(name, candidate) : SIZE_MAX;
    const bool is_longer_or_shorter = letters == 2 && d == 1 && candidate.size() != name.size();
    if (d < least || (is_longer_or_shorter && nearest.empty())) least = d, nearest = candidate;
  }
  if (nearest.empty() && begins.empty()) nearest = only_with_part(name, candidates);
  if (begins.size() == 1 && name.size() >= kLeastBeginning) return suggestion(begins.front());
  if (!nearest.empty()) return suggestion(nearest);
  if (begins.size() != 2 || name.size() < kLeastBeginning) return "";
  return format(", did you mean '{}' or '{}'?", printable(begins[0]), printable(begins[1]));
}

}  // namespace opref::core
