// One evaluation of one node: everything resolved, everything checked that needs no operator's own rules.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "exact/numerics.h"
#include "spec/op_schema.h"

namespace opref {

class Operator;
struct Reading;

/// One actual input of a node. Without a value only the type is known (`infer`).
struct CallInput {
  std::string name;  ///< the graph's name; empty: omitted
  TensorType type{DType::float32, {}};
  std::optional<Tensor> value;
  std::vector<std::string> denotation;  ///< per axis where value_info states them, else empty
};

/// A node, its operator's version, attributes with defaults filled in, inputs and readings. What operators see.
/// Names are the specification's; asking for one that the schema does not have is a bug (`internal`).
class Call {
 public:
  const Operator& op() const { return *op_; }
  const OpSchema& schema() const { return *schema_; }
  std::int64_t version() const { return schema_->since_version(); }
  /// "MaxUnpool-11"
  std::string title() const;

  /// Whether the attribute has a value: stated, or by the schema's default.
  bool has(std::string_view attribute) const;
  /// Whether the node itself states the attribute.
  bool stated(std::string_view attribute) const;
  /// Values of attributes that `has`.
  std::int64_t integer(std::string_view attribute) const;
  float number(std::string_view attribute) const;
  const std::string& string(std::string_view attribute) const;
  const std::vector<std::int64_t>& integers(std::string_view attribute) const;
  /// Which of its Range's words the attribute is, as the enumerator of that place.
  template <class Enum>
  Enum choice(std::string_view attribute) const {
    return static_cast<Enum>(place_of_word(attribute));
  }

  bool has_input(std::string_view input) const;
  const TensorType& type(std::string_view input) const;
  /// The values; in `infer`, where only the type may be known, a `usage` error "needs the values of output_shape".
  const Tensor& input(std::string_view input) const;
  bool has_value(std::string_view input) const;
  const std::vector<std::string>& denotation(std::string_view input) const;

  /// The alternative in force of one of the operator's readings; empty where this version leaves no choice.
  std::string_view reading(std::string_view name) const;
  /// Whether the user or the case chose it.
  bool reading_selected(std::string_view name) const;
  /// The same call with another alternative; its elements are not counted.
  Call with_reading(std::string_view name, std::string_view alternative) const;

  /// How its numbers are worked out.
  const Numerics& numerics() const { return numerics_; }
  void set_numerics(const Numerics& numerics) { numerics_ = numerics; }

  const std::map<std::string, AttributeValue, std::less<>>& attributes() const { return attributes_; }
  const std::vector<CallInput>& inputs() const { return inputs_; }

 private:
  friend Call resolve(const Operator&, const struct Node&, std::int64_t, std::vector<CallInput>,
                      const std::map<std::string, std::string, std::less<>>&);
  const AttributeValue& attribute(std::string_view name) const;
  size_t place_of_word(std::string_view attribute) const;
  const CallInput* find_input(std::string_view name) const;

  const Operator* op_ = nullptr;
  const OpSchema* schema_ = nullptr;
  std::map<std::string, AttributeValue, std::less<>> attributes_;
  std::vector<std::string> stated_;
  std::vector<CallInput> inputs_;
  std::map<std::string, std::string, std::less<>> selected_;  // readings that were chosen
  Numerics numerics_;
};

}  // namespace opref
