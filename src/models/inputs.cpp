// SPDX-License-Identifier: Apache-2.0
#include "models/inputs.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "core/letter_case.h"
#include "io/generate.h"
#include "models/numbers.h"
#include "run/version.h"

namespace opref::models {
namespace {

class Sizes {
 public:
  std::int64_t of(const DeclaredDim& dim, size_t axis, size_t rank) {
    if (dim.size) return *dim.size;
    if (dim.symbol.empty()) return usual(dim.symbol, axis, rank);
    return by_symbol_.try_emplace(dim.symbol, usual(dim.symbol, axis, rank)).first->second;
  }

 private:
  static std::int64_t usual(const std::string& symbol, size_t axis, size_t rank) {
    constexpr std::int64_t kFew = 512, kOfFour = 64, kOfMore = 16;
    if (axis == 0 || mapped_case(symbol, lower_case).find("batch") != std::string::npos) return 1;
    return rank < 4 ? kFew : rank == 4 ? kOfFour : kOfMore;
  }

  std::map<std::string, std::int64_t> by_symbol_;
};

TensorSource loaded(Value value) {
  TensorSource source;
  source.from = TensorSource::Loaded{[value = std::move(value)](std::int64_t) { return value; }};
  return source;
}

Tensor whole_numbers(const std::string& name, const TensorType& type, std::uint32_t count) {
  const Random random = stream_of(1, name);
  Numbers numbers{type.shape, std::vector<double>(static_cast<size_t>(element_count(type.shape)))};
  for (std::int64_t i = 0; i < std::ssize(numbers.values); ++i)
    numbers.values[static_cast<size_t>(i)] = random.below(count, i);
  return tensor_of(numbers, type);
}

bool has_source(const Bound& bound, const std::string& name) {
  return std::ranges::find(bound.inputs, name, &NamedSource::name) != bound.inputs.end();
}

}  // namespace

std::vector<GeneratedInput> generate_inputs(Bound& bound, std::uint32_t integers) {
  std::vector<GeneratedInput> generated;
  Sizes sizes;
  for (const ValueInfo& info : bound.graph.inputs) {
    if (has_source(bound, info.name) || info.form != Form::tensor || !info.dtype || !info.dims) continue;
    TensorType type{*info.dtype, {}};
    for (size_t axis = 0; axis < info.dims->size(); ++axis)
      type.shape.push_back(sizes.of((*info.dims)[axis], axis, info.dims->size()));
    NamedSource source{info.name, {}};
    std::string values = format("0 to {}", integers - 1);
    if (is_integer(type.dtype)) {
      source.source = loaded(whole_numbers(info.name, type, integers));
    } else {
      const std::string generator = type.dtype == DType::boolean  ? "integers"
                                    : type.dtype == DType::string ? "bits"
                                                                  : "normal";
      source.source.from = Fill{generator, 1};
      source.source.dtype = type.dtype;
      source.source.shape = type.shape;
      values = generator + ":1";
    }
    generated.push_back({info.name, type, values});
    bound.inputs.push_back(std::move(source));
  }
  return generated;
}

namespace {

std::string list_of(const Graph& graph) {
  return join_some(graph.inputs, ", ", 16,
                   [](const ValueInfo& info) { return format("{} {}", printable(info.name), to_text(info)); });
}

/// As far as a float may be of another type.
bool may_take(const ValueInfo& info, const ValueType& type) {
  ValueType own = type;
  if (info.dtype && is_floating(*info.dtype) && is_floating(type.dtype())) own.tensor.dtype = *info.dtype;
  return agrees(info, own);
}

Value in_type_of(const ValueInfo& info, const Value& value) {
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr || !info.dtype || *info.dtype == tensor->dtype()) return value;
  return tensor_of(*numbers_of(*tensor), {*info.dtype, tensor->shape()});
}

}  // namespace

void take_inputs(Bound& fresh, const Bound& reference, const Environment& given, std::vector<std::string>& notes) {
  const std::vector<ValueInfo>&mine = fresh.graph.inputs, &theirs = reference.graph.inputs;
  const auto has_name = [&](const ValueInfo& info) {
    return std::ranges::find(theirs, info.name, &ValueInfo::name) != theirs.end();
  };
  const bool by_name = std::ranges::all_of(mine, has_name);
  if (!by_name && mine.size() != theirs.size())
    fail(Fault::usage, "NEW has the inputs {}, but REFERENCE has {}", list_of(fresh.graph), list_of(reference.graph));
  for (size_t k = 0; k < mine.size(); ++k) {
    const std::string& name = by_name ? mine[k].name : theirs[k].name;
    const auto known = given.find(name);
    if (known == given.end() || !known->second.value) continue;  // which the reference does not read
    if (!may_take(mine[k], known->second.type))
      fail(Fault::usage, "the input '{}' is {}, which '{}' of NEW cannot be: NEW has the inputs {}, REFERENCE has {}",
           printable(name), known->second.type, printable(mine[k].name), list_of(fresh.graph),
           list_of(reference.graph));
    if (!by_name) notes.push_back(format("the input '{}' of NEW is '{}'", printable(mine[k].name), printable(name)));
    std::erase_if(fresh.inputs, [&](const NamedSource& source) { return source.name == mine[k].name; });
    fresh.inputs.push_back({mine[k].name, loaded(in_type_of(mine[k], *known->second.value))});
  }
}

void admit_later_operators(Graph& graph, std::vector<std::string>& notes) {
  std::set<std::string> told;
  for (Node& node : graph.nodes) {
    const Operator* op = operator_of(graph.opset_import, node);
    const auto stated = graph.opset_import.find(canonical_domain(node.domain));
    if (op == nullptr || node.opset || stated == graph.opset_import.end()) continue;
    if (find_function(graph.opset_import, node) != nullptr) continue;
    const std::int64_t first = op->versions().front().since_version();
    if (stated->second >= first) continue;
    node.opset = first;
    if (told.insert(node.op_type).second)
      notes.push_back(format("{} came with opset {}, but the model states {}: it is taken as version {}",
                             printable(node.op_type), first, stated->second, first));
  }
}

}  // namespace opref::models
