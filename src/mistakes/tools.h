// SPDX-License-Identifier: Apache-2.0
// Of what mistakes are made: calls of a node that says something else, or whose results are computed otherwise.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "mistakes/mistakes.h"
#include "schema/operator.h"
#include "schema/resolve.h"

namespace opref::mistakes {

/// The call as somebody may have taken it; nothing where the mistake cannot be made.
using Made = std::function<std::optional<Call>(const Call&)>;

// The tables, by subject. An operator's mistakes are tried in the order of the tables, and of their rows.

struct Row {
  /// "MaxPool"; of another domain than ai.onnx "openvino.MaxPool".
  std::vector<std::string_view> operators;
  std::string name;
  Made made;
  MistakeKind kind = MistakeKind::misread;
};
using Table = std::vector<Row>;

const Table& windows();         ///< pads, pooling
const Table& products();        ///< convolutions and products of matrices
const Table& quantized();       ///< numbers of few bits, conversions to them
const Table& normalizations();  ///< means and deviations, norms
const Table& elements();        ///< functions of elements, and of all along an axis
const Table& formulas();        ///< the same as the page writes them, each step rounded
const Table& places();          ///< indices, axes, orders, places between pixels, boxes
const Table& sequences();       ///< recurrent networks, attention, signals
const Table& trees();           ///< ensembles of decision trees
const Table& scores();          ///< classifiers of ai.onnx.ml

// Another node.

/// With the attribute of this value; nothing where the version has no such attribute.
Made taken_as_value(std::string_view attribute, AttributeValue value);
/// The same of a literal: an integer, a number or a word.
template <class T>
Made taken_as(std::string_view attribute, T value) {
  if constexpr (std::is_integral_v<T>)
    return taken_as_value(attribute, AttributeValue::of(std::int64_t{value}));
  else if constexpr (std::is_floating_point_v<T>)
    return taken_as_value(attribute, AttributeValue::of(value));
  else
    return taken_as_value(attribute, AttributeValue::of(std::string(value)));
}
/// The list, an attribute or an input of int64.
Call with_list(const Call& call, std::string_view name, const std::vector<std::int64_t>& values);

// Other inputs.

/// Two inputs in each other's place, where both are there.
Made exchanged(std::string_view a, std::string_view b);
/// The input with f of each element, of a type of at most 53 bits, rounded to its type; nothing where it is not there.
std::optional<Call> with_numbers(const Call& call, std::string_view input, const std::function<double(double)>& f);
Made with_each(std::string_view input, double (*f)(double));
/// The input with its element at `source(at)` moved to `at`.
Call with_moved(const Call& call, std::string_view input, const std::function<Dims(const Dims&)>& source);
Call with_flipped(const Call& call, std::string_view input, const std::vector<size_t>& axes);
/// The name of an input that is there with its values, else empty.
std::string_view name_of(const Call& call, size_t input);

// Another formula.

/// A call whose results the kernel computes, of these types where they are given: always, or where the condition holds,
/// or where the call can be taken otherwise.
Made computed_by(Kernel kernel);
Made computed_by(bool (*where)(const Call&), Kernel kernel);
Made computed_by(std::optional<Call> (*made)(const Call&), Kernel kernel, OutputTypes types = nullptr);
/// What such a call's real operator gives: of these outputs, or all that it has.
std::vector<Value> computed_rightly(const Call& call, std::span<const Output> outs);
std::vector<Value> computed_rightly(const Call& call);
std::vector<ValueType> right_types(const Call& call);

/// By the elements of the first input.
bool has_integers(const Call& call);
bool has_floats(const Call& call);

// Tensors.

/// What the call gives in float64 of f of each element of its first input, rounded to the outputs' types: of floats
/// nearest, of integers the type's own number or its limit.
std::vector<Value> through_float64(const Call& call, std::span<const Output> outs, double (*f)(double));

/// f of each element, rounded to the tensor's type.
Tensor of_each(const Tensor& tensor, const std::function<double(double)>& f);
/// The values with f of each element of the first, where the node wants it.
std::vector<Value> with_first(std::vector<Value> values, const std::function<double(double)>& f);
/// The tensor of this type whose element `at` is the original's element `source(at)`; the original has the same dtype.
Tensor read_as(const TensorType& type, const Tensor& tensor, const std::function<Dims(const Dims&)>& source);
Tensor moved(const Tensor& tensor, const std::function<Dims(const Dims&)>& source);
/// With two axes exchanged.
Tensor with_axes_exchanged(const Tensor& tensor, size_t a, size_t b);
/// The tensor's elements in another shape.
Tensor reshaped(const Tensor& tensor, const Dims& shape);
/// Its elements along the axes in reverse order.
Tensor flipped(const Tensor& tensor, const std::vector<size_t>& axes);

}  // namespace opref::mistakes
