// SPDX-License-Identifier: Apache-2.0
// The entry points of libFuzzer. OPREF_FUZZ names the target.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/utf8.h"
#include "fuzz/targets.h"

namespace opref::fuzz {

void finding(const std::string& sentence) {
  std::fprintf(stderr, "finding: %s\n", sentence.c_str());
  std::abort();
}

void require_readable(const Error& error) {
  const std::string text = error.text();
  if (error.fault() == Fault::internal) finding("an internal error: " + text);
  if (!code_points(text)) finding("an error that is no UTF-8");
  if (std::ranges::any_of(text, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }))
    finding("an error with control bytes");
}

}  // namespace opref::fuzz

using namespace opref::fuzz;

namespace {

const Target* chosen = nullptr;

std::vector<const Target*> targets() {
  std::vector<const Target*> all;
  for (const std::span<const Target> some : {reader_targets(), command_targets()})
    for (const Target& target : some) all.push_back(&target);
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* name = std::getenv("OPREF_FUZZ");
  for (const Target* target : targets())
    if (name != nullptr && target->name == name) chosen = target;
  if (chosen != nullptr) return 0;
  for (const Target* target : targets()) std::printf("%s\n", std::string(target->name).c_str());
  std::exit(name == nullptr ? 0 : 2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  answered([&] { chosen->run(bytes); });
  return 0;
}
