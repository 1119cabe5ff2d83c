// SPDX-License-Identifier: Apache-2.0
// What RNN, GRU and LSTM share: activations by name, directions, sequence lengths.
#pragma once

#include <vector>

#include "families/real.h"
#include "schema/operator.h"

namespace opref::ops {

enum class Function : std::uint8_t {
  relu,
  tanh,
  sigmoid,
  affine,
  leaky_relu,
  thresholded_relu,
  scaled_tanh,
  hard_sigmoid,
  elu,
  softsign,
  softplus
};
struct Activation {
  Function function;
  double alpha, beta;
};
/// One of each of the names per direction, one direction after the other, with its share of activation_alpha and
/// activation_beta. An unknown name, or a wrong number of names, is `invalid`.
std::vector<Activation> activations(const Call& call, size_t directions, std::initializer_list<std::string_view> names);

/// 1 or, of bidirectional, 2.
size_t directions(const Call& call);
/// Whether the direction runs from the last step to the first.
bool is_reverse(const Call& call, size_t direction);
/// How many steps a batch row has; `invalid` where that is not from 0 to `steps`.
std::vector<std::int64_t> sequence_lengths(const Call& call, std::int64_t batch, std::int64_t steps);

/// How RNN, GRU and LSTM lay out X, Y and their states; `gates` rows of W and R per hidden unit. A program is a
/// direction of a batch row.
struct Recurrence {
  std::int64_t steps, batch, dirs, input, hidden;
  bool batch_first;

  std::int64_t programs() const { return dirs * batch; }
  Dims y() const { return batch_first ? Dims{batch, steps, dirs, hidden} : Dims{steps, dirs, batch, hidden}; }
  Dims state() const { return batch_first ? Dims{batch, dirs, hidden} : Dims{dirs, batch, hidden}; }
  std::int64_t x_at(std::int64_t t, std::int64_t n) const {
    return (batch_first ? n * steps + t : t * batch + n) * input;
  }
  std::int64_t state_at(std::int64_t d, std::int64_t n) const {
    return (batch_first ? n * dirs + d : d * batch + n) * hidden;
  }
  std::int64_t y_at(std::int64_t t, std::int64_t d, std::int64_t n) const {
    return (batch_first ? (n * steps + t) * dirs + d : (t * dirs + d) * batch + n) * hidden;
  }
  std::int64_t program_of(size_t output, std::int64_t at) const {
    const std::int64_t place = at / hidden;
    if (!batch_first) return place % (dirs * batch);
    return place % dirs * batch + place / dirs / (output == 0 ? steps : 1);
  }
};
/// By the shapes of X and R; each rule of the shapes of all inputs.
Recurrence recurrence(const Call& call, std::int64_t gates);

template <class R>
R activated(const Activation& a, const R& x) {
  const R zero(0.0), one(1.0), alpha(a.alpha), beta(a.beta);
  switch (a.function) {
    case Function::relu:
      return max(zero, x);
    case Function::tanh:
      return tanh(x);
    case Function::sigmoid: {
      const R t = exp(-abs(x));
      return choose(
                 x < zero, [&] { return t; }, [&] { return one; }) /
             (one + t);
    }
    case Function::affine:
      return alpha * x + beta;
    case Function::leaky_relu:
      return choose(
          x < zero, [&] { return alpha * x; }, [&] { return x; });
    case Function::thresholded_relu:  // x >= alpha here
      return choose(
          x < alpha, [&] { return zero; }, [&] { return x; });
    case Function::scaled_tanh:
      return alpha * tanh(beta * x);
    case Function::hard_sigmoid:
      return min(one, max(zero, alpha * x + beta));
    case Function::elu:
      return choose(
          x < zero, [&] { return alpha * expm1(x); }, [&] { return x; });
    case Function::softsign:
      return x / (one + abs(x));
    case Function::softplus:
      break;
  }
  return max(x, zero) + log1p(exp(-abs(x)));
}

}  // namespace opref::ops
