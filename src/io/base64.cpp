// SPDX-License-Identifier: Apache-2.0
#include "io/base64.h"

#include <nettle/base64.h>

#include "core/error.h"

namespace opref::io {

std::string base64(std::span<const std::uint8_t> bytes) {
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  base64_encode_raw(text.data(), bytes.size(), bytes.data());
  return text;
}

std::vector<std::uint8_t> from_base64(std::string_view text) {
  std::vector<std::uint8_t> bytes(BASE64_DECODE_LENGTH(text.size()));
  base64_decode_ctx context;
  base64_decode_init(&context);
  size_t size = bytes.size();
  const bool good = base64_decode_update(&context, &size, bytes.data(), text.size(), text.data()) == 1 &&
                    base64_decode_final(&context) == 1;
  if (!good) fail(Fault::malformed, "it is no base64");
  bytes.resize(size);
  return bytes;
}

}  // namespace opref::io
