// SPDX-License-Identifier: Apache-2.0
// What `diff` compares: two tensors, or two collections of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "core/error.h"
#include "io/tensor_source.h"

namespace opref::check {

/// Two tensors that belong together, not read yet; one of the sides may be missing.
struct TensorPair {
  std::string name;
  std::optional<TensorSource> actual, expected;
  std::optional<Error> trouble = {};  ///< an .npz in a folder that cannot be read: why
};

/// Pairs up what two arguments hold, sorted by name:
/// - a file, or a member of an .npz ("x.npz:a"), is one tensor, and the pair's name is `actual`;
/// - an .npz without a member: its arrays by their names;
/// - a folder of 0.npy, 1.npy, … (or .pb) beside a file: a sequence;
/// - another folder: the .npy, .pb, .npz and, of maps, .json files at any depth below it, by their path without .npy,
/// .pb
///   or .json ("sub/y", "sub/x.npz:a"); other files are not looked at. Links to folders are followed.
/// Faults: `usage` (a collection beside one tensor, collections without tensors, two files of one name, standard input
/// twice), `system` (no such file, …), those of reading an .npz that is an argument itself.
std::vector<TensorPair> pair_tensors(const std::string& actual, const std::string& expected);

struct ComparedPair {
  Comparison comparison;
  Tolerance rule;  ///< that was in force: integers are compared exactly
};

/// Reads and compares them; a missing side is a difference. Where a file does not determine its element type, that is
/// the other one's, else `dtype`, else, of V2, bfloat16 with a warning. Faults: those of reading; `usage` where
/// one-byte void elements are left without a type, or have one that they cannot have by `dtype`; `system` where both
/// together take more than `max_bytes`, said before that is allocated.
ComparedPair compare_pair(const TensorPair& pair, const Tolerance& tolerance, std::optional<DType> dtype,
                          std::int64_t max_bytes, std::vector<std::string>& warnings);

}  // namespace opref::check
