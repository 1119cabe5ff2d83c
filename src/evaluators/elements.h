// SPDX-License-Identifier: Apache-2.0
// Reading numbers of any element type, one at a time or in runs: definitions are written once and know no type.
#pragma once

#include "core/tensor.h"
#include "evaluators/strided.h"
#include "exact/rounding.h"
#include "exact/term_sink.h"

namespace opref::evaluators {

class Elements;

/// One stored element; whoever adds it reads it, and knows where it lies.
struct Element {
  const Elements* of;
  std::int64_t at;
  double number() const;
  std::int64_t integer() const;
};
struct ElementRun {
  const Elements* of;
  Run run;
};

/// The elements of a numeric tensor, packed and 8-bit types included. The tensor outlives it; copies are cheap.
class Elements {
 public:
  __extension__ using Wide = __int128;

  /// With `less`, of integers of at most 32 bits: x - less (a zero point).
  explicit Elements(const Tensor& tensor, std::int64_t less = 0);
  Elements less(std::int64_t zero_point) const {
    Elements shifted = *this;
    shifted.less_ = zero_point;
    return shifted;
  }

  Element operator[](std::int64_t i) const { return {this, i}; }
  ElementRun operator[](const Run& run) const { return {this, run}; }

  /// The exact value; of integers of more than 53 bits the nearest double.
  double number(std::int64_t i) const {
    if (dtype_ == DType::float32) return static_cast<double>(reinterpret_cast<const float*>(data_)[i]);
    if (dtype_ == DType::float64) return reinterpret_cast<const double*>(data_)[i];
    return other_number(i);
  }
  /// An integer or bool, sign- or zero-extended to 64 bits.
  std::int64_t integer(std::int64_t i) const {
    if (dtype_ == DType::int64) return reinterpret_cast<const std::int64_t*>(data_)[i] - less_;
    if (dtype_ == DType::int8) return reinterpret_cast<const std::int8_t*>(data_)[i] - less_;
    if (dtype_ == DType::uint8) return reinterpret_cast<const std::uint8_t*>(data_)[i] - less_;
    return other_integer(i) - less_;
  }
  /// The integer itself, of uint64 too (which has no zero points).
  Wide wide(std::int64_t i) const { return wide_of(integer(i)); }
  Wide wide_of(std::int64_t n) const { return dtype_ == DType::uint64 ? Wide{static_cast<std::uint64_t>(n)} : Wide{n}; }
  /// to[k] = x[run.from + k·run.step]
  void numbers(const Run& run, double* to) const;
  void integers(const Run& run, std::int64_t* to) const;

  /// Whether the product of two such elements is exact in double.
  bool is_narrow() const { return is_narrow_; }
  bool is_floating() const { return is_floating_; }
  /// Whether some of its numbers may be no doubles.
  bool is_wide() const { return !is_floating_ && bits_ == 64; }
  DType dtype() const { return dtype_; }
  /// The element's place, for a sink.
  Place place(std::int64_t i) const { return {data_, i}; }

 private:
  double other_number(std::int64_t i) const;
  std::int64_t other_integer(std::int64_t i) const;

  std::span<const std::byte> bytes_;
  const std::byte* data_;
  std::int64_t less_;
  DType dtype_;
  bool is_floating_, is_narrow_, is_signed_;
  int bits_;
};
inline double Element::number() const { return of->number(at); }
inline std::int64_t Element::integer() const { return of->integer(at); }

}  // namespace opref::evaluators
