// SPDX-License-Identifier: Apache-2.0
// The rules of the source tree that a compiler does not check.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "core/content_testing.h"
#include "ops/operators.h"
#include "schema/domains.h"

namespace fs = std::filesystem;
using namespace opref::run;

namespace {

const fs::path kSource = OPREF_SOURCE_DIR;

std::vector<fs::path> sources() {
  std::vector<fs::path> files;
  for (const char* folder : {"src", "cli"})
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder))
      if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h" || entry.path().extension() == ".def")
        files.push_back(entry.path());
  return files;
}

std::vector<std::string> includes(const fs::path& file) {
  std::vector<std::string> names;
  const std::string text = content(file);
  const std::regex line(R"(#include [<"]([^>"]+)[>"])");
  for (std::sregex_iterator it(text.begin(), text.end(), line); it != std::sregex_iterator(); ++it)
    names.push_back((*it)[1]);
  return names;
}

bool is_test(const fs::path& file) { return file.string().ends_with("_test.cpp"); }

/// Files that may know operators by name: theirs, and what tests them.
bool knows_operators(const std::string& relative) {
  return relative.starts_with("src/ops/") || relative.starts_with("src/mistakes/") ||
         relative.starts_with("src/kernels/") || relative.starts_with("src/fuzz/") || relative.ends_with("_test.cpp") ||
         relative.ends_with("_testing.h");
}

std::string without_comments(const std::string& text) {
  return std::regex_replace(text, std::regex(R"((^|\s)//[^\n]*)"), "$1");
}

/// What the pattern's first group matches in the sources that may not know operators, after their file's name.
std::vector<std::string> found_outside_operators(const std::regex& pattern) {
  std::vector<std::string> found;
  for (const fs::path& file : sources()) {
    const std::string relative = file.lexically_relative(kSource).generic_string();
    if (knows_operators(relative)) continue;
    const std::string text = without_comments(content(file));
    for (std::sregex_iterator it(text.begin(), text.end(), pattern); it != std::sregex_iterator(); ++it)
      found.push_back(relative + ": " + (*it)[1].str());
  }
  return found;
}

bool is_below(const fs::path& file, std::string_view folder) {
  return file.lexically_relative(kSource).generic_string().starts_with(folder);
}

/// What OpenVINO's IR itself is made of: constants that are stored in float16 have a Convert behind them; bodies have
/// port maps, variables names.
bool is_of_ir(const std::string& found) {
  static const std::regex part(
      "src/io/openvino/.*: (Convert|destination_type|If|Loop|TensorIterator|(then_|else_)?(body|port_map)|back_edges|"
      "sliced_inputs|part_size|concatenated_outputs|output_(axis|start|end|stride|part_size)|execution_condition|"
      "ReadValue|Assign|variable_(id|type|shape))");
  return std::regex_match(found, part);
}

/// What the pattern matches in the text; of a pattern with a group, what that does.
std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern); it != std::sregex_iterator(); ++it)
    found.push_back((*it)[pattern.mark_count() > 0 ? 1 : 0]);
  return found;
}

/// The content of the string literals in a source, as it is written there.
std::vector<std::string> string_literals(std::string_view text) {
  std::vector<std::string> literals;
  const auto end_of_quoted = [&](size_t at, char quote) {
    while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
    return std::min(at, text.size());
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("R\"")) {
      const std::string end = ")" + std::string(rest.substr(2, rest.find('(') - 2)) + "\"";
      const size_t begin = text.find('(', at) + 1, close = std::min(text.find(end, begin), text.size());
      literals.emplace_back(text.substr(begin, close - begin));
      at = close + end.size() - 1;
    } else if (rest.starts_with('"')) {
      const size_t close = end_of_quoted(at + 1, '"');
      literals.emplace_back(text.substr(at + 1, close - at - 1));
      at = close;
    } else if (rest.starts_with('\'') && (at == 0 || std::isxdigit(static_cast<unsigned char>(text[at - 1])) == 0)) {
      at = end_of_quoted(at + 1, '\'');
    }
  }
  return literals;
}

/// The rooms, and what files of each may include beside their own: the rooms above it in contributing.md's table, but
/// for those that its last column names.
std::map<std::string, std::set<std::string>> rooms_of_contributing() {
  const std::string text = content(kSource / "cli/help/contributing.md");
  const std::regex row(R"(\n\| `(?:src/)?(\w+)` \|[^|\n]*\|([\w, ]*)\|)"), word(R"(\w+)");
  std::map<std::string, std::set<std::string>> rooms;
  std::set<std::string> above;
  for (std::sregex_iterator it(text.begin(), text.end(), row); it != std::sregex_iterator(); ++it) {
    std::set<std::string> allowed = above;
    for (const std::string& name : matches((*it)[2], word)) {
      INFO((*it)[1] << " may not include " << name);
      CHECK(allowed.erase(name) == 1);  // one that stands above it
    }
    rooms[(*it)[1]] = allowed;
    above.insert((*it)[1]);
  }
  return rooms;
}

}  // namespace

TEST_CASE("dependencies point one way", "[structure][release]") {
  const std::map<std::string, std::set<std::string>> allowed = rooms_of_contributing();
  CHECK(allowed.size() > 10);
  size_t arrows = 0;
  for (const fs::path& file : sources()) {
    const std::string relative = file.lexically_relative(kSource).generic_string();
    const std::string inside = relative.starts_with("src/") ? relative.substr(4) : relative;
    if (is_test(file) || inside.find('/') == std::string::npos) continue;
    const std::string room = inside.substr(0, inside.find('/'));
    INFO(relative);
    REQUIRE(allowed.contains(room));
    for (const std::string& name : includes(file)) {
      if (name.find('/') == std::string::npos) continue;  // the standard library's
      const std::string target = name.substr(0, name.find('/'));
      if (!allowed.contains(target) || target == room) continue;
      INFO("includes " << name);
      CHECK(allowed.at(room).contains(target));
      ++arrows;
    }
  }
  CHECK(arrows > 50);
}

TEST_CASE("each source file names its licence", "[structure][release]") {
  for (const fs::path& file : sources()) {
    INFO(file.string());
    CHECK(content(file).starts_with("// SPDX-License-Identifier: Apache-2.0\n"));
  }
}

TEST_CASE("each room is a namespace", "[structure][release]") {
  const std::regex opened(R"(\n(?:using )?namespace (opref\b[\w:]*)(?: \{|;))");
  size_t opens = 0;
  for (const fs::path& file : sources()) {
    const std::string relative = file.lexically_relative(kSource).generic_string();
    const std::string inside = relative.starts_with("src/") ? relative.substr(4) : relative;
    if (is_test(file) || inside.find('/') == std::string::npos || relative == "cli/main.cpp") continue;
    if (relative == "src/core/rooms.h") continue;  // which names them all
    const std::string room = "opref::" + inside.substr(0, inside.find('/'));
    INFO(relative);
    for (const std::string& name : matches(content(file), opened)) {
      CHECK((name == room || name.starts_with(room + "::")));
      ++opens;
    }
  }
  CHECK(opens > 200);
}

TEST_CASE("each format library stays in its room", "[structure][release]") {
  const std::vector<std::pair<std::string, std::string>> rooms = {
      {R"(^CLI/)", R"(^cli/)"},
      {R"(^nlohmann/)", R"(^src/io/json/)"},
      {R"(^protozero/)", R"(^src/io/onnx/)"},
      {R"(^(google/protobuf|onnx)/)", R"(_test(ing)?\.(cpp|h)$)"},
      {R"(^minizip/)", R"(^src/io/numpy/zip\.cpp)"},
      {R"(^png\.h)", R"(^src/ops/images/png\.cpp)"},
      {R"(^zlib\.h)", R"(^src/(io/(numpy/|gzip)|ops/images/tiff))"},
      {R"(^nettle/)", R"(^src/io/)"},
      {R"(^Random123/)", R"(^src/core/random)"},
      {R"(^mpfr\.h)", R"(^src/exact/)"},
      {R"(^gmp\.h)", R"(^src/(exact/root\.cpp|ops/shared/numbers\.cpp))"},
      {R"(^gmpxx\.h)", R"(_test(ing)?\.(cpp|h)$)"},
      {R"(^pugixml\.hpp)", R"(^src/(io/openvino/|report/junit))"},
      {R"(^fmt/)", R"(^src/core/text\.cpp)"},
      {R"(^re2/)", R"(^src/core/regular_expression\.cpp)"},
      {R"(^regex)", R"(_test\.cpp$)"},
      {R"(^catch2/)", R"(_test\.cpp$)"},
  };
  for (const fs::path& file : sources()) {
    const std::string relative = file.lexically_relative(kSource).generic_string();
    for (const std::string& name : includes(file))
      for (const auto& [library, room] : rooms) {
        INFO(relative << " includes " << name);
        CHECK((!std::regex_search(name, std::regex(library)) || std::regex_search(relative, std::regex(room))));
      }
  }
}

TEST_CASE("JSON is parsed where others wrote it: what this process makes is a value already", "[structure][release]") {
  const std::set<std::string> readers = {
      "cli/cmd_worker.cpp",         "cli/help_topics.cpp",        "src/backend/worker.cpp", "src/check/discover.cpp",
      "src/check/model_values.cpp", "src/golden/manifest.cpp",    "src/golden/recipe.cpp",  "src/golden/verify.cpp",
      "src/io/onnx/onnx.cpp",       "src/report/report_json.cpp", "src/io/safetensors.cpp"};
  std::set<std::string> found;
  for (const fs::path& file : sources()) {
    const std::string relative = file.lexically_relative(kSource).generic_string();
    if (is_test(file) || is_below(file, "src/io/json/")) continue;
    if (content(file).find("parse_json(") != std::string::npos) found.insert(relative);
  }
  std::set<std::string> others;
  std::ranges::set_difference(found, readers, std::inserter(others, others.end()));
  CHECK(others == std::set<std::string>{});
}

TEST_CASE("only operators know operators: no literal elsewhere is an op_type", "[structure][release]") {
  const std::regex literal(R"re("([A-Za-z0-9_]+)")re");
  const std::vector<std::string> literals = found_outside_operators(literal);
  CHECK(literals.size() > 1000);
  for (const OperatorRow& row : operator_rows())
    for (const std::string& found : literals) {
      INFO(found);
      CHECK_FALSE((found.ends_with(": " + std::string(row.op_type)) && !is_of_ir(found)));
    }
}

TEST_CASE("only operators know operators: a call is asked for no attribute or input by a literal elsewhere",
          "[structure][release]") {
  const std::regex question(
      R"re((?:\.|->)((?:has|has_here|has_value|stated|integer|number|string|integers|axis|find_attribute|input|type|)re"
      R"re(value_type)\(\s*(?:"[^"]*"|k[A-Z]\w*)[,)]))re");
  CHECK(found_outside_operators(question) == std::vector<std::string>{});
}

TEST_CASE("only operators know operators: nothing elsewhere is called like an attribute or input of several words",
          "[structure][release]") {
  // Words that other things have too: of files, of reports, of the graphs that models have.
  std::set<std::string> names;
  for (const OperatorRow& row : operator_rows())
    for (const OpSchema& schema : find_operator(row.domain, row.op_type)->versions()) {
      for (const AttributeSchema& attribute : schema.attributes()) names.emplace(attribute.name);
      for (const auto* parameters : {&schema.inputs(), &schema.outputs()})
        for (const FormalParameter& parameter : *parameters) names.emplace(parameter.name);
    }
  std::erase_if(names, [](const std::string& name) { return name.find('_') == std::string::npos; });
  CHECK(names.size() > 100);
  std::vector<std::string> known;
  for (const std::string& found : found_outside_operators(std::regex(R"re("([A-Za-z0-9_]+)")re")))
    if (names.contains(found.substr(found.find(": ") + 2)) && !is_of_ir(found)) known.push_back(found);
  CHECK(known == std::vector<std::string>{});
}

TEST_CASE("only the command line knows its options: no literal below it names one", "[structure][release]") {
  // "--word" anywhere, "-w" as a word, where that is an option of ours.
  const std::regex declared(R"re("(-[a-zA-Z])[",])re"),
      option(R"re((?:^|[^-\w])(--[a-z][a-z-]*|-[a-zA-Z](?![\w-])))re");
  std::set<std::string> short_names;
  std::vector<std::string> found;
  size_t literals = 0;
  for (const fs::path& file : sources())
    if (is_below(file, "cli/"))
      for (const std::string& name : matches(content(file), declared)) short_names.insert(name);
  CHECK(short_names.contains("-a"));
  for (const fs::path& file : sources()) {
    const std::string relative = file.lexically_relative(kSource).generic_string();
    if (is_below(file, "cli/") || is_test(file) || relative.ends_with("_testing.h")) continue;
    for (const std::string& literal : string_literals(content(file))) {
      ++literals;
      for (const std::string& name : matches(literal, option))
        if (name.starts_with("--") || short_names.contains(name)) found.push_back(relative + ": " + name);
    }
  }
  CHECK(literals > 3000);
  CHECK(found == std::vector<std::string>{});
}

TEST_CASE("errors are told apart by their kind: no code reads a message's text", "[structure][release]") {
  // What the library says is quoted, without its own words for the place; nothing is decided by it.
  const std::set<std::string> quoting = {"src/io/json/parse.cpp"};
  const std::string words = R"re(\b(?:message|what)\(\))re";
  const std::regex reading(
      words + R"re([)}\s]*\.\s*(?:starts_with|ends_with|r?find\w*|contains|compare|substr|remove_\w+|at)\b)re" +
      R"re(|(?:strstr|str\w*cmp|regex_\w+)\([^;]*)re" + words +
      R"re(|(?:string|string_view|auto)\s*&?\s+\w+\s*(?:=|\(|\{)\s*\w+(?:\.|->))re" + words);
  std::set<std::string> found;
  for (const fs::path& file : sources()) {
    const std::string relative = file.lexically_relative(kSource).generic_string();
    if (is_test(file) || relative.ends_with("_testing.h")) continue;
    for (const std::string& code : matches(without_comments(content(file)), reading)) {
      INFO(relative << ": " << code);
      CHECK(quoting.contains(relative));
      found.insert(relative);
    }
  }
  CHECK(found == quoting);
}

TEST_CASE(
    "no verdict is made of a fault of the machine, and only what is judged for itself tells bugs: handlers pass on",
    "[structure][release]") {
  // By pass_on, or caught_error, so that none forgets one of the two.
  const std::set<std::string> tellers = {"src/check/bisect.cpp", "src/check/cost.cpp", "src/check/discover.cpp",
                                         "src/check/judge.cpp",  "cli/cmd_bisect.cpp", "cli/cmd_worker.cpp"};
  const std::regex own(R"(fault\(\) == Fault::internal\) throw|dynamic_cast<const MachineError\*>.*throw|)"
                       R"(catch \(const MachineError&\) \{\s*throw;)");
  for (const fs::path& file : sources()) {
    if (is_test(file) || file.filename() == "machine_error.h" || file.filename() == "caught_error.cpp") continue;
    INFO(file.string());
    const std::string code = without_comments(content(file));
    CHECK(matches(code, own) == std::vector<std::string>{});
    const bool tells = file.extension() == ".cpp" && code.find("caught_error()") != std::string::npos;
    CHECK(tells == tellers.contains(file.lexically_relative(kSource).generic_string()));
  }
}

TEST_CASE("each remedy has its words on the command line", "[structure][release]") {
  const std::regex declared(R"(constexpr Remedy (k\w+)\{)");
  const std::string texts = content(kSource / "cli/remedies.cpp");
  size_t remedies = 0;
  for (const fs::path& file : sources())
    for (const std::string& name : matches(content(file), declared)) {
      INFO(name);
      CHECK(texts.find("{" + name + ", \"") != std::string::npos);
      ++remedies;
    }
  CHECK(remedies > 20);
}

TEST_CASE("results depend on no machine's mathematical library", "[structure][release]") {
  // IEEE 754 defines sqrt and fma; other functions differ by a rounding between libraries. Guesses, which are checked,
  // may take them, and mistakes that are tried: they are no results.
  const std::set<std::string> guesses = {"src/exact/root.cpp",
                                         "src/fast/power_rows.cpp",
                                         "src/fast/double_rows.cpp",
                                         "src/mistakes/formulas.cpp",
                                         "src/mistakes/scores.cpp",
                                         "src/ops/onnx/mel_weight_matrix.cpp",
                                         "src/ops/openvino/roi_align_rotated.cpp"};
  const std::regex call(
      R"(std::(pow|exp|exp2|expm1|log|log2|log10|log1p|cbrt|hypot|a?(sin|cos|tan)h?|atan2|erfc?|[lt]gamma)[fl]?\()");
  std::set<std::string> found;
  for (const fs::path& file : sources()) {
    const std::string relative = file.lexically_relative(kSource).generic_string();
    if (is_test(file) || relative.ends_with("_testing.h") || !std::regex_search(content(file), call)) continue;
    INFO(relative);
    CHECK(guesses.contains(relative));
    found.insert(relative);
  }
  CHECK(found == guesses);
}

TEST_CASE("each test case has its operator or its subject as a tag, and each subject has a test case",
          "[structure][release]") {
  std::istringstream subjects(OPREF_SUBJECTS " structure");
  std::map<std::string, int> count;
  for (std::string subject; subjects >> subject;) count[subject] = 0;
  const auto is_operator = [](const std::string& tag) {
    return std::ranges::any_of(operator_rows(), [&](const OperatorRow& row) { return row.op_type == tag; });
  };
  for (const Catch::TestCase& test : Catch::getRegistryHub().getTestCaseRegistry().getAllTests()) {
    INFO(test.name << " has the tags " << test.tagsAsString());
    CHECK(std::ranges::any_of(test.tags, [&](const auto& tag) { return count.contains(tag) || is_operator(tag); }));
    if (test.isHidden()) continue;
    for (const std::string& tag : test.tags)
      if (count.contains(tag)) ++count[tag];
  }
  for (const auto& [subject, tests] : count) {
    INFO(subject);
    CHECK(tests > 0);
  }
}

namespace {

/// Operators' own files, or those of the rooms that they share.
std::vector<fs::path> operator_sources(std::string_view folder) {
  std::vector<fs::path> files;
  for (const fs::path& file : sources())
    if (is_below(file, folder) && !is_test(file) && !file.string().ends_with("_testing.h")) files.push_back(file);
  return files;
}

/// What the pattern matches in operators' code, after the file's name.
std::vector<std::string> found_in_operators(const std::regex& pattern) {
  std::vector<std::string> found;
  for (const fs::path& file : operator_sources("src/ops/"))
    for (const std::string& code : matches(without_comments(content(file)), pattern))
      found.push_back(file.lexically_relative(kSource).generic_string() + ": " + code);
  return found;
}

}  // namespace

TEST_CASE("an operator looks at each error that it catches, and passes on what is no verdict", "[structure][release]") {
  CHECK(found_in_operators(std::regex(R"(catch \(const Error&\))")) == std::vector<std::string>{});
}

TEST_CASE("operators see outputs: none asks how numbers are worked out", "[structure][release]") {
  CHECK(found_in_operators(std::regex(R"(\bnumerics\(\))")) == std::vector<std::string>{});
}

TEST_CASE("whole numbers enter formulas exactly: no operator makes a double of what may be none",
          "[structure][release]") {
  // R::whole, Ratio and widen lose nothing; nearly is for what is no number of a formula. The compiler warns of what is
  // converted without a word.
  const std::regex conversion(
      R"((?:static_cast<|[^<\w])double>?\([^;\n]*|\bR\(nearly\b[^;\n]*|scale\([^;\n]*nearly[^;\n]*)");
  CHECK(
      matches("R(static_cast<double>(n)); f(double(n)); R(nearly(n)); sum.scale({1, nearly(n)});", conversion).size() ==
      4);
  CHECK(matches("R::whole(n); std::vector<double>(n); with_double(n); nearly(n) * 2;", conversion).empty());
  CHECK(found_in_operators(conversion) == std::vector<std::string>{});
}

TEST_CASE("what operators include does not reach MPFR's header, which each of their files would read",
          "[structure][release]") {
  std::set<std::string> reached;
  const std::function<void(const std::string&)> reach = [&](const std::string& name) {
    if (!reached.insert(name).second || !fs::is_regular_file(kSource / "src" / name)) return;
    for (const std::string& included : includes(kSource / "src" / name)) reach(included);
  };
  for (const fs::path& file : operator_sources("src/ops/"))
    reach(file.lexically_relative(kSource / "src").generic_string());
  CHECK(reached.contains("exact/real/interval.h"));
  CHECK_FALSE(reached.contains("mpfr.h"));
}

TEST_CASE("formulas of elements are inlined into their loops", "[structure][release]") {
  CHECK(found_in_operators(
            std::regex(R"((template <class R>\n *(?!OPREF_INLINE| )[^\n;{}]*operator\(\)\(const R&[^\n]*))")) ==
        std::vector<std::string>{});
}

TEST_CASE("a version that changes types or words alone says so by adds, allows, words or rules",
          "[structure][release]") {
  // A function, named or not, of any parameters, that does nothing else.
  const std::string arguments = R"(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))",
                    calls = R"(\s*s(?:\s*\.(?:add_types|types|wording|other_rule))" + arguments + ")+;";
  const std::regex change(R"(\(OpSchema& s[^()]*\) \{(?:)" + calls + R"()+\s*\})");
  CHECK(matches("void f(OpSchema& s) { s.add_types(\"T\", of(a(1)) | b).types(\"O\", c); s.wording(\"d\"); }", change)
            .size() == 1);
  CHECK(matches("[](OpSchema& s) { s.add_types(\"T\", a).remove(\"b\"); }", change).empty());
  CHECK(found_in_operators(change) == std::vector<std::string>{});
}

TEST_CASE("operators state what is right: no kernel has a switch for what is wrong", "[structure][release]") {
  // What backends get wrong lies in src/mistakes, which calls kernels as they are.
  CHECK(rooms_of_contributing().at("mistakes").contains("ops"));
  CHECK_FALSE(rooms_of_contributing().at("ops").contains("mistakes"));
  const std::regex kernel_of(R"(\bkernel<|[Mm]istake)");
  CHECK(matches(".kernel(kernel<false>) // .mistake(\"pads swapped\", f)", kernel_of).size() == 2);
  CHECK(found_in_operators(kernel_of) == std::vector<std::string>{});
}

TEST_CASE("what a cause is stands in its kind: nothing looks at the words that it is told by", "[structure][release]") {
  const std::regex own_words(
      R"((?:(?:\.|->)(?:name|meaning|within|doubt|explained_by|cause)|\b(?:way|cause|formula|mistake))\.)"
      R"((?:starts_with|ends_with|find|rfind|contains|substr)\()");
  CHECK(matches("change.name.starts_with(kAs); way.find(\"as\"); it->name.ends_with(\" \"); names.find(way)", own_words)
            .size() == 3);
  std::vector<std::string> found;
  for (const char* room : {"src/explain/", "src/check/", "src/report/"})
    for (const fs::path& file : operator_sources(room))
      for (const std::string& code : matches(without_comments(content(file)), own_words))
        found.push_back(file.lexically_relative(kSource).generic_string() + ": " + code);
  CHECK(found == std::vector<std::string>{});
}

TEST_CASE("why elements were not compared stands in its kind: nothing looks at the reason's words",
          "[structure][release]") {
  const std::regex own_words(
      R"(\bcomparison\.reason\s*\.\s*(?:starts_with|ends_with|r?find|contains|substr|compare)\()");
  CHECK(matches("comparison.reason.starts_with(\"dtype \"); a.comparison.reason.find(';'); comparison.reason.empty()",
                own_words)
            .size() == 2);
  std::vector<std::string> found;
  for (const fs::path& file : sources())
    for (const std::string& code : matches(without_comments(content(file)), own_words))
      if (!is_test(file)) found.push_back(file.lexically_relative(kSource).generic_string() + ": " + code);
  CHECK(found == std::vector<std::string>{});
}

TEST_CASE("the sign of exact zeros is the evaluator's: no operator adds a zero to a number", "[structure][release]") {
  CHECK(found_in_operators(std::regex(R"((\bzero\(\) \+|\+ \w+\.zero\(\)))")) == std::vector<std::string>{});
}

TEST_CASE("sizes are multiplied by element_count, which checks: no loop multiplies them itself",
          "[structure][release]") {
  // Where a shape may be one that no array with elements has. A product of two, a * b, looks like any other: it is
  // checked_multiply's unless elements are there.
  const std::regex loop(R"(\*= [^;,)]*\[|std::multiplies<(?!std::uint64_t)|)"
                        R"(for \([^;)]*(?:size|axis|axes|[Dd]im|shape|stride)[^;)]*\)[^;{]*\*=)");
  for (const char* product : {"for (const std::int64_t size : shape) count *= size;", "count *= sizes[place]",
                              "std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>())"})
    CHECK(matches(product, loop).size() == 1);
  std::vector<std::string> found;
  for (const char* room : {"src/core/", "src/schema/", "src/evaluators/", "src/ops/", "src/io/", "src/run/"})
    for (const fs::path& file : operator_sources(room))
      for (const std::string& code : matches(without_comments(content(file)), loop))
        found.push_back(file.lexically_relative(kSource).generic_string() + ": " + code);
  CHECK(found == std::vector<std::string>{});
}

TEST_CASE("what operators share knows no list of operators, so that the tests of the numerics link without them",
          "[structure][release]") {
  std::vector<std::string> found;
  for (const fs::path& file : operator_sources("src/ops/shared/"))
    for (const std::string& name : includes(file))
      if (name == "ops/operators.h") found.push_back(file.filename().string());
  CHECK(found == std::vector<std::string>{});
}

TEST_CASE("what operators share has two users or more", "[structure][release]") {
  // A user is a source that is not the header's own. One that includes it through another header is a user too: window
  // sizes are a subject apart from the attributes of pooling, though only pooling.h has to name them.
  std::map<std::string, std::set<std::string>> included_by;
  for (const fs::path& file : operator_sources("src/"))
    for (const std::string& name : includes(file))
      included_by[name].insert(file.lexically_relative(kSource / "src").generic_string());
  for (const fs::path& header : operator_sources("src/ops/shared/")) {
    if (header.extension() != ".h") continue;
    const std::string name = header.lexically_relative(kSource / "src").generic_string();
    std::set<std::string> users, reached;
    const std::function<void(const std::string&)> reach = [&](const std::string& from) {
      if (!reached.insert(from).second) return;
      for (const std::string& user : included_by[from])
        if (user.ends_with(".h"))
          reach(user);
        else if (fs::path(user).replace_extension() != fs::path(name).replace_extension())
          users.insert(user);
    };
    reach(name);
    std::erase_if(users, [&](const std::string& user) {  // sources of the headers between are no users of their own
      return reached.contains(fs::path(user).replace_extension(".h").generic_string());
    });
    INFO(name);
    CHECK(users.size() >= 2);
  }
  for (const fs::path& file : operator_sources("src/ops/shared/")) {
    INFO(file.string());
    CHECK(std::ranges::count(content(file), '\n') >= 25);
  }
}

namespace {

/// How many lines a file of ai.onnx has, and how many of these are rules: not blank, licence, title, include or
/// namespace, nor the builder's chain, in which versions and readings alone are rules.
struct OperatorLines {
  std::ptrdiff_t all = 0, rules = 0;
};

OperatorLines lines_of(const fs::path& file) {
  const std::regex frame(R"(#include .*|namespace .*|\}  // namespace.*|using namespace .*|)"),
      link(R"( +\.(\w+)\(.*)"), outside(R"(  \S.*|\}|Operator .*)");
  OperatorLines lines;
  bool is_head = true, is_builder = false;
  std::string part;
  std::istringstream text(content(file));
  for (std::string line; std::getline(text, line);) {
    ++lines.all;
    is_head = is_head && line.starts_with("//");
    if (is_head || std::regex_match(line, frame)) continue;
    is_builder = is_builder || std::regex_match(line, std::regex(R"(Operator \w+\(\) \{.*)"));
    std::smatch match;
    if (std::regex_match(line, match, link))
      part = match[1];
    else if (std::regex_match(line, outside))
      part.clear();
    if (!is_builder || part.starts_with("version") || part.starts_with("reading")) ++lines.rules;
    is_builder = is_builder && line != "}";
  }
  return lines;
}

}  // namespace

TEST_CASE("an operator's file is its rule: two thirds of its lines, and it is read in a minute",
          "[structure][release]") {
  OperatorLines sum;
  std::vector<std::ptrdiff_t> sizes;
  for (const fs::path& file : operator_sources("src/ops/onnx/")) {
    const OperatorLines lines = lines_of(file);
    sum.all += lines.all, sum.rules += lines.rules;
    sizes.push_back(lines.all);
  }
  std::ranges::sort(sizes);
  REQUIRE(sizes.size() > 200);
  CHECK(100 * sum.rules >= 65 * sum.all);
  CHECK(sizes[sizes.size() / 2] <= 45);
}

TEST_CASE("an operator that is another one under other names has no rules of its own, nor messages with other names",
          "[structure][release]") {
  size_t twins = 0;
  for (const OperatorRow& row : operator_rows()) {
    const auto& original = find_operator(row.domain, row.op_type)->original();
    if (!original) continue;
    INFO(row.domain << " " << row.op_type);
    const auto source = [](std::string_view domain, std::string_view op_type) {
      const auto space = std::ranges::find(kDomains, domain, &Domain::name)->space;
      return content(kSource / "src/ops" / space / (snake_case(op_type) + ".cpp"));
    };
    // set_original refuses rules beside it, and chains. What restates its node may have readings.
    const std::string own = source(row.domain, row.op_type);
    const bool restates = own.find(".restated(") != std::string::npos;
    CHECK(matches(own, std::regex(restates ? R"(\.(?:kernel|output_types|placement|notes|order)\()"
                                           : R"(\.(?:kernel|output_types|placement|readings?|notes|order)\()"))
              .empty());
    CHECK_FALSE(get_operator(original->domain, original->op_type).original());
    for (const auto& [here, there] : original->names)
      for (const std::string& literal : string_literals(source(original->domain, original->op_type)))
        if (!there.empty() && literal.find(' ') != std::string::npos && literal.find("{}") != std::string::npos) {
          INFO(literal << " should ask the call for the name of " << there);
          CHECK_FALSE(std::regex_search(literal, std::regex("\\b" + std::string(there) + "\\b")));
        }
    ++twins;
  }
  CHECK(twins >= 3);
}
