// SPDX-License-Identifier: Apache-2.0
#include "ops/operators.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/error.h"
#include "ops/foreign_names.h"
#include "ops/standard_names.h"
#include "schema/domains.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace opref::ops {

// Each operator's file has a namespace of its own, so that several of them compile as one.
#define X(domain, op_type, function) \
  namespace domain {                 \
  inline namespace file_##function { \
    Operator function();             \
  }                                  \
  }
#include "ops/operators.def"
#undef X

namespace {

constexpr std::string_view name_of_space(std::string_view space) {
  return std::ranges::find(kDomains, space, &Domain::space)->name;
}

#define X(domain, op_type, function) OperatorRow{name_of_space(#domain), #op_type, domain::function},
constexpr auto kRows = std::to_array<OperatorRow>({
#include "ops/operators.def"
});
#undef X

bool is_name(std::string_view op_type) {
  return std::ranges::find(kRows, op_type, &OperatorRow::op_type) != kRows.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// ", did you mean 'Clip', or 'openvino.Clamp'?": what ONNX calls an operator that other frameworks call so, and the
/// other domains that have one of this name; empty where there is nothing.
std::string meant_elsewhere(std::string_view op_type) {
  std::vector<std::string> meant;
  if (const std::optional<Hint> foreign = find_foreign_name(op_type))
    meant.push_back(format("'{}'{}{}", foreign->meant, foreign->more.empty() ? "" : ", ", foreign->more));
  for (const OperatorRow& row : kRows)
    if (row.op_type == op_type) meant.push_back(format("'{}.{}'", row.domain, op_type));
  return meant.empty() ? "" : format(", did you mean {}?", join_some(meant, ", or ", 8));
}

/// What else may be meant: of ai.onnx by meant_elsewhere. Else the nearest name, which of a stated domain is one of its
/// own: others would not be found in it.
std::string suggestion(std::string_view domain, std::string_view op_type) {
  const bool is_onnx = canonical_domain(domain).empty();
  if (const std::string meant = is_onnx ? meant_elsewhere(op_type) : ""; !meant.empty()) return meant;
  const auto same = std::ranges::find_if(
      kRows, [&](const OperatorRow& row) { return row.domain == domain && lower(row.op_type) == lower(op_type); });
  if (same != kRows.end()) return format(", did you mean '{}'?", same->op_type);
  std::vector<std::string_view> names, containing;
  for (const OperatorRow& row : kRows) {
    if (row.op_type == op_type)
      return format("; domain '{}' has one of that name, which is another operator", row.domain);
    if (row.domain != domain_name(domain)) continue;
    names.push_back(row.op_type);
    if (lower(row.op_type).find(lower(op_type)) != std::string::npos) containing.push_back(row.op_type);
  }
  const size_t end = op_type.find_last_not_of("0123456789") + 1;
  const size_t name_end = op_type.find_last_not_of("-_@vV", end == 0 ? 0 : end - 1) + 1;
  for (const size_t length : {end, name_end}) {  // "Softmax13", "Gelu-v20"; but "AddV2" is TensorFlow's
    const std::string_view name = op_type.substr(0, length), number = op_type.substr(end);
    const Operator* op = number.empty() ? nullptr : find_operator("ai.onnx", name);
    if (op == nullptr) continue;
    const auto has_number = [&](const OpSchema& version) { return format("{}", version.since_version()) == number; };
    return std::ranges::any_of(op->versions(), has_number)
               ? format(", did you mean '{}-{}', version {} of it?", name, number, number)
               : format(", did you mean '{}'?", name);
  }
  const std::string near = did_you_mean(op_type, names);
  constexpr size_t kLeast = 3;
  if (!near.empty() || containing.empty() || op_type.size() < kLeast) return near;
  return format("; '{}' is a part of {}", printable(op_type), join_some(containing, ", ", 8));
}

struct QualifiedName {
  std::string_view domain, op_type;
};

/// "openvino" and "MaxPool" of "openvino:MaxPool" and of "openvino.MaxPool"; without a domain that is empty.
QualifiedName split_domain(std::string_view name) {
  if (const size_t colon = name.find(':'); colon != std::string_view::npos)
    return {name.substr(0, colon), name.substr(colon + 1)};
  const size_t dot = name.rfind('.');
  if (dot != std::string_view::npos && find_domain(name.substr(0, dot)) != nullptr && dot > 0)
    return {name.substr(0, dot), name.substr(dot + 1)};
  return {"", name};
}

/// Versions of OpenVINO whose pages have another number than the opset that brought them, and no version has that.
struct PageNumber {
  std::string_view op_type;
  std::int64_t page, opset;
};
constexpr PageNumber kPages[] = {{"Acosh", 3, 4},      {"Asinh", 3, 4},        {"Atanh", 3, 4},
                                 {"LogicalXor", 1, 2}, {"LSTMSequence", 1, 5}, {"MVN", 1, 2},
                                 {"ReorgYolo", 1, 2},  {"ROIPooling", 1, 2},   {"ScatterNDUpdate", 3, 4}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_row(std::string_view domain, std::string_view op_type) {
  return std::ranges::any_of(
      kRows, [&](const OperatorRow& row) { return row.domain == domain_name(domain) && row.op_type == op_type; });
}

}  // namespace

std::span<const OperatorRow> operator_rows() { return kRows; }

namespace {
std::atomic<std::int64_t> looked_up_so_far = 0;
}

std::int64_t operators_looked_up() { return looked_up_so_far; }

const Operator* find_operator(std::string_view domain, std::string_view op_type) {
  looked_up_so_far.fetch_add(1, std::memory_order_relaxed);
  static std::recursive_mutex mutex;  // an operator may take the rules of another one
  static std::map<const OperatorRow*, std::unique_ptr<const Operator>> built;
  domain = domain_name(domain);
  for (const OperatorRow& row : kRows) {
    if (row.domain != domain || row.op_type != op_type) continue;
    const std::lock_guard lock(mutex);
    std::unique_ptr<const Operator>& op = built[&row];
    if (op == nullptr) {
      Operator made = row.build();
      if (const auto& original = made.original()) made.set_original(get_operator(original->domain, original->op_type));
      op = std::make_unique<const Operator>(std::move(made));
    }
    return op.get();
  }
  return nullptr;
}

const Operator& get_operator(std::string_view domain, std::string_view op_type) {
  if (const Operator* op = find_operator(domain, op_type)) return *op;
  const bool onnx = canonical_domain(domain).empty();
  if (const std::string_view standard = standard_name(domain, op_type); !standard.empty() && !is_row(domain, standard))
    fail(Fault::unsupported, kListOperators, "operator '{}'{} is not yet known here", standard,
         onnx ? "" : format(" of domain '{}'", printable(domain)));
  fail(Fault::unsupported, "operator '{}'{} is not known{}", printable(op_type),
       onnx ? "" : format(" of domain '{}'", printable(domain)), suggestion(domain, op_type));
}

std::string NamedVersion::page_text() const {
  return format("{} came with opset {}: only its page has the number {}", name, opset.value_or(0), page.value_or(0));
}

NamedVersion split_version(std::string_view name) {
  const size_t dash = name.find_last_of("-@");
  if (dash == std::string_view::npos) return {name, {}};
  const std::string_view before = name.substr(0, dash), digits = name.substr(dash + 1);
  const QualifiedName named = split_domain(before);
  std::int64_t opset = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), opset);
  const bool is_number = error == std::errc{} && end == digits.end() && opset > 0;
  const bool is_operator = is_name(named.op_type) || !standard_name(named.domain, named.op_type).empty();
  if (!is_number || !is_operator) return {name, {}};
  for (const PageNumber& known : kPages)
    if (named.domain == "openvino" && known.op_type == named.op_type && known.page == opset)
      return {before, known.opset, known.page};
  return {before, opset};
}

std::string snake_case(std::string_view op_type) {
  using Spoken = std::pair<std::string_view, std::string_view>;
  constexpr auto kSpoken =
      std::to_array<Spoken>({{"IsNaN", "is_nan"},
                             {"PRelu", "prelu"},
                             {"PReLU", "prelu"},
                             {"ReLU", "relu"},
                             {"Col2Im", "col2im"},
                             {"BGRtoNV12", "bgr_to_nv12"},
                             {"I420toBGR", "i420_to_bgr"},
                             {"I420toRGB", "i420_to_rgb"},
                             {"NV12toBGR", "nv12_to_bgr"},
                             {"NV12toRGB", "nv12_to_rgb"},
                             {"RGBtoNV12", "rgb_to_nv12"},
                             {"ExperimentalDetectronTopKROIs", "experimental_detectron_top_krois"}});
  for (const auto& [name, spoken] : kSpoken)
    if (name == op_type) return std::string(spoken);
  const auto is_in = [&](size_t i, char first, char last) {
    return i < op_type.size() && op_type[i] >= first && op_type[i] <= last;
  };
  std::string out;
  for (size_t i = 0; i < op_type.size(); ++i) {
    const bool upper = is_in(i, 'A', 'Z');
    if (i > 0 && upper && (!is_in(i - 1, 'A', 'Z') || is_in(i + 1, 'a', 'z'))) out += '_';
    out += upper ? static_cast<char>(op_type[i] - 'A' + 'a') : op_type[i];
  }
  return out;
}

const Operator& get_operator_named(std::string_view name) {
  const QualifiedName named = split_domain(name);
  if (const bool is_number = !named.op_type.empty() && std::ranges::all_of(named.op_type, is_digit);
      is_number && !named.domain.empty())
    fail(Fault::unsupported, "operator '{}' is not known, did you mean '{}-{}'?", printable(name),
         printable(named.domain), named.op_type);
  if (!named.domain.empty()) return get_operator(named.domain, named.op_type);
  return get_operator("", name);
}

Value cast(const Tensor& tensor, DType to) {
  const Node node{"Cast", "", "", {{"to", AttributeValue::of(static_cast<std::int64_t>(to))}}, {"input"}, {"output"}};
  const Call call =
      resolve(get_operator("", node.op_type).at(kNewestOpset), node, {{"input", tensor.type(), tensor}}, {});
  return call.op().kernel(call, call.op().output_types(call))[0];
}

}  // namespace opref::ops
