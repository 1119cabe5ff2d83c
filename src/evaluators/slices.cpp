// SPDX-License-Identifier: Apache-2.0
#include "evaluators/slices.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.h"
#include "evaluators/move.h"
#include "evaluators/nothing.h"
#include "evaluators/parts.h"
#include "evaluators/undecided.h"
#include "exact/near_rows.h"
#include "exact/storage.h"

namespace opref::evaluators {

NearError near_error(const StaticBound& bound, Sign sign) {
  const bool is_known = bound.rel <= 0x1p-34 && bound.abs <= 0x1p900 && bound.limit == kInfinity;
  // 1.02 pays for the bound's own roundings, 2^-51 for those of both ends. An absolute error may cross zero: then both
  // ends are told apart, unless the number's sign is known.
  const bool is_nothing = bound.abs == 0 || (sign == Sign::positive && bound.abs <= 0x1p-215);
  return {bound.rel * 1.02 + 0x1p-51, is_nothing ? 0 : std::max(bound.abs * 1.02, 0x1p-140), is_known};
}

namespace {

/// An output, and what is asked of it in the slice at hand.
struct Target {
  Target(const Output& output, std::byte* bytes, bool rows)
      : out(output),
        y(bytes),
        has_rows(rows),
        is_exact_only(output.numerics().exact_only || info(output.type().dtype).kind != Kind::floating),
        is_double(output.type().dtype == DType::float64) {}
  const Output& out;
  std::byte* y;                    ///< null where nobody asks for it
  bool has_rows;                   ///< else one element a slice
  bool is_exact_only;              ///< by Interval
  bool is_double;                  ///< else by Paired in place of Near and Bounded
  bool is_all = false;             ///< all of a slice are asked for
  std::vector<size_t> asked = {};  ///< else these, ascending
  std::vector<size_t> left = {};   ///< by the tier at hand
  bool is_all_left = false;
  std::int64_t count = 0, exact = 0;

  /// What the tier at hand left is asked of the next one.
  void next() {
    std::swap(asked, left);
    left.clear();
    is_all = std::exchange(is_all_left, false);
  }
};

/// Whether it has an element for each of a slice, else one for a slice.
bool has_rows(const Output& out, const Slicing& slicing) {
  return slicing.size() != 1 && element_count(out.type().shape) == slicing.count() * slicing.size();
}

class Work final : public SliceWork {
 public:
  Work(std::span<const Output> outs, std::span<std::byte* const> y, const Slicing& slicing, const SliceFormula& formula,
       Heard* heard = nullptr)
      : slicing_(slicing),
        formula_(formula),
        heard_(heard),
        n_(static_cast<size_t>(slicing.size())),
        memory_(slicing.size(), heard) {
    const Run run = slicing.within().run(0);
    is_contiguous_ = n_ < 2 || (run.count == slicing.size() && run.step == 1);
    for (size_t o = 0; o < outs.size(); ++o) {
      targets_.emplace_back(outs[o], y[o], has_rows(outs[o], slicing));
    }
  }

  /// All that is wanted of a slice.
  void evaluate(std::int64_t slice) {
    move_to(slice);
    for (Target& target : targets_) {
      target.is_all = target.y != nullptr;
      target.count += target.is_all ? size_of(target) : 0;
    }
    if (begin_tier(Tier::near)) {
      formula_.near(formula_.formula, {*this, memory_, nullptr});
      end_of_tier();
    }
    estimate();
    exactly();
  }
  /// One element of an output.
  void evaluate(size_t output, std::int64_t at) {
    ask(output, at);
    targets_[output].count += 1;
    estimate();
    exactly();
  }
  /// One element in the precision in force.
  Interval tell(size_t output, std::int64_t at) {
    ask(output, at);
    told_.reset();
    is_telling_ = true;
    run_exactly();
    return told_.value_or(Interval(0.0));
  }
  ~Work() override {
    for (const Target& target : targets_)
      if (target.y != nullptr && heard_ == nullptr)
        count_elements(target.out.numerics(), target.count - target.exact, target.exact);
  }

  bool wants(size_t output, size_t i, size_t n) const override {
    if (output >= targets_.size()) return false;
    const Target& target = targets_[output];
    if (target.y == nullptr || !takes(target)) return false;
    if (target.is_all) return true;
    const auto found = std::ranges::lower_bound(target.asked, i);
    return found != target.asked.end() && *found - i < n;
  }
  void leave(size_t output) override { targets_[output].is_all_left = true; }
  void take(size_t output, size_t i, size_t n, const double* v, const NearError& error) override {
    Target& target = targets_[output];
    with_narrow(target, [&]<class T>(T) {
      std::array<T, SliceMemory::kPart> scattered;
      T* y = reinterpret_cast<T*>(target.y);
      T* to = is_contiguous_ ? y + base_ + i : scattered.data();
      size_t open = settle_near_row(v, error.relative, error.absolute, n, to, is_open_.data());
      for (size_t k = 0; open > 0; ++k)
        if (is_open_[k] != 0) target.left.push_back(i + k), --open;
      if (!is_contiguous_) scatter(scattered.data(), i, n, y);
    });
  }
  void take(size_t output, size_t i, size_t n, const Part& part, Sign sign) override {
    Target& target = targets_[output];
    if (target.is_double) return take_pairs(target, i, n, part);
    for (size_t k = 0; k < n; ++k) {
      const Bounded y(part.v[k], part.e == nullptr ? 0 : part.e[k]);
      const double like = sign == Sign::as_estimate ? y.v : 1.0;
      const Bounded finished = finish_estimate(y.e == 0 ? Sign::unknown : sign, y, like);
      v_[k] = finished.v, e_[k] = finished.e;
    }
    with_narrow(target, [&]<class T>(T) {
      SettledRow<T, SliceMemory::kPart> row;
      row.settle(v_.data(), e_.data(), n);
      auto next = target.is_all ? target.asked.end() : std::ranges::lower_bound(target.asked, i);
      for (size_t k = 0; k < n; ++k) {
        if (!target.is_all && (next == target.asked.end() || *next != i + k)) continue;
        if (!target.is_all) ++next;
        // The error of an infinite number that is known to be that is finite.
        const bool is_infinite = std::isinf(part.v[k]) && (part.e == nullptr || std::isfinite(part.e[k]));
        if (row.is_open[k] != 0 && !is_infinite)
          target.left.push_back(i + k);
        else
          reinterpret_cast<T*>(target.y)[place(target, i + k)] = is_infinite ? infinity<T>(part.v[k] < 0) : row.y[k];
      }
    });
  }
  void take(size_t output, const std::function<Special(size_t)>& y) override {
    Target& target = targets_[output];
    each_asked(target, [&](size_t i) {
      const Special number = y(i);
      if (!number.is_known()) return target.left.push_back(i);
      with_float(target.out.type().dtype,
                 [&]<class T>(T) { reinterpret_cast<T*>(target.y)[place(target, i)] = nearest<T>(number.v); });
    });
  }
  void take(size_t, const std::function<Faithful(size_t)>&, const exact::ResultRange&) override {}
  void take(size_t output, const std::function<Interval(size_t)>& y) override {
    Target& target = targets_[output];
    each_asked(target, [&](size_t i) {
      const Interval number = y(i);
      if (is_telling_)
        told_ = number;
      else if (!settle_exactly(target, i, number))
        target.left.push_back(i);
    });
    if (--asked_outputs_ == 0) throw ProgramDone{};
  }

 private:
  enum class Tier : std::uint8_t { near, bounded, pairs, special, exact };

  bool takes(const Target& target) const {
    if (tier_ == Tier::exact) return true;
    return !target.is_exact_only && (tier_ == Tier::special || target.is_double == (tier_ == Tier::pairs));
  }
  void take_pairs(Target& target, size_t i, size_t n, const Part& part) {
    auto next = target.is_all ? target.asked.end() : std::ranges::lower_bound(target.asked, i);
    for (size_t k = 0; k < n; ++k) {
      if (!target.is_all && (next == target.asked.end() || *next != i + k)) continue;
      if (!target.is_all) ++next;
      const auto nearest =
          nearest_double(part.e == nullptr ? Paired(part.v[k]) : Paired(part.v[k], part.l[k], part.e[k]));
      if (nearest.open != 0 || !memory_.are_doubles())
        target.left.push_back(i + k);
      else
        reinterpret_cast<double*>(target.y)[place(target, i + k)] = nearest.value;
    }
  }
  static bool is_asked(const Target& target) { return target.is_all || !target.asked.empty(); }
  template <class F>
  void each_asked(const Target& target, const F& f) const {
    if (target.is_all)
      for (size_t i = 0; i < size_of(target); ++i) f(i);
    else
      for (const size_t i : target.asked) f(i);
  }

  size_t size_of(const Target& target) const { return target.has_rows ? n_ : 1; }
  /// Where element i of the slice lies.
  std::int64_t place(const Target& target, size_t i) const {
    return target.has_rows ? base_ + slicing_.within()(static_cast<std::int64_t>(i)) : slice_;
  }
  template <class F>
  static void with_narrow(const Target& target, const F& f) {
    with_float(target.out.type().dtype, [&]<class T>(T t) {
      if constexpr (!std::is_same_v<T, double>) f(t);
    });
  }
  void move_to(std::int64_t slice) {
    require_time();
    slice_ = slice, base_ = slicing_.of_slice()(slice);
    memory_.move_to(slice);
  }
  void ask(size_t output, std::int64_t at) {
    const bool has_rows = targets_[output].has_rows;
    move_to(has_rows ? slicing_.slice_of(at) : at);
    for (Target& target : targets_) target.is_all = false, target.asked.clear();
    targets_[output].asked = {has_rows ? static_cast<size_t>(slicing_.place_of(at)) : 0};
  }
  /// What the tier at hand left is asked of the next one.
  void end_of_tier() {
    for (Target& target : targets_)
      if (takes(target)) target.next();
  }
  bool begin_tier(Tier tier) {
    tier_ = tier;
    return std::ranges::any_of(targets_, [&](const Target& target) { return takes(target) && is_asked(target); });
  }
  void estimate() {
    if (begin_tier(Tier::bounded)) {
      formula_.bounded(formula_.formula, {*this, memory_, nullptr});
      end_of_tier();
    }
    if (begin_tier(Tier::pairs)) {
      formula_.pairs(formula_.formula, {*this, memory_, nullptr});
      end_of_tier();
    }
    if (begin_tier(Tier::special)) {
      formula_.special(formula_.formula, {*this, memory_, nullptr});
      end_of_tier();
    }
  }
  void exactly() {
    if (!begin_tier(Tier::exact)) return;
    for (Target& target : targets_)
      if (is_asked(target)) target.exact += target.is_all ? size_of(target) : target.asked.size();
    const bool is_decided = in_some_precision([&] {
      run_exactly();
      end_of_tier();
      return !begin_tier(Tier::exact);
    });
    if (is_decided) return;
    const auto open = std::ranges::find_if(targets_, is_asked);
    fail_undecided(open->out, place(*open, open->asked[0]));
  }
  void run_exactly() {
    tier_ = Tier::exact;
    memory_.forget_intervals();
    asked_outputs_ =
        std::ranges::count_if(targets_, [](const Target& target) { return target.is_all || !target.asked.empty(); });
    try {
      formula_.exact(formula_.formula, {*this, memory_, heard_ == nullptr ? nullptr : heard_->sink});
    } catch (const ProgramDone&) {
    }
  }
  bool settle_exactly(const Target& target, size_t i, const Interval& y) {
    const std::int64_t at = place(target, i);
    const DType dtype = target.out.type().dtype;
    if (info(dtype).kind == Kind::floating)
      return with_float(dtype, [&]<class T>(T) { return settle(y, reinterpret_cast<T*>(target.y)[at]); });
    std::uint64_t bits = 0;
    if (!settle(y, bits)) return false;
    std::memcpy(target.y + at * (info(dtype).bits / 8), &bits, static_cast<size_t>(info(dtype).bits / 8));
    return true;
  }
  template <class T>
  void scatter(const T* from, size_t i, size_t n, T* y) const {
    for (size_t done = 0; done < n;) {
      const Run run = slicing_.within().run(static_cast<std::int64_t>(i + done));
      const size_t count = std::min(n - done, static_cast<size_t>(run.count));
      T* to = y + base_ + run.from;
      for (size_t k = 0; k < count; ++k) to[static_cast<std::int64_t>(k) * run.step] = from[done + k];
      done += count;
    }
  }

  const Slicing& slicing_;
  const SliceFormula& formula_;
  Heard* heard_;
  size_t n_;
  bool is_contiguous_ = true, is_telling_ = false;
  SliceMemory memory_;
  std::vector<Target> targets_;
  std::int64_t slice_ = 0, base_ = 0, asked_outputs_ = 0;
  Tier tier_ = Tier::near;
  std::optional<Interval> told_;
  std::array<std::uint32_t, SliceMemory::kPart + kRowSlack> is_open_;
  std::array<double, SliceMemory::kPart + kRowSlack> v_, e_;
};

/// Tells what kernels may compute of one output.
class BoundWork final : public SliceWork {
 public:
  BoundWork(size_t output, bool has_rows, const Slicing& slicing, TermSink& sink)
      : output_(output), has_rows_(has_rows), slicing_(slicing), sink_(sink), memory_(slicing.size(), nullptr) {}
  void tell(std::int64_t slice, const SliceFormula& formula) {
    require_time();
    slice_ = slice;
    if (!wants(output_, 0, size())) return;
    memory_.move_to(slice);
    memory_.forget_intervals();
    formula.faithful(formula.formula, {*this, memory_, nullptr});
  }

  bool wants(size_t output, size_t i, size_t n) const override {
    if (output != output_) return false;
    for (size_t k = i; k < std::min(i + n, size()); ++k)
      if (sink_.asks_for_bound(place(k))) return true;
    return false;
  }
  void leave(size_t) override {}
  void take(size_t, size_t, size_t, const double*, const NearError&) override {}
  void take(size_t, size_t, size_t, const Part&, Sign) override {}
  void take(size_t, const std::function<Special(size_t)>&) override {}
  void take(size_t, const std::function<Interval(size_t)>&) override {}
  void take(size_t, const std::function<Faithful(size_t)>& y, const exact::ResultRange& range) override {
    for (size_t i = 0; i < size(); ++i)
      if (sink_.asks_for_bound(place(i))) sink_.bound(place(i), y(i), range);
  }

 private:
  size_t size() const { return has_rows_ ? static_cast<size_t>(slicing_.size()) : 1; }
  std::int64_t place(size_t i) const {
    return has_rows_ ? slicing_.of_slice()(slice_) + slicing_.within()(static_cast<std::int64_t>(i)) : slice_;
  }

  size_t output_;
  bool has_rows_;
  const Slicing& slicing_;
  TermSink& sink_;
  SliceMemory memory_;
  std::int64_t slice_ = 0;
};

void tell_bounds(std::span<const Output> outs, size_t output, const Slicing& slicing, const SliceFormula& formula) {
  BoundWork work(output, has_rows(outs[output], slicing), slicing, *outs[output].sink());
  for (std::int64_t slice = 0; slice < slicing.count(); ++slice) work.tell(slice, formula);
}

/// The operands, the named parts and the result of the only element of an output.
void tell(std::span<const Output> outs, size_t output, const Slicing& slicing, const SliceFormula& formula) {
  std::byte nowhere{};
  std::vector<std::byte*> y(outs.size());
  y[output] = &nowhere;
  Heard heard{outs[output].sink(), true, {}};
  Work work(outs, y, slicing, formula, &heard);
  tell_parts(*heard.sink, [&] {
    Interval number = work.tell(output, *outs[output].only());
    heard.reads = false;
    return number;
  });
}

}  // namespace

std::vector<Value> slices_of(std::span<const Output> outs, const Slicing& slicing, const SliceFormula& formula) {
  constexpr std::int64_t kGrain = 4096;  // elements that a thread takes at once
  const auto told = std::ranges::find_if(outs, [](const Output& out) { return out.wanted() && out.sink() != nullptr; });
  if (told != outs.end()) {
    const auto output = static_cast<size_t>(told - outs.begin());
    if (told->sink()->asks_for_bounds()) {
      tell_bounds(outs, output, slicing, formula);
      return nothing(outs);
    }
    told->sink()->other();
    if (told->only()) tell(outs, output, slicing, formula);
    return nothing(outs);
  }
  std::vector<std::optional<TensorBuilder>> builders;
  std::vector<std::byte*> y;
  for (const Output& out : outs) {
    builders.emplace_back();
    if (out.wanted()) builders.back().emplace(out.type(), out.only() ? Content::zeros : Content::any);
    y.push_back(out.wanted() ? builders.back()->bytes().data() : nullptr);
  }
  const auto asked = std::ranges::find_if(outs, [](const Output& out) { return out.wanted() && out.only(); });
  if (asked != outs.end()) {
    Work(outs, y, slicing, formula).evaluate(static_cast<size_t>(asked - outs.begin()), *asked->only());
  } else if (!ask_for_nothing(outs)) {
    for_each_part(slicing.count(), std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, slicing.size())),
                  first_wanted(outs).numerics(), [&](std::int64_t first, std::int64_t last) {
                    Work work(outs, y, slicing, formula);
                    for (std::int64_t slice = first; slice < last; ++slice) work.evaluate(slice);
                  });
  }
  std::vector<Value> values;
  for (auto& builder : builders) values.push_back(builder ? Value{std::move(*builder).finish()} : Value{});
  return values;
}

}  // namespace opref::evaluators
