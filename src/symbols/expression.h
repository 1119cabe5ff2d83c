// SPDX-License-Identifier: Apache-2.0
// Sizes said in symbols: expressions of whole numbers, each in one normal form.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/rooms.h"

namespace opref::symbols {

using namespace core;

/// The value of an expression where it has none: a division by zero, or a number that leaves 64 bits.
inline constexpr std::int64_t kNoValue = INT64_MIN;

/// An expression of symbols, each of which has a place in the order in which they were named. Its text is read alike by
/// Python and sympy: size := number | symbol | sum of terms; term := number*factors; factor := symbol | floor(E/q) |
/// Min(E,F) | Max(E,F) | (E). Copies share what they consist of. Faults of all that make one: `invalid` where a
/// coefficient leaves 64 bits.
class Expression {
 public:
  enum class Kind : std::uint8_t { number, symbol, line, product, sum, least, greatest, quotient };
  using Term = std::pair<std::int64_t, Expression>;

  static Expression number(std::int64_t value);
  static Expression symbol(std::string name, size_t place);
  /// g*floor((p*e + b)/q) + c; q > 0.
  struct Line {
    std::int64_t p = 1, b = 0, q = 1, g = 1, c = 0;
  };
  static Expression line(const Expression& e, Line line);
  /// k times the factors.
  static Expression product(std::int64_t k, std::span<const Expression> factors);
  /// The terms, each a number times an expression, and c.
  static Expression sum(std::span<const Term> terms, std::int64_t c);
  static Expression least(const Expression& a, const Expression& b);
  static Expression greatest(const Expression& a, const Expression& b);
  /// floor(p*product / (q*product)); p and q > 0.
  static Expression quotient(std::int64_t p, std::span<const Expression> over, std::int64_t q,
                             std::span<const Expression> under);

  Kind kind() const;
  const std::string& text() const;
  /// Its value where the symbols have these sizes, each at its symbol's place.
  std::int64_t at(std::span<const std::int64_t> sizes) const;
  /// Those of its symbols, ascending.
  const std::vector<size_t>& places() const;
  /// How long it is, roughly: of two that are equal the shorter one is said.
  int length() const;
  bool is_number() const { return kind() == Kind::number; }
  bool is_symbol() const { return kind() == Kind::symbol; }
  /// Of a number.
  std::int64_t value() const;
  /// k and the factors of a product or a multiple; of all others 1 and itself.
  std::pair<std::int64_t, std::vector<Expression>> factors() const;

  friend bool operator==(const Expression& a, const Expression& b) { return a.text() == b.text(); }

 private:
  struct Part;
  explicit Expression(std::shared_ptr<const Part> part) : part_(std::move(part)) {}
  static Expression made(Part part);
  /// Products are one without their number.
  static Expression without_number(const Expression& product);
  static Expression choice(Kind kind, const Expression& a, const Expression& b);
  static bool is_before(const Expression& a, const Expression& b);
  static bool is_atom(const Expression& e);
  static std::string term_text(std::int64_t k, const Expression& e);
  static std::string sum_text(std::span<const Term> terms, std::int64_t c);
  static std::string text_of(const Part& part);

  std::shared_ptr<const Part> part_;
};

inline std::string to_text(const Expression& e) { return e.text(); }

/// A size, or nothing where it is not known.
using Size = std::optional<Expression>;
/// "[N,3,?]"
std::string to_text(std::span<const Size> sizes);

}  // namespace opref::symbols
