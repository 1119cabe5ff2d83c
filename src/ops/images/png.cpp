// SPDX-License-Identifier: Apache-2.0
// PNG, by libpng.
#include <png.h>

#include <array>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "core/utf8.h"
#include "ops/images/formats.h"

namespace opref::ops::images {
namespace {

/// What libpng's functions for memory, bytes and errors share with the reader.
struct Session {
  std::span<const Byte> left;       ///< of the file
  std::array<char, 200> message{};  ///< of libpng
  std::exception_ptr refused = {};  ///< memory beyond the limit
};

Session& session_of(void* pointer) { return *static_cast<Session*>(pointer); }

/// By operator new, which counts, as libpng asks for it: null where there is no more.
png_voidp allocate(png_structp png, png_alloc_size_t bytes) {
  try {
    return ::operator new(bytes);
  } catch (...) {
    session_of(png_get_mem_ptr(png)).refused = std::current_exception();
    return nullptr;
  }
}

void give_back(png_structp, png_voidp memory) { ::operator delete(memory); }

[[noreturn]] void stop(png_structp png, png_const_charp message) {
  auto& text = session_of(png_get_error_ptr(png)).message;
  std::string_view(message).copy(text.data(), text.size() - 1);
  png_longjmp(png, 1);
}

void ignore(png_structp, png_const_charp) {}

void give_bytes(png_structp png, png_bytep to, std::size_t count) {
  std::span<const Byte>& left = session_of(png_get_io_ptr(png)).left;
  if (count > left.size()) png_error(png, "it ends early");
  std::ranges::copy(left.first(count), to);
  left = left.subspan(count);
}

/// libpng's structures, and steps of reading by it. What ends a step by a jump leaves no C++ object behind.
class PngReader {
 public:
  explicit PngReader(std::span<const Byte> file) : session_{.left = file} {
    png_ = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &session_, stop, ignore, &session_, allocate, give_back);
    if (png_ == nullptr) fail_by_session();
    png_set_read_fn(png_, &session_, give_bytes);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  void header() {
    if (!has_read_header()) fail_by_session();
  }
  void start() {
    if (!has_started()) fail_by_session();
  }
  void row(Byte* to) {
    if (!has_read_row(to)) fail_by_session();
  }
  void end() {
    if (!has_read_end()) fail_by_session();
  }

  std::uint64_t width() const { return png_get_image_width(png_, info_); }
  std::uint64_t height() const { return png_get_image_height(png_, info_); }
  std::uint64_t bits_per_pixel() const {
    return std::uint64_t{png_get_bit_depth(png_, info_)} * png_get_channels(png_, info_);
  }
  bool has_colors() const { return (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) != 0; }
  int passes() const { return passes_; }

 private:
  // In each of these setjmp is the first to be called, and no object lives whose destructor a jump would leave
  // out.
  bool has_read_header() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) png_error(png_, "there is no memory for its header");
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // nor texts and color profiles
    png_read_info(png_, info_);
    return true;
  }
  bool has_started() {  // takes memory for two rows
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_palette_to_rgb(png_);
    png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_16(png_);
    png_set_strip_alpha(png_);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }
  bool has_read_row(Byte* to) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_row(png_, to, nullptr);
    return true;
  }
  bool has_read_end() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_end(png_, nullptr);
    return true;
  }
  [[noreturn]] void fail_by_session() {
    if (session_.refused) std::rethrow_exception(session_.refused);
    damaged("{}", printable(session_.message.data()));
  }

  Session session_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;
};

}  // namespace

Tensor read_png(std::span<const Byte> file) {
  PngReader reader(file);
  reader.header();
  Pixels pixels(reader.height(), reader.width(), reader.has_colors() ? 3 : 1, reader.bits_per_pixel(), file.size(),
                kMostDeflated);
  reader.start();
  for (int pass = 0; pass < reader.passes(); ++pass)
    for (std::size_t y = 0; y < pixels.height(); ++y) reader.row(pixels.row(y).data());
  reader.end();
  return std::move(pixels).finish();
}

}  // namespace opref::ops::images
