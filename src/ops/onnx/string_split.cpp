// SPDX-License-Identifier: Apache-2.0
// ai.onnx StringSplit, version 20
// https://onnx.ai/onnx/operators/onnx__StringSplit.html
#include "core/utf8.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_string_split {
namespace {
using Pieces = std::vector<std::string>;

/// Pieces between delimiters; after `most` splits the rest as it is.
Pieces split_at(std::string_view text, std::string_view delimiter, std::int64_t most) {
  Pieces pieces;
  for (size_t at = 0; std::ssize(pieces) < most && (at = text.find(delimiter)) != std::string_view::npos;) {
    pieces.emplace_back(text.substr(0, at));
    text.remove_prefix(at + delimiter.size());
  }
  pieces.emplace_back(text);
  return pieces;
}

/// How many bytes a space at the front of the text takes; 0: there is none.
size_t space_at_front(const Call& call, std::string_view text) {
  const auto point = first_code_point(text);
  if (!point) return 0;
  const auto [code, size] = *point;
  const bool is_ascii = code == ' ' || (code >= '\t' && code <= '\r');
  if (call.reads("string_split.whitespace", "space")) return code == ' ' ? size : 0;
  if (call.reads("string_split.whitespace", "ascii")) return is_ascii ? size : 0;
  constexpr std::uint32_t kOthers[] = {0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
  const bool is_space = is_ascii || (code >= 0x2000 && code <= 0x200A) || std::ranges::count(kOthers, code) > 0;
  return is_space ? size : 0;
}

/// Words between runs of whitespace; after `most` splits the rest, from its first word on.
Pieces split_at_whitespace(const Call& call, std::string_view text, std::int64_t most) {
  Pieces pieces;
  const auto skip_spaces = [&] {
    while (const size_t size = space_at_front(call, text)) text.remove_prefix(size);
  };
  for (skip_spaces(); !text.empty(); skip_spaces()) {
    const bool is_rest = std::ssize(pieces) == most;
    size_t end = 0;  // of the word; of the last one in the rest
    for (size_t at = 0; at < text.size();) {
      const size_t space = space_at_front(call, text.substr(at));
      if (space > 0 && !is_rest) break;
      at += std::max<size_t>(space, 1);
      if (space == 0) end = at;
    }
    if (is_rest && call.reads("string_split.tail", "kept")) end = text.size();
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(is_rest ? text.size() : end);
  }
  return pieces;
}

std::vector<ValueType> output_types(const Call& call) {
  return {ValueType::of_unknown_shape(DType::string), {DType::int64, call.type("X").shape}};
}

// Y[i, k] = piece k of X[i], "" after the last one; Z[i] = how many pieces X[i] has
std::vector<Value> kernel(const Call& call, std::span<const Output>) {
  const Tensor& X = call.input("X");
  const std::int64_t most = call.has("maxsplit") ? call.integer("maxsplit") : INT64_MAX;
  const std::string delimiter = call.has("delimiter") ? call.string("delimiter") : "";
  std::vector<Pieces> pieces;
  std::vector<std::int64_t> Z;
  for (const std::string& x : X.strings()) {
    pieces.push_back(delimiter.empty() ? split_at_whitespace(call, x, most) : split_at(x, delimiter, most));
    if (x.empty() && !delimiter.empty() && call.reads("string_split.empty", "none")) pieces.back().clear();
    Z.push_back(std::ssize(pieces.back()));
  }
  const std::int64_t widest = Z.empty() ? 0 : std::ranges::max(Z);
  Pieces Y;
  for (Pieces& own : pieces) {
    own.resize(static_cast<size_t>(widest));
    std::ranges::move(own, std::back_inserter(Y));
  }
  return {Tensor(join(X.shape(), {widest}), std::move(Y)), Tensor::of<std::int64_t>(DType::int64, X.shape(), Z)};
}

void version_20(OpSchema& s) {
  s.input("X", "T1").output("Y", "T2").output("Z", "T3");
  s.types("T1", DType::string).types("T2", DType::string).types("T3", DType::int64);
  s.attribute(optional(STRING, "delimiter")).attribute(optional(INT, "maxsplit", at_least(0)));
}

bool splits_at_whitespace(const Call& call) { return !call.has("delimiter") || call.string("delimiter").empty(); }
}  // namespace
Operator string_split() {
  return Operator("ai.onnx", "StringSplit")
      .summary("the pieces of each string between delimiters")
      .version(20, version_20)
      .reading({.name = "string_split.whitespace",
                .alternatives = {"ascii: space, tab, line feed, vertical tab, form feed, carriage return",
                                 "space: the space alone", "unicode: every code point that is White_Space"},
                .defaults = {{20, "ascii"}},
                .reason = "the page says whitespace characters, not which; onnxruntime splits at spaces alone",
                .may_change_values = splits_at_whitespace})
      .reading({.name = "string_split.tail",
                .alternatives = {"kept: whitespace behind the rest after maxsplit splits stays", "trimmed: it goes"},
                .defaults = {{20, "kept"}},
                .reason = "the trailing suffix of the input is added; so does ONNX's reference",
                .may_change_values = [](const Call& c) { return splits_at_whitespace(c) && c.has("maxsplit"); }})
      .reading({.name = "string_split.empty",
                .alternatives = {"one: an empty string has one piece, which is empty", "none: it has none"},
                .defaults = {{20, "one"}},
                .reason = "delimiters delimit empty strings; so does ONNX's reference",
                .may_change_values = [](const Call& call) { return !splits_at_whitespace(call); }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_string_split
