// SPDX-License-Identifier: Apache-2.0
// What a machine may do to the numbers of any node before and after it computes.
#pragma once

#include <string>
#include <vector>

#include "explain/search.h"

namespace opref::explain {

/// 64-bit types that some machines carry in half the size, the types of the inputs among them: "float64 carried as
/// float32", "int64 carried as int32". Of float64 each input is the nearest float32, what is too large and infinities
/// the largest number; each result is rounded. Of 64-bit integers the low 32 bits stay, of int64 signed.
std::vector<Changed> narrowings(const Call& call, DType output);

/// The same node in a type of half the size, as far as its operator takes that: each input of float64 as the nearest
/// float32, what is too large and infinities as the largest number, or of the 64-bit integers or uint32 the low 32 bits
/// as int32. Nothing where no input has that type, and of nodes with subgraphs.
std::optional<Call> in_half_size(const Call& call, DType from);

/// Integers, the inputs of one type, that some machines compute as another type: "uint32 carried as int32" of the low
/// 32 bits with a sign, "int64 carried as int32, computed in float32", "int8 computed in float32". Results come back as
/// whole numbers; their names tell how, where it matters: "saturated to int32", "low bits", "-2^31 for too large ones",
/// "rounded". Nothing of nodes with subgraphs, and of types that the operator does not take.
std::vector<Changed> integer_carriers(const Call& call);

/// Inputs, all or one, results, both, or what each operation of a real function gives, rounded to another type, or of
/// float32 truncated to bfloat16 or TF32:
/// "inputs rounded to bfloat16", "W rounded to TF32", "result rounded to float16", "each step rounded to float32";
/// subnormal numbers flushed to zero; integers of more digits rounded to float32 or float64. Those that are in play,
/// the plainest first.
std::vector<Changed> roundings(const Call& call);
/// Of these "inputs rounded to TF32", where it is in play.
std::optional<Changed> inputs_in_tf32(const Call& call);

/// NaN in inputs or results taken for a number, infinite results for the greatest finite one, negative ones for 0, and
/// signs changed or dropped, of results of both signs: "mistake NaN in inputs taken for 0". The first
/// input returned as it is. Those that are in play.
std::vector<Changed> special_values(const Call& call);

}  // namespace opref::explain
