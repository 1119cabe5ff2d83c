// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "core/text.h"

namespace opref::cli {
namespace {

/// "6 s", "2 min 5 s", "3 h 20 min"
std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 60) return format("{} s", whole);
  if (whole < 3600) return format("{} min {} s", whole / 60, whole % 60);
  return format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

Progress::Progress(std::size_t total, std::string_view noun)
    : noun_(noun),
      enabled_(isatty(STDERR_FILENO) == 1),
      total_(total),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + std::chrono::milliseconds(300)) {}  // short runs show nothing

void Progress::advance() {
  ++count_;
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(count_) / seconds;
  const double shown = rate < 10 ? std::round(rate * 10) / 10 : std::round(rate);
  show(format("{} of {} {}, {} per second, {} left", count_, total_, noun_, shown,
              duration_text(static_cast<double>(total_ - count_) / rate)));
}

void Progress::say(std::string_view what) {
  if (enabled_) show(format("{} …", what));
}

void Progress::show(const std::string& line) {
  const std::string written = "\r\033[K" + line;
  std::fflush(stdout);
  std::fwrite(written.data(), 1, written.size(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::erase() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace opref::cli
