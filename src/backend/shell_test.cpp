// SPDX-License-Identifier: Apache-2.0
#include "backend/shell.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "core/error.h"

namespace shell_test {

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

std::string placed(std::string_view command, const std::string& inputs = "/tmp/a_b-c.D/100") {
  return with_places(command, std::array<Place, 3>{Place{"model", "/m"}, {"inputs", inputs}, {"outputs", "/o"}});
}

/// The error that refuses a command, or a path in it; empty if none does.
std::string refusal(std::string_view command, const std::string& inputs = "/i") {
  try {
    placed(command, inputs);
  } catch (const Error& refused) {
    return format("{}: {}", name(refused.fault()), refused.message());
  }
  return "";
}

}  // namespace

TEST_CASE("shell: a text comes out of a command as it was", "[backend][runner]") {
  for (const std::string text : {"plain", "a b", "it's", R"(say "x")", "$HOME `id` \\", "{model}", "(a)", "a;b&c|d>e",
                                 "bad\xff.json", "100%\\'\x01"}) {
    INFO(text);
    CHECK(printed_by("printf %s " + shell_quoted(text)) == text);
  }
}

TEST_CASE("shell: a path comes out of a command as it was, wherever it stands", "[backend][runner]") {
  for (const std::string path : {"/tmp/opref-check-aB3xYz/100000000/test_data_set_0", "/w/job@2/a%2Fb/c+d=e,f:g.-_"})
    for (const char* command : {"printf %s {inputs}", R"x(printf %s "{inputs}")x", "printf %s '{inputs}'",
                                "x=`printf %s {inputs}`; printf %s $x", R"x(printf %s "$(printf %s {inputs})")x",
                                "sh -c 'printf %s {inputs}'", "eval printf %s {inputs}",
                                "cat <<END | tr -d '\\n'\n{inputs}\nEND", "# don't\nprintf %s {inputs}",
                                R"x(printf %s "${NONE:-{inputs}}")x", "awk 'BEGIN { printf \"%s\", \"{inputs}\" }'"}) {
      INFO(command);
      CHECK(printed_by(placed(command, path)) == path);
    }
}

TEST_CASE("shell: a path with a character that means something to a shell is refused", "[backend][runner]") {
  CHECK(refusal("run {inputs}", "/tmp/a b") ==
        "usage: {inputs} would be /tmp/a b: set TMPDIR to a folder whose path has only letters, digits and _-./:=,+@%");
  for (const char c : std::string(" \t\n'\"`$\\;&|<>()[]{}*?!#~^\x01\x7f\xc3"))
    CHECK(refusal("run {inputs}", std::string("/tmp/") + c) != "");
  CHECK(refusal("run {inputs}", "") != "");
  CHECK(refusal("run {model}", "/tmp/a b") == "");
}

TEST_CASE("shell: what resembles a place is refused with the place; the shell's own braces are not",
          "[backend][runner]") {
  CHECK(placed("run \"{model}/x\" '{outputs}' # {model}") == "run \"/m/x\" '/o' # /m");
  for (const char* command : {"worker", "worker ${model}", "awk '{print $1}'", "{ worker; }", "echo {a,b}", "x {print}",
                              "{}", "{", "x {model"}) {
    INFO(command);
    CHECK(placed(command) == command);
  }
  CHECK(placed("x ${model} {model}") == "x ${model} /m");
  CHECK(refusal("run {modle}") == "usage: '{modle}' is no place of a runner's command, did you mean 'model'?");
  CHECK(refusal("run {model} {input}") == "usage: '{input}' is no place of a runner's command, did you mean 'inputs'?");
  CHECK(refusal("run {Outputs}") == "usage: '{Outputs}' is no place of a runner's command, did you mean 'outputs'?");
}

}  // namespace shell_test
