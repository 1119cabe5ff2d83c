#include "core/large_pages.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

namespace opref {

TEST_CASE("memory is zero and can be written, whatever its size") {
  for (const size_t bytes :
       {size_t{0}, size_t{1}, size_t{4096}, (size_t{1} << 21) - 1, size_t{1} << 21, size_t{7000001}}) {
    const auto memory = zeroed_memory(bytes);
    REQUIRE(memory != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(memory.get()) % 16 == 0);
    CHECK(std::all_of(memory.get(), memory.get() + bytes, [](std::byte b) { return b == std::byte{}; }));
    std::fill_n(memory.get(), bytes, std::byte{7});
    CHECK(std::all_of(memory.get(), memory.get() + bytes, [](std::byte b) { return b == std::byte{7}; }));
  }
}

TEST_CASE("more memory than there is, is refused") {
  CHECK(zeroed_memory(SIZE_MAX) == nullptr);
  CHECK(zeroed_memory(SIZE_MAX / 4) == nullptr);
}

TEST_CASE("scratch memory grows") {
  Scratch<double> scratch;
  CHECK(scratch.size() == 0);
  for (const size_t n : {size_t{3}, size_t{1000000}, size_t{5}}) {
    scratch.resize(n);
    CHECK(scratch.size() == n);
    std::fill_n(scratch.data(), n, 1.5);
    CHECK(scratch[n - 1] == 1.5);
  }
}

}  // namespace opref
