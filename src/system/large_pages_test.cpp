// SPDX-License-Identifier: Apache-2.0
#include "system/large_pages.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "system/parallel.h"

namespace opref::system {

TEST_CASE("memory is zero and can be written, whatever its size", "[system][memory]") {
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

TEST_CASE("memory that was given back is zero again where zeros are asked for, and known where it is not",
          "[system][memory]") {
  for (int round = 0; round < 3; ++round)
    for (const size_t bytes : {size_t{100}, size_t{3000000}, size_t{4500000}, size_t{70000000}}) {
      CAPTURE(round, bytes);
      const auto is_zero = [&](const std::byte* data) {
        return std::all_of(data, data + bytes, [](std::byte b) { return b == std::byte{}; });
      };
      const auto zeros = zeroed_memory(bytes);
      CHECK(is_zero(zeros.get()));
      std::fill_n(zeros.get(), bytes, std::byte{7});
      const Memory any = any_memory(bytes);
      if (any.is_zero) CHECK(is_zero(any.data.get()));
      std::fill_n(any.data.get(), bytes, std::byte{8});
      CHECK(zeros.get()[bytes / 2] == std::byte{7});
    }
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("what was given back is kept if it is not too large, and serves what it is large enough for",
          "[system][memory]") {
  release_kept_memory();
  const auto is_kept = [](size_t bytes) {
    any_memory(bytes);
    return !any_memory(bytes).is_zero;
  };
  CHECK(is_kept(2 << 20));
  CHECK(is_kept(28 << 20));
  CHECK_FALSE(is_kept(64 << 20));
  CHECK_FALSE(any_memory(1 << 20).is_zero);  // the heap's, which promises no zeros

  release_kept_memory();
  const size_t small = 2 << 20, large = 10 << 20;
  any_memory(small);
  const Memory fresh = any_memory(large);
  CHECK(fresh.is_zero);
  std::fill_n(fresh.data.get(), large, std::byte{1});
  CHECK_FALSE(any_memory(small).is_zero);

  // The oldest make room: of 12 MiB each with what aligns them, two.
  release_kept_memory();
  { const std::vector<Memory> three{any_memory(large), any_memory(large), any_memory(large)}; }
  const std::vector<Memory> again{any_memory(large), any_memory(large), any_memory(large)};
  CHECK(std::ranges::count_if(again, [](const Memory& m) { return !m.is_zero; }) == 2);
}
#endif

TEST_CASE("threads may ask for memory and give it back at the same time", "[system][memory]") {
  std::atomic<int> mixed = 0;
  for_each_job(64, 4, [&](size_t job) {
    const size_t bytes = (job % 4 + 1) << 21;
    const Memory memory = any_memory(bytes);
    std::fill_n(memory.data.get(), bytes, static_cast<std::byte>(job));
    mixed += static_cast<int>(std::count_if(memory.data.get(), memory.data.get() + bytes,
                                            [&](std::byte b) { return b != static_cast<std::byte>(job); }));
  });
  CHECK(mixed == 0);
}

TEST_CASE("more memory than there is, is refused", "[system][memory]") {
  CHECK(zeroed_memory(SIZE_MAX) == nullptr);
  CHECK(zeroed_memory(SIZE_MAX / 4) == nullptr);
}

}  // namespace opref::system
