#include "ops/operators.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "core/error.h"

namespace opref::ops {

#define X(domain, op_type, function) \
  namespace domain {                 \
  Operator function();               \
  }
#include "ops/operators.def"
#undef X

namespace {

constexpr std::string_view domain_name(std::string_view space) { return space == "onnx" ? "ai.onnx" : space; }

#define X(domain, op_type, function) OperatorRow{domain_name(#domain), #op_type, domain::function},
constexpr auto kRows = std::to_array<OperatorRow>({
#include "ops/operators.def"
});
#undef X

/// The domain that has this operator, or the nearest name.
std::string suggestion(std::string_view op_type) {
  std::vector<std::string_view> names;
  for (const OperatorRow& row : kRows) {
    if (row.op_type == op_type) return format("; it is one of domain '{}'", row.domain);
    names.push_back(row.op_type);
  }
  return did_you_mean(op_type, names);
}

}  // namespace

std::span<const OperatorRow> operator_rows() { return kRows; }

const Operator* find_operator(std::string_view domain, std::string_view op_type) {
  static std::mutex mutex;
  static std::map<const OperatorRow*, std::unique_ptr<const Operator>> built;
  if (domain.empty()) domain = "ai.onnx";
  for (const OperatorRow& row : kRows) {
    if (row.domain != domain || row.op_type != op_type) continue;
    const std::lock_guard lock(mutex);
    std::unique_ptr<const Operator>& op = built[&row];
    if (op == nullptr) op = std::make_unique<const Operator>(row.build());
    return op.get();
  }
  return nullptr;
}

const Operator& get_operator(std::string_view domain, std::string_view op_type) {
  if (const Operator* op = find_operator(domain, op_type)) return *op;
  const bool onnx = domain.empty() || domain == "ai.onnx";
  fail(Fault::unsupported, "operator '{}'{} is not known{}", printable(op_type),
       onnx ? "" : format(" of domain '{}'", printable(domain)), suggestion(op_type));
}

const Operator& get_operator_named(std::string_view name) {
  if (const size_t colon = name.find(':'); colon != std::string_view::npos)
    return get_operator(name.substr(0, colon), name.substr(colon + 1));
  for (const OperatorRow& row : kRows)
    if (row.op_type == name) return *find_operator(row.domain, row.op_type);
  return get_operator("", name);
}

}  // namespace opref::ops
