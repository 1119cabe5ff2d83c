// SPDX-License-Identifier: Apache-2.0
// What is in a folder once outputs are written, and what they never overwrite.
#include "run/write_outputs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/onnx/onnx.h"
#include "run/files_read.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "system/memory_testing.h"

namespace write_outputs_test {

using namespace opref::run;

namespace {

namespace fs = std::filesystem;

Bound bound_of(const std::string& node, const std::vector<std::string>& arguments) {
  return bind_case(read_case(node), arguments);
}

void write_to(const std::string& output, const std::string& node, const std::vector<std::string>& arguments) {
  const Bound bound = bound_of(node, arguments);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  run_graph(bound.graph, environment, bound.options);
  write_outputs(bound, environment, parse_destinations(bound, std::span(&output, 1)));
}

void write_sequence(const fs::path& folder, int count) {
  std::string names;
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) {
    names += format("{}x{}", i == 0 ? "" : ", ", i);
    arguments.push_back(format("x{}=[{}]:float32", i, i));
  }
  write_to(folder.string() + "/", "Y = SequenceConstruct (" + names + ")", arguments);
}

void write_tensor(const fs::path& folder) {
  write_to(folder.string() + "/", "Y = Add (a, b)", {"a=[1]:float32", "b=[2]:float32"});
}

/// Paths below the folder, sorted.
std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(entry.path().lexically_relative(folder).string());
  return names;
}

using Paths = std::set<std::string>;

template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return format("{}: {}", name(error.fault()), error.message());
  }
  return "no error";
}

/// Of the check alone: nothing is evaluated.
std::string overwriting(const std::string& output, const std::string& node, const std::vector<std::string>& arguments) {
  const Bound bound = bound_of(node, arguments);
  const auto destinations = parse_destinations(bound, std::span(&output, 1));
  return error_of([&] { require_not_read(bound, destinations, files_read(bound)); });
}

}  // namespace

TEST_CASE("outputs: what an earlier result left is never removed", "[run]") {
  const TemporaryFolder folder;
  const std::string there = folder.path().string();
  constexpr std::string_view kRemedy = ": remove it, or choose another folder";
  write_sequence(folder.path(), 3);
  const Paths three = {"Y", "Y/0.npy", "Y/1.npy", "Y/2.npy"};
  CHECK(names_in(folder.path()) == three);
  write_sequence(folder.path(), 3);
  CHECK(error_of([&] { write_sequence(folder.path(), 2); }) ==
        format("usage: {}/Y/2.npy is none of the 2 elements of 'Y' that this folder is for{}", there, kRemedy));
  CHECK(error_of([&] { write_tensor(folder.path()); }) ==
        format("usage: {}/Y holds a sequence, but 'Y' is none{}", there, kRemedy));
  CHECK(names_in(folder.path()) == three);
  fs::remove_all(folder / "Y");
  write_tensor(folder.path());
  write_tensor(folder.path());
  CHECK(error_of([&] { write_sequence(folder.path(), 1); }) ==
        format("usage: {}/Y.npy is there, but 'Y' is a sequence{}", there, kRemedy));
  CHECK(names_in(folder.path()) == Paths{"Y.npy"});
  CHECK(error_of([&] { write_to(there + "/", "Y = Optional <type = seq(float)> ()", {}); }) ==
        format("usage: {}/Y.npy is there, but 'Y' has no element{}", there, kRemedy));
  CHECK(names_in(folder.path()) == Paths{"Y.npy"});
}

TEST_CASE("outputs: what is no element of a sequence is never removed", "[run]") {
  const TemporaryFolder folder;
  write_sequence(folder.path(), 3);
  for (const char* name : {"Y/notes.txt", "Y/1.pb", "Y/01.npy", "Y/-1.npy"}) {
    const fs::path other = folder.write(name, "mine");
    const Paths before = names_in(folder.path());
    CHECK(error_of([&] { write_sequence(folder.path(), 3); }) ==
          "usage: " + other.string() +
              " is none of the 3 elements of 'Y' that this folder is for: remove it, or choose another folder");
    CHECK(names_in(folder.path()) == before);
    // No sequence's folder: it can stay beside a tensor.
    write_tensor(folder.path());
    CHECK(content_of(other) == "mine");
    fs::remove(folder / "Y.npy");
    fs::remove(other);
  }
}

TEST_CASE("outputs: one that is called like a folder stays in its own", "[run]") {
  const TemporaryFolder folder;
  for (const auto& [output, escaped] : {std::pair(".", "%2E"), {"..", "%2E%2E"}}) {
    const fs::path inside = folder / "o";
    fs::create_directory(inside);
    folder.write("o/0.npy", "mine");
    const fs::path model = folder.write(
        "dot.json", format(R"({{"irVersion": "8", "opsetImport": [{{"version": "17"}}], "graph": {{"name": "g",
        "node": [{{"opType": "Identity", "input": ["X"], "output": ["{0}"]}}],
        "input": [{{"name": "X", "type": {{"tensorType": {{"elemType": 1}}}}}}], "output": [{{"name": "{0}"}}]}}}})",
                           output));
    write_to(inside.string() + "/", model.string(), {"X=[1]:float32"});
    CHECK(names_in(inside) == Paths{"0.npy", std::string(escaped) + ".npy"});
    CHECK(content_of(inside / "0.npy") == "mine");
    fs::remove_all(inside);
  }
}

TEST_CASE("outputs: an input is never overwritten, under whatever name", "[run]") {
  const TemporaryFolder folder;
  write_tensor(folder.path());
  const std::string x = (folder / "x.npy").string(), there = folder.path().string() + "/";
  fs::rename(folder / "Y.npy", x);
  fs::create_symlink("x.npy", folder / "link.npy");
  fs::create_hard_link(x, folder / "hard.npy");
  const std::string add = "x = Add (a, b)";
  const auto message = [&](const std::string& output) {
    return "usage: an output never overwrites what is read, but " + output + " would overwrite " + x;
  };
  const std::string around = "../" + folder.path().filename().string() + "/x.npy";
  for (const std::string& name : {std::string("x.npy"), std::string("link.npy"), std::string("hard.npy"), around})
    CHECK(overwriting(there + name, add, {"a=" + x, "b=1:float32"}) == message(there + name));
  CHECK(overwriting(there, add, {"a=" + x, "b=1:float32"}) == message(x));
  CHECK(overwriting(there + "y.npy", add, {"a=" + x, "b=1:float32"}) == "no error");
  CHECK(overwriting(x, add, {"a=1:float32", "b=1:float32"}) == "no error");
  CHECK(overwriting("-", add, {"a=" + x, "b=1:float32"}) == "no error");
}

TEST_CASE("outputs: nor are the node's file and the folder of a sequence that is read", "[run]") {
  const TemporaryFolder folder;
  write_sequence(folder.path(), 2);
  const std::string there = folder.path().string(), erase = "Y = SequenceErase (s)";
  CHECK(
      overwriting(there + "/", erase, {"s=" + there + "/Y"}).ends_with(there + "/Y/ would overwrite " + there + "/Y"));
  CHECK(overwriting(there + "/Y/0.npy", "Y = Add (s, s)", {"s=" + there + "/Y/0.npy"}).starts_with("usage: "));
  CHECK(overwriting(there + "/", "Y = Add (s, s)", {"s=" + there + "/Y/0.npy"}).starts_with("usage: "));
  CHECK(overwriting(there + "/new/", erase, {"s=" + there + "/Y"}) == "no error");
  const std::string json = folder
                               .write("case.pb", R"({"op_type": "SequenceAt", "opset": 11, "inputs": {"position":
      {"dtype": "int64", "data": 0}, "input_sequence": {"sequence": ["Y/0.npy", "Y/1.npy"]}}})")
                               .string();
  CHECK(overwriting(json, json, {}).starts_with("usage: "));
  CHECK(overwriting(there + "/Y/1.npy", json, {}).starts_with("usage: "));
  CHECK(overwriting(there + "/Y/2.npy", json, {}) == "no error");
}

TEST_CASE("outputs: a .pb is written without a copy of its tensors", "[run]") {
  const TemporaryFolder folder;
  const TensorType type{DType::uint8, {std::int64_t{64} << 20}};
  TensorBuilder builder(type);
  std::ranges::fill(builder.bytes(), std::byte{7});
  const Tensor tensor = std::move(builder).finish();
  for (const Value& value : {Value(tensor), Value(Sequence{DType::uint8, {tensor, tensor}})})
    CHECK(memory_of([&] { write_value(folder / "y.pb", "y", value); }) < std::int64_t{16} << 20);
  const ValueInfo sequence{.name = "y", .type_text = "", .dtype = {}, .dims = {}, .form = Form::sequence};
  const Value again = read_onnx_value(read_file(folder / "y.pb"), sequence);
  CHECK(same_bits(again, Sequence{DType::uint8, {tensor, tensor}}));
}

TEST_CASE("an output that is too large for protobuf is refused before it is computed", "[run]") {
  // 2^31 bytes; a message has at most 2^31 - 1 (protobuf.dev, "Proto Limits").
  const auto error_into = [](const std::string& output) {
    Bound bound = bound_of("y = Expand (x, s)", {"x=[1]:uint8", "s=[2147483648]:int64"});
    bound.options.before_value = size_check(bound, parse_destinations(bound, std::span(&output, 1)));
    bound.options.max_bytes = 1 << 20;  // what is allowed to be computed ends there
    return error_of([&] {
      std::vector<std::string> warnings;
      Environment environment = load_inputs(bound, bound.options, warnings);
      run_graph(bound.graph, environment, bound.options);
    });
  };
  CHECK(error_into("y.pb").find("uint8[2147483648] takes 2147483648 bytes in protobuf, which writes at most "
                                "2147483647") != std::string::npos);
  CHECK(error_into("y=y.pb").find("in protobuf") != std::string::npos);
  CHECK(error_into("y.npy").find("but the limit is 1048576") != std::string::npos);
}

}  // namespace write_outputs_test
