// SPDX-License-Identifier: Apache-2.0
// Known misunderstandings that operators share: Operator::mistake's functions. Each gives the call as somebody may have
// taken it, or nothing where the mistake cannot be made; a stated attribute ignored, a list reversed and an optional
// input left out follow from the schema and are not here.
#pragma once

#include <algorithm>
#include <functional>

#include "schema/operator.h"

namespace opref::ops {

// Of any operator: each as a function of what its template names.

/// A literal that can be a template's argument.
template <size_t n>
struct Literal {
  char text[n];
  constexpr Literal(const char (&literal)[n]) { std::copy_n(literal, n, text); }
  constexpr operator std::string_view() const { return {text, n - 1}; }
};

/// With the attribute of this value; nothing where the version has no such attribute.
std::optional<Call> with_attribute_if_any(const Call& call, std::string_view attribute, AttributeValue value);
template <Literal attribute, std::int64_t value>
std::optional<Call> taken_as(const Call& call) {
  return with_attribute_if_any(call, attribute, AttributeValue::of(value));
}
template <Literal attribute, Literal word>
std::optional<Call> taken_for(const Call& call) {
  return with_attribute_if_any(call, attribute, AttributeValue::of(std::string(std::string_view(word))));
}

/// Two inputs in each other's place, where both are there.
std::optional<Call> with_inputs_exchanged(const Call& call, std::string_view a, std::string_view b);
template <Literal a, Literal b>
std::optional<Call> exchanged(const Call& call) {
  return with_inputs_exchanged(call, a, b);
}

/// The input with f of each element, of a type of at most 53 bits, rounded to its type; nothing where it is not there.
std::optional<Call> with_numbers(const Call& call, std::string_view input, const std::function<double(double)>& f);
template <Literal input, double (*f)(double)>
std::optional<Call> with_each(const Call& call) {
  return with_numbers(call, input, f);
}

/// The call as one of an operator that has this kernel instead, and these output types, where given; how numbers are
/// worked out is not part of it.
Call with_kernel(const Call& call, Kernel kernel, OutputTypes types = nullptr);
/// What such a call's real operator gives.
std::vector<Value> computed_rightly(const Call& call, std::span<const Output> outs);
template <std::optional<Call> (*made)(const Call&), Kernel kernel, OutputTypes types = nullptr>
std::optional<Call> computed_by(const Call& call) {
  const std::optional<Call> taken = made(call);
  return taken ? std::optional(with_kernel(*taken, kernel, types)) : std::nullopt;
}

/// The call itself, or where the elements of the first input are such: to be computed otherwise.
std::optional<Call> as_it_is(const Call& call);
std::optional<Call> if_integers(const Call& call);
std::optional<Call> if_floats(const Call& call);

/// The first output with f of each element, where the node wants it; the others as they are.
std::vector<Value> with_first(std::vector<Value> values, const std::function<double(double)>& f);

/// The tensor with its elements along the axes in reverse order.
Tensor flipped(const Tensor& tensor, const std::vector<size_t>& axes);
/// The tensor of this type whose element `at` is the original's element `source(at)`; the original has the same dtype.
Tensor read_as(const TensorType& type, const Tensor& tensor, const std::function<Dims(const Dims&)>& source);

/// Indices below 0 as if they were 0.
std::optional<Call> negative_indices_as_zero(const Call& call);
/// e^x beyond the type's range is Inf or 0: the greatest element is not subtracted first. Of the first input.
std::optional<Call> exponentials_overflow(const Call& call);
/// NaN passed over in every input, of the greatest or least of them.
std::optional<Call> nan_passed_over_by_greatest(const Call& call);
std::optional<Call> nan_passed_over_by_least(const Call& call);

// Of `pads`, an attribute or input, or of `pads_begin` and `pads_end`, whichever the operator has.

/// Begins and ends exchanged.
std::optional<Call> pads_swapped(const Call& call);
/// `pads` as [x1_begin, x1_end, x2_begin, …].
std::optional<Call> pads_by_axis(const Call& call);
/// `pads_begin` and `pads_end`, both.
std::optional<Call> both_pads_ignored(const Call& call);

/// SAME_LOWER for SAME_UPPER, which is also taken for what is neither.
std::optional<Call> odd_pad_on_other_side(const Call& call);

/// In the first input, of the greatest elements: NaN as if it were less than every number.
std::optional<Call> nan_passed_over(const Call& call);

/// Those of `pads`, and of `pads_begin` and `pads_end`, with SAME_*'s.
std::vector<Mistake> padding_mistakes();
std::vector<Mistake> openvino_padding_mistakes();

// Of convolutions: the data are the first input, the kernels W, w or the second, the bias, where there is one, B.

/// Of quantized data: padding is an element 0, from which the zero point is subtracted.
std::optional<Call> padding_stored_as_zero(const Call& call);

/// Along all spatial axes.
std::optional<Call> kernel_flipped(const Call& call);
/// The last two spatial ones.
std::optional<Call> kernel_axes_exchanged(const Call& call);
/// The two before the spatial ones.
std::optional<Call> kernel_channels_exchanged(const Call& call);
/// Group g's channels get element g.
std::optional<Call> bias_per_group(const Call& call);
std::optional<Call> bias_of_first_group(const Call& call);

std::vector<Mistake> kernel_mistakes();
std::vector<Mistake> bias_mistakes();
/// Those of padding, kernels and biases.
std::vector<Mistake> convolution_mistakes();

/// In the order of the definition: the bias, then channels, then taps.
TermOrder convolution_order(const Call& call);

/// The tensor whose element `at` is the original's element `source(at)`.
Tensor moved(const Tensor& tensor, const std::function<Dims(const Dims&)>& source);

// A known mistake of convolutions: numpy's product with a w_scale of shape [1,M,1,1], which is right for images alone.
// It scales the axis before the last two, and adds one where the data are signals.

/// The call where w_scale has several numbers and the data are no images.
std::optional<Call> if_no_image(const Call& call);
std::vector<ValueType> types_as_image(const Call& call);
std::vector<Value> scaled_as_image(const Call& call, std::span<const Output> outs);

}  // namespace opref::ops
