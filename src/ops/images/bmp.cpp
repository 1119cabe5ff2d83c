// SPDX-License-Identifier: Apache-2.0
// BMP: Microsoft's BITMAPFILEHEADER, then a BITMAPCOREHEADER or one of the BITMAPINFOHEADERs, a palette, and rows.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "ops/images/formats.h"
#include "system/deadline.h"

namespace opref::ops::images {
namespace {

using Color = std::array<Byte, 3>;  ///< red, green, blue

enum Compression : std::uint64_t {
  kPlain = 0,
  kRuns8 = 1,
  kRuns4 = 2,
  kMasks = 3,
  kJpeg = 4,
  kPng = 5,
  kAlphaMasks = 6
};

struct Header {
  std::uint64_t size = 0, width = 0, height = 0, bits = 0, compression = kPlain, colors = 0, pixels = 0;
  bool is_top_down = false;
};

Header read_header(const Bytes& file) {
  Header h;
  h.size = file.u32(14);
  h.pixels = file.u32(10);
  const bool is_core = h.size == 12;
  if (!is_core && h.size != 16 && h.size < 40) damaged("its header has {} bytes", h.size);
  file.at(14, h.size);
  h.width = is_core ? file.u16(18) : file.u32(18);
  h.height = is_core ? file.u16(20) : file.u32(22);
  h.bits = file.u16(is_core ? 24 : 28);
  if (h.size >= 40) {
    h.compression = file.u32(30);
    h.colors = file.u32(46);
  }
  if (h.width >> 31 != 0) damaged("its width is negative");
  h.is_top_down = h.height >> 31 != 0;
  if (h.is_top_down) h.height = (std::uint64_t{1} << 32) - h.height;
  return h;
}

void require_known(const Header& h) {
  const auto unknown = [&](std::string_view what) {
    fail(Fault::unsupported, "a BMP of {} bits per pixel {} is not decoded", h.bits, what);
  };
  constexpr std::array kDepths = {1, 4, 8, 16, 24, 32};
  if (std::ranges::count(kDepths, static_cast<int>(h.bits)) == 0) damaged("it states {} bits per pixel", h.bits);
  if (h.compression == kJpeg) unknown("with JPEG inside");
  if (h.compression == kPng) unknown("with PNG inside");
  if (h.compression > kAlphaMasks) damaged("it states the compression {}", h.compression);
  if (h.bits == 16) unknown("(5 or 6 of a color, which the format does not scale to 8)");
  const bool has_masks = h.compression == kMasks || h.compression == kAlphaMasks,
             has_runs = h.compression == kRuns8 || h.compression == kRuns4;
  if (has_masks && h.size == 64) unknown("with Huffman codes");
  if ((has_masks && h.bits != 32) || (has_runs && h.bits != (h.compression == kRuns8 ? 8 : 4)))
    damaged("it states {} bits per pixel with the compression {}", h.bits, h.compression);
  if (has_runs && h.is_top_down) damaged("runs are of rows from the top down");
}

std::vector<Color> read_palette(const Bytes& file, const Header& h) {
  const std::uint64_t most = std::uint64_t{1} << h.bits, entry = h.size == 12 ? 3 : 4;
  const std::uint64_t count = h.colors == 0 ? most : h.colors;
  if (count > most) damaged("it states {} colors for {} bits", count, h.bits);
  std::vector<Color> palette;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto bgr = file.at(14 + h.size + i * entry, 3);
    palette.push_back({bgr[2], bgr[1], bgr[0]});
  }
  return palette;
}

/// Which byte of a pixel of 32 bits is red, green, blue; masks stand in the header, or behind one of 40 bytes.
std::array<std::size_t, 3> channel_bytes(const Bytes& file, const Header& h) {
  if (h.compression == kPlain) return {2, 1, 0};
  std::array<std::size_t, 3> places{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto mask = static_cast<std::uint32_t>(file.u32(54 + 4 * c));
    const int shift = std::countr_zero(mask);
    if (mask == 0 || shift % 8 != 0 || mask >> shift != 255)
      fail(Fault::unsupported, "a BMP of 32 bits per pixel whose colors have other than 8 bits is not decoded");
    places[c] = static_cast<std::size_t>(shift) / 8;
  }
  return places;
}

/// Indices of rows, bottom up, of runs of 8 or 4 bits; what no run reaches is 0.
class Runs {
 public:
  Runs(std::span<const Byte> packed, const Header& h)
      : packed_(packed), h_(h), indices_(static_cast<std::size_t>(h.width * h.height)) {
    while (read_run()) require_time();
  }
  Byte operator()(std::size_t row, std::size_t x) const { return indices_[row * h_.width + x]; }

 private:
  Byte next() {
    if (at_ == packed_.size()) damaged("its runs end in row {} of {}", y_, h_.height);
    return packed_[at_++];
  }
  void put(unsigned index) {
    if (x_ >= h_.width || y_ >= h_.height) damaged("a run leaves row {}", y_);
    indices_[y_ * h_.width + x_++] = static_cast<Byte>(index);
  }
  bool is_wide() const { return h_.compression == kRuns8; }

  bool read_run() {
    const unsigned count = next(), value = next();
    if (count > 0) {
      for (unsigned i = 0; i < count; ++i) put(is_wide() ? value : i % 2 == 0 ? value >> 4 : value & 15);
    } else if (value == 0) {  // the end of a row
      x_ = 0;
      ++y_;
    } else if (value == 1) {  // the end
      return false;
    } else if (value == 2) {  // a step
      x_ += next();
      y_ += next();
    } else {  // as they are, in whole pairs of bytes
      const std::size_t first = at_;
      unsigned byte = 0;
      for (unsigned i = 0; i < value; ++i) {
        if (is_wide() || i % 2 == 0) byte = next();
        put(is_wide() ? byte : i % 2 == 0 ? byte >> 4 : byte & 15);
      }
      if ((at_ - first) % 2 != 0) next();
    }
    return true;
  }

  std::span<const Byte> packed_;
  const Header& h_;
  std::vector<Byte> indices_;
  std::size_t at_ = 0, x_ = 0, y_ = 0;
};

void put(std::span<Byte> pixel, const std::vector<Color>& palette, unsigned index) {
  if (index >= palette.size()) damaged("a pixel has color {} of {}", index, palette.size());
  std::ranges::copy(palette[index], pixel.begin());
}

}  // namespace

Tensor read_bmp(std::span<const Byte> all) {
  const Bytes file(all, Bytes::Order::little);
  const Header h = read_header(file);
  require_known(h);
  const std::vector<Color> palette = h.bits <= 8 ? read_palette(file, h) : std::vector<Color>();
  const auto packed = file.at(h.pixels, file.size() - std::min<std::uint64_t>(h.pixels, file.size()));
  const bool has_runs = h.compression == kRuns8 || h.compression == kRuns4;
  // Two bytes are a run of at most 255 pixels, or a step over as many rows.
  Pixels pixels(h.height, h.width, 3, h.bits, packed.size(), has_runs ? std::max<std::uint64_t>(h.width, 1) * 255 : 1);
  const auto row_of = [&](std::size_t i) { return h.is_top_down ? i : pixels.height() - 1 - i; };
  if (has_runs) {
    const Runs runs(packed, h);
    for (std::size_t i = 0; i < pixels.height(); ++i)
      for (std::size_t x = 0; x < pixels.width(); ++x) put(pixels.pixel(row_of(i), x), palette, runs(i, x));
    return std::move(pixels).finish();
  }
  const std::uint64_t stride = (h.width * h.bits + 31) / 32 * 4;
  const std::array<std::size_t, 3> places = h.bits == 32 ? channel_bytes(file, h) : std::array<std::size_t, 3>{2, 1, 0};
  for (std::size_t i = 0; i < pixels.height(); ++i) {
    const auto row = file.at(h.pixels + i * stride, (h.width * h.bits + 7) / 8);
    const std::span<Byte> to = pixels.row(row_of(i));
    for (std::size_t x = 0; x < pixels.width(); ++x)
      if (h.bits <= 8)
        put(to.subspan(3 * x, 3), palette, sample(row, x, static_cast<unsigned>(h.bits)));
      else
        for (std::size_t c = 0; c < 3; ++c) to[3 * x + c] = row[x * (h.bits / 8) + places[c]];
  }
  return std::move(pixels).finish();
}

}  // namespace opref::ops::images
