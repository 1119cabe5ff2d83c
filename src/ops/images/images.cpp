// SPDX-License-Identifier: Apache-2.0
#include "ops/images/images.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ops/images/formats.h"
#include "system/deadline.h"

namespace opref::ops::images {

std::span<const Byte> Bytes::at(std::uint64_t place, std::uint64_t count) const {
  if (place > all_.size() || count > all_.size() - place)
    damaged("it ends after {} bytes, but bytes {} to {} are needed", all_.size(), place, place + count);
  return all_.subspan(place, count);
}

std::uint64_t Bytes::number(std::uint64_t place, std::size_t bytes) const {
  std::uint64_t value = 0;
  const std::span<const Byte> found = at(place, bytes);
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | found[order_ == Order::big ? i : bytes - 1 - i];
  return value;
}

namespace {

/// The shape, once the file is seen to be long enough.
Dims checked_shape(std::uint64_t height, std::uint64_t width, std::size_t channels, std::uint64_t bits_per_pixel,
                   std::uint64_t stated, std::uint64_t most) {
  if (height == 0 || width == 0) damaged("it states {}x{} pixels", width, height);
  // At most 2^32·2^32 pixels, of at most 2^21 bits.
  const auto bits = static_cast<unsigned __int128>(height) * width * std::max<std::uint64_t>(bits_per_pixel, 1);
  const unsigned __int128 held = static_cast<unsigned __int128>(stated) * 8 * most;
  if (bits > held) damaged("it states {}x{} pixels, but has {} bytes for them", width, height, stated);
  return {static_cast<std::int64_t>(height), static_cast<std::int64_t>(width), static_cast<std::int64_t>(channels)};
}

}  // namespace

Pixels::Pixels(std::uint64_t height, std::uint64_t width, std::size_t channels, std::uint64_t bits_per_pixel,
               std::uint64_t stated, std::uint64_t most)
    : height_(height),
      width_(width),
      channels_(channels),
      builder_({DType::uint8, checked_shape(height, width, channels, bits_per_pixel, stated, most)}),
      all_(builder_.values<Byte>()) {}

std::span<Byte> Pixels::row(std::size_t y) {
  require_time();
  const std::size_t size = width_ * channels_;
  return all_.subspan(y * size, size);
}

namespace {

struct Format {
  std::string_view name, first_bytes;
  Tensor (*read)(std::span<const Byte>);  ///< null: one whose pixels depend on the decoder
};

using namespace std::string_view_literals;
constexpr std::array kFormats = {
    Format{"BMP", "BM", read_bmp},
    Format{"PNG", "\x89PNG\r\n\x1a\n", read_png},
    Format{"PNM", "P1", read_pnm},
    Format{"PNM", "P2", read_pnm},
    Format{"PNM", "P3", read_pnm},
    Format{"PNM", "P4", read_pnm},
    Format{"PNM", "P5", read_pnm},
    Format{"PNM", "P6", read_pnm},
    Format{"PAM", "P7\n", nullptr},
    Format{"PFM", "PF\n", nullptr},
    Format{"PFM", "Pf\n", nullptr},
    Format{"TIFF", "II*\0"sv, read_tiff},
    Format{"TIFF", "MM\0*"sv, read_tiff},
    Format{"BigTIFF", "II+\0"sv, nullptr},
    Format{"BigTIFF", "MM\0+"sv, nullptr},
    Format{"JPEG", "\xff\xd8\xff", nullptr},
    Format{"JPEG 2000", "\0\0\0\x0cjP  \r\n\x87\n"sv, nullptr},
    Format{"JPEG 2000", "\xff\x4f\xff\x51", nullptr},
    Format{"WebP", "RIFF", nullptr},
};

}  // namespace

Decoded decode(std::span<const std::byte> file) {
  const std::span<const Byte> bytes(reinterpret_cast<const Byte*>(file.data()), file.size());
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const auto known =
      std::ranges::find_if(kFormats, [&](const Format& format) { return text.starts_with(format.first_bytes); });
  try {
    if (known == kFormats.end()) damaged("it begins as no BMP, JPEG, JPEG 2000, PNG, PNM, TIFF or WebP does");
    if (known->read == nullptr)
      fail(Fault::unsupported, "{} is not decoded: only BMP, PNG, PNM and TIFF are", known->name);
    return {known->read(bytes), {}};
  } catch (const Error& error) {
    if (error.fault() == Fault::unsupported) return {{}, error};
    if (error.fault() != Fault::malformed) throw;
    return {{},
            known == kFormats.end()
                ? error
                : Error(Fault::malformed, format("it is a damaged {}: {}", known->name, error.message()))};
  }
}

}  // namespace opref::ops::images
