// SPDX-License-Identifier: Apache-2.0
// What others write, and what is meant: the rows of hints.txt, which says what each column is.
#pragma once

#include <string_view>
#include <vector>

#include "core/rooms.h"

namespace opref::core {

struct Hint {
  std::string_view kind = {}, written = {}, where = {}, meant = {}, more = {};
};

extern const std::string_view kHintRows;  ///< the file

/// All of a kind, in the file's order.
const std::vector<Hint>& hints(std::string_view kind);
/// What is meant by the first that was written so; empty where there is none.
std::string_view meant(std::string_view kind, std::string_view written);

}  // namespace opref::core
