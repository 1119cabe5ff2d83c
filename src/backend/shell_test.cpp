// SPDX-License-Identifier: Apache-2.0
#include "backend/shell.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "system/process.h"

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

/// The error that refuses a command's places; empty if none does.
std::string refusal(std::string_view command) {
  try {
    with_places(command, kNames);
  } catch (const Error& refused) {
    return format("{}: {}", name(refused.fault()), refused.message());
  }
  return "";
}

/// What a place holds in a command of these tests.
void hold(const std::string& text) { setenv(variable_of("inputs").c_str(), text.c_str(), 1); }

}  // namespace

TEST_CASE("shell: a text comes out of a command as it was, wherever it stands", "[backend][runner]") {
  for (const std::string text : {"plain", "a b", "it's", R"(say "x")", "$HOME `id` \\", "{model}", "(a)", "a;b&c|d>e",
                                 "bad\xff.json", "100%\\'\x01"}) {
    INFO(text);
    CHECK(printed_by("printf %s " + shell_quoted(text)) == text);
    hold(text);
    for (const char* command :
         {"printf %s {inputs}", R"x(printf %s "{inputs}")x", "printf %s '{inputs}'",
          R"x(y=$(printf %s {inputs}); printf %s "$y")x", R"x(printf %s "$(printf %s {inputs})")x",
          R"x(printf %s "$(printf %s "{inputs}")")x", R"x(echo \" >/dev/null; printf %s {inputs})x",
          R"x(echo "a'b" >/dev/null; printf %s {inputs})x", R"x((true); printf %s "$( (printf %s '{inputs}') )")x",
          R"x(printf %s "${NONE:-{inputs}}")x", R"x(printf %s "${NONE-"{inputs}"}")x",
          R"x(sh -c 'printf %s "$1"' sh {inputs})x", "# it's a comment\nprintf %s {inputs}",
          R"x(printf %s "$(case x in x) printf %s {inputs};; esac)")x"}) {
      INFO(command);
      const Placed placed = with_places(command, kNames);
      CHECK(placed.any);
      CHECK(printed_by(placed.command) == text);
    }
    CHECK(printed_by(with_places(R"x(printf %s pre"{inputs}"post)x", kNames).command) == "pre" + text + "post");
  }
}

TEST_CASE("shell: what resembles a place is refused with the place; the shell's own braces are not",
          "[backend][runner]") {
  CHECK(with_places("run {model}", kNames).any);
  CHECK(with_places("run \"{inputs}/x\" '{outputs}'", kNames).any);
  CHECK(with_places("run # {model}", kNames).any);
  for (const char* command : {"worker", "worker ${model}", "awk '{print $1}'", "{ worker; }", "echo {a,b}", "x {print}",
                              "{}", "x \\{model}"}) {
    INFO(command);
    CHECK_FALSE(with_places(command, kNames).any);
    CHECK(with_places(command, kNames).command == command);
  }
  CHECK(with_places("x ${model} {model}", kNames).command == "x ${model} \"${OPREF_MODEL}\"");
  CHECK(refusal("run {modle}") == "usage: '{modle}' is no place of a runner's command, did you mean 'model'?");
  CHECK(refusal("run {model} {input}") == "usage: '{input}' is no place of a runner's command, did you mean 'inputs'?");
  CHECK(refusal("run {Outputs}") == "usage: '{Outputs}' is no place of a runner's command, did you mean 'outputs'?");
}

TEST_CASE("shell: a place where a name would be code is refused", "[backend][runner]") {
  CHECK(refusal("m=`dirname {model}`") == "usage: {model} stands behind a backtick: write `COMMAND` as $(COMMAND)");
  CHECK(refusal("cat <<EOF\n{model}\nEOF") ==
        "usage: {model} stands behind a here document, '<<': write a script that takes it as an argument");
  CHECK(refusal("echo $(({inputs}))") == "usage: {inputs} stands in arithmetic, which takes text for code");
  CHECK(refusal("echo ${x#{inputs}}") == "usage: {inputs} stands in ${…}, where it is no text");
  CHECK(refusal("sh -c 'true {model}'") ==
        "usage: {model} stands in what 'sh' takes for code: hand it over as an argument, as in sh -c '… \"$1\"' sh "
        "{model}");
  for (const char* command : {"eval true {model}",
                              "bash -ec {model}",
                              "/bin/dash -o nounset -c 'a; {model}'",
                              "sh >log -c {model}",
                              "sh 2>log -c {model}",
                              "nohup timeout 5 sh -c {model}",
                              "x=1 sh -c {model}",
                              "true; if sh -c {model}; then :; fi",
                              "sh -c \"$(printf 'x %s' {model})\"",
                              "(sh -c {model})",
                              "y=$(sh -c {model})",
                              "find . -exec sh -c 'x {model}' \\;",
                              "${M:-eval x {model}}",
                              "${M:-eval} x {model}",
                              "ev${M:-al} x {model}",
                              "sh ${M:--c {model}}",
                              "$(echo eval) x {model}",
                              "\"$(printf ev)al\" x {model}",
                              "ssh board run {model}",
                              "python3 -c 'run(\"{model}\")'",
                              "python3.11 -Ic'run(\"{model}\")'",
                              "perl -ne {model}",
                              "awk '{print \"{model}\"}' x",
                              "sed -n s/a/{model}/",
                              "sed -e p -e s/a/{model}/",
                              "trap 'rm {outputs}' EXIT",
                              "make IN={inputs}",
                              "s\\h -c {model}",
                              "'s'\"h\" -c {model}",
                              "case x in x) sh -c {model};; esac",
                              "script --command='x {model}' log",
                              "su nobody --command 'x {model}'"}) {
    INFO(command);
    CHECK(refusal(command).ends_with("as in sh -c '… \"$1\"' sh {model}"));
  }
  for (const char* command : {"sh run.sh {model} -c x",
                              "sh run.sh -c {model}",
                              "bash -c 'run \"$@\"' bash {model} {inputs}",
                              "python3 run.py -c {model} -e {inputs}",
                              "$(which python3) run.py -c {model}",
                              "x \"$(sh -c 'date')\" {model}",
                              "${PYTHON:-python3} run.py {model}",
                              "\"$(awk '{print $1}' x)\" {model}",
                              "python3 -m run {model}",
                              "gcc -c {model}",
                              "shed -c {model}",
                              "eval \"$(setup)\"; run {model}",
                              "eval \"$(setup)\" && run {model}",
                              "awk '{print}' {model}",
                              "awk -f p.awk {model}",
                              "sed -e s/a/b/ {model}",
                              "echo sh; run -c {model}",
                              "x <sh -c {model}",
                              "echo \"the case {model}\" >&2; run {inputs}",
                              "echo '`' \\` '<<' \"<<\"; run {model}",
                              "run {model}; echo `date`"}) {
    INFO(command);
    CHECK(refusal(command) == "");
  }
}

TEST_CASE("shell: no name of a case is executed, whatever the command is", "[backend][runner]") {
  const char* const templates[] = {"true {inputs}",
                                   "true \"{inputs}\"",
                                   "true '{inputs}'",
                                   "true x{inputs}y",
                                   "true \"x{inputs}y\" 'x{inputs}y'",
                                   "m={inputs}; true \"$m\"",
                                   "m=\"`dirname \"{inputs}\"`\"; true \"$m\"",
                                   "m=`dirname \"{inputs}\"`; true \"$m\"",
                                   "m=`dirname {inputs}`; true \"$m\"",
                                   "m=$(dirname {inputs}); true \"$m\"",
                                   "m=\"$(dirname \"{inputs}\")\"; true \"$m\"",
                                   "# don't\ntrue {inputs}",
                                   "# say \"\ntrue {inputs}",
                                   "true # {inputs}",
                                   "sh -c 'true {inputs}'",
                                   "sh -c \"true {inputs}\"",
                                   "sh -c {inputs}",
                                   "eval \"true {inputs}\"",
                                   "eval {inputs}",
                                   "cat <<EOF\n{inputs}\nEOF",
                                   "cat <<'EOF'\n{inputs}\nEOF",
                                   "sh <<EOF\ntrue {inputs}\nEOF",
                                   "true \"${M:-{inputs}}\"",
                                   "true ${M:-{inputs}}",
                                   "true \"${M:-'{inputs}'}\"",
                                   "${M:-eval true {inputs}}",
                                   "${M:-eval} true {inputs}",
                                   "\"${M:-eval}\" true {inputs}",
                                   "sh ${M:--c true {inputs}}",
                                   "sh ${M:--c} {inputs}",
                                   "$(echo eval) true {inputs}",
                                   "\"$(printf ev)al\" true {inputs}",
                                   "ev${M:-al} true {inputs}",
                                   "(true {inputs}) && { true {inputs}; }",
                                   "case {inputs} in {inputs}) true {inputs};; esac",
                                   "true \\\"{inputs}\\\"",
                                   "true \"it's\" {inputs} \"it's\"",
                                   "for m in {inputs}; do true \"$m\"; done",
                                   "true \"$(printf %s \"$(printf %s '{inputs}')\")\"",
                                   "true $(( 1 + {inputs} ))"};
  const char* const names[] = {"$(touch PWNED)",
                               "`touch PWNED`",
                               ";touch PWNED",
                               "x;touch PWNED;",
                               "\ntouch PWNED\n",
                               "|touch PWNED",
                               "&touch PWNED&",
                               "';touch PWNED;'",
                               "\";touch PWNED;\"",
                               "'$(touch PWNED)'",
                               "\"$(touch PWNED)\"",
                               "\\$(touch PWNED)",
                               "\\\\$(touch PWNED)",
                               "'\"$(touch PWNED)\"'",
                               "$(touch PWNED",
                               ")$(touch PWNED)",
                               "}$(touch PWNED)",
                               "{$(touch PWNED)}",
                               "#\n$(touch PWNED)",
                               "EOF\ntouch PWNED\nEOF",
                               "\nEOF\ntouch PWNED\n",
                               "${x:=$(touch PWNED)}",
                               "$((a[$(touch PWNED)]))",
                               "a[$(touch PWNED)]",
                               "\\`touch PWNED\\`",
                               "'`touch PWNED`'",
                               "\"`touch PWNED`\"",
                               "*;touch PWNED",
                               ">PWNED",
                               "esac;touch PWNED"};
  static_assert(std::size(templates) * std::size(names) == 1200);
  const auto before = std::filesystem::current_path();
  std::string folder = (std::filesystem::temp_directory_path() / "opref-shell-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  std::filesystem::current_path(folder);
  int refused = 0;
  for (const char* command : templates) {
    if (!refusal(command).empty()) {
      ++refused;
      continue;
    }
    for (const char* name : names) {
      const opref::system::Variable variable{variable_of("inputs"), name};
      opref::system::Process process(with_places(command, kNames).command, opref::system::Streams::output,
                                     {&variable, 1});
      while (!process.ended()) usleep(50);
      INFO(command << "\n  for " << name);
      CHECK(process.status() == 0);
      CHECK_FALSE(std::filesystem::exists("PWNED"));
      std::filesystem::remove("PWNED");
    }
  }
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
  CHECK(refused == 19);
}
