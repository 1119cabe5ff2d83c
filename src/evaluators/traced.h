// SPDX-License-Identifier: Apache-2.0
// Pairs that know how they move with the state of a recurrence. Where that settles down, errors do not pile up, but
// sums of |weights|·errors do: 1.6 to 2.5 bits a step. Of a vector y of a step, with d what the state before the step
// is wrong by,
//   the true y - y = D·d + rest,  |rest| <= r,  and in all |the true y - y| <= y's e.
// D is made of float32. A step's D is wrong by at most kLost (n terms, a few roundings each) of what sums of |factors|
// and |weights| make of it; those are what e is made of.
#pragma once

#include "evaluators/vectors.h"

namespace opref::evaluators {

/// D as a sum of terms: diag(factor) times a matrix, n by the size of the state; and what only meets its own unit.
struct Derivative {
  struct Term {
    Plane factor;
    const float* matrix;
    std::shared_ptr<const std::vector<float>> owned;
  };
  std::vector<Term> terms;
  Plane diagonal;  ///< of no size: 0
  bool is_zero() const { return terms.empty() && diagonal.size() == 0; }
};

class Traced {
 public:
  using Number = Paired;
  static constexpr std::size_t kStates = 2;  ///< a recurrence has at most so many
  Vector<Paired> y;
  Plane r;
  Derivative d[kStates];
  bool is_state = false;  ///< as it is before the step: its D is 1

  /// What is exact, or wrong by itself alone.
  explicit Traced(const Vector<Paired>& x) : y(x), r(x.e) {}
  std::size_t size() const { return y.size(); }
};

Traced operator-(const Traced& a);
Traced operator+(const Traced& a, const Traced& b);
Traced operator-(const Traced& a, const Traced& b);
Traced operator*(const Traced& a, const Traced& b);
Traced sum(const Traced& a, const Traced& b);
Traced product(const Weights& w, const Traced& x);

/// f of each element: what the arguments are wrong by is a part of r.
template <class F>
Traced map(const F& f, const Traced& x) {
  return Traced(map(f, x.y));
}
/// `bare` is f of x without errors, slope[i] is f' there, which is known to 2^-40 of itself and of 1, |f''| <=
/// curvature.
Traced moved(const Traced& x, const Vector<Paired>& bare, const Plane& slope, double curvature);
Vector<Paired> without_errors(const Vector<Paired>& x);
template <class F, class Slope>
Traced smooth(const F& f, const Traced& x, const Slope& slope, double curvature) {
  const Vector<Paired> bare = map(f, without_errors(x.y));
  Plane slopes(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) slopes[i] = slope(bare.h[i]);
  return moved(x, bare, slopes, curvature);
}
/// `plain` is f of x, `bare` that of x without errors.
Traced moved(const Traced& x, const Vector<Paired>& plain, const Vector<Paired>& bare, const Bends& bends);
template <class F>
Traced bent(const F& f, const Traced& x, const Bends& bends) {
  return moved(x, map(f, x.y), map(f, without_errors(x.y)), bends);
}

/// The states of a recurrence, step after step. In blocks of some steps, with e0 what the state was wrong by at the
/// block's start, P the product of its steps' D, and r what else there is,
///   e = min(e of the step, |P|·e0 + r),  r' = |D|·r + rest + kLost·(e of the step) + gamma·|D|·(|P|·e0)
/// where gamma pays for P's roundings. Longer blocks tell more, and their products cost more: 2 steps tell float32 in
/// the end of a hundred, whose bound grows by half a bit a step, 4 by a sixth of a bit.
struct Tracing {
  int block = 4;           ///< steps
  std::int64_t first = 0;  ///< step; of those before it the plain bound is enough
};
class TracedStates {
 public:
  TracedStates(std::vector<Traced*> states, const Tracing& tracing);
  void next(const std::vector<Traced*>& states);

 private:
  void start(const std::vector<Traced*>& states);
  void renew(const std::vector<Traced*>& states) const;
  void add_scaled(const float* jacobian, const float* from, float* to) const;

  std::size_t n_, padded_, all_;  ///< units of a state, likewise to a multiple of Weights::kLanes, of all states so
  std::int64_t untraced_;         ///< steps still to come
  int block_, step_ = 0;
  bool is_diagonal_[Traced::kStates][Traced::kStates] = {};  ///< blocks of P: a cell's own past
  double lost_, gamma_;
  std::vector<float> product_, next_product_, jacobian_;
  std::vector<double> start_, r_, moved_;
};

}  // namespace opref::evaluators
