// SPDX-License-Identifier: Apache-2.0
#include "io/sha256.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

namespace opref::io::sha256_test {
namespace {

// NIST's examples for FIPS 180-4, and the empty message of its test vectors.
constexpr std::string_view kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view kTwoBlocks = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";

}  // namespace

TEST_CASE("SHA-256 of tensors is that of their bytes", "[io]") {
  const std::vector<std::uint8_t> abc{'a', 'b', 'c'};
  CHECK(sha256(Tensor::of<std::uint8_t>(DType::uint8, {3}, abc)) == kAbc);
  CHECK(sha256(Tensor::of<std::uint8_t>(DType::uint8, {3, 1}, abc)) == kAbc);
  CHECK(sha256(Tensor()) == kEmpty);
  const std::string_view message = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  CHECK(sha256(std::as_bytes(std::span(message))) == kTwoBlocks);
  CHECK(sha256(std::span<const std::byte>()) == kEmpty);
}

TEST_CASE("SHA-256 of strings separates them", "[io]") {
  const std::string_view joined("a\0bc\0", 5);
  const std::string_view other("ab\0c\0", 5);
  CHECK(sha256(Tensor({2}, {"a", "bc"})) == sha256(std::as_bytes(std::span(joined))));
  CHECK(sha256(Tensor({2}, {"ab", "c"})) == sha256(std::as_bytes(std::span(other))));
  // printf 'a\0bc\0' | sha256sum
  CHECK(sha256(Tensor({2}, {"a", "bc"})) == "aa795aa4bbb6117911ef062e271bcb05ccfd58ea439da7d46a44e3a3fcefa790");
}

}  // namespace opref::io::sha256_test
