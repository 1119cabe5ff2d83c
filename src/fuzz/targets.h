// SPDX-License-Identifier: Apache-2.0
// What libFuzzer runs: each reader of bytes that strangers wrote, and nodes that bytes choose. See scripts/lab/fuzz.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/rooms.h"
#include "io/case.h"

namespace opref::fuzz {

/// A reader of one format, named as scripts/lab/fuzz names it. Whatever the bytes are, `run` returns: an Error that
/// says what is wrong with them is an answer.
struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

std::span<const Target> reader_targets();
/// Those that go through a shell, files or the program itself.
std::span<const Target> command_targets();

/// Of all that is decoded of one input, in bytes.
inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 24;

/// Stops the process with the sentence: a finding.
[[noreturn]] void finding(const std::string& sentence);

void require_readable(const Error& error);
/// Runs body; an Error must be one that a user can read: no bug of opref, no control bytes, UTF-8.
template <class Body>
void answered(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    require_readable(error);
  }
}

/// Evaluates a node of a registered operator, whose version, attributes, types, shapes and values the bytes choose: by
/// estimate and by the exact tier, on one thread or two, the bytes must be the same, and the types those of
/// `infer`.
void evaluate_node(std::string_view bytes);

/// Infers the types of a model, and evaluates it, within limits of memory and time.
void evaluate_model(Case read);

/// Evaluates a model that calls a local function, whose inputs and nodes the bytes choose; most are refused.
void evaluate_function(std::string_view bytes);

/// Evaluates a model with subgraphs and sequences, some in a local function, that the bytes choose.
void evaluate_subgraphs(std::string_view bytes);

}  // namespace opref::fuzz
