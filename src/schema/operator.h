// SPDX-License-Identifier: Apache-2.0
// An operator: its versions, its readings, the types of its outputs, its kernel, and all else that is known of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"
#include "schema/call.h"
#include "schema/op_schema.h"
#include "schema/output.h"
#include "schema/reading.h"

namespace opref::schema {

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
inline Note resolved(std::string_view subject, std::string value) {
  return {Note::Level::resolved, std::string(subject), std::move(value)};
}
inline Note remark(std::string_view subject, std::string sentence) {
  return {Note::Level::note, std::string(subject), std::move(sentence)};
}
inline Note warning(std::string_view subject, std::string sentence) {
  return {Note::Level::warning, std::string(subject), std::move(sentence)};
}

using OutputTypes = std::vector<ValueType> (*)(const Call&);
using Kernel = std::vector<Value> (*)(const Call&, std::span<const Output>);

/// Of a call whose outputs are random: what they are, those `given` being what somebody drew; null is one that is not
/// given. An `invalid` error says which rule they break: that they are none that a right generator gives, or such as it
/// gives once in 10^9. They have the types of output_types.
using Drawn = std::vector<Value> (*)(const Call&, std::span<const Output>, std::span<const Tensor* const> given);

/// Values of inputs that look at the node which takes them.
struct OwnGenerator {
  std::string_view name;  ///< "ties": after the type in NAME=TYPE:ties, and the "fill" of cases and recipes
  std::string_view text;  ///< what it gives, for `opref ops`
  /// The values of the formal input, by a stream of its own. The types of all inputs are known, and output_types
  /// accepts them. Element i depends on the stream, i, and the call's attributes and types. What it has no values for
  /// is a `usage` error.
  Tensor (*values)(const Call& types, std::string_view input, const Random&);
};

/// A name in the names of golden cases.
struct ShortName {
  std::string_view name;  ///< of an attribute, an input or a generator; or "ceil_mode=1", in lower case
  std::string_view text;  ///< instead of it: "k" before the value; empty: nothing is said
};

/// Another operator whose rules an operator takes under its own names.
struct Original {
  std::string_view domain, op_type;
  std::int64_t opset;
  /// Of attributes, inputs and outputs: its own name, and the original's; "" where the original has none and does
  /// without. What is not named here is called alike in both. Outputs of the original that have no name here are
  /// dropped, the others are its first ones; an input may be an attribute of the original.
  std::vector<std::pair<std::string_view, std::string_view>> names = {};
  /// Attributes of the original alone, which are the same for each node.
  std::vector<std::pair<std::string_view, AttributeValue>> always = {};

  std::string_view there(std::string_view here) const;
  std::string_view here(std::string_view there) const;
};

/// What a node of an operator says in the words of its original.
struct Restated {
  std::vector<Attribute> attributes;
  std::vector<Input> inputs;  ///< those of the original, in its order; one that is omitted has no name

  void set(std::string_view attribute, AttributeValue value);
  void remove(std::string_view attribute);
};

/// The order of an element's terms.
struct TermOrder {
  bool bias_first = true;     ///< a term that is no product comes before the products; else after them
  std::int64_t channels = 1;  ///< of a convolution, per group: its products are in the order channels, taps
  std::int64_t taps = 1;      ///< of a whole window
};

/// What says how many variadic outputs a node has: the number of elements of one attribute or input, or the integer
/// that another attribute is; or the number of outputs of a graph, beyond the first ones, which are the operator's own.
struct OutputCount {
  std::string_view elements_of = {}, attribute = {}, outputs_of = {};
  size_t beyond = 0;
};

class Operator;

/// An operator in the version that an opset has in force.
struct Version {
  const Operator& op;
  const OpSchema& schema;
  std::int64_t opset;
};

class Operator {
 public:
  Operator(std::string_view domain, std::string_view op_type);
  Operator(const Operator& other);
  Operator(Operator&& other) noexcept;
  Operator& operator=(Operator&& other) noexcept;
  ~Operator();

  // Building. Texts are literals.
  Operator summary(std::string_view text) &&;
  /// OpenVINO's page, "pooling/avg-pool-14": where it is, and the category in which it stands.
  Operator page(std::string_view page) &&;
  /// How the page classes it: ONNX's support level, OpenVINO's category. Those of ai.onnx are "support level COMMON"
  /// where nothing else is said, and their page is that of onnx.ai.
  Operator category(std::string_view text) &&;
  /// The version that came with opset `since_version`, as a change to the one before it; ascending.
  Operator version(std::int64_t since_version, const VersionChange& change) &&;
  /// The same of a version with several changes, one after the other.
  Operator version(std::int64_t since_version, const VersionChange& first, const VersionChange& second) &&;
  /// An alternative is written "NAME: MEANING".
  Operator reading(Reading reading) &&;
  /// Those that several operators list.
  Operator readings(std::vector<Reading> readings) &&;
  /// Everything but versions, names and texts is another operator's, in the version of that opset: readings too, with
  /// the defaults of that version. The original may be of any domain; it has rules of its own.
  Operator as(std::string_view domain, std::string_view op_type, std::int64_t opset,
              std::vector<std::pair<std::string_view, std::string_view>> names = {},
              std::vector<std::pair<std::string_view, AttributeValue>> always = {}) &&;
  /// Beside `as`, where more than names differ: checks the operator's own rules, and changes what the original gets.
  /// Where only types are known, values are missing. Readings of the operator's own may go with it.
  Operator restated(void (*function)(const Call&, Restated&)) &&;
  /// Beside `as`: the original's int64 output has the type, i32 or i64, that the attribute names.
  Operator index_type(std::string_view output, std::string_view attribute) &&;
  /// Types of all outputs; every rule that needs no tensor values is checked here.
  Operator output_types(OutputTypes function) &&;
  /// Which elements meet in an output element, as far as readings decide it: pads in force, sizes. Readings that change
  /// neither this nor the types nor, by their own word, values have no effect. Not given: nothing.
  Operator placement(std::vector<Dims> (*function)(const Call&)) &&;
  /// What says how many outputs a node has where nothing names them. Not given: one.
  Operator outputs_counted_by(const OutputCount& count) &&;
  /// The values of the node's outputs, in order. Those that nobody wants may be missing at the end, or be Value{},
  /// which evaluators give for them.
  Operator kernel(Kernel function) &&;
  /// The kernel asks for no input's values (Shape, Size): `infer` evaluates it by types.
  Operator needs_types_alone() &&;
  /// Instead of a kernel, where the specification determines no values: what `run` says.
  Operator undetermined(std::string_view why) &&;
  /// Beside `undetermined`, or a kernel that refuses the calls for which `draws` holds; null: it holds for each.
  Operator drawn(Drawn function, bool (*draws)(const Call&) = nullptr) &&;
  /// Notes on a call that output_types accepted.
  Operator notes(std::vector<Note> (*function)(const Call&)) &&;
  Operator generator(std::string_view name, std::string_view text,
                     Tensor (*values)(const Call&, std::string_view, const Random&)) &&;
  /// Others are the attribute's or input's own.
  Operator short_names(const std::vector<ShortName>& names) &&;
  /// Not given: {}.
  Operator order(TermOrder (*function)(const Call&)) &&;

  std::string_view domain() const { return domain_; }
  std::string_view op_type() const { return op_type_; }
  std::string_view summary() const { return summary_; }
  std::string_view link() const { return link_; }
  std::string_view category() const { return category_; }
  const std::vector<OpSchema>& versions() const { return versions_; }
  const std::vector<Reading>& readings() const { return readings_; }
  const std::vector<OwnGenerator>& generators() const { return generators_; }
  /// The operator whose rules this one takes, if it was built with `as`.
  const std::optional<Original>& original() const { return original_; }
  /// Once, by whoever knows all operators. That the two do not fit is a bug.
  void set_original(const Operator& original);
  /// Null where it has none of this name.
  const OwnGenerator* find_generator(std::string_view name) const;
  /// The short name of an attribute, input or generator; nothing where it has none.
  std::optional<std::string_view> short_name(std::string_view name) const;

  /// The types that a type variable of `schema`, one of the versions, can be: in the order in which versions brought
  /// them.
  std::vector<std::string> type_names(const OpSchema& schema, std::string_view variable) const;
  /// The newest version <= opset. An opset below the first version is `invalid`.
  const OpSchema& schema_for(std::int64_t opset) const;
  Version at(std::int64_t opset) const;
  std::vector<ValueType> output_types(const Call& call) const;
  std::vector<Dims> placement(const Call& call) const;
  bool has_kernel() const { return kernel_ != nullptr || (rules_ != nullptr && rules_->has_kernel()); }
  bool takes_types_alone() const { return needs_types_alone_; }
  bool may_draw() const { return drawn_ != nullptr; }
  /// Whether the call's outputs are random, and `drawn` knows what can be known of them.
  bool draws(const Call& call) const { return drawn_ != nullptr && (draws_ == nullptr || draws_(call)); }
  std::vector<Value> drawn(const Call& call, std::span<const Output> outs, std::span<const Tensor* const> given) const {
    return drawn_(call, outs, given);
  }
  /// An operator without a kernel is `unsupported`.
  std::vector<Value> kernel(const Call& call, std::span<const Output> outs) const;
  /// The outputs that the node names.
  std::vector<Value> kernel(const Call& call, std::span<const ValueType> types) const {
    return kernel(call, outputs_of(call, types));
  }
  std::vector<Note> notes(const Call& call) const;
  const std::optional<OutputCount>& output_count() const { return output_count_; }
  TermOrder order(const Call& call) const;
  /// The call as the rules see it: the original's, or itself where the operator has rules of its own.
  Call of_original(const Call& call) const;

 private:
  std::vector<Value> kernel_of_original(const Call& call, std::span<const Output> outs) const;
  bool is_narrow_index(const Call& call, size_t output) const;

  std::string_view domain_, op_type_, summary_;
  std::string category_, link_;
  std::vector<OpSchema> versions_;
  std::vector<Reading> readings_;
  OutputTypes output_types_ = nullptr;
  std::vector<Dims> (*placement_)(const Call&) = nullptr;
  Kernel kernel_ = nullptr;
  bool needs_types_alone_ = false;
  std::string_view undetermined_ = "it has no kernel";
  Drawn drawn_ = nullptr;
  bool (*draws_)(const Call&) = nullptr;
  std::vector<Note> (*notes_)(const Call&) = nullptr;
  std::optional<OutputCount> output_count_;
  std::vector<OwnGenerator> generators_;
  std::vector<ShortName> short_names_;
  TermOrder (*order_)(const Call&) = nullptr;
  std::optional<Original> original_;
  void (*restated_)(const Call&, Restated&) = nullptr;
  std::vector<std::pair<std::string_view, std::string_view>> index_types_;  ///< output, attribute
  std::shared_ptr<const OpSchema> widened_;  ///< the original's schema, with the types of the operator too
  const Operator* rules_ = nullptr;          ///< the original, once it is known
};

}  // namespace opref::schema
