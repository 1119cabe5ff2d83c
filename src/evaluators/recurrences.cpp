// SPDX-License-Identifier: Apache-2.0
#include "evaluators/recurrences.h"

#include <algorithm>
#include <array>

#include "exact/real/steps.h"

namespace opref::evaluators {
namespace {

/// Bits of a number that an estimate tells at first; each step of a recurrence costs some.
constexpr double kBitsOfDouble = 46, kBitsOfPair = 90;
/// That of in_some_precision.
constexpr exact::MpfrPrecision kFirstPrecision = 96;
/// Steps that a block of a trace has.
constexpr int kLeastBlock = 2, kMostBlock = 4;
/// Elements that are settled at once.
constexpr std::size_t kPart = 512;

struct Numbers {
  std::array<double, kPart + kRowSlack> v{}, e{};
};
/// Of float64: e is 0 where v is the nearest double.
OPREF_CLONES void nearest_doubles(const double* __restrict h, const double* __restrict l, const double* __restrict e,
                                  std::size_t n, double* __restrict value, double* __restrict open) {
  for (std::size_t i = 0; i < n; ++i) {
    const NearestDouble y = nearest_double({h[i], l[i], e[i]});
    value[i] = y.value, open[i] = y.open;
  }
}
void mark_open(Sheet& sheet, std::size_t first, std::size_t n, const Numbers& x) {
  std::array<std::uint64_t, kPart + kRowSlack> is_open{};
  with_float(sheet.dtype, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, double>) {
      for (std::size_t i = 0; i < n; ++i) is_open[i] = x.e[i] == 0 ? 0 : 1;
    } else {
      Numbers finished;
      for (std::size_t i = 0; i < n; ++i) {
        const Bounded y = finish_estimate(Sign::unknown, {x.v[i], x.e[i]}, 1.0);
        finished.v[i] = y.v, finished.e[i] = y.e;
      }
      SettledRow<T, kPart> row;
      row.settle(finished.v.data(), finished.e.data(), n);
      std::copy_n(row.is_open.data(), n, is_open.data());
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = first + i;
    if (k == sheet.v.size())
      sheet.v.push_back(0), sheet.e.push_back(0), sheet.is_open.push_back(1), sheet.steps.push_back(sheet.tier->steps);
    if (sheet.is_open[k] == 0) continue;
    sheet.v[k] = x.v[i], sheet.e[k] = x.e[i], sheet.is_open[k] = static_cast<char>(is_open[i]);
    if (is_open[i] == 0 && sheet.tier->open) --*sheet.tier->open;
  }
  if (sheet.tier->open == 0U) throw TierDone{};
}
/// fill(i, n, numbers) for parts of n elements.
template <class Fill>
void put_parts(Sheet& sheet, std::int64_t at, std::size_t size, const Fill& fill) {
  const std::size_t first = sheet.next;
  for (std::size_t i = 0; i < size && first + i >= sheet.at.size(); ++i)
    sheet.at.push_back(at + static_cast<std::int64_t>(i));
  Numbers part;
  for (std::size_t i = 0, n; i < size; i += n) {
    n = std::min(kPart, size - i);
    fill(i, n, part);
    mark_open(sheet, first + i, n, part);
  }
  sheet.next = first + size;
}

template <class Vague>
void leave_where_vague(Tier& tier, std::size_t n, const Vague& is_vague) {
  ++tier.steps;
  if (!tier.is_left) return;
  std::size_t vague = 0;
  for (std::size_t i = 0; i < n; ++i) vague += is_vague(i) ? 1 : 0;
  if (2 * vague > n) throw TierLeft{};
}

class Tiers {
 public:
  template <class R>
  Tiers(const Recurrence& recurrence, std::span<const Output> outs, std::int64_t p, const Writer<R>& asked)
      : recurrence_(recurrence), p_(p), sheets_(outs.size()) {
    for (std::size_t o = 0; o < outs.size(); ++o) {
      Sheet& sheet = sheets_[o];
      sheet.is_wanted = asked.wants(o), sheet.dtype = outs[o].type().dtype;
      if (!sheet.is_wanted) continue;
      exact_only_ = exact_only_ || outs[o].numerics().exact_only;
      with_float(sheet.dtype, [&]<class T>(T) { precision_ = std::max(precision_, Format<T>::precision); });
    }
  }

  bool exact_only() const { return exact_only_; }
  bool of_doubles() const { return precision_ == Format<double>::precision; }
  /// All elements, as if nothing were known of them.
  void list() {
    run<Vector<Bounded>>(recurrence_.bounded, false);
    for (Sheet& sheet : sheets_) std::ranges::fill(sheet.e, HUGE_VAL);
  }
  void estimate() {
    const double steps = static_cast<double>(recurrence_.steps(recurrence_.f, p_));
    const double spent = precision_ + 1, of_double = kBitsOfDouble - spent, of_pair = kBitsOfPair - spent;
    double lost = 0;  // bits a step
    if (of_double > 0) {
      const std::int64_t told = run<Vector<Bounded>>(recurrence_.bounded, true);
      if (!is_open()) return;
      if (told >= 0) lost = of_double / static_cast<double>(std::max<std::int64_t>(1, told));
    }
    if (steps * lost < of_pair) {
      run<Vector<Paired>>(recurrence_.paired, true);
      if (!is_open()) return;
      if (!is_left_ && lost > 0 && recurrence_.traced != nullptr) {
        run<Traced>(recurrence_.traced, false, {kLeastBlock, first_to_trace(lost)});
        if (!is_open()) return;
      }
    }
    if (recurrence_.traced == nullptr) {
      if (!is_complete_) run<Vector<Bounded>>(recurrence_.bounded, false);  // which tells where elements are
      return;
    }
    // A trace loses about as many bits in a block as pairs alone lose in a step.
    const int block =
        of_double > 0 ? std::clamp(static_cast<int>(steps * lost / of_pair) + 1, kLeastBlock, kMostBlock) : kMostBlock;
    run<Traced>(recurrence_.traced, false, {block, 0});
    if (block < kMostBlock && is_open()) run<Traced>(recurrence_.traced, false, {kMostBlock, 0});
  }
  void put_all(Writer<Bounded>& y) const {
    for (std::size_t o = 0; o < sheets_.size(); ++o)
      for (std::size_t k = 0; k < sheets_[o].at.size(); ++k)
        y.put(o, sheets_[o].at[k], Bounded(sheets_[o].v[k], sheets_[o].e[k]));
  }

  void put_doubles(Writer<Interval>& y) const {
    for (std::size_t o = 0; o < sheets_.size(); ++o)
      for (std::size_t k = 0; k < sheets_[o].at.size(); ++k)
        if (sheets_[o].is_open[k] == 0) y.put(o, sheets_[o].at[k], Interval(sheets_[o].v[k]));
  }

 private:
  /// After how many steps the tier was left, or -1.
  template <class V, class F>
  std::int64_t run(F f, bool may_leave, const Tracing& tracing = {}) {
    Tier tier{precision_, may_leave, 0, tracing};
    if (is_complete_) tier.open = count_open();
    for (Sheet& sheet : sheets_) sheet.next = 0, sheet.tier = &tier;
    VectorWriter<V> y(sheets_);
    try {
      f(recurrence_.f, p_, VectorReader<V>(tier), y);
    } catch (const TierLeft&) {
      is_left_ = true;
      return tier.steps;
    } catch (const TierDone&) {
    }
    is_left_ = false, is_complete_ = true;
    return -1;
  }
  std::size_t count_open() const {
    std::size_t open = 0;
    for (const Sheet& sheet : sheets_) open += static_cast<std::size_t>(std::ranges::count(sheet.is_open, 1));
    return open;
  }
  bool is_open() const { return is_left_ || count_open() > 0; }
  /// The step from which a trace is likely to decide what is open: of what pairs alone lose in a step it keeps half.
  std::int64_t first_to_trace(double lost) const {
    constexpr double kMargin = 6;  // bits beyond those that are missing: one element in 64 may stay open
    double first = HUGE_VAL;
    for (const Sheet& sheet : sheets_)
      for (std::size_t k = 0; k < sheet.at.size(); ++k) {
        if (sheet.is_open[k] == 0) continue;
        const double missing = std::logb(sheet.e[k] / std::abs(sheet.v[k])) + precision_ + 2;
        const double from = static_cast<double>(sheet.steps[k]) - std::max(2.0, 2 * (missing + kMargin) / lost);
        first = from < first || from != from ? from : first;
      }
    return first > 0 ? static_cast<std::int64_t>(first) : 0;
  }

  const Recurrence& recurrence_;
  std::int64_t p_;
  std::vector<Sheet> sheets_;
  int precision_ = 0;
  bool exact_only_ = false, is_left_ = false;
  bool is_complete_ = false;  ///< a tier has put all elements
};

struct Estimated {
  Recurrence recurrence;
  std::span<const Output> outs;

  void estimate(std::int64_t p, Writer<Bounded>& y) const {
    Tiers tiers(recurrence, outs, p, y);
    if (tiers.exact_only() || tiers.of_doubles())
      tiers.list();
    else
      tiers.estimate();
    tiers.put_all(y);
  }
  /// `programs` asks for all doubles here: at first those that pairs tell are put as they are.
  void exactly(std::int64_t p, const Reader<Interval>& x, Writer<Interval>& y) const {
    Tiers tiers(recurrence, outs, p, y);
    if (tiers.of_doubles() && !tiers.exact_only() && Interval::precision == kFirstPrecision && !Steps::type()) {
      tiers.estimate();
      tiers.put_doubles(y);
    }
    VectorWriter<Vector<Interval>> writer(x, y);
    recurrence.exact(recurrence.f, p, VectorReader<Vector<Interval>>(x), writer);
  }
  void tell(std::int64_t p, const Reader<Faithful>& x, Writer<Faithful>& y) const {
    VectorWriter<Vector<Faithful>> writer(x, y);
    recurrence.faithful(recurrence.f, p, VectorReader<Vector<Faithful>>(x), writer);
  }
};

}  // namespace

void put_numbers(Sheet& sheet, std::int64_t at, const Vector<Bounded>& x) {
  put_parts(sheet, at, x.size(), [&](std::size_t i, std::size_t n, Numbers& part) {
    std::copy_n(&x.v[i], n, part.v.data()), std::copy_n(&x.e[i], n, part.e.data());
    if (sheet.dtype == DType::float64) std::fill_n(part.e.data(), n, HUGE_VAL);
  });
}
void put_numbers(Sheet& sheet, std::int64_t at, const Vector<Paired>& x) {
  put_parts(sheet, at, x.size(), [&](std::size_t i, std::size_t n, Numbers& part) {
    if (sheet.dtype == DType::float64) {
      nearest_doubles(&x.h[i], &x.l[i], &x.e[i], n, part.v.data(), part.e.data());
      return;
    }
    for (std::size_t k = 0; k < n; ++k) part.v[k] = x.h[i + k], part.e[k] = x.e[i + k] + std::abs(x.l[i + k]);
  });
}

void count_step(Tier& tier, const Vector<Bounded>& state) {
  const double part = std::ldexp(1.0, -1 - tier.precision);
  leave_where_vague(tier, state.size(), [&](std::size_t i) { return !(state.e[i] <= std::abs(state.v[i]) * part); });
}
void count_step(Tier& tier, const Vector<Paired>& state) {
  const double part = std::ldexp(1.0, -1 - tier.precision);
  leave_where_vague(tier, state.size(), [&](std::size_t i) { return !(state.e[i] <= std::abs(state.h[i]) * part); });
}

std::vector<Value> recurrences_of(std::span<const Output> outs, std::int64_t n, const Recurrence& recurrence) {
  const Estimated estimated{recurrence, outs};
  for (const Output& out : outs)
    if (out.wanted() && out.sink() != nullptr) out.sink()->recurs(recurrence.traced != nullptr);
  return programs_of(outs, n,
                     {.program = &estimated,
                      .estimate = [](const void* program, std::int64_t p, const Reader<Bounded>&,
                                     Writer<Bounded>& y) { static_cast<const Estimated*>(program)->estimate(p, y); },
                      .exact = [](const void* program, std::int64_t p, const Reader<Interval>& x,
                                  Writer<Interval>& y) { static_cast<const Estimated*>(program)->exactly(p, x, y); },
                      .program_of =
                          [](const void* program, std::size_t output, std::int64_t at) {
                            const Recurrence& r = static_cast<const Estimated*>(program)->recurrence;
                            return r.program_of(r.f, output, at);
                          },
                      .faithful = [](const void* program, std::int64_t p, const Reader<Faithful>& x,
                                     Writer<Faithful>& y) { static_cast<const Estimated*>(program)->tell(p, x, y); }});
}

}  // namespace opref::evaluators
