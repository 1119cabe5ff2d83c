// SPDX-License-Identifier: Apache-2.0
#include "system/scratch_file.h"

#include <catch2/catch.hpp>
#include <vector>

namespace scratch_file_test {

using opref::system::ScratchFile;

TEST_CASE("scratch file: what was appended comes back, from memory and from disk", "[system]") {
  ScratchFile file;
  std::vector<std::uint64_t> places;
  const auto piece = [](std::size_t i) { return std::string(1 + i * 7919 % 50000, static_cast<char>('a' + i % 26)); };
  for (std::size_t i = 0; i < 300; ++i) places.push_back(file.append(piece(i)));
  CHECK(places.back() > 5'000'000);
  for (std::size_t i = 300; i-- > 0;) CHECK(file.read(places[i], piece(i).size()) == piece(i));
  const std::string large(3 << 20, 'x');
  const std::uint64_t at = file.append(large);
  CHECK(file.read(at, large.size()) == large);
  CHECK(file.read(places[0], 1) == "a");
}

}  // namespace scratch_file_test
