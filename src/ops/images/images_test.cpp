// SPDX-License-Identifier: Apache-2.0
// Readers of images on files that somebody damaged. Whole files are cases in testdata.
#include "ops/images/images.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/content_testing.h"
#include "core/error.h"
#include "core/memory_limit.h"
#include "io/json/parse.h"

using namespace opref::ops;

namespace {

images::Decoded decoded(std::string_view file) { return images::decode(std::as_bytes(std::span(file))); }

/// The streams of all cases, and of those that must be refused.
std::vector<std::string> streams() {
  std::vector<std::string> all;
  for (const auto& file : std::filesystem::directory_iterator(OPREF_SOURCE_DIR "/testdata/ai.onnx/ImageDecoder")) {
    if (file.path().filename() == "recipe.json") continue;
    const auto tree = opref::io::parse_json(content(file.path()));
    for (const auto stated : tree.root()) {
      std::string& stream = all.emplace_back();
      const auto data = stated.find("inputs")->find("encoded_stream")->find("data");
      for (const auto byte : *data)
        if (byte.kind() != opref::io::JsonKind::list) stream += static_cast<char>(std::stoi(std::string(byte.text())));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a file that is cut or changed has pixels or an error, whatever the byte", "[ImageDecoder]") {
  const opref::core::MemoryLimit limit(1 << 24);
  const std::vector<std::string> all = streams();
  REQUIRE(all.size() > 140);
  std::size_t read = 0, refused = 0;
  const auto count = [&](const std::string& file) {
    try {
      const images::Decoded result = decoded(file);
      CHECK(result.pixels.has_value() != result.error.has_value());
      ++(result.pixels ? read : refused);
    } catch (const opref::core::Error& error) {
      CHECK(error.fault() == opref::core::Fault::system);  // pixels beyond the limit
    }
  };
  for (const std::string& file : all) {
    for (std::size_t size = 0; size < file.size(); ++size) count(file.substr(0, size));
    for (std::size_t at = 0; at < std::min<std::size_t>(file.size(), 400); ++at)
      for (const int flip : {1, 0x80, 0xff}) {
        std::string changed = file;
        changed[at] = static_cast<char>(changed[at] ^ flip);
        count(changed);
      }
  }
  CHECK(read > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("pixels count in the limit of memory before they are there", "[ImageDecoder]") {
  // 100000x10000 pixels in runs of 8 bits, of which none comes.
  std::string file("BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\xa0\x86\x01\0\x10\x27\0\0\x01\0\x08\0\x01\0\0\0", 34);
  file += std::string(12, '\0') + std::string("\2\0\0\0", 4) + std::string(12, '\0') + std::string(200, '\0');
  const opref::core::MemoryLimit limit(1 << 20);
  try {
    decoded(file);
    FAIL("it has pixels");
  } catch (const opref::core::Error& error) {
    CHECK(error.fault() == opref::core::Fault::system);
    CHECK(error.remedy() == opref::core::kMoreMemory);
  }
}
