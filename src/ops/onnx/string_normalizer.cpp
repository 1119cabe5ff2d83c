// SPDX-License-Identifier: Apache-2.0
// ai.onnx StringNormalizer, version 10
// https://onnx.ai/onnx/operators/onnx__StringNormalizer.html
#include "core/letter_case.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_string_normalizer {
namespace {
constexpr std::string_view kCase = "string_normalizer.case", kLocale = "string_normalizer.locale";

std::uint32_t ascii_lower(std::uint32_t code) { return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code; }
std::uint32_t ascii_upper(std::uint32_t code) { return code >= 'a' && code <= 'z' ? code - ('a' - 'A') : code; }

std::string lower(const Call& call, std::string_view text) {
  return mapped_case(text, call.reads(kCase, "unicode") ? lower_case : ascii_lower);
}
std::string upper(const Call& call, std::string_view text) {
  return mapped_case(text, call.reads(kCase, "unicode") ? upper_case : ascii_upper);
}

/// "Environment dependent string that denotes the locale": these are known everywhere, and change case alike.
bool is_known_everywhere(std::string_view locale) {
  const std::string_view name = locale.substr(0, locale.find('.'));
  return name == "C" || name == "POSIX" || name == "en_US";
}

/// "This operator only accepts [C]- and [1, C]-tensor."
std::vector<ValueType> output_types(const Call& call) {
  const Dims& X = call.type("X").shape;
  require(X.size() == 1 || (X.size() == 2 && X[0] == 1), "X has shape {}, but must be [C] or [1,C]", X);
  if (call.has("locale"))
    require(is_known_everywhere(call.string("locale")) || call.reads(kLocale, "ignore"),
            "attribute 'locale' is '{}', which the reading {}=refuse refuses: C, POSIX and en_US are known everywhere",
            printable(call.string("locale")), kLocale);
  if (!call.has("stopwords") || call.strings("stopwords").empty()) {
    Dims Y = X;
    if (Y[Y.size() - 1] == 0) Y[Y.size() - 1] = 1;
    return {TensorType{DType::string, Y}};
  }
  return {ValueType::of_unknown_shape(DType::string)};
}

// Y = X without its stop words, in another case; "" where nothing is left
std::vector<Value> kernel(const Call& call, std::span<const Output>) {
  const Tensor& X = call.input("X");
  const bool is_case_sensitive = call.flag("is_case_sensitive");
  const auto compared = [&](const std::string& word) { return is_case_sensitive ? word : lower(call, word); };
  std::set<std::string> stopwords;
  if (call.has("stopwords"))
    for (const std::string& word : call.strings("stopwords")) stopwords.insert(compared(word));
  const std::string& action = call.string("case_change_action");
  std::vector<std::string> Y;
  for (const std::string& x : X.strings())
    if (!stopwords.contains(compared(x)))
      Y.push_back(action == "LOWER" ? lower(call, x) : action == "UPPER" ? upper(call, x) : x);
  if (Y.empty()) Y.emplace_back();
  Dims shape = X.shape();
  shape[shape.size() - 1] = std::ssize(Y);
  return {Tensor(shape, std::move(Y))};
}

std::vector<Note> notes(const Call& call) {
  if (!call.has("locale")) return {};
  return {remark("locale", "is not looked at: the case of letters is changed alike in all locales")};
}

void version_10(OpSchema& s) {
  s.input("X", "string").output("Y", "string");
  s.attribute(with_default("case_change_action", "NONE", one_of({"LOWER", "UPPER", "NONE"})));
  s.attribute(with_default("is_case_sensitive", 0, flag()));
  s.attribute(optional(STRING, "locale")).attribute(optional(STRINGS, "stopwords"));
}
}  // namespace
Operator string_normalizer() {
  return Operator("ai.onnx", "StringNormalizer")
      .summary("strings without stop words, in lower or upper case")
      .version(10, version_10)
      .reading(
          {.name = kCase,
           .alternatives = {"unicode: by Unicode's simple mappings", "ascii: of A to Z and a to z alone"},
           .defaults = {{10, "unicode"}},
           .reason = "strings are UTF-8, and the locale decides; without one, Unicode's mappings are common to all",
           .may_change_values =
               [](const Call& call) {
                 return call.string("case_change_action") != "NONE" || !call.flag("is_case_sensitive");
               }})
      .reading({.name = kLocale,
                .alternatives = {"ignore: letters change their case alike in all locales",
                                 "refuse: all but C, POSIX and en_US are invalid"},
                .defaults = {{10, "ignore"}},
                .reason = "the page: \"environment dependent\"; onnxruntime refuses what its machine does not know"})
      .output_types(output_types)
      .kernel(kernel)
      .notes(notes);
}
}  // namespace opref::ops::onnx::file_string_normalizer
