// SPDX-License-Identifier: Apache-2.0
#include "io/named_tensors.h"

#include <algorithm>
#include <vector>

#include "core/error.h"

namespace opref::io {

std::size_t named_tensor(std::span<const std::string> names, std::string_view key, std::string_view extension) {
  constexpr std::size_t kShown = 8;
  const auto shown = [&] {
    return join_some(names, ", ", kShown, [](const std::string& name) { return printable(name); });
  };
  if (names.empty()) fail(Fault::usage, "the {} has no tensors", extension);
  if (key.empty() && names.size() > 1)
    fail(Fault::usage, "the {} has {} tensors: name one of {}, as in FILE{}:{}", extension, names.size(), shown(),
         extension, printable(names.front()));
  if (key.empty()) return 0;
  const auto found = std::ranges::find(names, key);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string near = did_you_mean(key, candidates);
  fail(Fault::usage, "the {} has no tensor '{}'{}", extension, printable(key),
       near.empty() ? format(" (there are {})", shown()) : near);
}

}  // namespace opref::io
