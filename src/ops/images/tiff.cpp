// SPDX-License-Identifier: Apache-2.0
// TIFF, revision 6.0: its first image, of gray, palette or RGB.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "ops/images/formats.h"
#include "ops/images/tiff_codes.h"
#include "system/deadline.h"

namespace opref::ops::images {
namespace {

enum Tag : std::uint64_t {
  kWidth = 256,
  kHeight = 257,
  kBits = 258,
  kCompression = 259,
  kMeaning = 262,  ///< PhotometricInterpretation
  kFillOrder = 266,
  kStrips = 273,
  kOrientation = 274,
  kSamples = 277,
  kRowsPerStrip = 278,
  kStripBytes = 279,
  kPlanes = 284,
  kPredictor = 317,
  kPalette = 320,
  kTileWidth = 322,
  kTileHeight = 323,
  kTiles = 324,
  kTileBytes = 325,
  kFormat = 339,
};
enum Meaning : std::uint64_t { kWhiteIsZero = 0, kBlackIsZero = 1, kRgb = 2, kColorIndex = 3 };

/// The fields of the file's first directory.
class Fields {
 public:
  explicit Fields(const Bytes& file) : file_(file) {
    const std::uint64_t at = file.u32(4), count = file.u16(at);
    for (std::uint64_t i = 0; i < count; ++i) places_.try_emplace(file.u16(at + 2 + 12 * i), at + 2 + 12 * i);
  }

  bool has(Tag tag) const { return places_.contains(tag); }
  /// Integers of 8, 16 or 32 bits.
  std::vector<std::uint64_t> list(Tag tag) const {
    const auto found = places_.find(tag);
    if (found == places_.end()) damaged("its field {} is missing", static_cast<int>(tag));
    const std::uint64_t place = found->second, type = file_.u16(place + 2), count = file_.u32(place + 4);
    const std::size_t bytes = type == 1 ? 1 : type == 3 ? 2 : type == 4 ? 4 : 0;
    if (bytes == 0) damaged("its field {} has type {}", static_cast<int>(tag), type);
    const std::uint64_t from = count * bytes <= 4 ? place + 8 : file_.u32(place + 8);
    file_.at(from, count * bytes);
    std::vector<std::uint64_t> values(count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = file_.number(from + i * bytes, bytes);
    return values;
  }
  std::uint64_t number(Tag tag) const {
    const auto values = list(tag);
    if (values.empty()) damaged("its field {} is empty", static_cast<int>(tag));
    return values[0];
  }
  std::uint64_t number(Tag tag, std::uint64_t missing) const { return has(tag) ? number(tag) : missing; }

 private:
  const Bytes& file_;
  std::map<std::uint64_t, std::uint64_t> places_;
};

struct Layout {
  std::uint64_t width, height, samples, meaning, predictor;
  unsigned bits;
  bool is_tiled, has_planes;
  std::uint64_t block_width, block_height;  ///< of a tile; of a strip, as wide as the image
  std::vector<std::uint64_t> places, sizes;

  std::uint64_t across() const { return (width + block_width - 1) / block_width; }
  std::uint64_t blocks() const { return across() * ((height + block_height - 1) / block_height); }
  std::uint64_t samples_inside() const { return has_planes ? 1 : samples; }  ///< of a pixel, in a block
  std::uint64_t row_bytes() const { return (block_width * samples_inside() * bits + 7) / 8; }
  std::uint64_t planes() const { return has_planes ? samples : 1; }
};

void require_known(const Fields& fields, const Layout& l) {
  const auto unknown = [](std::string_view what, std::uint64_t value) {
    fail(Fault::unsupported, "a TIFF whose {} is {} is not decoded", what, value);
  };
  constexpr std::array kDepths = {1, 2, 4, 8, 16};
  if (l.meaning > kColorIndex) unknown("photometric interpretation", l.meaning);
  if (std::ranges::count(kDepths, static_cast<int>(l.bits)) == 0) unknown("number of bits per sample", l.bits);
  for (const std::uint64_t bits : fields.has(kBits) ? fields.list(kBits) : std::vector<std::uint64_t>())
    if (bits != l.bits) unknown("number of bits of another sample", bits);
  if (fields.has(kFormat))
    for (const std::uint64_t format : fields.list(kFormat))
      if (format != 1) unknown("sample format", format);
  if (fields.number(kFillOrder, 1) != 1) unknown("fill order", fields.number(kFillOrder));
  if (fields.number(kOrientation, 1) != 1) unknown("orientation", fields.number(kOrientation));
  if (l.predictor != 1 && (l.predictor != 2 || l.bits < 8)) unknown("predictor", l.predictor);
}

Layout read_layout(const Fields& fields) {
  Layout l{};
  l.width = fields.number(kWidth);
  l.height = fields.number(kHeight);
  l.meaning = fields.number(kMeaning);
  l.samples = fields.number(kSamples, 1);
  l.bits = static_cast<unsigned>(std::min<std::uint64_t>(fields.number(kBits, 1), UINT16_MAX));
  l.predictor = fields.number(kPredictor, 1);
  l.has_planes = fields.number(kPlanes, 1) == 2 && l.samples > 1;
  require_known(fields, l);
  if (l.width == 0 || l.height == 0) damaged("it states {}x{} pixels", l.width, l.height);
  const std::uint64_t needed = l.meaning == kRgb ? 3 : 1;
  if (l.samples < needed || l.samples > UINT16_MAX)
    damaged("it states {} samples per pixel, but {} are needed", l.samples, needed);
  l.is_tiled = fields.has(kTileWidth);
  l.block_width = l.is_tiled ? fields.number(kTileWidth) : l.width;
  l.block_height = l.is_tiled ? fields.number(kTileHeight) : std::min(l.height, fields.number(kRowsPerStrip, l.height));
  if (l.block_width == 0 || l.block_height == 0)
    damaged("its strips or tiles are of {}x{}", l.block_width, l.block_height);
  l.places = fields.list(l.is_tiled ? kTiles : kStrips);
  l.sizes = fields.list(l.is_tiled ? kTileBytes : kStripBytes);
  const std::uint64_t count = l.blocks() * l.planes();
  if (l.places.size() < count || l.sizes.size() < count)
    damaged("it has {} strips or tiles, and {} sizes of them, but {} are needed", l.places.size(), l.sizes.size(),
            count);
  return l;
}

/// A sample is the difference to the one before it in its row.
void undo_predictor(std::span<Byte> row, const Layout& l, Bytes::Order order) {
  const std::size_t bytes = l.bits / 8, step = l.samples_inside() * bytes;
  const std::size_t low = order == Bytes::Order::little ? 0 : 1;
  for (std::size_t i = step; i + bytes <= row.size(); i += bytes)
    if (bytes == 1) {
      row[i] = static_cast<Byte>(row[i] + row[i - step]);
    } else {
      const unsigned sum = row[i + low] + row[i - step + low] + 256U * (row[i + 1 - low] + row[i - step + 1 - low]);
      row[i + low] = static_cast<Byte>(sum);
      row[i + 1 - low] = static_cast<Byte>(sum >> 8);
    }
}

/// Writes samples of a block's rows to where they belong in the image.
class Painter {
 public:
  Painter(Pixels& pixels, const Layout& layout, const Fields& fields, Bytes::Order order)
      : pixels_(pixels), l_(layout), order_(order) {
    if (l_.meaning != kColorIndex) return;
    palette_ = fields.list(kPalette);
    const std::size_t needed = std::size_t{3} << l_.bits;
    if (palette_.size() < needed) damaged("its palette has {} numbers, but {} are needed", palette_.size(), needed);
  }

  /// Row y of the image from column x on; samples of all planes, or of one.
  void paint(std::span<const Byte> row, std::size_t y, std::size_t x, std::uint64_t plane) const {
    const std::size_t count = std::min<std::size_t>(l_.block_width, pixels_.width() - x), each = l_.samples_inside();
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<Byte> to = pixels_.pixel(y, x + i);
      if (l_.meaning == kColorIndex) {
        const unsigned index = sample(row, i * each, l_.bits, order_);
        for (std::size_t c = 0; c < 3; ++c) to[c] = static_cast<Byte>(palette_[(c << l_.bits) + index] >> 8);
      } else {
        for (std::size_t c = 0; c < (l_.has_planes ? 1 : to.size()); ++c) {
          const Byte value = gray_of(sample(row, i * each + c, l_.bits, order_), l_.bits);
          to[l_.has_planes ? plane : c] = static_cast<Byte>(l_.meaning == kWhiteIsZero ? 255 - value : value);
        }
      }
    }
  }

 private:
  Pixels& pixels_;
  const Layout& l_;
  Bytes::Order order_;
  std::vector<std::uint64_t> palette_;
};

}  // namespace

Tensor read_tiff(std::span<const Byte> all) {
  const Bytes::Order order = all[0] == 'I' ? Bytes::Order::little : Bytes::Order::big;
  const Bytes file(all, order);
  const Fields fields(file);
  const Code& code = code_of(fields.number(kCompression, 1));
  const Layout l = read_layout(fields);
  const std::size_t channels = l.meaning == kRgb || l.meaning == kColorIndex ? 3 : 1;
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < l.blocks() * l.planes(); ++i) packed += file.at(l.places[i], l.sizes[i]).size();
  Pixels pixels(l.height, l.width, channels, l.samples * l.bits, packed, code.most);
  const Painter painter(pixels, l, fields, order);
  std::vector<Byte> block;
  // Planes of other samples than these, transparency, are left alone.
  for (std::uint64_t plane = 0; plane < std::min<std::uint64_t>(l.planes(), l.meaning == kRgb ? 3 : 1); ++plane)
    for (std::uint64_t i = 0; i < l.blocks(); ++i) {
      const std::size_t y = i / l.across() * l.block_height, x = i % l.across() * l.block_width;
      const std::size_t rows = std::min<std::size_t>(l.block_height, pixels.height() - y), stride = l.row_bytes();
      const std::size_t at = plane * l.blocks() + i;
      if (stride > (l.sizes[at] * code.most) / rows)
        damaged("a strip or tile has {} bytes, too few for it", l.sizes[at]);
      block.resize(stride * rows);
      code.unpack(file.at(l.places[at], l.sizes[at]), block);
      for (std::size_t k = 0; k < rows; ++k) {
        const auto row = std::span(block).subspan(k * stride, stride);
        if (l.predictor == 2) undo_predictor(row, l, order);
        painter.paint(row, y + k, x, plane);
      }
    }
  return std::move(pixels).finish();
}

}  // namespace opref::ops::images
