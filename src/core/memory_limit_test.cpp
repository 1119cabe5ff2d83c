// SPDX-License-Identifier: Apache-2.0
#include "core/memory_limit.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/tensor.h"

namespace memory_limit_test {

using namespace opref::core;

namespace {

constexpr std::int64_t kMost = 1 << 20;

/// Whether a limit of kMost bytes refuses what f does.
template <class F>
bool is_refused(const F& f) {
  const MemoryLimit limit(kMost);
  try {
    f();
    return false;
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::system);
    CHECK(error.remedy() == kMoreMemory);
    return true;
  }
}

using Bytes = std::vector<char>;

}  // namespace

TEST_CASE("memory limit: it counts vectors, strings, maps, aligned objects and tensors", "[core]") {
  CHECK_FALSE(is_refused([] { Bytes(kMost / 2); }));
  CHECK(is_refused([] { Bytes(kMost + 1); }));
  CHECK(is_refused([] { std::string(kMost + 1, 'a'); }));
  CHECK(is_refused([] { std::vector<std::string>(kMost / 500, std::string(500, 'a')); }));
  CHECK(is_refused([] {
    std::map<int, int> map;
    for (int i = 0; i < kMost / 20; ++i) map[i] = i;
  }));
  struct alignas(128) Apart {
    char bytes[128];
  };
  CHECK_FALSE(is_refused([] { std::vector<Apart>(kMost / 256); }));
  CHECK(is_refused([] { std::vector<Apart>(kMost / 128 + 1); }));
  CHECK_FALSE(is_refused([] { TensorBuilder({DType::uint8, {kMost / 2}}); }));
  CHECK(is_refused([] { TensorBuilder({DType::uint8, {kMost + 1}}); }));
}

TEST_CASE("memory limit: what is given back can be taken again, also after an error", "[core]") {
  CHECK_FALSE(is_refused([] {
    for (int i = 0; i < 10; ++i) Bytes(kMost / 2);
    for (int i = 0; i < 10; ++i) TensorBuilder({DType::uint8, {kMost / 2}});
    for (int i = 0; i < 10; ++i) CHECK_THROWS_AS(Bytes(2 * kMost), Error);
    Bytes(kMost / 2);
  }));
  CHECK(is_refused([] { const Bytes first(kMost / 2), second(kMost * 3 / 4); }));
}

TEST_CASE("memory limit: none where nobody sets one, and none after it", "[core]") {
  CHECK(MemoryLimit::current() == nullptr);
  CHECK_FALSE(is_refused([] { const MemoryLimit none(INT64_MAX); }));
  const MemoryLimit none(INT64_MAX);
  CHECK(MemoryLimit::current() == nullptr);
  CHECK(Bytes(2 * kMost).size() == 2 * kMost);
}

TEST_CASE("memory limit: one within another keeps to what that leaves, and hands on what stays", "[core]") {
  CHECK(is_refused([] {
    const MemoryLimit inner(2 * kMost);
    Bytes(kMost + 1);
  }));
  CHECK(is_refused([] {
    const Bytes half(kMost / 2);
    const MemoryLimit inner(kMost);
    Bytes(kMost * 3 / 4);
  }));
  CHECK(is_refused([] {
    Bytes stays;
    {
      const MemoryLimit inner(kMost);
      stays = Bytes(kMost / 2);
    }
    Bytes(kMost * 3 / 4);
  }));
  CHECK_FALSE(is_refused([] {
    std::vector<Tensor> last;
    for (int i = 0; i < 10; ++i) {
      const MemoryLimit inner(kMost);
      last = {TensorBuilder({DType::uint8, {kMost / 4}}).finish()};
    }
  }));
  // What the inner one gave back of others is no reason to take more than there is.
  CHECK(is_refused([] {
    for (int i = 0; i < 10; ++i) {
      Bytes made;
      {
        const MemoryLimit inner(kMost);
        made = Bytes(kMost / 2);
      }
    }
    Bytes(kMost + 1);
  }));
}

TEST_CASE("memory limit: threads that work for another count together", "[core]") {
  bool refused = false;
  const auto both_take = [&](std::int64_t bytes) {
    return is_refused([&] {
      const Bytes own(static_cast<size_t>(bytes));
      std::thread([&, mine = MemoryLimit::current()] {
        const UnderLimit under(mine);
        try {
          const Bytes other(static_cast<size_t>(bytes));
        } catch (const Error&) {
          refused = true;
        }
      }).join();
      if (refused) fail(Fault::system, kMoreMemory, "the other thread");
    });
  };
  CHECK_FALSE(both_take(kMost / 4));
  CHECK(both_take(kMost * 3 / 4));
}

}  // namespace memory_limit_test
