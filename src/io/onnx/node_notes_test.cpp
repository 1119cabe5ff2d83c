// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/node_notes.h"

#include <catch2/catch.hpp>

#include "io/folder_testing.h"

namespace node_notes_test {

using namespace opref::io;

namespace {

/// A field of bytes, text or a message, of less than 128 bytes: libonnx of Debian has no metadata_props yet.
std::string field(int number, const std::string& content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} + content;
}

constexpr int kGraphOfModel = 7, kNodeOfGraph = 1, kOutput = 2, kAttribute = 5, kDocString = 6, kMetadata = 9,
              kGraphOfAttribute = 6;

std::string node(const std::string& output, const std::string& scope, const std::string& more = "") {
  return field(kOutput, output) + field(kMetadata, field(1, "namespace") + field(2, scope)) + more;
}

std::map<std::string, NodeNotes, std::less<>> notes_of(const std::string& bytes) {
  const TemporaryFolder folder;
  return read_node_notes(opref::system::read_file(folder.write("model.onnx", bytes)));
}

}  // namespace

TEST_CASE("What a model's file says of its nodes, of those inside others too", "[onnx]") {
  const std::string inner = field(kGraphOfAttribute, field(kNodeOfGraph, node("inner", "layer2")));
  const auto notes =
      notes_of(field(kGraphOfModel, field(kNodeOfGraph, node("y", "layer1.conv", field(kDocString, "conv2d"))) +
                                        field(kNodeOfGraph, field(kOutput, "silent")) +
                                        field(kNodeOfGraph, node("z", "top", field(kAttribute, inner)))));
  REQUIRE(notes.size() == 3);
  CHECK(notes.at("y").doc_string == "conv2d");
  CHECK(notes.at("y").metadata == std::vector<std::pair<std::string, std::string>>{{"namespace", "layer1.conv"}});
  CHECK(notes.at("inner").metadata.front().second == "layer2");
  CHECK(notes.at("inner").doc_string.empty());
}

TEST_CASE("A file that is no model says nothing", "[onnx]") { CHECK(notes_of("\x01\x02").empty()); }

}  // namespace node_notes_test
