#include "spec/call.h"

#include <algorithm>

#include "core/error.h"
#include "spec/operator.h"

namespace opref {

std::string Call::title() const { return format("{}-{}", op_->op_type(), version()); }

const AttributeValue& Call::attribute(std::string_view name) const {
  const auto found = attributes_.find(name);
  if (found == attributes_.end()) fail(Fault::internal, "{} was asked for its attribute '{}'", title(), name);
  return found->second;
}

bool Call::has(std::string_view attribute) const { return attributes_.find(attribute) != attributes_.end(); }

bool Call::stated(std::string_view attribute) const { return std::ranges::find(stated_, attribute) != stated_.end(); }

std::int64_t Call::integer(std::string_view name) const { return std::get<std::int64_t>(attribute(name).value); }
float Call::number(std::string_view name) const { return std::get<float>(attribute(name).value); }
const std::string& Call::string(std::string_view name) const { return std::get<std::string>(attribute(name).value); }
const std::vector<std::int64_t>& Call::integers(std::string_view name) const {
  return std::get<std::vector<std::int64_t>>(attribute(name).value);
}

const CallInput* Call::find_input(std::string_view name) const {
  const auto& formal = schema_->inputs();
  const auto found = std::ranges::find(formal, name, &FormalParameter::name);
  if (found == formal.end()) fail(Fault::internal, "{} was asked for its input '{}'", title(), name);
  const auto index = static_cast<size_t>(found - formal.begin());
  return index < inputs_.size() && !inputs_[index].name.empty() ? &inputs_[index] : nullptr;
}

size_t Call::place_of_word(std::string_view attribute) const {
  const std::vector<std::string_view>& words = schema_->find_attribute(attribute)->range.words;
  const auto found = std::ranges::find(words, string(attribute));
  if (found == words.end()) fail(Fault::internal, "{} has no words for its attribute '{}'", title(), attribute);
  return static_cast<size_t>(found - words.begin());
}

bool Call::has_input(std::string_view name) const { return find_input(name) != nullptr; }

bool Call::has_value(std::string_view name) const {
  const CallInput* input = find_input(name);
  return input != nullptr && input->value.has_value();
}

const TensorType& Call::type(std::string_view name) const {
  const CallInput* input = find_input(name);
  if (input == nullptr) fail(Fault::internal, "{} has no input '{}' here", title(), name);
  return input->type;
}

const Tensor& Call::input(std::string_view name) const {
  const CallInput* input = find_input(name);
  if (input == nullptr) fail(Fault::internal, "{} has no input '{}' here", title(), name);
  if (!input->value)
    fail(Fault::usage, "{} needs the values of {}: give {}=FILE", title(), name, printable(input->name));
  return *input->value;
}

const std::vector<std::string>& Call::denotation(std::string_view name) const {
  static const std::vector<std::string> none;
  const CallInput* input = find_input(name);
  return input == nullptr ? none : input->denotation;
}

std::string_view Call::reading(std::string_view name) const {
  if (const auto selected = selected_.find(name); selected != selected_.end()) return selected->second;
  const auto found = std::ranges::find(op_->readings(), name, &Reading::name);
  if (found == op_->readings().end()) fail(Fault::internal, "{} was asked for the reading '{}'", title(), name);
  return default_of(*found, version());
}

bool Call::reading_selected(std::string_view name) const { return selected_.find(name) != selected_.end(); }

Call Call::with_reading(std::string_view name, std::string_view alternative) const {
  Call call = *this;
  call.selected_.insert_or_assign(std::string(name), std::string(alternative));
  call.numerics_.stats = nullptr;
  return call;
}

}  // namespace opref
