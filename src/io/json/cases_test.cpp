// SPDX-License-Identifier: Apache-2.0
#include "io/json/cases.h"
#include "io/json/parse.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/json/json.h"

namespace cases_test {

using namespace opref::io;

namespace {

template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return format("{}: {}", name(error.fault()), error.message());
  }
  return "no error";
}

/// "#1 #2#opset=11", with the opset that each case gets in parentheses; "-" where none is stated.
std::string cases_of(std::string_view text) {
  const Json document = parse_json(text);
  std::string all;
  for (const JsonCase& one : json_cases(document)) {
    const Case loaded = read_json_case(one.object, one.opset, "");
    const auto& opsets = loaded.graph.opset_import;
    all += format("{}{}({})", all.empty() ? "" : " ", one.name,
                  opsets.empty() ? "-" : std::to_string(opsets.begin()->second));
  }
  return all;
}

std::string list_error(std::string_view text) {
  return error_of([&] { json_cases(parse_json(text)); });
}

std::string chosen(std::string_view text, const CaseChoice& choice) {
  std::string name = "none";
  const std::string error = error_of([&] {
    const JsonCaseFile file(text);
    name = chosen_case(file.cases, choice).name;
  });
  return error == "no error" ? name : error;
}

std::string opset_list(size_t count) {
  std::string text = R"({"op_type": "A", "opset": [1)";
  for (size_t i = 2; i <= count; ++i) text += format(",{}", i);
  return text + "]}";
}

}  // namespace

TEST_CASE("json cases: each has a name after its place in the list and its opset", "[json]") {
  CHECK(cases_of(R"({"op_type": "A"})") == "(-)");
  CHECK(cases_of(R"({"op_type": "A", "opset": 3})") == "(3)");
  CHECK(cases_of(R"({"op_type": "A", "opset": [11]})") == "#opset=11(11)");
  CHECK(cases_of(R"({"op_type": "A", "opset": [11, 2, 1]})") == "#opset=11(11) #opset=2(2) #opset=1(1)");
  CHECK(cases_of(R"([{"op_type": "A"}])") == "#1(-)");
  CHECK(cases_of(R"([{"op_type": "A", "opset": 7}, {"op_type": "B", "opset": [1, 2]}, {"op_type": "A"}])") ==
        "#1(7) #2#opset=1(1) #2#opset=2(2) #3(-)");
}

TEST_CASE("json cases: lists that are none of cases or opsets", "[json]") {
  CHECK(list_error("[]") == "malformed: the document is an empty list, but must have cases");
  CHECK(list_error(R"([[{"op_type": "A"}]])") == "malformed: '[0]' is a list, but must be an object");
  CHECK(list_error(R"([{"op_type": "A"}, 3])") == "malformed: '[1]' is 3, but must be an object");
  const auto opset_error = [](const std::string& list) {
    return list_error(R"({"op_type": "A", "opset": )" + list + "}");
  };
  CHECK(opset_error("[]") == "malformed: 'opset' is an empty list, but must have opsets");
  CHECK(opset_error("[1, 11, 1]") == "malformed: 'opset[2]' is 1 for the second time");
  CHECK(opset_error("[[1, 2]]").starts_with("malformed: 'opset[0]' is a list, but must be"));
  CHECK(opset_error(R"(["11"])").starts_with("malformed: 'opset[0]' is a string, but must be"));
  CHECK(opset_error("[1, 1.5]").starts_with("malformed: 'opset[1]' is 1.5, but must be"));
  CHECK(opset_error("[1, 0]").starts_with("malformed: 'opset[1]' is 0, but must be"));
  CHECK(opset_error("[99999999999999999999]").starts_with("malformed: 'opset[0]' is 99999999999999999999, but"));
  CHECK(opset_error("[null]").starts_with("malformed: 'opset[0]' is null, but must be"));
  CHECK(error_of([] {
          cases_of(R"({"op_type": "A", "opset": "11"})");
        }).starts_with("malformed: 'opset' is a string, but must be"));
}

TEST_CASE("json cases: a file holds at most a thousand", "[json]") {
  CHECK(list_error(opset_list(kMostCasesOfFile)) == "no error");
  CHECK(list_error(opset_list(kMostCasesOfFile + 1)) ==
        "unsupported: 'opset' has more than 1000 cases: split the file");
  const std::string half = opset_list(kMostCasesOfFile / 2);
  CHECK(list_error("[" + half + "," + half + "]") == "no error");
  CHECK(list_error("[" + half + "," + half + R"(, {"op_type": "A"}])") ==
        "unsupported: the document has more than 1000 cases: split the file");
  std::string many = R"([{"op_type": "A"})";
  for (size_t i = 0; i < kMostCasesOfFile; ++i) many += R"(,{"op_type": "A"})";
  CHECK(list_error(many + "]") == "unsupported: the document has more than 1000 cases: split the file");
}

TEST_CASE("json cases: one is meant by its name, by its opset, or because there is no other", "[json]") {
  const std::string opsets = R"({"op_type": "A", "opset": [1, 11]})";
  const std::string list = R"([{"op_type": "A", "opset": 11}, {"op_type": "A", "opset": [1, 11, 12]}])";
  CHECK(chosen(R"({"op_type": "A"})", {}).empty());
  CHECK(chosen(R"({"op_type": "A", "opset": 3})", {"", 4}).empty());
  CHECK(chosen(R"({"op_type": "A", "opset": [3]})", {"", 4}) == "#opset=3");
  CHECK(chosen(opsets, {"#opset=11", {}}) == "#opset=11");
  CHECK(chosen(opsets, {"#opset=1", {}}) == "#opset=1");
  CHECK(chosen(opsets, {"#opset=1", 11}) == "#opset=1");  // the option is then instead of what the file states
  CHECK(chosen(opsets, {"", 11}) == "#opset=11");
  CHECK(chosen(list, {"#1", {}}) == "#1");
  CHECK(chosen(list, {"#2#opset=1", {}}) == "#2#opset=1");
  CHECK(chosen(list, {"#2", 1}) == "#2#opset=1");
  CHECK(chosen(list, {"", 12}) == "#2#opset=12");
  CHECK(chosen(opsets, {}) == "usage: the file has 2 cases: name one, as in FILE#opset=1 (#opset=1, #opset=11)");
  CHECK(chosen(opsets, {"", 12}) ==
        "usage: none of the 2 cases of the file is for opset 12: name the one to evaluate as that, as in FILE#opset=1 "
        "(#opset=1, #opset=11)");
  CHECK(chosen(list, {"", 11}) ==
        "usage: 2 of the 4 cases of the file are for opset 11: name one, as in FILE#1 (#1, #2#opset=11)");
  CHECK(chosen(list, {"#2", {}}) ==
        "usage: #2 has 3 cases: name one, as in FILE#2#opset=1 (#2#opset=1, #2#opset=11, #2#opset=12)");
  CHECK(chosen(list, {"#2", 28}) ==
        "usage: none of the 3 cases of #2 is for opset 28: name the one to evaluate as that, as in FILE#2#opset=1 "
        "(#2#opset=1, #2#opset=11, #2#opset=12)");
  CHECK(chosen(opsets, {"#opset=", {}}) == "usage: there is no case #opset= in it, only #opset=1, #opset=11");
  CHECK(chosen(R"({"op_type": "A"})", {"#2", {}}) == "usage: there is no case #2 in it, it is one case");
  CHECK(chosen(opset_list(100), {}).ends_with("#opset=11, #opset=12, … and 88 more)"));
}

TEST_CASE("json cases: the name of a file wins over the name of a case in one", "[json]") {
  const TemporaryFolder folder;
  const std::string plain = folder.write("a.json", "").string(), hash = folder.write("b.json#1", "").string();
  const auto split = [](const std::string& text) {
    const CaseOfFile one = split_case_name(text);
    return one.file.string() + " " + one.name;
  };
  CHECK(split(plain) == plain + " ");
  CHECK(split(plain + "#2#opset=11") == plain + " #2#opset=11");
  CHECK(split(hash) == hash + " ");
  CHECK(split(hash + "#2") == hash + " #2");
  CHECK(split("-") == "- ");
  CHECK(split("no such file#2") == "no such file#2 ");
  CHECK(split(folder.path().string() + "#2") == folder.path().string() + "#2 ");
  CHECK(split("#2") == "#2 ");
}

}  // namespace cases_test
