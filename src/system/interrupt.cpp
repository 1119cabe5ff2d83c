// SPDX-License-Identifier: Apache-2.0
#include "system/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <utility>

#include "core/error.h"
#include "system/mapping.h"
#include "system/parallel.h"

namespace opref::system {
namespace {

std::atomic<UnfinishedFile*> unfinished_files = nullptr;
/// The exit code of a program that ends for another reason than the signal that it is sent.
std::atomic<int> other_exit_code = 0;
std::atomic<int> cleaning_signal = 0;  ///< what the thread of end_on_interrupt waits for
std::atomic<int> requested_signal = 0;
std::atomic<std::int64_t> requested_at = 0;
std::atomic<bool> announced = false;
static_assert(std::atomic<UnfinishedFile*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void note_signal(int signal) {
  constexpr std::int64_t kOneRequest = 200;  // milliseconds: timeout(1) sends a signal to the process and to its group
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t milliseconds = now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1000000;
  const bool is_second = requested_signal.exchange(signal) != 0 && milliseconds - requested_at > kOneRequest;
  if (is_second || other_exit_code != 0) end_by(signal);
  requested_at = milliseconds;
}

/// An access to memory that is no mapped file's fails again, and ends the program.
extern "C" void note_lost_byte(int signal, siginfo_t* cause, void*) {
  if (!tell_changed_file(cause->si_addr)) {
    std::signal(signal, SIG_DFL);
    return;
  }
  other_exit_code = static_cast<int>(Fault::system);
  if (const int cleaning = cleaning_signal; cleaning != 0 && kill(getpid(), cleaning) == 0)
    while (true) pause();
  end_by(0);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN;
}

/// Gives the signals that end the program this action, unless they are ignored.
void handle_interrupts(std::initializer_list<int> signals, void (*handler)(int)) {
  for (const int signal : signals) {
    if (is_ignored(signal)) continue;
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

UnfinishedFile* UnfinishedFile::take() {
  for (UnfinishedFile* entry = unfinished_files; entry != nullptr; entry = entry->next) {
    int unused = UnfinishedFile::unused;
    if (entry->state.compare_exchange_strong(unused, UnfinishedFile::taken)) return entry;
  }
  auto* entry = new UnfinishedFile;
  entry->next = unfinished_files;
  while (!unfinished_files.compare_exchange_weak(entry->next, entry)) {
  }
  return entry;
}

/// Only what may be called in a signal handler.
void end_by(int signal) {
  for (UnfinishedFile* entry = unfinished_files; entry != nullptr; entry = entry->next)
    if (entry->state == UnfinishedFile::armed) unlink(entry->path);
  const int code = other_exit_code;
  _exit(code != 0 ? code : 128 + signal);
}

void remove_unfinished_files_on_interrupt() {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a failed write
  handle_interrupts({SIGINT, SIGTERM, SIGHUP, SIGPIPE}, end_by);
  struct sigaction action {};
  action.sa_sigaction = note_lost_byte;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

InterruptDelay::InterruptDelay() {
  requested_signal = 0;
  handle_interrupts({SIGINT, SIGTERM, SIGHUP}, note_signal);
}

InterruptDelay::~InterruptDelay() {
  handle_interrupts({SIGINT, SIGTERM, SIGHUP}, end_by);
  requested_signal = 0;
}

int InterruptDelay::requested() { return requested_signal; }
bool InterruptDelay::is_coming() { return announced || requested_signal != 0; }

void end_on_interrupt(void (*end)()) {
  static bool watched = false;
  if (std::exchange(watched, true)) return;
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (is_ignored(signal)) continue;
    sigaddset(&signals, signal);
    cleaning_signal = signal;
  }
  ignore_broken_pipes();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  start_thread([signals, end] {
    bool ended = false;
    for (int signal = 0; sigwait(&signals, &signal) == 0;) {
      announced = true;
      if (!std::exchange(ended, true)) end();
      pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
      raise(signal);
      pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // it may be delayed
    }
  }).detach();
  std::at_quick_exit(end);
}

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace opref::system
