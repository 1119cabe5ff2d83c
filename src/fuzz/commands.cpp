// SPDX-License-Identifier: Apache-2.0
// What strangers' bytes reach through the program itself: a worker, reports, names of outputs, filters, sequences that
// grow and completed words. OPREF_FUZZ_WORKER and OPREF_FUZZ_MERGE are the commands that start
// a worker and that join reports, OPREF_FUZZ_PROGRAM is the program's file.
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "backend/shell.h"
#include "core/utf8.h"
#include "fuzz/targets.h"
#include "io/onnx/onnx.h"
#include "report/name_filter.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_inputs.h"
#include "run/write_outputs.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/process.h"

namespace opref::fuzz {
namespace {

namespace fs = std::filesystem;

/// A folder of this process, which is empty again at each call.
fs::path empty_folder() {
  static const fs::path folder = fs::temp_directory_path() / format("opref-fuzz-{}-work", getpid());
  if (fs::exists(folder)) remove_path(folder);
  make_folder(folder);
  return folder;
}

/// A command of this program, as the environment variable says it.
std::string command_of(const char* variable) {
  const char* command = std::getenv(variable);
  if (command == nullptr) finding(format("{} is not set", variable));
  return command;
}

/// What a command of /bin/sh prints on its error stream, where its output goes too, until it ends.
std::string printed_by(const std::string& command, std::chrono::seconds most,
                       std::span<const Variable> variables = {}) {
  Process process(command, Streams::output, variables);
  const auto end = std::chrono::steady_clock::now() + most;
  std::string text;
  std::array<char, 65536> buffer;
  while (process.error().is_open()) {
    pollfd waits{process.error().descriptor(), POLLIN, 0};
    poll(&waits, 1, 1000);
    for (auto some = process.error().read(buffer); !some.empty(); some = process.error().read(buffer))
      text.append(some.data(), some.size());
    if (std::chrono::steady_clock::now() > end) break;
  }
  return text;
}

/// A worker that is asked line after line.
class AskedWorker {
 public:
  AskedWorker() : process_("exec " + command_of("OPREF_FUZZ_WORKER"), Streams::dialogue) {}

  /// The line that answers it.
  std::string answer(const std::string& line) {
    for (std::string_view rest = line; !rest.empty() && process_.input().is_open();)
      rest.remove_prefix(process_.input().write(rest));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    std::string text;
    std::array<char, 65536> buffer;
    while (!text.ends_with('\n')) {
      pollfd waits{process_.output().descriptor(), POLLIN, 0};
      poll(&waits, 1, 1000);  // the fuzzer's own alarms interrupt it
      if (std::chrono::steady_clock::now() > end) finding("the worker gives no answer to " + line);
      const auto some = process_.output().read(buffer);
      text.append(some.data(), some.size());
      if (!process_.output().is_open()) finding("the worker ends at " + line);
    }
    return text;
  }

 private:
  Process process_;
};

std::string as_json(std::string_view text) {
  std::string json = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\' || c < 0x20)
      json += "\\u00" + std::string(1, "0123456789abcdef"[c >> 4]) + "0123456789abcdef"[c & 15];
    else
      json += static_cast<char>(c);
  }
  return json + '"';
}

void worker(std::string_view bytes) {
  if (bytes.size() < 4) return;
  static AskedWorker asked;
  const fs::path folder = empty_folder();
  fs::create_directory(folder / "linked");
  std::ofstream(folder / "victim") << "mine";
  fs::create_symlink("../victim", folder / "linked" / "output_0.pb");
  const std::string rest(bytes.substr(4));
  const auto here = [&](std::string_view name) { return (folder / name).string(); };
  const std::vector<std::string> outputs = {folder.string(), here("linked"),
                                            here("none"),    here(std::string(300, 'o')),
                                            "/proc/self/fd", here(rest.substr(0, 3000))};
  const std::vector<std::string> models = {"Constant <value_int = 1> ()", "/proc/self/mem", rest,
                                           std::string(400, 'm'),         "Y = Relu (X)",   folder.string()};
  const auto chosen = [&](const std::vector<std::string>& texts, size_t place) {
    return as_json(texts[static_cast<unsigned char>(bytes[place]) % texts.size()]);
  };
  const std::string id = bytes[0] % 2 == 0 ? "1" : rest.substr(0, 1000);
  const std::string line = bytes[1] % 8 == 0
                               ? as_json(rest)
                               : format("{{\"id\": {}, \"model\": {}, \"inputs\": \".\", \"outputs\": {}}}",
                                        as_json(id), chosen(models, 2), chosen(outputs, 3));
  const std::string answer = asked.answer(line + "\n");
  if (std::ranges::count(answer, '\n') != 1) finding("an answer of several lines to " + line);
  if (answer.size() > 2001) finding(format("an answer of {} bytes to {}", answer.size(), line));
  std::string content;
  std::ifstream(folder / "victim") >> content;
  if (content != "mine") finding("the worker writes through a link: " + line);
}

void merge(std::string_view bytes) {
  const fs::path file = empty_folder() / "report.json";
  std::ofstream(file, std::ios::binary) << bytes;
  const std::string printed =
      printed_by(command_of("OPREF_FUZZ_MERGE") + " " + backend::shell_quoted(file.string()), std::chrono::seconds(20));
  if (!code_points(printed)) finding("output that is no UTF-8");
  if (printed.starts_with("::") || printed.find("\n::") != std::string::npos)
    finding("a line that is a command to a CI system: " + printed);
  if (std::ranges::any_of(printed, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }) ||
      printed.find("\u202e") != std::string::npos)
    finding("hidden characters: " + printed);
}

/// A node whose output has that name, written into a folder that has other files.
void names(std::string_view bytes) {
  const fs::path folder = empty_folder(), inside = folder / "inside";
  fs::create_directory(inside);
  for (const fs::path& file : {folder / "0.npy", inside / "0.npy", inside / "7.npy", inside / "y.npy"})
    std::ofstream(file) << "mine";
  std::string name;
  const bool is_sequence = !bytes.empty() && bytes.front() % 2 == 0;
  if (!bytes.empty())
    for (const unsigned char byte : bytes.substr(1, 4)) name += std::string_view("../%0y")[byte % 6];
  const std::string node =
      is_sequence ? "x = Constant <value_int = 1> () y = SequenceConstruct (x)" : "y = Constant <value_int = 1> ()";
  Case read = read_onnx_text("<ir_version: 8, opset_import: [\"\" : 18]> g () => (y) { " + node + " }");
  read.graph.outputs.at(0).name = read.graph.nodes.back().outputs.at(0) = name;
  const Bound bound = bind_case(std::move(read));
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  run_graph(bound.graph, environment, bound.options);
  const std::array destinations = {Destination{"", inside.string() + "/"}};
  answered([&] { write_outputs(bound, environment, destinations); });
  std::string outside;
  std::ifstream(folder / "0.npy") >> outside;
  if (outside != "mine" || !fs::exists(inside / "0.npy") || !fs::exists(inside / "7.npy"))
    finding("the output '" + name + "' changes other files");
  for (const fs::path& entry : entries_of(folder))
    if (entry != inside && entry != folder / "0.npy") finding("the output '" + name + "' becomes " + entry.string());
}

void filter(std::string_view bytes) {
  constexpr std::chrono::seconds kMost{2};  // under sanitizers
  const auto start = std::chrono::steady_clock::now();
  answered([&] {
    const NameFilter chosen{std::string(bytes)};
    for (int i = 0; i < 100; ++i) chosen.matches(format("test_averagepool_2d_ceil_last_window_{}", i));
  });
  if (std::chrono::steady_clock::now() - start > kMost) finding("a filter that takes long");
}

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * std::int64_t{1024};
}

/// A sequence that grows step by step, as large as the bytes say, under a limit.
void sequence(std::string_view bytes) {
  if (bytes.size() < 6) return;
  const auto number = [&](size_t place) {
    return static_cast<unsigned char>(bytes[place]) * 256 + static_cast<unsigned char>(bytes[place + 1]);
  };
  const int elements = number(0) % 4000, inserts = number(2) % 2000, size = number(4) % 100;
  std::string text =
      format("<ir_version: 8, opset_import: [\"\" : 18]> g () => (s) {{ x = Constant <value_floats = [{}1]> () ", [&] {
        std::string values;
        for (int i = 0; i < size; ++i) values += "0, ";
        return values;
      }());
  std::string all = "x";
  for (int i = 1; i < elements; ++i) all += ", x";
  text += format("s{} = SequenceConstruct ({}) ", inserts == 0 ? "" : "0", all);
  for (int i = 0; i < inserts; ++i)
    text += format("s{} = SequenceInsert (s{}, x) ", i + 1 == inserts ? "" : std::to_string(i + 1), i);
  const Bound bound = bind_case(read_onnx_text(text + "}"));
  EvaluationOptions options = bound.options;
  options.max_bytes = 1 << 22;
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, options, warnings);
  const std::int64_t before = peak_bytes();
  run_graph(bound.graph, environment, options);
  constexpr std::int64_t kSpare = std::int64_t{128} << 20;  // sanitizers keep freed memory for a while
  if (peak_bytes() - before > 2 * options.max_bytes + kSpare)
    finding(format("{} elements, {} inserts of {} numbers take {} bytes under a limit of {}", elements, inserts,
                   size + 1, peak_bytes() - before, options.max_bytes));
}

/// A sequence of one tensor many times over, written under a limit.
void written(std::string_view bytes) {
  if (bytes.size() < 3) return;
  constexpr std::int64_t kMost = std::int64_t{1} << 20, kHeaders = 1 << 14;
  const auto number = [&](size_t place) { return static_cast<unsigned char>(bytes[place]); };
  std::string all = "x";
  for (int i = 0; i < number(0) % 64; ++i) all += ", x";
  const Bound bound = bind_case(read_onnx_text(
      format("<ir_version: 8, opset_import: [\"\" : 18]> g () => (s) {{ d = Constant <value_ints = [{}]> () "
             "x = ConstantOfShape (d) s = SequenceConstruct ({}) }}",
             number(1) * 256 + number(2), all)));
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  run_graph(bound.graph, environment, bound.options);
  const fs::path folder = empty_folder();
  const std::array destinations = {Destination{"", folder.string() + "/"}};
  answered([&] { write_outputs(bound, environment, destinations, kMost); });
  std::int64_t total = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) total += static_cast<std::int64_t>(entry.file_size());
  if (total > kMost + kHeaders) finding(format("{} bytes are written under a limit of {}", total, kMost));
}

/// Parts of a file's name that a shell would execute, or take for several words, were they not quoted.
constexpr std::array<std::string_view, 14> kNameParts = {"$(touch PWNED)",
                                                         "`touch PWNED`",
                                                         ";touch PWNED;",
                                                         "\ntouch PWNED\n",
                                                         "'",
                                                         "\"",
                                                         "\\",
                                                         " ",
                                                         "$",
                                                         "u",
                                                         "=",
                                                         "(",
                                                         "#",
                                                         "\xc3\xa9"};
constexpr std::array<std::string_view, 3> kTyped = {"El", "'El", "\"El"};

/// What bash completes beside the names of operators is one word, the file's name.
void completion(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const fs::path folder = empty_folder();
  std::string name = "El";
  for (const unsigned char byte : bytes.substr(1, 8)) name += kNameParts.at(byte % kNameParts.size());
  std::ofstream(folder / name) << "mine";
  const std::string typed(kTyped.at(static_cast<unsigned char>(bytes[0]) % kTyped.size()));
  // Behind a quote that was typed, a reply ends with that quote.
  constexpr std::string_view kScript = R"sh(
    eval "$("$OPREF" completion bash)"
    compopt() { :; }
    COMP_WORDS=("$OPREF" run "$TYPED") COMP_CWORD=2 COMP_LINE="$OPREF run $TYPED"
    COMP_POINT=${#COMP_LINE}
    _opref
    for reply in "${COMPREPLY[@]}"; do
      eval "words=(${TYPED%El}$reply${TYPED%El})"
      printf '%s\0' "${#words[@]}" "${words[@]}"
    done)sh";
  const std::array variables = {Variable("OPREF", command_of("OPREF_FUZZ_PROGRAM")), Variable("TYPED", typed)};
  const std::string words =
      printed_by("cd " + backend::shell_quoted(folder.string()) + " && exec bash -c " + backend::shell_quoted(kScript),
                 std::chrono::seconds(20), variables);
  if (fs::exists(folder / "PWNED")) finding("the completed name " + printable(name) + " is executed");
  const std::string expected = std::string("\0001\0", 3) + name + '\0';
  if (words.find(expected) == std::string::npos)
    finding("behind " + typed + " the name " + printable(name) + " is completed as " + printable(words));
}

constexpr std::array kTargets = {
    Target{"worker", worker},     Target{"merge", merge},     Target{"names", names},          Target{"filter", filter},
    Target{"sequence", sequence}, Target{"written", written}, Target{"completion", completion}};

}  // namespace

std::span<const Target> command_targets() { return kTargets; }

}  // namespace opref::fuzz
