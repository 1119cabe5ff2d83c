// SPDX-License-Identifier: Apache-2.0
#include "schema/call.h"

#include <algorithm>
#include <concepts>

#include "core/error.h"
#include "exact/rounding.h"
#include "schema/double_attributes.h"
#include "schema/operator.h"
#include "schema/remedies.h"

namespace opref::schema {
namespace {

std::int64_t integer_element(const Tensor& tensor, std::int64_t index, std::string_view name) {
  const DTypeInfo& type = info(tensor.dtype());
  const std::uint64_t bits = element_bits(tensor, index);
  const bool is_signed = type.kind == Kind::signed_integer;
  require(is_signed || bits <= INT64_MAX, "{} has the value {}, which does not fit into int64", name, bits);
  const int unused = is_signed ? 64 - type.bits : 0;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

bool has_input(const OpSchema& schema, std::string_view name) {
  return std::ranges::find(schema.inputs(), name, &FormalParameter::name) != schema.inputs().end();
}

bool same_value(const AttributeValue& a, const AttributeValue& b) {
  if (a.type != b.type || a.value.index() != b.value.index()) return false;
  return std::visit(
      [&]<class T>(const T& value) {
        const T& other = std::get<T>(b.value);
        if constexpr (std::is_same_v<T, Tensor>)
          return same_bits(value, other);
        else if constexpr (std::equality_comparable<T>)
          return value == other;
        else
          return true;  // of unknown content, which nobody changes
      },
      a.value);
}

bool same_input(const Input& a, const Input& b) {
  if (a.name.empty() || b.name.empty()) return a.name.empty() && b.name.empty();
  if (a.type != b.type || a.value.has_value() != b.value.has_value()) return false;
  return !a.value || same_bits(*a.value, *b.value);
}

}  // namespace

Call::Call() = default;
Call::Call(const Call& other) = default;
Call::Call(Call&& other) noexcept = default;
Call& Call::operator=(const Call& other) = default;
Call& Call::operator=(Call&& other) noexcept = default;
Call::~Call() = default;

const Tensor& Input::tensor() const {
  if (!value) fail(Fault::usage, "'{}' has no value", printable(name));
  if (value->tensor() == nullptr) fail(Fault::unsupported, "'{}' is no tensor", printable(name));
  return *value->tensor();
}

const TensorType& Input::tensor_type() const {
  if (type.form != Form::tensor) fail(Fault::unsupported, "'{}' is no tensor", printable(name));
  if (!type.has_shape) fail(Fault::usage, "the shape of '{}' is not known: values decide it", printable(name));
  return type.tensor;
}

std::vector<Tensor> tensors_of(std::span<const Value> values) {
  std::vector<Tensor> tensors;
  for (const Value& value : values) {
    if (value.tensor() == nullptr) fail(Fault::unsupported, "a value is no tensor");
    tensors.push_back(*value.tensor());
  }
  return tensors;
}

std::string Call::title() const {
  return spoken_op_ == nullptr ? format("{}-{}", op_->op_type(), version())
                               : format("{}-{}", spoken_op_->op_type(), spoken_schema_->since_version());
}

void Call::stand_for(const Call& call) {
  spoken_op_ = call.op_;
  spoken_schema_ = call.schema_;
  selected_ = call.selected_;
  numerics_ = call.numerics_;
  subgraphs_ = call.subgraphs_;
  room_ = call.room_;
}

std::string_view Call::name(std::string_view formal) const {
  return spoken_op_ == nullptr ? formal : spoken_op_->original()->here(formal);
}

const AttributeValue& Call::attribute(std::string_view name) const {
  const auto found = attributes_.find(name);
  if (found == attributes_.end()) fail(Fault::internal, "{} was asked for its attribute '{}'", title(), name);
  return found->second;
}

bool Call::has_here(std::string_view name) const {
  return attributes_.find(name) != attributes_.end() || (has_input(*schema_, name) && find_input(name) != nullptr);
}

bool Call::has(std::string_view name) const {
  if (has_here(name)) return true;
  const bool is_known = std::ranges::any_of(op_->versions(), [&](const OpSchema& version) {
    return version.find_attribute(name) != nullptr || has_input(version, name);
  });
  if (!is_known) fail(Fault::internal, "{} was asked for '{}', which no version of it has", title(), name);
  return false;
}

bool Call::stated(std::string_view attribute) const { return std::ranges::find(stated_, attribute) != stated_.end(); }

const Tensor& Call::single_element(std::string_view name) const {
  const Tensor& tensor = input(name);
  require(tensor.count() == 1, "{} has shape {}, but must have one element", this->name(name), tensor.shape());
  return tensor;
}

std::int64_t Call::integer(std::string_view name) const {
  if (const auto found = attributes_.find(name); found != attributes_.end())
    return std::get<std::int64_t>(found->second.value);
  return integer_element(single_element(name), 0, this->name(name));
}

namespace {

/// Another operator, whose rules this one's are, has rounded them where it was to.
bool rounds_attributes(const Call& call) {
  const auto& readings = call.op().readings();
  return std::ranges::find(readings, kAttributeDouble, &Reading::name) != readings.end() &&
         call.reading(kAttributeDouble) != "double";
}

}  // namespace

double Call::number(std::string_view name) const {
  if (const auto found = attributes_.find(name); found != attributes_.end()) {
    const auto both = in_both_types(found->second);
    if (!both) return std::get<float>(found->second.value);
    return rounds_attributes(*this) ? both->nearest : both->exact;
  }
  return floating_element(single_element(name), 0);
}

const std::string& Call::string(std::string_view name) const {
  if (const auto found = attributes_.find(name); found != attributes_.end())
    return std::get<std::string>(found->second.value);
  return single_element(name).strings()[0];
}

std::vector<std::int64_t> Call::integers(std::string_view name) const {
  if (const auto found = attributes_.find(name); found != attributes_.end())
    return std::get<std::vector<std::int64_t>>(found->second.value);
  const Tensor& tensor = input(name);
  if (tensor.dtype() == DType::int64) {
    const auto all = tensor.values<std::int64_t>();
    return {all.begin(), all.end()};
  }
  const std::string_view own_name = this->name(name);
  std::vector<std::int64_t> list;
  list.reserve(static_cast<size_t>(tensor.count()));
  for (std::int64_t i = 0; i < tensor.count(); ++i) list.push_back(integer_element(tensor, i, own_name));
  return list;
}

const Tensor& Call::tensor(std::string_view name) const { return std::get<Tensor>(attribute(name).value); }

const SparseTensor& Call::sparse_tensor(std::string_view name) const {
  return std::get<SparseTensor>(attribute(name).value);
}

const Graph& Call::graph(std::string_view name) const {
  return *std::get<std::shared_ptr<const Graph>>(attribute(name).value);
}

const ValueType& Call::stated_type(std::string_view name) const { return std::get<ValueType>(attribute(name).value); }

std::vector<float> Call::numbers(std::string_view name) const {
  return std::get<std::vector<float>>(attribute(name).value);
}

const std::vector<std::string>& Call::strings(std::string_view name) const {
  return std::get<std::vector<std::string>>(attribute(name).value);
}

size_t Call::axis(std::string_view name, size_t rank) const {
  const std::int64_t axis = integer(name), axes = static_cast<std::int64_t>(rank);
  require(axes > 0, "{} is {}, but a scalar has no axes", this->name(name), axis);
  if (axis < -axes || axis >= axes) [[unlikely]] {
    const AttributeSchema* known =
        (spoken_schema_ == nullptr ? schema_ : spoken_schema_)->find_attribute(this->name(name));
    const auto* standard =
        known != nullptr && known->default_value ? std::get_if<std::int64_t>(&known->default_value->value) : nullptr;
    const bool is_counted_from_end = known == nullptr || known->range != at_least(0);
    fail(Fault::invalid, "{} is {}, {}but must be from {} to {}: the rank is {}", this->name(name), axis,
         standard != nullptr && *standard == axis ? "its default, " : "", is_counted_from_end ? -axes : 0, axes - 1,
         axes);
  }
  return static_cast<size_t>(axis < 0 ? axis + axes : axis);
}

size_t Call::place_of_input(std::string_view name) const {
  const auto& formal = schema_->inputs();
  const auto found = std::ranges::find(formal, name, &FormalParameter::name);
  if (found == formal.end()) fail(Fault::internal, "{} was asked for its input '{}'", title(), name);
  return static_cast<size_t>(found - formal.begin());
}

const Input* Call::find_input(std::string_view name) const {
  const size_t index = place_of_input(name);
  return index < inputs_.size() && !inputs_[index].name.empty() ? &inputs_[index] : nullptr;
}

const Input& Call::given(std::string_view name) const {
  const Input* input = find_input(name);
  if (input == nullptr) fail(Fault::internal, "{} has no input '{}' here", title(), name);
  return *input;
}

size_t Call::place_of_word(std::string_view attribute) const {
  const std::vector<std::string_view>& words = schema_->find_attribute(attribute)->range.words;
  const auto found = std::ranges::find(words, string(attribute));
  if (found == words.end()) fail(Fault::internal, "{} has no words for its attribute '{}'", title(), attribute);
  return static_cast<size_t>(found - words.begin());
}

bool Call::has_value(std::string_view name) const {
  const Input* input = find_input(name);
  return input != nullptr && input->value.has_value();
}

const TensorType& Call::type(std::string_view name) const {
  const ValueType& type = value_type(name);
  if (type.form != Form::tensor) fail(Fault::internal, "{} was asked for the shape of '{}', a {}", title(), name, type);
  if (!type.has_shape) fail(Fault::usage, "{} needs the shape of {}, which values decide", title(), this->name(name));
  return type.tensor;
}

const ValueType& Call::value_type(std::string_view name) const { return given(name).type; }

const Value& Call::value_of(const Input& input, std::string_view formal) const {
  if (!input.value && input.is_computed)
    fail(Fault::usage, "{} needs the values of {}, which are known only once '{}' is computed", title(), name(formal),
         printable(input.name));
  if (!input.value)
    fail(Fault::usage, {kGiveValues, printable(input.name)}, "{} needs the values of {}", title(), name(formal));
  return *input.value;
}

const Value& Call::value(std::string_view name) const { return value_of(given(name), name); }

const Tensor& Call::input(std::string_view name) const { return std::get<Tensor>(value(name)); }
const Sequence& Call::sequence(std::string_view name) const { return std::get<Sequence>(value(name)); }
const Optional& Call::optional(std::string_view name) const { return std::get<Optional>(value(name)); }
const Map& Call::map(std::string_view name) const { return std::get<Map>(value(name)); }

std::span<const Input> Call::inputs(std::string_view variadic) const {
  const auto& formal = schema_->inputs();
  const auto found = std::ranges::find(formal, variadic, &FormalParameter::name);
  if (found == formal.end() || !is_variadic(found->arity))
    fail(Fault::internal, "{} was asked for its variadic input '{}'", title(), variadic);
  const auto first = std::min(static_cast<size_t>(found - formal.begin()), inputs_.size());
  return std::span(inputs_).subspan(first);
}

std::vector<Tensor> Call::tensors() const {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    value_of(inputs_[i], OpSchema::formal(schema_->inputs(), i).name);
    tensors.push_back(inputs_[i].tensor());
  }
  return tensors;
}

bool Call::wants_output(size_t place) const {
  return outputs_.empty() || (place < outputs_.size() && !outputs_[place].empty());
}

bool Call::wants(std::string_view output) const {
  const auto& formal = schema_->outputs();
  const auto found = std::ranges::find(formal, output, &FormalParameter::name);
  if (found == formal.end()) fail(Fault::internal, "{} was asked for its output '{}'", title(), output);
  const auto index = static_cast<size_t>(found - formal.begin());
  return index < outputs_.size() && !outputs_[index].empty();
}

const std::vector<std::string>& Call::denotation(std::string_view name) const {
  static const std::vector<std::string> none;
  const Input* input = find_input(name);
  return input == nullptr ? none : input->denotation;
}

void Call::require_room(std::int64_t bytes) const {
  if (bytes > room_)
    fail(Fault::system, kMoreMemory, "{} needs {} for a list of tensors, but the limit leaves {}", title(),
         counted(bytes, "byte"), room_);
}

void Call::drop_values() {
  for (Input& input : inputs_) input.value = {};
}

const Subgraphs& Call::given_subgraphs() const {
  if (subgraphs_ == nullptr) fail(Fault::internal, "{} has nobody to evaluate its subgraphs", title());
  return *subgraphs_;
}

std::vector<ValueType> Call::graph_types(std::string_view name, std::span<const ValueType> inputs) const {
  return at_place([&] { return format("in {}", name); }, [&] { return given_subgraphs().types(graph(name), inputs); });
}

std::vector<ValueType> Call::inferred_graph_types(std::string_view name, std::span<const ValueType> inputs) const {
  return at_place([&] { return format("in {}", name); },
                  [&] { return given_subgraphs().inferred(graph(name), inputs); });
}

std::vector<Value> Call::graph_values(std::string_view name, std::span<const Value> inputs, std::int64_t held) const {
  return at_place([&] { return format("in {}", name); },
                  [&] { return given_subgraphs().values(graph(name), inputs, held); });
}

std::string_view Call::reading(std::string_view name) const {
  if (const auto selected = selected_.find(name); selected != selected_.end()) return selected->second;
  const auto found = std::ranges::find(op_->readings(), name, &Reading::name);
  if (found == op_->readings().end()) fail(Fault::internal, "{} was asked for the reading '{}'", title(), name);
  return default_of(*found, version());
}

bool Call::reads(std::string_view name, std::string_view alternative) const {
  const auto found = std::ranges::find(op_->readings(), name, &Reading::name);
  if (found == op_->readings().end() ||
      std::ranges::find(found->alternatives, alternative) == found->alternatives.end())
    fail(Fault::internal, "{} was asked for the reading {} = {}", title(), name, alternative);
  return reading(name) == alternative;
}

size_t Call::place_of_alternative(std::string_view name) const {
  const std::string_view in_force = reading(name);
  const auto& alternatives = std::ranges::find(op_->readings(), name, &Reading::name)->alternatives;
  const auto found = std::ranges::find(alternatives, in_force);
  return found == alternatives.end() ? 0 : static_cast<size_t>(found - alternatives.begin());
}

bool Call::reading_selected(std::string_view name) const { return selected_.find(name) != selected_.end(); }

bool Call::says_as(const Call& other) const {
  const auto same_attribute = [](const auto& a, const auto& b) {
    return a.first == b.first && same_value(a.second, b.second);
  };
  return std::ranges::equal(attributes_, other.attributes_, same_attribute) &&
         std::ranges::equal(inputs_, other.inputs_, same_input) &&
         std::ranges::all_of(op_->readings(),
                             [&](const Reading& r) { return reading(r.name) == other.reading(r.name); });
}

Call Call::with_reading(std::string_view name, std::string_view alternative) const {
  Call call = *this;
  call.selected_.insert_or_assign(std::string(name), std::string(alternative));
  call.numerics_.stats = nullptr;
  return call;
}

}  // namespace opref::schema
