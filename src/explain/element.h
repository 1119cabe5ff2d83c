// SPDX-License-Identifier: Apache-2.0
// One element of an output: what it was made of, and why it is this value and no neighbour.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/evaluate.h"

namespace opref::explain {

/// What became of one element. All texts are finished; numbers in them have at most 30 digits.
struct ElementStory {
  TensorType type;    ///< of the output
  Dims at;            ///< the element's coordinates
  std::string path;   ///< of an entry of maps: `[0]["a"]`
  std::string value;  ///< as `element_text`
  std::string bits;   ///< "0x3f800001"; empty of strings and of more than 64 bits
  std::string made;   ///< "the sum of 4 products", "the greatest of 9 elements": empty where nothing was told of it

  /// A term, an operand, a candidate or a place that was read, in the operator's order; not more than kMostLines.
  struct Line {
    std::string what;     ///< "X[0,0,1,1]*W[0,0,2,1]", "X[0,0,1,1]"
    std::string value;    ///< "0.5*0.25 = 0.125": a decimal of 17 digits at most; all in hexadecimal where asked
    std::string running;  ///< the exact sum up to here; of a candidate "chosen", of an update "written over"
  };
  static constexpr size_t kMostLines = 1000;
  std::vector<Line> lines;
  size_t more_lines = 0;               ///< beyond them
  bool has_sums = false;               ///< what runs along with the lines is a sum
  std::vector<std::string> decisions;  ///< sentences: which ones led to the element, in their order
  std::vector<std::string> left_out;   ///< sentences
  /// "formula", the parts that it names, "exact", "below", "above", "midpoint", "naive", and what bound_facts has: what
  /// each is, in this order, as far as there is such.
  std::vector<std::pair<std::string, std::string>> facts;
  /// "max_pool.tie = first: last gives 3": the readings that touch the element, with what the others make of it.
  std::vector<std::string> readings;
};

/// The types of the outputs of a call that has the values of its inputs: shapes that only the kernel finds out are
/// those of what it computes.
std::vector<ValueType> types_with_shapes(const Call& call);

/// An output of maps as one of a tensor: all their entries, one map after another, and the path of each, `[0]["a"]`.
/// The types are those of explain_element and ways_to then.
struct Entries {
  std::vector<ValueType> types;
  std::vector<std::string> paths;
};
Entries entries_of(const Call& call, std::vector<ValueType> types, size_t output);

/// How the numbers of terms are written.
enum class Digits : std::uint8_t { decimal, hexadecimal_too };

/// The element at `at` of the node's output number `output`, a tensor or the entries of maps; no other element is
/// computed. The call has the values of its inputs. Faults: those of the kernel; `usage` where there is no such
/// element.
ElementStory explain_element(const Call& call, std::span<const ValueType> types, size_t output, const Dims& at,
                             Digits digits = Digits::decimal);

struct WaysTo {
  std::vector<std::string> ways;  ///< "reading max_pool.tie=last", "float32 accumulation": empty where none is known
  std::string doubt;              ///< see Evidence; one element is little
};
/// What gives `wanted`, an element as element_text writes it, at this place instead, the plainest first: readings, then
/// other arithmetic, then mistakes and numbers of fewer digits.
WaysTo ways_to(const Call& call, std::span<const ValueType> types, size_t output, const Dims& at,
               std::string_view wanted);

}  // namespace opref::explain
