// SPDX-License-Identifier: Apache-2.0
// Attributes that have one value per spatial axis, shared by pooling and convolution operators.
#pragma once

#include <string_view>

#include "core/index.h"
#include "schema/operator.h"

namespace opref::ops {

/// The attribute's value for each of `axes` spatial axes, `by_default` for all where the node omits it. A wrong length
/// is `invalid`.
Dims per_axis(const Call& call, std::string_view attribute, size_t axes, std::int64_t by_default);

/// INTS, at least `least`, one value per spatial axis; `least` along each where a node omits it.
AttributeSchema per_axis_attribute(std::string_view name, std::int64_t least,
                                   DefaultStated stated = DefaultStated::yes);
AttributeSchema pads_attribute(DefaultStated stated = DefaultStated::yes);
AttributeSchema auto_pad_attribute();

/// Pads [x1_begin, x2_begin, …, x1_end, x2_end, …], one pair per spatial axis.
struct Pads {
  Dims begin, end;
};
/// "[1,0,2,0]": all begins, then all ends. (Joined, 9 axes would be more than Dims can hold.)
std::string to_text(const Pads& pads);
bool is_zero(const Pads& pads);
Pads explicit_pads(const Call& call, size_t axes);

enum class AutoPad : std::uint8_t { notset, same_upper, same_lower, valid };

/// The attribute auto_pad.
AutoPad auto_pad(const Call& call);

/// Of the attributes above and of those that go with them: kernel_shape, output_shape, ceil_mode, group.
std::vector<ShortName> spatial_short_names();

/// The sizes after N and C.
Dims spatial(const Dims& shape);
bool all_positive(const Dims& sizes);

/// Notes on the values in force of attributes that the version has: where they are not what the node states.
std::vector<Note> in_force(const Call& call, std::initializer_list<std::pair<std::string_view, std::string>> values);

/// Adds a warning for each axis whose stated denotation is not that of (N, C, D1, …): DATA_BATCH, DATA_CHANNEL,
/// DATA_FEATURE … ("Optionally, if dimension denotation is in effect, the operation expects the input data tensor to
/// arrive with" it).
void warn_of_denotation(const Call& call, std::string_view input, std::vector<Note>& notes);

/// X is (N, C, D1, …): at least one spatial axis.
void require_spatial(const Call& call, std::string_view input);

/// `sizes`, the spatial ones of an input, are > 0.
void require_spatial_sizes(const Call& call, std::string_view input, const Dims& sizes);

/// Each element of the input, or the attribute, is finite; another number is `invalid`.
void require_finite(const Call& call, std::string_view name);
void require_no_nan(const Call& call, std::string_view input);

}  // namespace opref::ops
