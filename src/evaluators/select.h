// SPDX-License-Identifier: Apache-2.0
// An element is chosen by comparing exact values; what is chosen is its position.
#pragma once

#include <functional>
#include <span>

#include "evaluators/lines.h"
#include "evaluators/neighbours.h"
#include "schema/output.h"

namespace opref::evaluators {

/// Whether -0 and +0 are one value (IEEE's comparison), or +0 is the greater one (maximum and what is like it).
enum class Zeros : std::uint8_t { equal, ordered };

/// The numbers of a tensor of any numeric type as 64-bit keys that compare as they do. The tensor outlives it.
class Order {
 public:
  /// The key of every NaN, above all others. Only floating types have it: of integers it is a key like others.
  static constexpr std::int64_t kNan = INT64_MAX;

  Order(const Tensor& x, Zeros zeros);
  std::int64_t operator()(std::int64_t i) const;
  bool may_be_nan() const { return x_.is_floating(); }
  Place place(std::int64_t i) const { return x_.place(i); }

 private:
  Elements x_;
  Zeros zeros_;
};

enum class Extreme : std::uint8_t { greatest, least };
enum class Tie : std::uint8_t { first, last };

/// The best of the candidates that are considered one after another. NaN wins over every number.
class Best {
 public:
  Best(const Order& order, Extreme extreme, Tie tie, TermSink* sink = nullptr, TermPlaces* places = nullptr)
      : order_(order),
        flip_(extreme == Extreme::least ? -1 : 0),
        last_(tie == Tie::last),
        nan_(order.may_be_nan()),
        sink_(sink),
        places_(places) {}
  void consider(std::int64_t position) {
    if (places_ != nullptr) return places_->add({position});
    if (sink_ != nullptr) sink_->considers(order_.place(position));
    const std::int64_t key = order_(position), rank = (nan_ & (key == Order::kNan)) ? key : key ^ flip_;
    const bool better = (position_ < 0) | (rank > rank_) | (last_ & (rank == rank_));
    rank_ = better ? rank : rank_, position_ = better ? position : position_;
  }
  void consider(const Run& run);
  /// -1: there was none.
  std::int64_t position() const { return position_; }

 private:
  const Order& order_;
  std::int64_t flip_;
  bool last_, nan_;
  TermSink* sink_;
  TermPlaces* places_;  ///< not null: candidates are not compared, but listed
  std::int64_t rank_ = 0, position_ = -1;
};

/// What stands where there was no candidate at all: of floating types -Inf (greatest) or +Inf (least), where a format
/// has none, or Ends::finite, the finite number of that sign and greatest magnitude; of integers the least or greatest.
enum class Ends : std::uint8_t { infinite, finite };
Tensor neutral(DType dtype, Extreme extreme, Ends ends = Ends::infinite);

/// The position of the first of the greatest or least of x, float32s of which there is one: of a NaN where there is
/// one.
std::int64_t position_of(Extreme extreme, std::span<const float> x);

/// For each position i, the position in x of the best of the candidates that definition(i, best) considers, -1 where it
/// considers none. The output and x outlive it. For any thread.
class Selection {
 public:
  using Definition = std::function<void(std::int64_t i, Best& best)>;
  Selection(const Output& out, const Tensor& x, Zeros zeros, Extreme extreme, Tie tie, Definition definition,
            Neighbours neighbours = {});
  std::int64_t operator()(std::int64_t i) const;
  /// chosen[i] = (*this)(i), on the output's threads; 0 where the element is not asked for.
  void all(std::span<std::int64_t> chosen) const;
  /// Y[i] = the element of x that is chosen, else `fill`, one element, or 0.
  Tensor values(const Output& y, const std::optional<Tensor>& fill = {}) const;
  /// Y[i] = number(i, position in x), of int64 or int32.
  Tensor places(const Output& y,
                const std::function<std::int64_t(std::int64_t i, std::int64_t position)>& number) const;

 private:
  template <class K>
  friend class RankRows;

  const Numerics& numerics_;
  const Tensor& x_;
  Order order_;
  Zeros zeros_;
  Extreme extreme_;
  Tie tie_;
  Definition definition_;
  Neighbours neighbours_;
};

/// The positions in x of the k best of each line, the best first, of equals the first: ranking(line, j). NaN is above
/// every number, -0 is +0. The output and x outlive it.
class Ranking {
 public:
  Ranking(const Output& out, const Tensor& x, const Lines& lines, std::int64_t k, Extreme extreme);
  std::int64_t operator()(std::int64_t line, std::int64_t j) const;

 private:
  std::vector<std::int64_t> ranked(std::int64_t line) const;

  const Output& out_;
  Order order_;
  Lines lines_;
  std::int64_t k_;
  Extreme extreme_;
  std::vector<std::int64_t> chosen_;  ///< of all lines, unless one element alone is asked for
};

}  // namespace opref::evaluators
