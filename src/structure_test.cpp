// The rules of the source tree that a compiler does not check.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "io/generate.h"
#include "io/json/cases.h"
#include "ops/operators.h"
#include "schema/changes.h"

namespace fs = std::filesystem;
using namespace opref::run;

namespace {

const fs::path kSource = OPREF_SOURCE_DIR;

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

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
  return relative.starts_with("src/ops/") || relative.ends_with("_test.cpp") || relative.ends_with("_testing.h");
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

/// "QLinearConv": "q_linear_conv"; "RMSNormalization": "rms_normalization"; but a few as they are spoken.
std::string snake_case(const std::string& name) {
  static const std::map<std::string, std::string> exceptions = {
      {"IsNaN", "is_nan"}, {"PRelu", "prelu"}, {"Col2Im", "col2im"}};
  if (const auto exception = exceptions.find(name); exception != exceptions.end()) return exception->second;
  const auto is_upper = [&](size_t i) { return i < name.size() && name[i] >= 'A' && name[i] <= 'Z'; };
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool ends_acronym = i + 1 < name.size() && name[i + 1] >= 'a' && name[i + 1] <= 'z';
    if (i > 0 && is_upper(i) && (!is_upper(i - 1) || ends_acronym)) out += '_';
    out += is_upper(i) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return out;
}

/// Whether the reading's name stands in ops/common, once.
bool is_shared(std::string_view reading) {
  const std::string quoted = '"' + std::string(reading) + '"';
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kSource / "src/ops/common"))
    files += !is_test(entry.path()) && content(entry.path()).find(quoted) != std::string::npos;
  return files == 1;
}

/// The rooms, and what files of each may include beside their own, as README.md lists them.
std::map<std::string, std::set<std::string>> rooms_of_readme() {
  const std::string text = content(kSource / "README.md");
  const std::regex row(R"(\n\| `(?:src/)?(\w+)` \|[^|\n]*\|([\w, ]*)\|)"), word(R"(\w+)");
  std::map<std::string, std::set<std::string>> rooms;
  for (std::sregex_iterator it(text.begin(), text.end(), row); it != std::sregex_iterator(); ++it) {
    const std::string below = (*it)[2];
    std::set<std::string>& names = rooms[(*it)[1]];
    for (std::sregex_iterator name(below.begin(), below.end(), word); name != std::sregex_iterator(); ++name) {
      INFO((*it)[1] << " may include " << name->str());
      CHECK(rooms.contains(name->str()));  // one that stands above it
      names.insert(name->str());
    }
  }
  return rooms;
}

}  // namespace

TEST_CASE("dependencies point one way", "[structure]") {
  const std::map<std::string, std::set<std::string>> allowed = rooms_of_readme();
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
      const std::string target = name.substr(0, name.find('/'));
      if (!allowed.contains(target) || target == room) continue;
      INFO("includes " << name);
      CHECK(allowed.at(room).contains(target));
      ++arrows;
    }
  }
  CHECK(arrows > 50);
}

TEST_CASE("each room is a namespace", "[structure]") {
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

TEST_CASE("each format library stays in its room", "[structure]") {
  const std::vector<std::pair<std::string, std::string>> rooms = {
      {R"(^CLI/)", R"(^cli/)"},
      {R"(^nlohmann/)", R"(^src/io/json/)"},
      {R"(^protozero/)", R"(^src/io/onnx/)"},
      {R"(^(google/protobuf|onnx)/)", R"(_test(ing)?\.(cpp|h)$)"},
      {R"(^minizip/)", R"(^src/io/numpy/zip\.cpp)"},
      {R"(^zlib\.h)", R"(^src/io/numpy/)"},
      {R"(^nettle/)", R"(^src/io/)"},
      {R"(^Random123/)", R"(^src/core/random)"},
      {R"(^mpfr\.h)", R"(^src/exact/)"},
      {R"(^gmp\.h)", R"(^src/exact/root\.cpp)"},
      {R"(^gmpxx\.h)", R"(_test(ing)?\.(cpp|h)$)"},
      {R"(^pugixml\.hpp)", R"(^src/(io/openvino/|report/junit))"},
      {R"(^fmt/)", R"(^src/core/text\.cpp)"},
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

TEST_CASE("only operators know operators: no literal elsewhere is an op_type", "[structure]") {
  const std::regex literal(R"re("([A-Za-z0-9_]+)")re");
  const std::vector<std::string> literals = found_outside_operators(literal);
  CHECK(literals.size() > 1000);
  for (const OperatorRow& row : operator_rows())
    for (const std::string& found : literals) {
      INFO(found);
      CHECK_FALSE(found.ends_with(": " + std::string(row.op_type)));
    }
}

TEST_CASE("only operators know operators: a call is asked for no attribute or input by a literal elsewhere",
          "[structure]") {
  const std::regex question(
      R"re((?:\.|->)((?:has|stated|integer|number|string|integers|find_attribute)\(\s*"[^"]*"))re");
  CHECK(found_outside_operators(question) == std::vector<std::string>{});
}

TEST_CASE("only the command line knows its options: no literal below it names one", "[structure]") {
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

TEST_CASE("errors are told apart by their kind: no code reads a message's text", "[structure]") {
  // What the library says is quoted, without its own words for the place; nothing is decided by it.
  const std::set<std::string> quoting = {"src/io/json/tree.cpp"};
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

TEST_CASE("results depend on no machine's mathematical library", "[structure]") {
  // IEEE 754 defines sqrt and fma; other functions differ by a rounding between libraries. Guesses, which are checked,
  // may take them.
  const std::set<std::string> guesses = {"src/exact/root.cpp", "src/fast/power_rows.cpp", "src/fast/double_rows.cpp"};
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

TEST_CASE("operators: rows sorted, one file each, every file has a row", "[structure]") {
  std::set<std::string> files;
  for (const char* folder : {"onnx", "openvino"})
    if (fs::exists(kSource / "src/ops" / folder))
      for (const auto& entry : fs::directory_iterator(kSource / "src/ops" / folder))
        if (!is_test(entry.path())) files.insert(entry.path().lexically_relative(kSource / "src/ops").generic_string());
  std::string last;
  for (const OperatorRow& row : operator_rows()) {
    const std::string key = std::string(row.domain) + " " + std::string(row.op_type);
    CHECK(last < key);
    last = key;
    const std::string file = std::string(row.domain == "ai.onnx" ? "onnx" : row.domain) + "/" +
                             snake_case(std::string(row.op_type)) + ".cpp";
    INFO(file);
    CHECK(files.erase(file) == 1);
  }
  CHECK(files.empty());
}

TEST_CASE("operators: a link, a summary, readings and defaults that exist", "[structure]") {
  for (const OperatorRow& row : operator_rows()) {
    const Operator& op = *find_operator(row.domain, row.op_type);
    INFO(row.op_type);
    CHECK(op.op_type() == row.op_type);
    CHECK(op.domain() == row.domain);
    CHECK(op.link().starts_with("https://"));
    CHECK_FALSE(op.summary().empty());
    CHECK_FALSE(op.category().empty());
    for (const OpSchema& schema : op.versions()) {
      CHECK_FALSE(schema.outputs().empty());
      for (const AttributeSchema& attribute : schema.attributes()) {
        INFO(attribute.name);
        CHECK((!attribute.default_value || attribute.default_value->type == attribute.type));
        CHECK((!attribute.default_value || attribute.presence == Presence::optional));
      }
      for (const auto* parameters : {&schema.inputs(), &schema.outputs()})
        for (const FormalParameter& parameter : *parameters) CHECK_FALSE(schema.types_of(parameter).empty());
    }
    for (const Reading& reading : op.readings()) {
      INFO(reading.name);
      // A reading belongs to one operator, or is declared once for all that share a page's wording.
      CHECK((reading.name.starts_with(snake_case(std::string(row.op_type)) + ".") || is_shared(reading.name)));
      CHECK(reading.alternatives.size() >= 2);
      CHECK(link_of(reading, op).starts_with("https://"));
      // Only the last default may be empty: no choice from there on.
      REQUIRE_FALSE(reading.defaults.front().second.empty());
      for (const auto& [version, alternative] : reading.defaults) {
        CHECK((std::ranges::find(reading.alternatives, alternative) != reading.alternatives.end() ||
               (alternative.empty() && version == reading.defaults.back().first)));
        CHECK(op.schema_for(version).since_version() == version);
      }
    }
  }
}

TEST_CASE("operators: generators have names that no others have, and a text", "[structure]") {
  for (const OperatorRow& row : operator_rows())
    for (const OwnGenerator& generator : find_operator(row.domain, row.op_type)->generators()) {
      INFO(row.op_type << " " << generator.name);
      CHECK_FALSE(is_generator(generator.name));
      CHECK(std::regex_match(std::string(generator.name), std::regex("[a-z0-9_]+")));
      CHECK_FALSE(generator.text.empty());
    }
}

TEST_CASE("operators: every version has a case, and every alternative of a reading", "[structure]") {
  for (const OperatorRow& row : operator_rows()) {
    const Operator& op = *find_operator(row.domain, row.op_type);
    const fs::path folder = kSource / "testdata" / row.domain / row.op_type;
    INFO(folder);
    REQUIRE(fs::is_directory(folder));
    std::set<std::int64_t> versions;
    std::string all;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".json") continue;
      INFO(entry.path());
      const std::string text = content(entry.path());
      const bool bad = entry.path().filename().string().starts_with("bad-");
      const JsonDocument document = parse_json(text);
      for (const JsonCase& one : json_cases(document)) {
        const auto opset = one.object.find("opset");
        REQUIRE(opset);
        CHECK(bad == one.object.find("expect_error").has_value());
        CHECK(one.object.find("source"));
        const std::int64_t number = one.opset ? *one.opset : std::stoll(std::string(opset->text()));
        if (!bad) versions.insert(op.schema_for(number).since_version());
      }
      all += text;
    }
    for (const OpSchema& schema : op.versions()) CHECK(versions.contains(schema.since_version()));
    for (const Reading& reading : op.readings())
      for (const std::string_view alternative : reading.alternatives) {
        const bool is_default =
            std::ranges::any_of(reading.defaults, [&](const auto& d) { return d.second == alternative; });
        INFO(reading.name << " = " << alternative);
        CHECK((is_default || all.find("\"" + std::string(reading.name) + "\": \"" + std::string(alternative) + "\"") !=
                                 std::string::npos));
      }
  }
}

TEST_CASE("each test case has its operator or its subject as a tag, and each of these has a test case", "[structure]") {
  std::istringstream subjects(OPREF_SUBJECTS " structure");
  std::map<std::string, int> count;
  for (std::string subject; subjects >> subject;) count[subject] = 0;
  for (const Catch::TestCase& test : Catch::getRegistryHub().getTestCaseRegistry().getAllTests()) {
    INFO(test.name << " has the tags " << test.tagsAsString());
    const auto is_subject = [&](const std::string& tag) { return count.contains(tag); };
    CHECK(std::ranges::any_of(test.tags, is_subject));
    for (const std::string& tag : test.tags)
      if (is_subject(tag) && !test.isHidden()) ++count[tag];
  }
  for (const auto& [subject, tests] : count) {
    INFO(subject);
    CHECK(tests > 0);
  }
}

TEST_CASE("MaxUnpool's history: one sentence in 11, one type in 22", "[MaxUnpool]") {
  const auto changes = changes_of(*find_operator("", "MaxUnpool"));
  REQUIRE(changes.size() == 2);
  REQUIRE(changes[0].changes.size() == 1);
  CHECK(changes[0].since_version == 11);
  CHECK(changes[0].changes[0].kind == Change::Kind::wording);
  CHECK(changes[0].changes[0].text == "the page now states the default of strides (1 along each spatial axis)");
  REQUIRE(changes[1].changes.size() == 1);
  CHECK(changes[1].since_version == 22);
  CHECK(changes[1].changes[0].kind == Change::Kind::type);
  CHECK(changes[1].changes[0].text == "T1 takes bfloat16 too");
}
