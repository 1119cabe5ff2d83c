// SPDX-License-Identifier: Apache-2.0
// Tables that a node states in attributes: keys, and a value beside each. Elements are looked up among the keys.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "schema/operator.h"
namespace opref::ops {
// Lists of which a node states one: "keys_floats", "keys_strings", …

/// Whether the list, of any kind, or the tensor is stated; an empty list counts as not given. False of a name that only
/// other versions of the operator have.
bool is_given(const Call& call, std::string_view attribute);
/// The one of these attributes that is given; that none or several are is `invalid`. Names that the version does not
/// have count for nothing.
std::string_view given_one(const Call& call, std::initializer_list<std::string_view> attributes);
/// The attribute as a tensor [n]: FLOATS of float32, INTS of int64, STRINGS of string, a TENSOR of its own type; one
/// that has another rank is `invalid`.
Tensor list_tensor(const Call& call, std::string_view attribute);
/// "keys_floats has 3 values, but values_strings 2" is `invalid`.
void require_equal_lengths(const Call& call, std::string_view a, std::string_view b);

// Looking up.

/// Of a key that comes more than once.
enum class Repeated : std::uint8_t { first, last };
/// Which floating numbers are one key: those of equal bits, or equal numbers, and then each NaN is equal to no number,
/// or to every NaN.
enum class FloatKeys : std::uint8_t { bits, numbers, numbers_and_nan };

/// For each element of x its place in keys, [n] of x's type; -1: it is none of them. Strings are equal as bytes.
std::vector<std::int64_t> places_among(const Tensor& x, const Tensor& keys, Repeated repeated,
                                       FloatKeys floats = FloatKeys::bits);

struct Table {
  Tensor keys, values;  ///< [n] each
  Tensor otherwise;     ///< of an element that is no key: one element of the values' type
};
/// Y[i] = the value of the key that equals x[i], its bits.
Tensor looked_up(const Output& out, const Tensor& x, const Table& table, Repeated repeated,
                 FloatKeys floats = FloatKeys::bits);
/// Remarks on the defaults that the node states beside the one that is in force; empty: none is.
std::vector<Note> unused_defaults(const Call& call, std::string_view in_force);

/// Where one element alone is asked for: tells `explain` that it is made of x[i] by this rule, a clause.
void tell_rule(const Output& out, const Tensor& x, std::int64_t i, const std::string& rule);
}  // namespace opref::ops
