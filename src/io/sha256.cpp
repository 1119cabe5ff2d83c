// SPDX-License-Identifier: Apache-2.0
#include "io/sha256.h"

#include <nettle/sha2.h>

#include <array>

#include "io/onnx/onnx.h"

namespace opref::io {

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { sha256_init(&state_->context); }
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  sha256_update(&state_->context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string Sha256::finish() {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&state_->context, digest.size(), digest.data());
  std::string text;
  for (const unsigned byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 0xf];
  }
  return text;
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

std::string sha256(const Tensor& tensor) {
  if (tensor.dtype() != DType::string) return sha256(tensor.bytes());
  Sha256 hash;
  for (const std::string& element : tensor.strings())
    hash.add(std::as_bytes(std::span(element.c_str(), element.size() + 1)));
  return hash.finish();
}

std::string sha256_of_maps(const Value& maps) {
  const std::string bytes = onnx_value_bytes("", maps);
  return sha256(std::as_bytes(std::span(bytes)));
}

}  // namespace opref::io
