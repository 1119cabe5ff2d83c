// SPDX-License-Identifier: Apache-2.0
// Real formulas that choose their operands: Y[i] by a definition, or programs that write many elements of one or
// several outputs and share work, as the steps of a recurrence do. Each element is rounded once.
//
// A program is a templated call operator: f(k, x, y), k in [0, n), x a Reader<R>, y a Writer<R>, for any Number R. It
// runs over Bounded; what that leaves undecided is asked again of the same program over intervals of 96, 192, … bits,
// and of nothing else: y.put(output, at, lambda) works a number out only where it is asked for. A program is left
// as soon as nothing more is asked of it. Integers are numbers truncated toward zero, modulo 2^bits, and never
// estimated; `wholes` are for what needs no real numbers.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "evaluators/elements.h"
#include "evaluators/real.h"
#include "evaluators/rows.h"
#include "exact/convert.h"
#include "system/deadline.h"

namespace opref::evaluators {

/// What `explain` hears of a program: all that is read and named until the asked element is put.
struct Heard {
  TermSink* sink = nullptr;
  bool reads = false;
  std::set<std::pair<const std::byte*, std::int64_t>> known;  ///< an operand that is read again is told once

  void read(const Place& place) {
    if (reads && known.insert({place.tensor, place.at}).second) sink->reads(place);
  }
};

/// An integer, however wide; R is Bounded or Interval.
template <class R>
R whole_number(const Elements& x, std::int64_t i);

/// A sum of numbers, one after another; what kernels add in any order has its own way.
template <class R>
class SumOf {
 public:
  void add(const R& x) { sum_ = sum_ + x; }
  const R& total() const { return sum_; }

 private:
  R sum_ = R(0.0);
};
template <>
class SumOf<Faithful> : public exact::FaithfulSum {};

/// The operands as numbers.
template <class R>
class Reader {
 public:
  explicit Reader(Heard* heard = nullptr) : heard_(heard) {}
  OPREF_INLINE R operator()(const Elements& x, std::int64_t i) const {
    if constexpr (std::is_same_v<R, Interval>)
      if (heard_ != nullptr) heard_->read(x.place(i));
    if constexpr (std::is_same_v<R, Faithful>)
      return x.is_floating() ? Faithful::input(x.number(i)) : whole_number<R>(x, i);
    else
      return x.is_floating() ? R(x.number(i)) : whole_number<R>(x, i);
  }
  R zero() const { return R(0.0); }
  /// Tells what the number is, and gives it back. Of the whole program where it stands in it, of one element where it
  /// stands in the lambda that puts it.
  const R& named(std::string_view name, const R& x) const {
    if constexpr (std::is_same_v<R, Interval>)
      if (heard_ != nullptr && heard_->sink != nullptr) heard_->sink->real(name, x);
    return x;
  }
  /// Σ a[i + k]·b[j + k], k < n; an exact zero is +0.
  R dot(const Elements& a, std::int64_t i, const Elements& b, std::int64_t j, std::int64_t n) const {
    require_time();
    SumOf<R> sum;
    for (std::int64_t k = 0; k < n; ++k) sum.add((*this)(a, i + k) * (*this)(b, j + k));
    return sum.total();
  }
  /// The terms one after another; an exact zero is +0.
  template <class... Terms>
  R sum(const Terms&... terms) const {
    SumOf<R> sum;
    (sum.add(terms), ...);
    return sum.total();
  }
  R dot(const std::vector<R>& a, const Elements& b, std::int64_t j) const {
    require_time();
    SumOf<R> sum;
    for (std::size_t k = 0; k < a.size(); ++k) sum.add(a[k] * (*this)(b, j + static_cast<std::int64_t>(k)));
    return sum.total();
  }
  R dot(std::span<const R> a, std::span<const R> b) const {
    require_time();
    SumOf<R> sum;
    for (std::size_t k = 0; k < a.size(); ++k) sum.add(a[k] * b[k]);
    return sum.total();
  }

 private:
  Heard* heard_;
};

/// What is asked of a program for one output, and what it has put there.
struct Board {
  bool wanted = false;
  std::optional<std::int64_t> only;
  std::vector<std::int64_t> at;  ///< estimates, in the order in which they were put
  std::vector<double> v, e;
  std::vector<std::int64_t> open;  ///< ascending: what the interval tier is to decide
  std::vector<char> is_decided;    ///< of `open`

  std::size_t find(std::int64_t i) const;
};
/// Thrown where nothing more is asked of a program.
struct ProgramDone {};

template <class R>
class Writer {
 public:
  /// Takes the number of the k-th open element of an output.
  using Take = std::function<void(std::size_t output, std::size_t k, const R& number)>;
  explicit Writer(std::vector<Board>& boards, std::int64_t left = -1, Take take = nullptr)
      : boards_(boards), left_(left), take_(std::move(take)) {}
  /// Whether anybody asks for the output at all.
  bool wants(std::size_t output) const { return output < boards_.size() && boards_[output].wanted; }
  /// Whether anybody still asks for the element.
  bool wants(std::size_t output, std::int64_t at) const {
    if (!wants(output)) return false;
    const Board& board = boards_[output];
    if constexpr (std::is_same_v<R, Interval>) {
      const std::size_t k = board.find(at);
      return k < board.open.size() && board.is_decided[k] == 0;
    } else {
      return !board.only || *board.only == at;
    }
  }
  /// The element is this number, or what the lambda gives. Each element is put once.
  template <class X>
  void put(std::size_t output, std::int64_t at, const X& x) {
    require_time();
    if (!wants(output, at)) return;
    if constexpr (std::is_convertible_v<X, R>)
      take(output, at, x);
    else
      take(output, at, x());
    if (left_ == 0) throw ProgramDone{};
  }

 private:
  void take(std::size_t output, std::int64_t at, const R& number) {
    Board& board = boards_[output];
    if constexpr (std::is_same_v<R, Interval>) {
      const std::size_t k = board.find(at);
      take_(output, k, number);
      if (board.is_decided[k] != 0) --left_;
    } else {
      const Bounded y = finish_estimate(Sign::unknown, number, 1.0);
      board.at.push_back(at), board.v.push_back(y.v), board.e.push_back(y.e);
      if (left_ > 0) --left_;
    }
  }

  std::vector<Board>& boards_;
  std::int64_t left_;  ///< elements that are asked for; -1: not known
  Take take_;
};

/// Tells a sink how far kernels may be from the elements of one output that it asks for.
template <>
class Writer<Faithful> {
 public:
  Writer(std::size_t output, const Output& out, std::int64_t left)
      : output_(output), sink_(*out.sink()), is_integer_(!is_floating(out.type().dtype)), left_(left) {}
  bool wants(std::size_t output) const { return output == output_; }
  bool wants(std::size_t output, std::int64_t at) const { return wants(output) && sink_.asks_for_bound(at); }
  template <class X>
  void put(std::size_t output, std::int64_t at, const X& x) {
    require_time();
    if (!wants(output, at)) return;
    if constexpr (std::is_convertible_v<X, Faithful>)
      tell(at, x);
    else
      tell(at, x());
    if (--left_ == 0) throw ProgramDone{};
  }
  /// What a kernel has made of it.
  std::optional<Faithful> known(std::size_t output, std::int64_t at) const { return sink_.known(output, at); }

 private:
  void tell(std::int64_t at, const Faithful& y) { sink_.bound(at, is_integer_ ? exact::truncate(y) : y, {}); }

  std::size_t output_;
  TermSink& sink_;
  bool is_integer_;
  std::int64_t left_;  ///< elements that are asked for
};

/// Whether what kernels may compute is told of a program, whose sums of many terms are then all Reader's or SumOf's, so
/// that they hold in any order; not where it says `static constexpr bool has_bound = false`.
template <class F>
constexpr bool tells_bounds() {
  if constexpr (requires { F::has_bound; })
    return F::has_bound;
  else
    return true;
}
/// Tells the output's sink f(i) of each element i that it asks for.
void tell_bounds(const Output& out, const std::function<Faithful(std::int64_t i)>& f);

/// Programs without their type.
struct Programs {
  const void* program = nullptr;
  void (*estimate)(const void*, std::int64_t k, const Reader<Bounded>& x, Writer<Bounded>& y) = nullptr;
  void (*exact)(const void*, std::int64_t k, const Reader<Interval>& x, Writer<Interval>& y) = nullptr;
  std::int64_t (*program_of)(const void*, std::size_t output, std::int64_t at) = nullptr;
  Conversion result = {};  ///< how float8 takes what is beyond its range
  Rows rows = nullptr;     ///< of the only output
  void (*faithful)(const void*, std::int64_t k, const Reader<Faithful>& x, Writer<Faithful>& y) = nullptr;
};
std::vector<Value> programs_of(std::span<const Output> outs, std::int64_t n, const Programs& programs);

/// The outputs, of floating types or integers, by n programs on the outputs' threads; 0 where none puts a number.
/// f.program_of(output, at) says which one would. An element that the highest precision leaves open is `unsupported`.
template <class F>
std::vector<Value> programs(std::span<const Output> outs, std::int64_t n, const F& f, const Conversion& result = {},
                            const Rows& rows = nullptr) {
  void (*faithful)(const void*, std::int64_t, const Reader<Faithful>&, Writer<Faithful>&) = nullptr;
  if constexpr (tells_bounds<F>())
    faithful = [](const void* p, std::int64_t k, const Reader<Faithful>& x, Writer<Faithful>& y) {
      (*static_cast<const F*>(p))(k, x, y);
    };
  return programs_of(outs, n,
                     {&f,
                      [](const void* p, std::int64_t k, const Reader<Bounded>& x, Writer<Bounded>& y) {
                        (*static_cast<const F*>(p))(k, x, y);
                      },
                      [](const void* p, std::int64_t k, const Reader<Interval>& x, Writer<Interval>& y) {
                        (*static_cast<const F*>(p))(k, x, y);
                      },
                      [](const void* p, std::size_t output, std::int64_t at) {
                        return static_cast<const F*>(p)->program_of(output, at);
                      },
                      result, rows, faithful});
}

/// Stretches of elements, each element by itself.
template <class F>
struct ByElement {
  static constexpr std::int64_t kStretch = 512;
  static constexpr bool has_bound = tells_bounds<F>();
  const F& f;
  std::int64_t count;
  template <class R>
  void operator()(std::int64_t k, const Reader<R>& x, Writer<R>& y) const {
    for (std::int64_t i = k * kStretch; i < std::min(count, (k + 1) * kStretch); ++i)
      y.put(0, i, [&] { return f(i, x); });
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const { return at / kStretch; }
};
/// Y[i] = definition(i, x), x being a Reader<R>: what `sum` is for sums.
template <class F>
Tensor real(const Output& out, const F& definition, const Conversion& result = {}, const Rows& rows = nullptr) {
  const std::int64_t count = element_count(out.type().shape), stretch = ByElement<F>::kStretch;
  std::vector<Value> y =
      programs(std::span(&out, 1), (count + stretch - 1) / stretch, ByElement<F>{definition, count}, result, rows);
  return *y[0].tensor();
}

/// The operands as integers.
class WholeReader {
 public:
  explicit WholeReader(Heard* heard) : heard_(heard) {}
  Elements::Wide operator()(const Elements& x, std::int64_t i) const {
    if (heard_ != nullptr) heard_->read(x.place(i));
    return x.wide(i);
  }

 private:
  Heard* heard_;
};
/// Y[i], of integers of whole bytes or bool: the low bits of definition(i, x), x being a WholeReader.
Tensor wholes(const Output& out, const std::function<std::uint64_t(std::int64_t i, const WholeReader& x)>& definition);

}  // namespace opref::evaluators
