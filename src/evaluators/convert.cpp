// SPDX-License-Identifier: Apache-2.0
#include "evaluators/convert.h"

#include <array>

#include "core/error.h"
#include "evaluators/element_rows.h"
#include "evaluators/elements.h"
#include "evaluators/move.h"
#include "evaluators/parts.h"
#include "evaluators/real.h"
#include "exact/real/interval.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "exact/term_sink.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

constexpr std::int64_t kRow = 1024;  // a multiple of the elements that share a byte

/// What each number of at most 8 bits becomes in a type of at most 5: by its bits as a bfloat16. A float that has more
/// bits becomes what the one next to it in the direction of zero becomes whose last bit is set.
class ByLeadingBits {
 public:
  ByLeadingBits(DType to, const Conversion& how) : elements_(std::size_t{1} << 16) {
    for (std::size_t bits = 0; bits < elements_.size(); ++bits)
      elements_[bits] = static_cast<std::uint8_t>(converted(number_of(DType::bfloat16, bits), to, how));
  }
  std::uint8_t operator()(float x) const {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return elements_[bits >> 16 | ((bits & 0xffff) != 0 ? 1 : 0)];
  }

 private:
  std::vector<std::uint8_t> elements_;
};

class Converting {
 public:
  Converting(const Output& out, const Tensor& x, const Conversion& how)
      : out_(out), x_(x), how_(how), to_(out.type().dtype) {
    constexpr std::int64_t kWorthATable = std::int64_t{1} << 18;
    const DTypeInfo& to = info(to_);
    if (to.kind == Kind::floating && to.bits <= 8 && is_in_float32(x.dtype()) && x.count() >= kWorthATable &&
        how.negative != Conversion::Negative::reject)
      small_.emplace(to_, how);
  }

  Tensor evaluate() const {
    if (to_ == DType::string) return to_texts();
    TensorBuilder y(out_.type());
    for_each_part(x_.count(), kRow, out_.numerics(), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; i += kRow) {
        require_time();
        const std::int64_t n = std::min(kRow, last - i);
        if (!by_row(y, i, n)) by_element(y.bytes(), i, n);
        count_elements(out_.numerics(), 0, n);
      }
    });
    return std::move(y).finish();
  }

  /// The element that was read, the rule, and the number between its neighbours.
  void tell(std::int64_t i) const {
    TermSink& sink = *out_.sink();
    sink.reads({x_.identity(), i});
    sink.converts(conversion_rule(x_.dtype(), to_, how_));
    if (x_.dtype() == DType::string || to_ == DType::string) return;
    const Number x = number_of(x_.dtype(), element_bits(x_, i));
    if (x.form != Number::Form::finite) return;
    Interval::precision = 256;
    sink.real("", info(x_.dtype()).kind == Kind::floating ? Interval(floating_value(x_.dtype(), element_bits(x_, i)))
                                                          : Interval::of_integer(x.negative, x.significand));
  }

 private:
  const std::string& text(std::int64_t i) const { return x_.strings()[static_cast<size_t>(i)]; }
  template <class F>
  auto at(std::int64_t i, const F& f) const {
    return at_place(
        [&] {
          return format("in {}{}", out_.call().schema().inputs()[0].name,
                        x_.shape().empty() ? "" : to_text(coordinates(i, x_.shape())));
        },
        f);
  }

  Tensor to_texts() const {
    std::vector<std::string> texts(static_cast<size_t>(x_.count()));
    for_each_part(x_.count(), kRow, out_.numerics(), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        require_time();
        texts[static_cast<size_t>(i)] = converted_to_text(x_.dtype(), element_bits(x_, i), how_);
      }
    });
    return {x_.shape(), std::move(texts)};
  }

  void by_element(std::span<std::byte> y, std::int64_t first, std::int64_t n) const {
    const int width = info(to_).bits;
    for (std::int64_t i = first; i < first + n; ++i)
      set_bits(y, width, i, at(i, [&] {
                 return x_.dtype() == DType::string ? converted(text(i), to_, how_)
                                                    : converted(number_of(x_.dtype(), element_bits(x_, i)), to_, how_);
               }));
  }

  /// What float32 holds, by vector loops; false, having written nothing, where there is none.
  bool by_floats(TensorBuilder& y, std::int64_t first, std::int64_t n) const {
    const DTypeInfo& to = info(to_);
    const bool is_float = to.kind == Kind::floating, is_small = is_float && to.bits <= 8;
    const bool is_truth = to_ == DType::boolean;
    const bool by_low_bits =
        how_.beyond == Conversion::Beyond::low_bits && how_.fraction == Conversion::Fraction::truncate;
    if (!is_in_float32(x_.dtype()) || (is_small && !small_) || to_ == DType::float64) return false;
    if (!is_float && !is_truth && (!by_low_bits || to.bits < 8)) return false;
    std::array<float, kRow> room;
    const float* x = row_of(
        Elements(x_),
        [n](std::int64_t i) {
          return Run{i, n, 1};
        },
        first, n, room.data());
    const auto count = static_cast<size_t>(n);
    if (is_small)
      for (std::int64_t k = 0; k < n; ++k) set_bits(y.bytes(), to.bits, first + k, (*small_)(x[k]));
    else if (is_truth)
      row_truths(x, count, y.values<std::uint8_t>().data() + first);
    else if (to_ == DType::float32)
      row_nearest(x, count, y.values<float>().data() + first);
    else if (to_ == DType::float16)
      row_nearest(x, count, y.values<Half>().data() + first);
    else if (to_ == DType::bfloat16)
      row_nearest(x, count, y.values<BFloat16>().data() + first);
    else if (!(row_most(x, count) < 0x1p31F))
      return false;
    else
      with_unit(to_, [&]<class Unit>(Unit) {
        if constexpr (std::is_integral_v<Unit>) row_truncated(x, count, y.values<Unit>().data() + first);
      });
    return true;
  }
  /// The pairs of types that C++ converts by the same rules; false, having written nothing, where it does not.
  bool by_row(TensorBuilder& y, std::int64_t first, std::int64_t n) const {
    if (x_.dtype() == DType::string) return false;
    if (by_floats(y, first, n)) return true;
    if (info(to_).bits < 8) return false;
    const Elements x(x_);
    const Run run{first, n, 1};
    const bool is_float = info(to_).kind == Kind::floating;
    if (!x.is_floating() && info(x_.dtype()).bits == 64) {
      if (is_float || to_ == DType::boolean || how_.beyond != Conversion::Beyond::low_bits) return false;
      std::array<std::int64_t, kRow + kRowSlack> whole;
      x.integers(run, whole.data());
      with_unit(to_, [&]<class Unit>(Unit) {
        if constexpr (std::is_integral_v<Unit>)
          std::transform(whole.begin(), whole.begin() + n, y.values<Unit>().begin() + first,
                         [](std::int64_t bits) { return static_cast<Unit>(bits); });
      });
      return true;
    }
    std::array<double, kRow + kRowSlack> numbers;
    x.numbers(run, numbers.data());
    if (is_float) return info(to_).bits > 8 && to_floats(y, first, std::span(numbers).first(static_cast<size_t>(n)));
    return to_integers(y, first, std::span(numbers).first(static_cast<size_t>(n)));
  }
  bool to_floats(TensorBuilder& y, std::int64_t first, std::span<const double> x) const {
    with_float(to_, [&]<class T>(T) {
      std::ranges::transform(x, y.values<T>().begin() + first, [](double number) {
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
          return number == number ? static_cast<T>(number) : quiet_nan<T>();
        else
          return nearest<T>(number);
      });
    });
    return true;
  }
  bool to_integers(TensorBuilder& y, std::int64_t first, std::span<const double> x) const {
    constexpr double kBeyond = 0x1p63;
    const bool is_truth = to_ == DType::boolean;
    const bool by_low_bits =
        how_.beyond == Conversion::Beyond::low_bits && how_.fraction == Conversion::Fraction::truncate;
    if (!is_truth && (!by_low_bits || !std::ranges::all_of(x, [](double a) { return std::abs(a) < kBeyond; })))
      return false;
    with_unit(to_, [&]<class Unit>(Unit) {
      if constexpr (std::is_integral_v<Unit>)
        std::ranges::transform(x, y.values<Unit>().begin() + first, [&](double number) {
          return is_truth ? static_cast<Unit>(number != 0) : static_cast<Unit>(static_cast<std::int64_t>(number));
        });
    });
    return true;
  }

  const Output& out_;
  const Tensor& x_;
  const Conversion& how_;
  DType to_;
  std::optional<ByLeadingBits> small_;
};

}  // namespace

Tensor convert(const Output& out, const Tensor& x, const Conversion& how) {
  if (!out.wanted()) return {};
  if (x.dtype() == out.type().dtype) return x;
  const Converting work(out, x, how);
  TermSink* sink = out.sink();
  if (sink == nullptr) return work.evaluate();
  if (out.only())
    work.tell(*out.only());
  else
    sink->exact();
  return zeros_of(out.type());
}

Tensor same_bits(const Output& out, const Tensor& x) {
  if (!out.wanted()) return {};
  TermSink* sink = out.sink();
  if (sink == nullptr) return Tensor::copy_of(out.type(), x.bytes());
  if (out.only())
    sink->reads({x.identity(), *out.only()}), sink->converts("the same bits");
  else
    sink->exact();
  return zeros_of(out.type());
}

}  // namespace opref::evaluators
