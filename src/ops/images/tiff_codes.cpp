// SPDX-License-Identifier: Apache-2.0
#include "ops/images/tiff_codes.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "system/deadline.h"

namespace opref::ops::images {
namespace {

[[noreturn]] void ends_early(std::size_t done, std::size_t wanted) {
  damaged("a strip or tile has {} bytes unpacked, but {} are needed", done, wanted);
}

void copy_bytes(std::span<const Byte> packed, std::span<Byte> to) {
  if (packed.size() < to.size()) ends_early(packed.size(), to.size());
  std::ranges::copy(packed.first(to.size()), to.begin());
}

// n < 128: n + 1 bytes as they are. n > 128: 257 - n times the next byte. 128: nothing.
void unpack_bits(std::span<const Byte> packed, std::span<Byte> to) {
  std::size_t at = 0, done = 0;
  while (done < to.size()) {
    if (at == packed.size()) ends_early(done, to.size());
    const std::size_t n = packed[at++];
    if (n == 128) continue;
    const std::size_t taken = n < 128 ? n + 1 : 1, count = n < 128 ? n + 1 : 257 - n;
    if (taken > packed.size() - at) ends_early(done, to.size());
    for (std::size_t i = 0; i < std::min(count, to.size() - done); ++i) to[done + i] = packed[at + (n < 128 ? i : 0)];
    done += std::min(count, to.size() - done);
    at += taken;
  }
}

/// Codes of 9 to 12 bits, the first in the highest ones. 256 clears the table, 257 ends. A code from 258 on is an
/// earlier code's bytes and the first byte of what came after it; that one more bit is needed shows one code early.
class Lzw {
 public:
  Lzw(std::span<const Byte> packed, std::span<Byte> to) : packed_(packed), to_(to) {}

  void unpack() {
    constexpr unsigned kClear = 256, kEnd = 257, kFirst = 258;
    unsigned next = kFirst, before = kEnd;
    while (done_ < to_.size()) {
      require_time();
      const unsigned limit = next + 1;
      const unsigned code = read(limit >= 2048 ? 12 : limit >= 1024 ? 11 : limit >= 512 ? 10 : 9);
      if (code == kEnd) ends_early(done_, to_.size());
      if (code == kClear) {
        next = kFirst;
        before = kEnd;
        continue;
      }
      if (code > next || (before == kEnd && code >= kClear))
        damaged("a strip or tile has the LZW code {} before there is one", code);
      // That of `before` and its own first byte, where it is the one to be added now.
      const std::size_t start = done_;
      if (code < next) {
        put_bytes_of(code);
      } else {
        put_bytes_of(before);
        put(to_[start]);
      }
      if (before != kEnd && next < kCodes) {
        const std::size_t length = length_of(before) + 1;
        places_[next] = start - (length - 1);
        lengths_[next++] = length;
      }
      before = code;
    }
  }

 private:
  static constexpr std::size_t kCodes = 4096;

  std::size_t length_of(unsigned code) const { return code < 256 ? 1 : lengths_[code]; }
  void put(Byte byte) {
    if (done_ < to_.size()) to_[done_++] = byte;
  }
  /// Where they stand already: those of a code may go one byte into what came after them.
  void put_bytes_of(unsigned code) {
    if (code < 256) return put(static_cast<Byte>(code));
    const std::size_t from = places_[code], length = lengths_[code];
    for (std::size_t i = 0; i < length; ++i) put(to_[from + i]);
  }
  unsigned read(unsigned count) {
    while (bits_ < count) {
      if (at_ == packed_.size()) ends_early(done_, to_.size());
      held_ = held_ << 8 | packed_[at_++];
      bits_ += 8;
    }
    bits_ -= count;
    return (held_ >> bits_) & ((1U << count) - 1);
  }

  std::span<const Byte> packed_;
  std::span<Byte> to_;
  std::size_t at_ = 0, done_ = 0;
  unsigned held_ = 0, bits_ = 0;
  std::array<std::size_t, kCodes> places_{}, lengths_{};
};

void unpack_lzw(std::span<const Byte> packed, std::span<Byte> to) {
  if (packed.size() > 1 && packed[0] == 0 && (packed[1] & 1) != 0)
    fail(Fault::unsupported, "a TIFF with LZW codes in the order before version 6 is not decoded");
  Lzw(packed, to).unpack();
}

class Inflate {
 public:
  Inflate() {
    if (inflateInit(&stream_) != Z_OK) fail(Fault::system, "zlib cannot begin");
  }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;
  ~Inflate() { inflateEnd(&stream_); }

  void unpack(std::span<const Byte> packed, std::span<Byte> to) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    std::size_t at = 0, done = 0;
    while (done < to.size()) {
      require_time();
      const std::size_t taken = std::min(packed.size() - at, kMost), room = std::min(to.size() - done, kMost);
      stream_.next_in = const_cast<Bytef*>(packed.data() + at);
      stream_.avail_in = static_cast<uInt>(taken);
      stream_.next_out = to.data() + done;
      stream_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t before = done;
      at += taken - stream_.avail_in;
      done += room - stream_.avail_out;
      if (done == to.size()) return;
      if (status == Z_MEM_ERROR) fail(Fault::system, "zlib has no memory");
      if (status != Z_OK || (at == packed.size() && done == before)) ends_early(done, to.size());
    }
  }

 private:
  z_stream stream_{};
};

void unpack_deflated(std::span<const Byte> packed, std::span<Byte> to) { Inflate().unpack(packed, to); }

constexpr std::uint64_t kMostOfCode = 4096;  // one of 9 bits or more for as many as there are codes

constexpr std::array kCodes = {
    Code{1, "", 1, copy_bytes},
    Code{2, "CCITT codes", 0, nullptr},
    Code{3, "CCITT codes", 0, nullptr},
    Code{4, "CCITT codes", 0, nullptr},
    Code{5, "LZW", kMostOfCode, unpack_lzw},
    Code{6, "JPEG", 0, nullptr},
    Code{7, "JPEG", 0, nullptr},
    Code{8, "Deflate", kMostDeflated, unpack_deflated},
    Code{32773, "PackBits", 64, unpack_bits},
    Code{32946, "Deflate", kMostDeflated, unpack_deflated},
    Code{33003, "JPEG 2000", 0, nullptr},
    Code{33005, "JPEG 2000", 0, nullptr},
    Code{34712, "JPEG 2000", 0, nullptr},
    Code{34887, "LERC", 0, nullptr},
    Code{34925, "LZMA", 0, nullptr},
    Code{50000, "Zstandard", 0, nullptr},
    Code{50001, "WebP", 0, nullptr},
};

}  // namespace

const Code& code_of(std::uint64_t number) {
  const auto code = std::ranges::find(kCodes, number, &Code::number);
  if (code == kCodes.end()) fail(Fault::unsupported, "a TIFF with the compression {} is not decoded", number);
  if (code->unpack == nullptr) fail(Fault::unsupported, "a TIFF with {} inside is not decoded", code->name);
  return *code;
}

}  // namespace opref::ops::images
