// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/message.h"

#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <random>

#include "io/onnx/testing.h"
#include "io/onnx/wire.h"
#include "io/onnx/witness_testing.h"

namespace message_test {

using namespace opref::io;

namespace {

/// Reads the bytes with libprotobuf too; whether they are such a message.
template <class Proto>
bool agrees(const MessageType& type, const std::string& bytes) {
  INFO(to_hex(bytes));
  Proto expected;
  const bool parses = expected.ParseFromString(bytes);
  const std::optional<OnnxMessage> message = OnnxMessage::parse(type, in_memory(bytes));
  // What a newer field holds is read by opref alone.
  CHECK((message.has_value() == parses || (parses && has_newer_field(type, expected))));
  if (message && parses) CHECK(difference(*message, expected) == "");
  return parses;
}

bool attribute_agrees(std::string_view hex) { return agrees<::onnx::AttributeProto>(kAttributeProto, from_hex(hex)); }
bool tensor_agrees(std::string_view hex) { return agrees<::onnx::TensorProto>(kTensorProto, from_hex(hex)); }

OnnxMessage attribute(std::string_view hex) {
  return OnnxMessage::parse(kAttributeProto, in_memory(from_hex(hex))).value();
}

}  // namespace

// Witness in all of them: libprotobuf.
TEST_CASE("onnx message: every field of every message", "[onnx]") {
  int next = 0;
  ::onnx::ModelProto model;
  fill(model, 5, next);
  CHECK(agrees<::onnx::ModelProto>(kModelProto, model.SerializeAsString()));
  ::onnx::SequenceProto sequence;
  fill(sequence, 4, next);
  CHECK(agrees<::onnx::SequenceProto>(kSequenceProto, sequence.SerializeAsString()));
  ::onnx::OptionalProto optional;
  fill(optional, 4, next);
  CHECK(agrees<::onnx::OptionalProto>(kOptionalProto, optional.SerializeAsString()));
}

TEST_CASE("onnx message: the last value counts, messages merge, a oneof holds one", "[onnx]") {
  CHECK(
      attribute_agrees("1801"
                       "1802"));
  CHECK(attribute("18011802").integral("i") == 2);
  // t { dims: 1 name: "a" } t {} t { dims: 2 name: "b" }
  constexpr std::string_view kMerged =
      "2a050801420161"
      "2a00"
      "2a050802420162";
  CHECK(attribute_agrees(kMerged));
  CHECK(attribute(kMerged).message("t").numbers<std::int64_t>("dims") == std::vector<std::int64_t>{1, 2});
  CHECK(attribute(kMerged).message("t").text("name") == "b");
  // tp { tensor_type { elem_type: 1 } sequence_type {} tensor_type { shape {} } }: the first elem_type is forgotten
  constexpr std::string_view kOneOf =
      "720a"
      "0a020801"
      "2200"
      "0a021200";
  CHECK(attribute_agrees(kOneOf));
  CHECK_FALSE(attribute(kOneOf).message("tp").is_set("sequence_type"));
  CHECK(attribute(kOneOf).message("tp").message("tensor_type").integral("elem_type") == 0);
  CHECK(attribute(kOneOf).message("tp").message("tensor_type").is_set("shape"));
}

TEST_CASE("onnx message: repeated numbers stand alone or in runs", "[onnx]") {
  CHECK(
      tensor_agrees("0801"
                    "0a020203"
                    "0804"));
  CHECK(
      tensor_agrees("250000803f"
                    "2208"
                    "0000004000004040"));
  CHECK(
      tensor_agrees("5208"
                    "000000000000f03f"
                    "51"
                    "0000000000000040"));
  CHECK(
      tensor_agrees("2a0a"
                    "ffffffffffffffffff01"));
  CHECK(
      tensor_agrees("2a0b"
                    "ffffffffffffffffff7f00"));  // bits above the 64th are dropped
  CHECK_FALSE(
      tensor_agrees("2a0b"
                    "ffffffffffffffffffff00"));
  CHECK_FALSE(tensor_agrees("2a0180"));
  CHECK_FALSE(tensor_agrees("2203000000"));
  CHECK_FALSE(
      tensor_agrees("5207"
                    "00000000000000"));
  CHECK(
      tensor_agrees("1005"
                    "1202"
                    "0101"));  // but data_type is no run
}

TEST_CASE("onnx message: what is unknown is passed over", "[onnx]") {
  CHECK(
      attribute_agrees("a006"
                       "05"));  // field 100
  CHECK(
      attribute_agrees("c0a709"
                       "05"));  // field 19000, which is reserved
  CHECK(
      attribute_agrees("1a0161"
                       "1501020304"));                     // i as bytes
  CHECK(attribute_agrees("0805"));                         // name as a number
  CHECK(attribute_agrees("a00163"));                       // a type 99
  CHECK(attribute("a00107a00163").integral("type") == 7);  // leaves the one before
  CHECK(attribute_agrees("a00107a00163"));
  CHECK(attribute_agrees("a001ffffffffffffffffff01"));  // type -1
  CHECK(attribute_agrees("a0018780808010"));            // 2^32 + 7: the low 32 bits
  // groups
  CHECK(
      attribute_agrees("a306"
                       "0801"
                       "a406"
                       "1802"));
  CHECK(
      attribute_agrees("1b"
                       "1b"
                       "1c"
                       "12026162"
                       "1d01020304"
                       "1c"));
  CHECK_FALSE(attribute_agrees("1b"));
  CHECK_FALSE(attribute_agrees("1c"));
  CHECK_FALSE(attribute_agrees("1b24"));
  CHECK_FALSE(attribute_agrees("1b00"));
  CHECK_FALSE(attribute_agrees("1b80"));
}

TEST_CASE("onnx message: tags, lengths and numbers that end early or are too long", "[onnx]") {
  CHECK(attribute_agrees(""));
  for (const std::string_view hex : {"00", "02", "80", "1e01", "1f01", "18", "1880", "15010203", "11", "0a",
                                     "0a0161"
                                     "0a",
                                     "0a0261", "0a80", "2a0108",
                                     "3203"
                                     "0a0108"})
    CHECK_FALSE(attribute_agrees(hex));
  CHECK(
      attribute_agrees("9880808000"
                       "05"));  // a tag in five bytes
  CHECK(
      attribute_agrees("9880808070"
                       "05"));  // bits above the 32nd are dropped
  CHECK_FALSE(
      attribute_agrees("988080808000"
                       "05"));
  CHECK(
      attribute_agrees("0a8180808000"
                       "61"));  // a length in five
  CHECK_FALSE(
      attribute_agrees("0a818080808000"
                       "61"));
  CHECK_FALSE(
      attribute_agrees("0a8180808010"
                       "61"));
  CHECK(
      attribute_agrees("18"
                       "80808080808080808000"));  // a number in ten
  CHECK_FALSE(
      attribute_agrees("18"
                       "8080808080808080808000"));
}

TEST_CASE("onnx message: random bytes and changed messages", "[onnx]") {
  std::mt19937 random(16);
  int next = 0, good = 0, bad = 0;
  ::onnx::NodeProto node;
  fill(node, 3, next);
  ::onnx::TensorProto tensor;
  fill(tensor, 2, next);
  for (int round = 0; round < 400; ++round) {
    for (const auto& [type, whole] :
         {std::pair(&kNodeProto, node.SerializeAsString()), {&kTensorProto, tensor.SerializeAsString()}}) {
      const size_t start = round % 3 == 0 ? random() % whole.size() : 0;
      std::string part = whole.substr(start, round % 2 == 0 ? std::string::npos : random() % 64);
      for (unsigned change = random() % 4; change > 0 && !part.empty(); --change)
        part[random() % part.size()] ^= static_cast<char>(1u << random() % 8);
      const bool parses =
          type == &kNodeProto ? agrees<::onnx::NodeProto>(*type, part) : agrees<::onnx::TensorProto>(*type, part);
      ++(parses ? good : bad);
    }
  }
  CHECK(good > 50);
  CHECK(bad > 50);
}

TEST_CASE("onnx message: limits", "[onnx]") {
  const auto parses = [](const std::string& bytes) {
    return OnnxMessage::parse(kAttributeProto, in_memory(bytes)).has_value();
  };
  // A tp inside a tp inside …; each level takes two messages.
  const auto nested = [](int levels) {
    std::string bytes;
    for (int i = 0; i < levels; ++i) {
      WireWriter optional(kOptionalType), type(kTypeProto);
      optional.add_bytes(kOptionalType.field("elem_type"), bytes);
      type.add("optional_type", optional);
      bytes = type.bytes();
    }
    WireWriter attribute(kAttributeProto);
    attribute.add_bytes(kAttributeProto.field("tp"), bytes);
    return attribute.bytes();
  };
  CHECK(parses(nested((kDeepestMessage - 1) / 2)));
  CHECK_FALSE(parses(nested((kDeepestMessage + 1) / 2)));
  CHECK_FALSE(parses(nested(20000)));
  CHECK(parses(std::string(kDeepestMessage, '\x1b') + std::string(kDeepestMessage, '\x1c')));
  CHECK_FALSE(parses(std::string(kDeepestMessage + 1, '\x1b') + std::string(kDeepestMessage + 1, '\x1c')));
  CHECK_FALSE(parses(std::string(1 << 22, '\x1b')));
  std::string beside;
  for (int i = 0; i < 2 * kDeepestMessage; ++i) beside += "\x1b\x1c";
  CHECK(parses(beside));

  std::string empty_graphs;
  for (int i = 0; i < 1 << 19; ++i) empty_graphs += std::string("\x5a\x00", 2);
  CHECK(error_of([&] { parses(empty_graphs); }) ==
        "unsupported: the file has more than 524288 messages, the most that opref reads");
  empty_graphs.resize(empty_graphs.size() - 2);
  CHECK(OnnxMessage::parse(kAttributeProto, in_memory(empty_graphs)).value().count("graphs") == (1 << 19) - 1);
}

TEST_CASE("onnx message: bytes that change after they were checked are an error where they are read", "[onnx]") {
  std::string bytes = from_hex("2a020801");
  const auto view = std::as_bytes(std::span(bytes));
  const OnnxMessage message = OnnxMessage::parse(kAttributeProto, {nullptr, view}).value();
  bytes[1] = '\x7f';
  CHECK(error_of([&] { message.message("t"); }) == "malformed: the bytes are no protobuf");
}

TEST_CASE("onnx message: numbers are copied as far as there is room", "[onnx]") {
  std::array<std::int64_t, 3> room = {7, 7, 7};
  const OnnxMessage three = attribute(
      "40014002"
      "4003");
  three.copy_numbers("ints", std::span<std::int64_t>(room).first(2));
  CHECK(room == std::array<std::int64_t, 3>{1, 2, 7});
  attribute("4004").copy_numbers("ints", std::span<std::int64_t>(room));
  CHECK(room == std::array<std::int64_t, 3>{4, 2, 7});
}

TEST_CASE("wire writer: a value that is not of the field's type is a bug", "[onnx]") {
  WireWriter node(kNodeProto);
  for (const auto& wrong : std::vector<std::function<void()>>{
           [&] { node.add("name", std::int64_t{1}); }, [&] { node.add("name", 1.0f); },
           [&] { node.add("name", std::span<const std::byte>()); }, [&] { node.add("attribute", "text"); },
           [&] { node.add("attribute", node); }, [&] { node.add("nam", "text"); }})
    CHECK(error_of(wrong).starts_with("internal: "));
  CHECK(node.bytes().empty());
}

TEST_CASE(
    "onnx message: strings and numbers that take more memory than is read are counted, whatever they take in the file",
    "[onnx]") {
  const auto error = [](const MessageType& type, const std::string& hex, size_t most) {
    return error_of([&] { OnnxMessage::parse(type, in_memory(from_hex(hex)), most); });
  };
  const size_t text = sizeof(std::string);
  // Two inputs without a name; three ints of one byte each.
  CHECK(error(kNodeProto, "0a000a00", 2 * text) == "no error");
  CHECK(error(kNodeProto, "0a000a00", 2 * text - 1) ==
        format("system: the strings and numbers of the file take {} bytes in memory, but opref reads at most {}",
               2 * text, 2 * text - 1));
  CHECK(error(kAttributeProto, "4203010203", 24) == "no error");
  CHECK(error(kAttributeProto, "4203010203", 23).find("take 24 bytes") != std::string::npos);
  // A tensor's dims count, its elements where it is in an attribute.
  CHECK(error(kTensorProto, "080308033a03010203", 16) == "no error");
  CHECK(error(kTensorProto, "080308033a03010203", 15).find("take 16 bytes") != std::string::npos);
  CHECK(error(kAttributeProto, "2a09080308033a03010203", 40) == "no error");
  CHECK(error(kAttributeProto, "2a09080308033a03010203", 39).find("take 40 bytes") != std::string::npos);
}

}  // namespace message_test
