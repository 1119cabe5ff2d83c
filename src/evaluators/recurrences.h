// SPDX-License-Identifier: Apache-2.0
// Programs over vectors: what `programs` is for formulas that work out one number after the other. For recurrences,
// whose steps work out all units of their states at once.
//
// A recurrence is a templated call operator: f(p, x, y), p in [0, n), x a VectorReader<V>, y a VectorWriter<V>, for any
// V of vectors.h. It runs over Vector<Bounded>; what that leaves open over Vector<Paired>, then Traced, and at last
// over Vector<Interval>, whose numbers are worked out only where they are asked for. f.steps(p) says how long p is, and
// f.kIsTraced whether it has states that a trace knows; its output 0 has them all. What kernels may compute is told
// over Vector<Faithful>: each step begins with what the kernel has put in the steps before it, where that is known.
#pragma once

#include <string_view>
#include <utility>

#include "evaluators/programs.h"
#include "evaluators/traced.h"

namespace opref::evaluators {

/// A run of a recurrence over numbers of one kind.
struct Tier {
  int precision = 24;      ///< of the results, in bits
  bool is_left = false;    ///< as soon as it decides hardly anything any more, for a better one
  std::int64_t steps = 0;  ///< that were taken
  Tracing tracing = {};
  std::optional<std::size_t> open = {};  ///< elements, where all are known: the tier ends with the last one
};
/// Thrown where a tier is left, and where it has decided all.
struct TierLeft {};
struct TierDone {};

/// The operands as vectors.
template <class V>
class VectorReader {
 public:
  explicit VectorReader(Tier& tier) : tier_(&tier) {}
  /// n neighbours from x[from] on
  V operator()(const Elements& x, std::int64_t from, std::size_t n) const {
    if constexpr (std::is_same_v<V, Traced>)
      return V(VectorReader<Vector<Paired>>(*tier_)(x, from, n));
    else {
      V y(n);
      for (std::size_t i = 0; i < n; ++i) y.at().set(i, x.number(from + static_cast<std::int64_t>(i)));
      return y;
    }
  }
  V zeros(std::size_t n) const {
    if constexpr (std::is_same_v<V, Traced>)
      return V(VectorReader<Vector<Paired>>(*tier_).zeros(n));
    else {
      V y(n);
      for (std::size_t i = 0; i < n; ++i) y.at().set(i, 0.0);
      return y;
    }
  }
  /// w·x; an exact zero is +0.
  V product(const Weights& w, const V& x) const {
    require_time();
    return evaluators::product(w, x);
  }
  Tier& tier() const { return *tier_; }

 private:
  Tier* tier_;
};
template <class R>
  requires(!InPlanes<R>)
class VectorReader<Vector<R>> {
 public:
  explicit VectorReader(const Reader<R>& reader) : reader_(&reader) {}
  Vector<R> operator()(const Elements& x, std::int64_t from, std::size_t n) const {
    return {n,
            [&x, from, reader = reader_](std::size_t i) { return (*reader)(x, from + static_cast<std::int64_t>(i)); }};
  }
  Vector<R> zeros(std::size_t n) const {
    return {n, [](std::size_t) { return R(0.0); }};
  }
  Vector<R> product(const Weights& w, const Vector<R>& x) const {
    return {w.rows(), [&w, x, reader = reader_](std::size_t i) {
              require_time();
              SumOf<R> sum;
              for (std::size_t k = 0; k < w.columns(); ++k) {
                const R weight = (*reader)(w.elements(), w.at(i, k));
                sum.add(x[k] * weight);
              }
              return sum.total();
            }};
  }
  const Reader<R>& reader() const { return *reader_; }

 private:
  const Reader<R>* reader_;
};

/// What `explain` hears of the element that it asks for: names, and vectors of which that element is told.
template <class V>
class Parts {
 public:
  struct Part {
    std::string_view name;
    const V& x;
  };
  Parts() = default;
  Parts(std::initializer_list<Part> parts) {
    if constexpr (!std::is_same_v<V, Traced>)
      if constexpr (!InPlanes<typename V::Number>)
        for (const Part& part : parts) kept_.emplace_back(part.name, part.x);
  }
  template <class Reader>
  void tell(const Reader& reader, std::size_t unit) const {
    for (const auto& [name, x] : kept_) reader.named(name, x[unit]);
  }

 private:
  std::vector<std::pair<std::string_view, V>> kept_;
};

/// What tiers have made of one output's elements.
struct Sheet {
  bool is_wanted = false;
  DType dtype{};
  std::vector<std::int64_t> at;  ///< in the order in which they are put, which is that of all tiers
  std::vector<double> v, e;      ///< of float64 e is 0 where v is the nearest double, else infinite
  std::vector<char> is_open;
  std::vector<std::int64_t> steps;  ///< that had been taken
  std::size_t next = 0;             ///< the next one that the running tier puts
  Tier* tier = nullptr;
};
/// n elements, neighbours from `at` on, as numbers v ± e.
void put_numbers(Sheet& sheet, std::int64_t at, const Vector<Bounded>& x);
void put_numbers(Sheet& sheet, std::int64_t at, const Vector<Paired>& x);

template <class V>
class VectorWriter {
 public:
  explicit VectorWriter(std::vector<Sheet>& sheets) : sheets_(&sheets) {}
  bool wants(std::size_t output) const { return output < sheets_->size() && (*sheets_)[output].is_wanted; }
  /// The elements of the output from `at` on, each put once.
  void put(std::size_t output, std::int64_t at, const V& x, const Parts<V>& = {}) {
    if (!wants(output)) return;
    if constexpr (std::is_same_v<V, Traced>)
      put_numbers((*sheets_)[output], at, x.y);
    else
      put_numbers((*sheets_)[output], at, x);
  }

 private:
  std::vector<Sheet>* sheets_;
};
template <class R>
  requires(!InPlanes<R>)
class VectorWriter<Vector<R>> {
 public:
  VectorWriter(const Reader<R>& reader, Writer<R>& writer) : reader_(&reader), writer_(&writer) {}
  bool wants(std::size_t output) const { return writer_->wants(output); }
  void put(std::size_t output, std::int64_t at, const Vector<R>& x, const Parts<Vector<R>>& parts = {}) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::int64_t place = at + static_cast<std::int64_t>(i);
      writer_->put(output, place, [&] {
        parts.tell(*reader_, i);
        return x[i];
      });
      if constexpr (std::is_same_v<R, Faithful>)
        if (const std::optional<R> known = writer_->known(output, place)) x.set(i, *known);
    }
  }

 private:
  const Reader<R>* reader_;
  Writer<R>* writer_;
};

/// Counts a step, and leaves a tier that does not tell most units of a state any more.
void count_step(Tier& tier, const Vector<Bounded>& state);
void count_step(Tier& tier, const Vector<Paired>& state);
inline void count_step(Tier& tier, const Traced&) { ++tier.steps; }

/// The states of a recurrence: what they are before its first step, then, at the end of each step, what they become.
template <class V>
class States {
 public:
  template <class... X>
  explicit States(const VectorReader<V>& x, X&... states) : tier_(&x.tier()) {
    if constexpr (std::is_same_v<V, Traced>) traced_.emplace(std::vector<Traced*>{&states...}, tier_->tracing);
  }
  template <class... X>
  void next(X&... states) {
    if constexpr (std::is_same_v<V, Traced>) traced_->next({&states...});
    count_step(*tier_, std::get<0>(std::tie(states...)));
  }

 private:
  struct None {};
  Tier* tier_;
  std::optional<TracedStates> traced_;
};
/// Numbers that are worked out where they are asked for: of all states but the last one all are, so that no more than
/// two steps are remembered.
template <class R>
  requires(!InPlanes<R>)
class States<Vector<R>> {
 public:
  template <class... X>
  explicit States(const VectorReader<Vector<R>>&, X&... states) : last_{states...} {}
  template <class... X>
  void next(X&... states) {
    for (const Vector<R>& state : last_) state.complete();
    last_ = {states...};
  }

 private:
  std::vector<Vector<R>> last_;
};

/// Recurrences without their type.
struct Recurrence {
  const void* f = nullptr;
  std::int64_t (*program_of)(const void*, std::size_t output, std::int64_t at) = nullptr;
  std::int64_t (*steps)(const void*, std::int64_t p) = nullptr;
  void (*bounded)(const void*, std::int64_t p, const VectorReader<Vector<Bounded>>&,
                  VectorWriter<Vector<Bounded>>&) = nullptr;
  void (*paired)(const void*, std::int64_t p, const VectorReader<Vector<Paired>>&,
                 VectorWriter<Vector<Paired>>&) = nullptr;
  void (*traced)(const void*, std::int64_t p, const VectorReader<Traced>&,
                 VectorWriter<Traced>&) = nullptr;  ///< or none
  void (*exact)(const void*, std::int64_t p, const VectorReader<Vector<Interval>>&,
                VectorWriter<Vector<Interval>>&) = nullptr;
  void (*faithful)(const void*, std::int64_t p, const VectorReader<Vector<Faithful>>&,
                   VectorWriter<Vector<Faithful>>&) = nullptr;
};
std::vector<Value> recurrences_of(std::span<const Output> outs, std::int64_t n, const Recurrence& recurrence);

/// The outputs, of floating types, by n programs on the outputs' threads, as `programs` has it.
template <class F>
std::vector<Value> recurrences(std::span<const Output> outs, std::int64_t n, const F& f) {
  const auto over = []<class V>(const void* p, std::int64_t k, const VectorReader<V>& x, VectorWriter<V>& y) {
    (*static_cast<const F*>(p))(k, x, y);
  };
  Recurrence recurrence{&f,
                        [](const void* p, std::size_t output, std::int64_t at) {
                          return static_cast<const F*>(p)->program_of(output, at);
                        },
                        [](const void* p, std::int64_t k) { return static_cast<const F*>(p)->steps(k); },
                        over,
                        over,
                        nullptr,
                        over,
                        over};
  if constexpr (F::kIsTraced) recurrence.traced = over;
  return recurrences_of(outs, n, recurrence);
}

}  // namespace opref::evaluators
