#include "cli/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "core/text.h"

namespace opref::cli {

Progress::Progress(std::size_t total)
    : enabled_(isatty(STDERR_FILENO) == 1),
      total_(total),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + std::chrono::milliseconds(300)) {}  // short runs show nothing

void Progress::advance() {
  ++count_;
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const double rate = static_cast<double>(count_) / std::chrono::duration<double>(now - start_).count();
  const double shown = rate < 10 ? std::round(rate * 10) / 10 : std::round(rate);
  const std::string line = format("\r\033[K{} of {} cases, {} per second", count_, total_, shown);
  std::fflush(stdout);
  std::fwrite(line.data(), 1, line.size(), stderr);
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
