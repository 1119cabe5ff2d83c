// SPDX-License-Identifier: Apache-2.0
#include "evaluators/sum.h"

#include <cstring>
#include <optional>

#include "core/error.h"
#include "evaluators/parts.h"
#include "evaluators/stretches.h"
#include "exact/results.h"
#include "exact/rows.h"

namespace opref::evaluators {
namespace {

constexpr std::int64_t kBuffer = 1024;

/// A run's numbers, a buffer at a time.
class Buffer {
 public:
  std::span<const double> numbers(const ElementRun& x, std::int64_t first) {
    const std::int64_t n = std::min(kBuffer, x.run.count - first);
    x.of->numbers({x.run.from + first * x.run.step, n, x.run.step}, numbers_);
    return {numbers_, static_cast<size_t>(n)};
  }

 private:
  double numbers_[kBuffer + kRowSlack];
};

template <class F>
void for_each_part_of(const ElementRun& x, const F& f) {
  Buffer buffer;
  for (std::int64_t k = 0; k < x.run.count; k += kBuffer) {
    require_time();
    f(buffer.numbers(x, k));
  }
}
template <class F>
void for_each_part_of(const ElementRun& x, const ElementRun& w, const F& f) {
  Buffer a, b;
  for (std::int64_t k = 0; k < x.run.count; k += kBuffer) {
    require_time();
    f(a.numbers(x, k), b.numbers(w, k));
  }
}

Element at(const ElementRun& x, std::int64_t k) { return {x.of, x.run.from + k * x.run.step}; }

}  // namespace

void EstimateSum::add(const ElementRun& x) {
  constexpr std::int64_t kFew = 4;
  require_time();
  if (x.run.count < kFew)
    for (std::int64_t k = 0; k < x.run.count; ++k) add(at(x, k));
  else
    for_each_part_of(x, [this](std::span<const double> numbers) { sum_.add(numbers); });
}
void EstimateSum::add(const ElementRun& x, const ElementRun& w) {
  const auto products =
      x.of->is_narrow() && w.of->is_narrow() ? CompensatedSum::Products::exact : CompensatedSum::Products::any;
  for_each_part_of(x, w, [&](std::span<const double> a, std::span<const double> b) { sum_.add(a, b, products); });
}

void ExactTerms::add(const ElementRun& x) {
  for_each_part_of(x, [this](std::span<const double> numbers) {
    for (const double number : numbers) sum_.add(number);
  });
}
void ExactTerms::add(const ElementRun& x, const ElementRun& w) {
  for_each_part_of(x, w, [this](std::span<const double> a, std::span<const double> b) {
    for (size_t k = 0; k < a.size(); ++k) sum_.add(a[k], b[k]);
  });
}

void IntegerTerms::add(const ElementRun& x) {
  std::int64_t integers[kBuffer];
  for (std::int64_t first = 0; first < x.run.count; first += kBuffer) {
    require_time();
    const std::int64_t n = std::min(kBuffer, x.run.count - first);
    x.of->integers({x.run.from + first * x.run.step, n, x.run.step}, integers);
    for (std::int64_t k = 0; k < n; ++k) sum_.add(x.of->wide_of(integers[k]));
  }
}
void IntegerTerms::add(const ElementRun& x, const ElementRun& w) {
  for_each_stretch(0, x.run.count, [&](std::int64_t k, std::int64_t end) {
    for (; k < end; ++k) add(at(x, k), at(w, k));
  });
}

void PlacedTerms::add(const ElementRun& x, const ElementRun& w) {
  const bool are_squares = x.of == w.of && x.run.from == w.run.from && x.run.step == w.run.step;
  serve_ = serve_ && are_squares;
  take(x.of, x.run, 2);
}
void PlacedTerms::take(const Elements* array, const Run& run, int power) {
  serve_ = serve_ && (array_ == nullptr || (array_ == array && power_ == power));
  array_ = array, power_ = power;
  places_.add(run);
}

void NormEstimate::flush() {
  sum_.add(std::span(waiting_, static_cast<size_t>(count_)));
  count_ = 0;
}
void NormEstimate::add(const ElementRun& x) {
  for_each_stretch(0, x.run.count, [&](std::int64_t k, std::int64_t end) {
    for (; k < end; ++k) add(at(x, k));
  });
}

void ListedTerms::add(const ElementRun& x) {
  for (std::int64_t k = 0; k < x.run.count; ++k) {
    require_time();
    add(at(x, k));
  }
}
void ListedTerms::add(const ElementRun& x, const ElementRun& w) {
  for (std::int64_t k = 0; k < x.run.count; ++k) {
    require_time();
    add(at(x, k), at(w, k));
  }
}

namespace {

/// Counts elements; the counts are added to the Stats at the end.
class Counter {
 public:
  explicit Counter(Stats* stats) : stats_(stats) {}
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() {
    if (stats_ == nullptr) return;
    stats_->estimated += estimated;
    stats_->exact += exact;
  }
  std::int64_t estimated = 0, exact = 0;

 private:
  Stats* stats_;
};

/// Floating sums, one element at a time. For one thread.
class FloatingSums {
 public:
  FloatingSums(const TensorType& type, const SumTerms& terms, const Numerics& numerics)
      : dtype_(type.dtype), terms_(terms), numerics_(numerics) {}
  void operator()(std::int64_t i, std::byte* element, Counter& counter) {
    if (!numerics_.exact_only) {
      const EstimateSum estimate = terms_.estimate(terms_.definition, i);
      const std::optional<Bracket> sum = estimate.sum().bracket(numerics_.slack);
      if (sum && store_bracket(dtype_, *sum, element)) {
        ++counter.estimated;
        return;
      }
    }
    exact_.clear();
    terms_.exact(terms_.definition, i, exact_);
    store_sum(dtype_, exact_.sum(), exact_.ratio(), element);
    ++counter.exact;
  }

 private:
  DType dtype_;
  const SumTerms& terms_;
  const Numerics& numerics_;
  ExactTerms exact_;
};

class IntegerSums {
 public:
  IntegerSums(const TensorType& type, const SumTerms& terms, const Integers& integers)
      : dtype_(type.dtype), size_(static_cast<size_t>(info(type.dtype).bits) / 8), terms_(terms), integers_(integers) {}
  void operator()(std::int64_t i, std::byte* element, Counter& counter) const {
    const IntegerTerms sum = terms_.integers(terms_.definition, i);
    const std::uint64_t bits = sum.sum().round(dtype_, integers_, sum.ratio());
    std::memcpy(element, &bits, size_);  // little endian: the low bits come first
    ++counter.exact;
  }

 private:
  DType dtype_;
  size_t size_;
  const SumTerms& terms_;
  const Integers& integers_;
};

/// The elements of one norm.
class Window : public TermSink {
 public:
  void begin(std::int64_t) override {
    terms_.clear();
    scale_ = {};
  }
  void add(double x) override { terms_.push_back(x); }
  void add(double a, double b) override { fail(Fault::internal, "a norm of a product {}*{}", a, b); }
  void scale(const Ratio& ratio) override { scale_ = ratio; }
  std::span<const double> terms() const { return terms_; }
  const Ratio& scale() const { return scale_; }

 private:
  std::vector<double> terms_;
  Ratio scale_;
};

/// Calls the sink for element i.
template <class Terms>
void list(const Terms& terms, std::int64_t i, TermSink& sink) {
  ListedTerms listed(sink);
  sink.begin(i);
  terms.listed(terms.definition, i, listed);
  sink.end();
}

class Norms {
 public:
  Norms(const TensorType& type, double p, const NormTerms& terms, const Numerics& numerics)
      : dtype_(type.dtype), p_(p), terms_(terms), numerics_(numerics) {
    if (type.dtype != DType::float64 && !numerics.exact_only) estimated_power_ = Power::of(p);
  }
  void operator()(std::int64_t i, std::byte* element, Counter& counter) {
    if (estimated_power_ && by_estimate(i, element)) {
      ++counter.estimated;
      return;
    }
    list(terms_, i, window_);
    store_norm(dtype_, window_.terms(), p_, window_.scale(), element);
    ++counter.exact;
  }

 private:
  bool by_estimate(std::int64_t i, std::byte* element) const {
    const Power& p = *estimated_power_;
    NormEstimate estimate(p);
    terms_.estimate(terms_.definition, i, estimate);
    estimate.flush();
    const PowerEstimate& sum = estimate.sum();
    const bool scaled = !estimate.ratio().is_one();
    const double factor = scaled ? estimate.ratio().a / estimate.ratio().b : 1;
    const double relative =
        sum.is_exact() && !scaled ? 0 : root_bound(sum.terms() + (scaled ? 2 : 0), p, numerics_.slack);
    return store_root(dtype_, sum.value() * factor, p, relative, element);
  }

  DType dtype_;
  double p_;
  const NormTerms& terms_;
  const Numerics& numerics_;
  std::optional<Power> estimated_power_;
  Window window_;
};

/// Each element by make()(position, element, counter), rows first where they serve. What rows leave undecided is
/// computed by the definition, whose estimate is better than theirs.
template <class Make>
Tensor evaluate(const Output& out, const Rows& rows, const Make& make) {
  const TensorType& type = out.type();
  TensorBuilder y(type, Content::any);
  const Numerics& numerics = out.numerics();
  const std::int64_t count = element_count(type.shape);
  const std::span<std::byte> bytes = y.bytes();
  const std::int64_t size = info(type.dtype).bits / 8;
  const auto element = [bytes, size](std::int64_t i) { return &bytes[static_cast<size_t>(i * size)]; };
  const ByDefinition by_definition = [&](std::span<const std::int64_t> positions) {
    Counter counter(numerics.stats);
    auto compute = make();
    for (const std::int64_t i : positions) {
      require_time();
      compute(i, element(i), counter);
    }
  };
  RowTarget target{type, numerics, bytes, by_definition};
  const bool by_rows = rows != nullptr && !numerics.exact_only && !numerics.only && count > 0;
  if (by_rows && rows(target)) return std::move(y).finish();
  for_each_part(count, 1, numerics, [&](std::int64_t first, std::int64_t last) {
    Counter counter(numerics.stats);
    auto compute = make();
    for (std::int64_t i = first; i < last; ++i) {
      require_time();
      compute(i, element(i), counter);
    }
  });
  return std::move(y).finish();
}

/// Hands over the terms of all elements that are asked for; the result is zeros.
template <class Terms>
Tensor list_all(const Terms& terms, const TensorType& type, const Numerics& numerics) {
  for_each_element(element_count(type.shape), numerics, [&](std::int64_t i) {
    require_time();
    if (numerics.sink->asks_for_terms(i)) list(terms, i, *numerics.sink);
  });
  return TensorBuilder(type).finish();
}

[[noreturn]] void refuse(DType dtype) { fail(Fault::unsupported, "arithmetic on {} is not supported", dtype); }

}  // namespace

Tensor sum_of(const Output& out, DType factors, const SumTerms& terms, const Integers& integers, const Rows& rows) {
  const TensorType& type = out.type();
  if (!out.wanted()) return {};
  const bool of_integers = is_integer(factors);
  if (!of_integers && !is_floating(factors)) refuse(factors);
  if (of_integers ? !is_integer(type.dtype) || info(type.dtype).bits < 8 : !is_rounded(type.dtype)) refuse(type.dtype);
  if (TermSink* sink = out.sink()) {
    if (of_integers) sink->rounds(integers);
    return list_all(terms, type, out.numerics());
  }
  if (of_integers) return evaluate(out, rows, [&] { return IntegerSums(type, terms, integers); });
  return evaluate(out, rows, [&] { return FloatingSums(type, terms, out.numerics()); });
}

Tensor norm_of(const Output& out, double p, const NormTerms& terms, const Rows& rows) {
  const TensorType& type = out.type();
  if (!out.wanted()) return {};
  if (!is_rounded(type.dtype) || info(type.dtype).bits == 8) refuse(type.dtype);
  require_supported_power(p);
  if (TermSink* sink = out.sink()) {
    sink->norms(p);
    return list_all(terms, type, out.numerics());
  }
  return evaluate(out, rows, [&] { return Norms(type, p, terms, out.numerics()); });
}

}  // namespace opref::evaluators
