// SPDX-License-Identifier: Apache-2.0
#include "io/foreign_file.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace opref::io {
namespace {

bool is_html(std::string_view content) {
  constexpr std::string_view kStarts[] = {"<!doctype html", "<html", "<head", "<body"};
  content.remove_prefix(std::min(content.find_first_not_of(" \t\r\n\xef\xbb\xbf"), content.size()));
  std::string start(content.substr(0, 16));
  std::ranges::transform(start, start.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return std::ranges::any_of(kStarts, [&](std::string_view tag) { return start.starts_with(tag); });
}

/// Protocol 2 and later, as far as a first byte and the last one tell.
bool is_pickle(std::string_view content) {
  return content.size() > 2 && content[0] == '\x80' && content[1] >= 2 && content[1] <= 5 && content.ends_with('.');
}

/// Version 1, then a graph with the tags that tell what it serves.
bool is_saved_model(std::string_view content) {
  return content.starts_with("\x08\x01\x12") && content.find("\x22\x05serve") != std::string_view::npos;
}

}  // namespace

std::string_view foreign_kind(std::string_view content) {
  if (content.starts_with("version https://git-lfs.github.com/spec/"))
    return "a git-lfs pointer, not the file itself: 'git lfs pull' fetches it";
  if (is_html(content)) return "an HTML page: what was fetched is no file, but a page about it";
  if (content.starts_with("\x89HDF\r\n")) return "HDF5: save the tensors with numpy.save";
  if (content.starts_with("\x1f\x8b")) return "gzip: decompress it";
  if (content.substr(0, 8).ends_with("TFL3")) return "a model of TensorFlow Lite: tf2onnx makes an ONNX model of it";
  if (is_saved_model(content)) return "a model of TensorFlow: tf2onnx makes an ONNX model of it";
  if (is_pickle(content)) return "a pickle, which is not executed: save the tensor with numpy.save";
  return "";
}

void require_no_foreign_file(std::string_view content) {
  if (const std::string_view kind = foreign_kind(content); !kind.empty())
    fail(Fault::malformed, "the file is {}", kind);
}

}  // namespace opref::io
