// SPDX-License-Identifier: Apache-2.0
#include "symbols/open_inputs.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "symbols/free_sizes.h"

namespace opref::symbols {
namespace {

constexpr size_t kMostSymbols = 8;

/// One size of an input: a number or a symbol.
using StatedSize = std::variant<std::int64_t, std::string>;

class Taker {
 public:
  explicit Taker(Bound& bound) : bound_(bound), free_(free_sizes(bound.graph)) {}

  OpenInputs take() {
    for (NamedSource& source : bound_.inputs) take_stated(source);
    if (std::ranges::any_of(bound_.graph.inputs, [&](const ValueInfo& info) { return is_free(info); })) {
      for (const NamedSource& source : bound_.inputs) learn(source);
      for (const ValueInfo& info : bound_.graph.inputs)
        if (is_free(info)) take_declared(info);
    }
    if (taken_.symbols.size() > kMostSymbols)
      fail(Fault::usage, "{} sizes are symbols, and at most {} may be: give numbers for some ({})",
           taken_.symbols.size(), kMostSymbols,
           join_some(taken_.symbols, ", ", 16, [](const NamedSymbol& symbol) { return symbol.name; }));
    return std::move(taken_);
  }

 private:
  const NamedSource* given(const std::string& name) const {
    const auto found = std::ranges::find(bound_.inputs, name, &NamedSource::name);
    return found == bound_.inputs.end() ? nullptr : &*found;
  }

  /// Whether nothing is bound to it, and the graph does not say all sizes.
  bool is_free(const ValueInfo& info) const {
    return info.form == Form::tensor && info.dtype && info.dims && given(info.name) == nullptr && is_read(info.name) &&
           std::ranges::any_of(*info.dims, [](const DeclaredDim& dim) { return !dim.size; });
  }

  bool is_read(const std::string& name) const {
    return std::ranges::any_of(bound_.graph.nodes, [&](const Node& node) { return names_read(node).contains(name); }) ||
           std::ranges::find(bound_.graph.outputs, name, &ValueInfo::name) != bound_.graph.outputs.end();
  }

  Expression symbol(const std::string& name, const std::string& input, size_t axis) {
    const auto known = std::ranges::find(taken_.symbols, name, &NamedSymbol::name);
    const auto place = static_cast<size_t>(known - taken_.symbols.begin());
    if (known == taken_.symbols.end()) taken_.symbols.push_back({name, input, axis});
    return Expression::symbol(name, place);
  }

  /// The input's type from now on; its symbols have a size that the graph allows.
  void know(NamedSource& source, const std::vector<StatedSize>& sizes) {
    OpenInput& open = taken_.inputs.emplace_back(OpenInput{source.name, source.source.dtype.value(), {}});
    const ValueInfo* info = declaration(bound_.graph, source.name);
    Dims shape;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      const auto* number = std::get_if<std::int64_t>(&sizes[axis]);
      open.sizes.push_back(number != nullptr ? Expression::number(*number)
                                             : symbol(std::get<std::string>(sizes[axis]), source.name, axis));
      const bool is_declared = info != nullptr && info->dims && info->dims->size() == sizes.size();
      shape.push_back(number != nullptr ? *number : is_declared ? (*info->dims)[axis].size.value_or(1) : 1);
    }
    source.source.shape = shape;
    source.source.from = TensorSource::Type{};
  }

  void take_stated(NamedSource& source) {
    const std::vector<DeclaredDim>* open = source.source.open_shape();
    if (open == nullptr) return;
    std::vector<StatedSize> sizes;
    for (size_t axis = 0; axis < open->size(); ++axis) {
      const DeclaredDim& dim = (*open)[axis];
      if (dim.size)
        sizes.emplace_back(*dim.size);
      else
        sizes.emplace_back(dim.symbol.empty() ? own_name(source.name, axis) : dim.symbol);
    }
    learn(source.name, sizes);
    know(source, sizes);
  }

  /// "x_0", as free_sizes names an axis that has no name.
  static std::string own_name(const std::string& input, size_t axis) {
    Graph graph;
    ValueInfo& info =
        graph.inputs.emplace_back(ValueInfo{input, "", DType::float32, std::vector<DeclaredDim>(axis + 1)});
    for (size_t i = 0; i < axis; ++i) (*info.dims)[i].size = 1;
    return free_sizes(graph).front().symbol;
  }

  /// What the names that the graph declares for the axes of an input mean.
  void learn(const std::string& input, std::span<const StatedSize> sizes) {
    for (const FreeSize& size : free_)
      for (const FreeSize::Place& place : size.places)
        if (place.input == input && place.axis < sizes.size()) {
          const auto [known, is_new] = meaning_.emplace(size.symbol, sizes[place.axis]);
          if (!is_new && known->second != sizes[place.axis]) ambiguous_.insert(size.symbol);
        }
  }

  void learn(const NamedSource& source) {
    const ValueInfo* info = declaration(bound_.graph, source.name);
    const bool is_taken = std::ranges::find(taken_.inputs, source.name, &OpenInput::name) != taken_.inputs.end();
    if (is_taken || info == nullptr || !info->dims) return;
    std::optional<Dims> shape = source.source.shape;
    if (!shape && source.source.literal() != nullptr) shape = source.source.literal()->shape;
    const auto* file = source.source.file();
    if (!shape && file != nullptr && file->path != "-") {
      const LoadedTensor loaded = io::load(source.source, bound_.options.max_bytes);
      if (const Tensor* tensor = loaded.value.tensor()) shape = tensor->shape();
    }
    if (shape) learn(source.name, std::vector<StatedSize>(shape->begin(), shape->end()));
  }

  void take_declared(const ValueInfo& info) {
    std::vector<StatedSize> sizes;
    for (size_t axis = 0; axis < info.dims->size(); ++axis) {
      if (const auto& size = (*info.dims)[axis].size)
        sizes.emplace_back(*size);
      else
        sizes.push_back(meaning_of(info.name, axis));
    }
    NamedSource source{info.name, {}};
    source.source.dtype = info.dtype;
    if (std::ranges::all_of(sizes, [](const StatedSize& size) { return size.index() == 0; })) return;  // as declared
    know(bound_.inputs.emplace_back(std::move(source)), sizes);
  }

  StatedSize meaning_of(const std::string& input, size_t axis) const {
    for (const FreeSize& size : free_)
      for (const FreeSize::Place& place : size.places) {
        if (place.input != input || place.axis != axis) continue;
        const auto known = meaning_.find(size.symbol);
        if (known != meaning_.end() && !ambiguous_.contains(size.symbol)) return known->second;
        return size.symbol;
      }
    return std::int64_t{1};
  }

  Bound& bound_;
  const std::vector<FreeSize> free_;
  OpenInputs taken_;
  std::map<std::string, StatedSize, std::less<>> meaning_;  ///< of the graph's names
  std::set<std::string, std::less<>> ambiguous_;
};

}  // namespace

OpenInputs take_open_inputs(Bound& bound) { return Taker(bound).take(); }

}  // namespace opref::symbols
