// SPDX-License-Identifier: Apache-2.0
// What the tests of the ONNX reader share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/onnx/onnx.h"
#include "system/file.h"

namespace opref::io {

inline std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

inline std::string to_hex(std::span<const std::byte> bytes) {
  std::string hex;
  for (const std::byte byte : bytes) {
    hex += "0123456789abcdef"[std::to_integer<size_t>(byte >> 4)];
    hex += "0123456789abcdef"[std::to_integer<size_t>(byte & std::byte{15})];
  }
  return hex;
}

inline std::string to_hex(std::string_view bytes) { return to_hex(std::as_bytes(std::span(bytes))); }

/// What write_onnx_model writes.
inline std::string model_bytes(const Graph& graph, const std::vector<std::pair<std::string, Tensor>>& initializers) {
  const TemporaryFolder folder;
  FileWriter file(folder / "model.onnx");
  write_onnx_model(file, graph, initializers);
  file.commit();
  return content_of(folder / "model.onnx");
}

inline FileBytes file_of(std::string bytes) { return in_memory(std::move(bytes)); }

/// "malformed: …", the fault and message with which `body` ends, or "no error".
template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return std::string(name(error.fault())) + ": " + error.message();
  }
  return "no error";
}

}  // namespace opref::io
