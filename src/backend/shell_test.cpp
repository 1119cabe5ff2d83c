// SPDX-License-Identifier: Apache-2.0
#include "backend/shell.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "core/error.h"

using namespace opref::backend;

namespace {

/// What the shell itself makes of a command.
std::string printed_by(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 256> buffer{};
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), count);
  pclose(pipe);
  return text;
}

constexpr std::array<std::string_view, 3> kNames = {"model", "inputs", "outputs"};

}  // namespace

TEST_CASE("shell: a text comes out of a command as it was, wherever it stands", "[backend][runner]") {
  for (const std::string text : {"plain", "a b", "it's", R"(say "x")", "$HOME `id` \\", "{model}", "(a)", "a;b&c|d>e",
                                 "bad\xff.json", "100%\\'\x01"}) {
    const ShellPlace places[] = {{"inputs", text}, {"model", "wrong"}};
    INFO(text);
    CHECK(printed_by("printf %s " + shell_quoted(text)) == text);
    for (const char* command :
         {"printf %s {inputs}", R"x(printf %s "{inputs}")x", "printf %s '{inputs}'",
          R"x(y=$(printf %s {inputs}); printf %s "$y")x", R"x(printf %s "$(printf %s {inputs})")x",
          R"x(printf %s "$(printf %s "{inputs}")")x", R"x(echo \" >/dev/null; printf %s {inputs})x",
          R"x(echo "a'b" >/dev/null; printf %s {inputs})x", R"x((true); printf %s "$( (printf %s '{inputs}') )")x"}) {
      INFO(command);
      CHECK(printed_by(with_places(command, places)) == text);
    }
    CHECK(printed_by(with_places(R"x(printf %s pre"{inputs}"post)x", places)) == "pre" + text + "post");
  }
}

TEST_CASE("shell: what resembles a place is refused with the place; the shell's own braces are not",
          "[backend][runner]") {
  CHECK(has_places("run {model}", kNames));
  CHECK(has_places("run \"{inputs}/x\" '{outputs}'", kNames));
  for (const char* command :
       {"worker", "worker ${model}", "awk '{print $1}'", "{ worker; }", "echo {a,b}", "x {print}", "{}"}) {
    INFO(command);
    CHECK_FALSE(has_places(command, kNames));
  }
  const auto error = [](std::string_view command) -> std::string {
    try {
      has_places(command, kNames);
    } catch (const Error& refused) {
      return format("{}: {}", name(refused.fault()), refused.message());
    }
    return "it is taken";
  };
  CHECK(error("run {modle}") == "usage: '{modle}' is no place of a runner's command, did you mean 'model'?");
  CHECK(error("run {model} {input}") == "usage: '{input}' is no place of a runner's command, did you mean 'inputs'?");
  CHECK(error("run {Outputs}") == "usage: '{Outputs}' is no place of a runner's command, did you mean 'outputs'?");
}
