// SPDX-License-Identifier: Apache-2.0
// Ways in which a backend may compute what a formula says: where it rounds, in which order it adds. To name what a
// backend did; nothing here is a rule.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exact/narrow_sum.h"
#include "exact/ratio.h"
#include "exact/term_sink.h"
#include "schema/operator.h"

namespace opref::explain {

/// The terms of an output, element after element.
struct TermTable {
  struct Term {
    double a, b;
    bool is_product;
  };
  std::optional<double> norm;           ///< the elements are p-norms; else sums
  TermOrder order = {};                 ///< of each element's
  std::vector<Term> terms;              ///< of all elements
  std::vector<size_t> ends;             ///< [element]: where its terms end
  std::map<size_t, Ratio> scales = {};  ///< of elements whose sum is scaled; b of norms is the number of terms
  bool to_nearest = false;              ///< the elements are integers to which sums are rounded: no way here does

  std::span<const Term> of(size_t element) const {
    const size_t begin = element == 0 ? 0 : ends[element - 1];
    return {terms.data() + begin, ends[element] - begin};
  }
};

/// The terms of one output, of all elements or of one; nothing where a kernel has none (data movement) or more than
/// `most`.
std::optional<TermTable> collect_terms(const Call& call, std::span<const ValueType> types, std::int64_t most,
                                       size_t output = 0);
std::optional<TermTable> collect_terms(const Call& call, std::span<const ValueType> types, const Asked& asked,
                                       std::int64_t most);

/// One way to compute an element from its terms, by default the exact one.
struct Arithmetic {
  enum class Order : std::uint8_t { as_defined, bias_last, channels_then_taps };
  enum class Rounding : std::uint8_t { nearest, toward_zero, ties_away };
  enum class Flush : std::uint8_t { no, inputs, results, both };
  enum class Divide : std::uint8_t { no, by_terms, by_kernel, not_at_all };
  enum class Norm : std::uint8_t { whole, without_root, without_abs };
  enum class Root : std::uint8_t { rounded, by_power };
  /// Of integers: inputs are signed 32-bit numbers and the sum becomes one. Too large a sum is the accumulator's
  /// largest number below 2^31 or -2^31, or is -2^31 whatever its sign, as x86's conversions have it.
  enum class Int32 : std::uint8_t { no, clamped, indefinite };

  std::optional<DType> inputs = {};       ///< what inputs are rounded to first
  std::optional<DType> accumulator = {};  ///< what each operation rounds to; nothing: exact
  std::optional<DType> through = {};      ///< what the result is rounded to before it is rounded to its type
  bool narrows = false;                   ///< that is no wider than its type
  Fused fused = Fused::no;
  Operands operands = Operands::rounded;  ///< of a 16-bit accumulator
  Order order = Order::as_defined;
  std::optional<DType> before_bias = {};  ///< what the sum of products is rounded to; biases are added in that type
  std::optional<DType> taps = {};  ///< of channels_then_taps, what sums over channels are rounded to, and added in
  Rounding rounding = Rounding::nearest;  ///< of the result
  Flush flush = Flush::no;                ///< subnormal numbers of the output's type
  bool skips_nan = false;
  Divide divide = Divide::no;  ///< norms: the sum under the root; not_at_all: sums that are scaled
  Norm norm = Norm::whole;
  Root root = Root::rounded;  ///< norms: of an accumulator's sum s the p-th root, rounded once, or s^(1/p), 1/p rounded
  Int32 int32 = Int32::no;    ///< with an accumulator
  bool saturates = false;     ///< integers below 64 bits: what the type cannot hold becomes its nearest number

  /// Bits of the element of type `output`.
  std::uint64_t element(const TermTable& table, size_t index, DType output) const;
};

struct Wording {
  bool integers = false;  ///< the terms are integers: "integers added as float32"
  bool orders = true;     ///< the order of sums and fused operations are named
};

/// "float32 accumulation in order with FMA, bias last": what differs from exact.
std::string to_text(const Arithmetic& arithmetic, const Wording& wording = {});

/// Whether another formula is computed, not the same one in another way.
bool changes_formula(const Arithmetic& way);

/// In how many respects it differs from exact, order and fusing apart: those only say how an accumulator is used.
int changes(const Arithmetic& way);

/// So many changes at once, a mistake or reading among them, need more than weak evidence.
inline constexpr int kExotic = 3;

/// Whether what it says about order and fusing makes a difference for these terms.
bool says_anything(const Arithmetic& way, const TermTable& table);

/// Whether it is not fused, or some product is rounded where it is not.
bool fusing_matters(const Arithmetic& way, const TermTable& table);

/// All ways that are tried for elements of this type, p-norms or, without p, sums: the plainest first; of equally plain
/// ones those that compute the formula before those that change it.
std::vector<Arithmetic> known_arithmetic(DType output, std::optional<double> p);

}  // namespace opref::explain
