// An operator: its versions, its readings, the types of its outputs and its kernel.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "spec/call.h"
#include "spec/op_schema.h"

namespace opref {

/// A named choice where the specification is ambiguous or contradicts its own published data.
struct Reading {
  std::string_view name;                       ///< "max_unpool.index_space"
  std::vector<std::string_view> alternatives;  ///< all of them, the default among them
  /// The default in force from each since_version on, ascending.
  std::vector<std::pair<std::int64_t, std::string_view>> defaults;
  std::string_view reason;  ///< one line: why this default
  std::string_view link;
  /// Whether another alternative can change this call's result; cheap: shapes and attributes, at most one look at
  /// values.
  bool (*may_matter)(const Call&);
  /// For an alternative that decides by the values ("auto"): the alternative that it stands for in this call. May be
  /// null.
  std::string_view (*stands_for)(const Call&) = nullptr;
};

std::string_view default_of(const Reading& reading, std::int64_t since_version);

/// What an operator says of a call beside its result.
struct Note {
  enum class Level : std::uint8_t {
    resolved,  ///< the value in force of an attribute whose default or automatic value depends on the call (`infer`)
    note,      ///< something that a reader of the node may not expect (`infer`)
    warning,   ///< something that is probably a mistake (always said)
  } level;
  std::string subject;  ///< the attribute or input
  std::string text;     ///< its value, or the sentence
};

class Operator {
 public:
  Operator(std::string_view domain, std::string_view op_type) : domain_(domain), op_type_(op_type) {}

  // Building. Texts are literals.
  Operator summary(std::string_view text) &&;
  Operator link(std::string_view url) &&;
  /// How the page classes it: ONNX's support level ("support level COMMON"), OpenVINO's category.
  Operator category(std::string_view text) &&;
  /// The version that came with opset `since_version`, as a change to the one before it; ascending.
  Operator version(std::int64_t since_version, const std::function<void(OpSchema&)>& change) &&;
  Operator reading(Reading reading) &&;
  /// Types of all outputs; every rule that needs no tensor values is checked here.
  Operator output_types(std::vector<TensorType> (*function)(const Call&)) &&;
  /// The outputs' values, given their types.
  Operator kernel(std::vector<Tensor> (*function)(const Call&, std::span<const TensorType>)) &&;
  /// Notes on a call that output_types accepted.
  Operator notes(std::vector<Note> (*function)(const Call&)) &&;

  std::string_view domain() const { return domain_; }
  std::string_view op_type() const { return op_type_; }
  std::string_view summary() const { return summary_; }
  std::string_view link() const { return link_; }
  std::string_view category() const { return category_; }
  const std::vector<OpSchema>& versions() const { return versions_; }
  const std::vector<Reading>& readings() const { return readings_; }

  /// The newest version <= opset. An opset below the first version is `invalid`.
  const OpSchema& schema_for(std::int64_t opset) const;
  std::vector<TensorType> output_types(const Call& call) const { return output_types_(call); }
  std::vector<Tensor> kernel(const Call& call, std::span<const TensorType> types) const { return kernel_(call, types); }
  std::vector<Note> notes(const Call& call) const { return notes_ ? notes_(call) : std::vector<Note>{}; }

 private:
  std::string_view domain_, op_type_, summary_, link_, category_;
  std::vector<OpSchema> versions_;
  std::vector<Reading> readings_;
  std::vector<TensorType> (*output_types_)(const Call&) = nullptr;
  std::vector<Tensor> (*kernel_)(const Call&, std::span<const TensorType>) = nullptr;
  std::vector<Note> (*notes_)(const Call&) = nullptr;
};

}  // namespace opref
