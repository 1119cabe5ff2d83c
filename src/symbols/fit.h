// SPDX-License-Identifier: Apache-2.0
// Finds expressions by what they give: the values of a size at every assignment of the symbols that was tried.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/expression.h"

namespace opref::symbols {

/// The sizes of the symbols, each at its symbol's place.
using Assignment = std::vector<std::int64_t>;
/// A number for each assignment.
using Values = std::vector<std::int64_t>;
/// The sizes of a tensor, as far as they are known.
using Sizes = std::vector<Size>;

/// g*floor((p*x + b)/q) + c; every b from `least` to `most` gives the same values.
struct LineFit {
  Expression::Line line;
  std::int64_t least, most;
};

/// The line through all points (xs[i], values[i]): p/q is the simplest fraction that is possible, b is what makes the
/// shortest text. Nothing where there is none with q <= 4096, or fewer than three different points.
std::optional<LineFit> fit_line(std::span<const std::int64_t> xs, std::span<const std::int64_t> values);

/// A line in an expression, with several b that give what was seen.
struct OpenOffset {
  Expression e;
  std::int64_t p, q, least, most;
};

class Fitter {
 public:
  /// Each symbol stands at its place in every assignment.
  Fitter(std::span<const Expression> symbols, std::vector<Assignment> assignments);

  /// One more symbol, at the next place.
  void add_symbol(const Expression& symbol, const Values& values);
  /// From now on it is what its values mean, unless something else is.
  void know(const Expression& e);
  const Expression* known(const Values& values) const;
  /// Its values at the assignments.
  const Values& values(const Expression& e);

  /// The first that gives the values, of: a number; what is known; the sum of `lists` along one axis; a product of
  /// neighbours in one of them; lines of one symbol, then of one of `near`; products, quotients, sums and the least or
  /// greatest of a few. It is known from now on. Nothing where there is none.
  Size fit(const Values& values, std::span<const Expression> near, std::span<const Sizes> lists = {});

  /// Of all that was fitted.
  const std::vector<OpenOffset>& open_offsets() const { return open_; }

 private:
  struct Hash {
    size_t operator()(const Values& values) const;
  };
  using Pool = std::vector<Expression>;

  void remember(const Expression& e, const Values& values);
  Size structured(const Values& values, std::span<const Sizes> lists);
  Size search(const Values& values, std::span<const Expression> near);
  Size line_of(const Values& values, const Expression& e);
  Size product_of(const Values& values, const Pool& pool);
  Size quotient_of(const Values& values, const Pool& pool);
  Size line_of_product(const Values& values, const Pool& pool);
  Size sum_of(const Values& values, const Pool& pool);
  Size choice_of(const Values& values, const Pool& pool);
  Size choice_with_number(const Values& values, const Pool& pool, Expression::Kind kind);

  std::vector<Assignment> assignments_;
  std::vector<Expression> symbols_;
  std::map<std::string, Values, std::less<>> values_;  ///< by the text
  std::unordered_map<Values, Size, Hash> known_;       ///< nothing: of what was searched in vain with the same `near`
  std::vector<OpenOffset> open_;
};

}  // namespace opref::symbols
