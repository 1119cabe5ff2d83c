// SPDX-License-Identifier: Apache-2.0
// A line that says how far a long command is, on terminals only.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace opref::cli {

/// "120 of 1942 cases, 310 per second, 6 s left", or other things than cases, on standard error while it lives,
/// rewritten at most ten times a second. Nothing where standard error is no terminal. For one thread at a time.
class Progress {
 public:
  explicit Progress(std::size_t total, std::string_view noun = "cases");
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { erase(); }

  void advance();
  /// In place of the line at once: what takes long now.
  void say(std::string_view what);
  /// Before anything else is printed: takes the line away until the next `advance`.
  void erase();

 private:
  void show(const std::string& line);

  std::string_view noun_;
  bool shown_ = false, enabled_;
  std::size_t total_, count_ = 0;
  std::chrono::steady_clock::time_point start_, next_;
};

}  // namespace opref::cli
