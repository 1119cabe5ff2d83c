// SPDX-License-Identifier: Apache-2.0
// openvino ISTFT, version 16 (opset16)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/signals.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_istft {
namespace {
struct Frames {
  explicit Frames(const Call& call)
      : size(rank_0(call, "frame_size")),
        step(rank_0(call, "frame_step")),
        count(0),
        window(call.type("window").rank() == 1 ? call.type("window").shape[0] : 0) {
    const Dims& data = call.type("data").shape;
    require(data.size() == 3 || data.size() == 4, "data has shape {}, but must have 3 or 4 axes", data);
    require(call.type("window").rank() == 1, "window has shape {}, but must be a list", call.type("window").shape);
    require(size >= 1, "frame_size is {}, but must be >= 1", size);
    require(step >= 1, "frame_step is {}, but must be >= 1", step);
    require(window >= 1 && window <= size, "window has {}, but must have from 1 to {}, frame_size",
            counted(window, "element"), size);
    count = data[data.size() - 2];
    Dims must = data.first(data.size() - 3);
    for (const std::int64_t n : {size / 2 + 1, std::max<std::int64_t>(count, 1), std::int64_t{2}}) must.push_back(n);
    require(data == must, "data has shape {}, but must have {}: frame_size is {}", data, must, size);
    const std::int64_t all = checked_add(checked_multiply(count - 1, step), size);
    first = call.flag("center") ? size / 2 : 0, end = all;
    if (call.has("signal_length")) require_scalar_or_one(call, "signal_length");
    const bool adds_odd = call.flag("center") && call.reads("istft.center_length", "odd");
    length = call.has("signal_length") ? call.integer("signal_length")
             : call.flag("center")     ? (count - 1) * step + (adds_odd ? size % 2 : 0)
                                       : all;
    require(length >= 1 || !call.has("signal_length"), "signal_length is {}, but must be >= 1", length);
  }
  std::int64_t size, step, count, window;
  std::int64_t first = 0, end = 0, length = 0;  ///< of the signal: what comes out is of it from `first` on
};

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const Frames frames(call);
  Dims y = data.first(data.size() - 3);
  y.push_back(frames.length);
  return {TensorType{dtype, y}};
}

/// n = square²·rest, rest without a square.
struct Root {
  std::int64_t square = 1, rest = 1;
  explicit Root(std::int64_t n) {
    for (std::int64_t p = 2; p * p <= n; ++p)
      for (; n % (p * p) == 0; n /= p * p) square *= p;
    rest = n;
  }
};

using Terms = std::map<std::int64_t, Rational>;  // c of c·cos(2πe/M) by e

/// Of a product of two sums: cos a·cos b = (cos(a + b) + cos(a - b))/2.
Terms product(const Terms& a, const Terms& b, std::int64_t M) {
  Terms y;
  const auto add = [&](std::int64_t e, const Rational& c) {
    Rational& sum = y[(e % M + M) % M];
    sum = sum + c;
  };
  for (const auto& [e, c] : a)
    for (const auto& [f, d] : b) {
      require_time();
      const Rational half = c * d / Rational(2);
      add(e + f, half), add(e - f, half);
    }
  return y;
}

/// √rest as such a sum, by Gauss: √2 = 2·cos(2π/8), of an odd prime p the sum of (k/p)·cos(2πk/p), or sines where p is
/// 3 modulo 4. M is a multiple of 4 and of rest; nothing where it is none of 8, and rest is even: then there is none.
std::optional<Terms> root_terms(std::int64_t rest, std::int64_t M) {
  Terms y{{0, 1}};
  if (rest % 2 == 0) {
    if (M % 8 != 0) return std::nullopt;
    y = {{M / 8, 2}};
    rest /= 2;
  }
  for (std::int64_t p = 3; rest > 1; p += 2) {
    if (rest % p != 0) continue;
    Terms sum;
    const std::int64_t quarter = p % 4 == 3 ? M / 4 : 0;
    std::vector<bool> is_square(static_cast<size_t>(p));
    for (std::int64_t k = 1; k < p; ++k) is_square[static_cast<size_t>(k * k % p)] = true;
    for (std::int64_t k = 1; k < p; ++k)
      sum[((k * (M / p) - quarter) % M + M) % M] = is_square[static_cast<size_t>(k)] ? 1 : -1;
    y = product(y, sum, M);
    rest /= p;
  }
  return y;
}

// signal[t] = Σ over the frames f at t, n = t - f·frame_step < N = frame_size, of window[n]·x[f, n]
//             / Σ window[n]², 0 where that is 0
//   x[f, n] = Re(Σ c·data[k, f]·e^(2πi·kn/N))/N, c = 1 of k = 0 and N/2, else 2; times √N where it is normalized
struct Signal {
  explicit Signal(const Call& call)
      : frames(call),
        data(call.input("data")),
        window(call.input("window")),
        is_normalized(call.flag("normalized")),
        turns(frames.size),
        root(frames.size) {}

  /// Where the window's number for n is; -1: it is 0.
  std::int64_t in_window(std::int64_t n) const {
    const std::int64_t at = n - (frames.size - frames.window) / 2;
    return at < 0 || at >= frames.window ? -1 : at;
  }
  /// g(f, n) of each frame at t where the window is not 0.
  template <class G>
  void each_frame(std::int64_t t, const G& g) const {
    const std::int64_t last = std::min(t / frames.step, frames.count - 1);
    for (std::int64_t f = std::max<std::int64_t>(0, (t - frames.size) / frames.step); f <= last; ++f)
      if (const std::int64_t n = t - f * frames.step; n < frames.size)
        if (const std::int64_t at = in_window(n); at >= 0 && window.number(at) != 0) g(f, n, at);
  }

  template <class R>
  R operator()(std::int64_t i, const Reader<R>& reader) const {
    const auto [batch, place] = split(i, frames.length);
    const std::int64_t t = frames.first + place, N = frames.size, bins = N / 2 + 1;
    bool is_covered = false;
    if (t < frames.end) each_frame(t, [&](auto&&...) { is_covered = true; });
    if (!is_covered) return reader.zero();
    const auto add_terms = [&, batch = batch](const auto& read, auto& sum) {
      using Number = std::decay_t<decltype(read(data, 0))>;
      each_frame(t, [&](std::int64_t f, std::int64_t n, std::int64_t at) {
        const Number w = read(window, at);
        for (std::int64_t k = 0; k < bins; ++k) {
          const bool is_once = k == 0 || 2 * k == N;
          const std::int64_t from = ((batch * bins + k) * frames.count + f) * 2;
          const Number c = is_once ? w : Number::whole(2) * w;
          sum.cosine(k * n % N, c * read(data, from));
          if (!is_once) sum.sine(k * n % N, -(c * read(data, from + 1)));
        }
      });
    };
    const auto weight = [&](const auto& read) {
      auto sum = read.zero();
      each_frame(t,
                 [&](std::int64_t, std::int64_t, std::int64_t at) { sum = sum + read(window, at) * read(window, at); });
      return sum;
    };
    if constexpr (std::is_same_v<R, Interval>)
      if (Interval::precision > 96)  // nobody hears of the first one
        if (const auto known = rational(RationalReader{reader}, add_terms, weight)) return known->interval();
    TurnSum<R> sum(turns);
    add_terms(reader, sum);
    const R whole = sum.sum() / (R::whole(N) * weight(reader));
    return is_normalized ? whole * sqrt(R::whole(N)) : whole;
  }

 private:
  /// The element, if it is a rational number.
  template <class Add, class Weight>
  std::optional<Rational> rational(const RationalReader& read, const Add& add_terms, const Weight& weight) const {
    TurnSum<Rational> sum(turns);
    add_terms(read, sum);
    Terms terms = sum.terms();
    Rational over = Rational(frames.size) * weight(read);
    if (is_normalized) {
      over = over / Rational(root.square);
      if (const auto by = root_terms(root.rest, turns.M())) terms = product(terms, *by, turns.M());
    }
    const std::optional<Rational> known = turns.rational(terms);
    const bool is_times_root = is_normalized && !root_terms(root.rest, turns.M());
    if (!known || (is_times_root && *known != Rational(0))) return std::nullopt;
    return *known / over;
  }

  Frames frames;
  Elements data, window;
  bool is_normalized;
  Turns turns;
  Root root;
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  if (ask_for_nothing(outs)) return nothing(outs);
  require_finite(call, "data"), require_finite(call, "window");
  return {real(outs[0], Signal(call))};
}
}  // namespace
Operator istft() {
  return Operator("openvino", "ISTFT")
      .summary("the signals whose frames have these discrete Fourier transforms")
      .page("signals/istft-16")
      .category("category signal processing")
      .version(16,
               [](OpSchema& s) {
                 s.attribute(required(INT, "center", flag())).attribute(required(INT, "normalized", flag()));
                 s.input("data", "T")
                     .input("window", "T")
                     .input("frame_size", "T_INT")
                     .input("frame_step", "T_STEP")
                     .input("signal_length", "T_LENGTH", Arity::optional)
                     .output("signal", "T");
                 s.types("T", computed_floats)
                     .types("T_INT", types::signed_wide)
                     .types("T_STEP", types::signed_wide)
                     .types("T_LENGTH", types::signed_wide);
               })
      .reading(
          {.name = "istft.center_length",
           .alternatives = {"even: without a length it is (frames - 1)·frame_step where center is set",
                            "odd: one more where frame_size is odd"},
           .defaults = {{16, "even"}},
           .reason = "the page and its examples; the CPU plugin adds one",
           .may_change_values = [](const Call& call) { return call.flag("center") && !call.has("signal_length"); }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_istft
