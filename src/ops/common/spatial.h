// Attributes that have one value per spatial axis, shared by pooling and convolution operators.
#pragma once

#include <string_view>

#include "core/index.h"
#include "spec/call.h"

namespace opref::ops {

/// What the values of an attribute must be.
enum class Range : std::uint8_t { positive, not_negative };

/// The attribute's value for each of `axes` spatial axes, or `fallback` for all where the node omits it. A wrong length
/// or value is `invalid`.
Dims per_axis(const Call& call, std::string_view attribute, size_t axes, std::int64_t fallback, Range range);

/// Pads [x1_begin, x2_begin, …, x1_end, x2_end, …], one pair per spatial axis.
struct Pads {
  Dims begin, end;
};
/// "[1,0,2,0]": all begins, then all ends. (Joined, 9 axes would be more than Dims can hold.)
std::string to_text(const Pads& pads);
bool is_zero(const Pads& pads);
Pads explicit_pads(const Call& call, size_t axes);

enum class AutoPad : std::uint8_t { notset, same_upper, same_lower, valid };

/// The attribute auto_pad. A text that is none of the four is `invalid`.
AutoPad auto_pad(const Call& call);

/// The sizes after N and C.
Dims spatial(const Dims& shape);

/// X is (N, C, D1, …): at least one spatial axis.
void require_spatial(const Call& call, std::string_view input);

}  // namespace opref::ops
