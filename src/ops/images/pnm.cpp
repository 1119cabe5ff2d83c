// SPDX-License-Identifier: Apache-2.0
// PNM: Netpbm's P1 and P4 (bits), P2 and P5 (gray), P3 and P6 (red, green, blue), as digits or as bytes.
#include <algorithm>
#include <array>

#include "ops/images/formats.h"
#include "system/deadline.h"

namespace opref::ops::images {
namespace {

bool is_white(Byte c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class PnmReader {
 public:
  explicit PnmReader(std::span<const Byte> file) : file_(file) {}

  /// Beyond whitespace, and comments from # to the end of the line.
  Byte next_digit() {
    bool is_comment = false;
    for (; at_ < file_.size(); ++at_) {
      const Byte c = file_[at_];
      if (c == '#')
        is_comment = true;
      else if (c == '\n' || c == '\r')
        is_comment = false;
      else if (!is_comment && !is_white(c))
        break;
    }
    if (at_ == file_.size()) damaged("it ends after {} bytes, where a number is needed", at_);
    const Byte c = file_[at_];
    if (c < '0' || c > '9') damaged("byte {} is {}, where a number is needed", at_, static_cast<int>(c));
    ++at_;
    return static_cast<Byte>(c - '0');
  }
  std::uint64_t number() {
    std::uint64_t value = next_digit();
    for (; at_ < file_.size() && file_[at_] >= '0' && file_[at_] <= '9'; ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(file_[at_] - '0');
      if (value > UINT32_MAX) damaged("a number is greater than {}", UINT32_MAX);
    }
    return value;
  }
  /// What follows the one whitespace behind the header.
  std::span<const Byte> rest() {
    if (at_ == file_.size() || !is_white(file_[at_])) damaged("no whitespace ends its header");
    return file_.subspan(at_ + 1);
  }
  std::size_t left() const { return file_.size() - at_; }

 private:
  std::span<const Byte> file_;
  std::size_t at_ = 2;
};

}  // namespace

Tensor read_pnm(std::span<const Byte> file) {
  const int kind = file[1] - '0';
  const bool is_digits = kind <= 3, is_bits = kind % 3 == 1;
  PnmReader reader(file);
  const std::uint64_t width = reader.number(), height = reader.number();
  if (!is_bits)
    if (const std::uint64_t most = reader.number(); most != 255) {
      if (most == 0 || most > 65535) damaged("its greatest value is {}", most);
      fail(Fault::unsupported, "a PNM whose greatest value is {} is not decoded, only one of 255", most);
    }
  const std::size_t channels = kind % 3 == 0 ? 3 : 1;
  if (is_digits) {
    Pixels pixels(height, width, channels, channels * 8, reader.left());  // a digit each at least
    for (std::size_t y = 0; y < pixels.height(); ++y)
      for (Byte& value : pixels.row(y)) {
        const std::uint64_t number = is_bits ? reader.next_digit() : reader.number();
        if (number > (is_bits ? 1 : 255)) damaged("a value is {}, but the greatest is {}", number, is_bits ? 1 : 255);
        value = static_cast<Byte>(is_bits ? 255 * (1 - number) : number);  // a bit of 1 is black
      }
    return std::move(pixels).finish();
  }
  const Bytes rows(reader.rest(), Bytes::Order::big);
  Pixels pixels(height, width, channels, is_bits ? 1 : channels * 8, rows.size());
  const std::uint64_t stride = is_bits ? (width + 7) / 8 : width * channels;
  for (std::size_t y = 0; y < pixels.height(); ++y) {
    const auto row = rows.at(y * stride, stride);
    const std::span<Byte> to = pixels.row(y);
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = is_bits ? static_cast<Byte>(255 * (1 - sample(row, i, 1))) : row[i];
  }
  return std::move(pixels).finish();
}

}  // namespace opref::ops::images
