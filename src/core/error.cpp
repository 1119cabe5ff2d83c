#include "core/error.h"

#include <algorithm>
#include <numeric>

namespace opref {

std::string_view name(Fault fault) {
  switch (fault) {
    case Fault::usage:
      return "usage";
    case Fault::malformed:
      return "malformed";
    case Fault::invalid:
      return "invalid";
    case Fault::unsupported:
      return "unsupported";
    case Fault::system:
      return "system";
    case Fault::internal:
      break;
  }
  return "internal";
}

Error::Error(Fault fault, std::string message) : fault_(fault), message_(std::move(message)) {}

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

/// Levenshtein distance; upper and lower case count as equal.
size_t distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr size_t kLongestName = 100;  // longer ones are no typing errors, and the distance is quadratic
  if (name.size() > kLongestName) return "";
  std::string_view nearest;
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    const size_t d = candidate.size() > kLongestName ? least : distance(name, candidate);
    if (d < least) least = d, nearest = candidate;
  }
  return nearest.empty() ? "" : format(", did you mean '{}'?", nearest);
}

}  // namespace opref
