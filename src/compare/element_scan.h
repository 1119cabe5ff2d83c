// SPDX-License-Identifier: Apache-2.0
// Walks through two tensors and judges each element that is not equal to the bit.
#pragma once

#include <algorithm>
#include <cstring>

#include "compare/element_rule.h"
#include "core/tensor.h"
#include "exact/rounding.h"

namespace opref::compare {

/// The parts of complex numbers as a flat tensor beside the original; other tensors as they are.
Tensor parts_of(const Tensor& tensor);

/// Two tensors of numbers and of the same shape. Nothing of them is copied.
class ElementScan {
 public:
  ElementScan(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance)
      : tolerance_(tolerance),
        actual_(parts_of(actual)),
        expected_(parts_of(expected)),
        parts_(info(actual.dtype()).kind == Kind::complex ? 2 : 1),
        count_(actual.count()),
        same_type_(actual.dtype() == expected.dtype()),
        rule_(actual_.dtype(), expected_.dtype(), tolerance) {}

  /// Calls visitor.equal(count) for runs of elements with the same bits and visitor.differ(element, verdict) for each
  /// other one, in C order, until visitor.done(), which is asked now and then.
  template <class Visitor>
  void run(Visitor& visitor) {
    for (std::int64_t begin = 0; begin < count_ && !visitor.done(); begin += kBlock) {
      const std::int64_t end = std::min(count_, begin + kBlock);
      if (same_type_ && same_bytes(begin, end))
        visitor.equal(end - begin);
      else
        judge_block(begin, end, visitor);
    }
  }

  /// One element, by the exact rules.
  Passing judge(std::int64_t element) {
    const auto part = [this](std::int64_t i) {
      return rule_.judge(element_bits(actual_, i), element_bits(expected_, i));
    };
    const std::int64_t i = element * parts_;
    return parts_ == 1 ? part(i) : Passing::both(part(i), part(i + 1));
  }
  /// "0x3f800000"; of a complex number its two parts'.
  std::string actual_bits(std::int64_t element) const { return bits_text(actual_, element); }
  std::string expected_bits(std::int64_t element) const { return bits_text(expected_, element); }

 private:
  /// So many elements are first compared as bytes: where tensors agree, they are compared at the speed of memory.
  static constexpr std::int64_t kBlock = 4096;

  /// `begin` is a multiple of kBlock, so that packed types start at a whole byte. Unused bits of a last byte may differ
  /// and send the block to judge_block, which does not look at them.
  bool same_bytes(std::int64_t begin, std::int64_t end) const {
    const auto at = static_cast<size_t>(byte_size(actual_.dtype(), begin * parts_));
    const auto until = static_cast<size_t>(byte_size(actual_.dtype(), end * parts_));
    return std::memcmp(actual_.bytes().data() + at, expected_.bytes().data() + at, until - at) == 0;
  }

  template <class Visitor>
  void judge_block(std::int64_t begin, std::int64_t end, Visitor& visitor) {
    if (!same_type_ || info(actual_.dtype()).bits < 8) return judge_mixed(begin, end, visitor);
    switch (actual_.dtype()) {
      case DType::float32:
        if (parts_ == 1) return judge_floats<float>(begin, end, visitor);
        break;
      case DType::float64:
        if (parts_ == 1) return judge_floats<double>(begin, end, visitor);
        break;
      case DType::float16:
        return judge_floats<Half>(begin, end, visitor);
      case DType::bfloat16:
        return judge_floats<BFloat16>(begin, end, visitor);
      default:
        break;
    }
    with_unit(actual_.dtype(), [&](auto unit) {
      using Unit = decltype(unit);
      if constexpr (sizeof(Unit) <= sizeof(std::uint64_t)) judge_units<Unit>(begin, end, visitor);
    });
  }

  /// The same as judge_units, fast: the rules that double arithmetic decides are judged in this loop.
  template <class F, class Visitor>
  void judge_floats(std::int64_t begin, std::int64_t end, Visitor& visitor) {
    const BitsOf<F>* const actual = actual_.values<BitsOf<F>>().data();
    const BitsOf<F>* const expected = expected_.values<BitsOf<F>>().data();
    const Tolerance tolerance = tolerance_;
    std::int64_t equal = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      if (actual[i] == expected[i]) {
        ++equal;
        continue;
      }
      Passing verdict;
      if (!judge_fast<F>(tolerance, actual[i], expected[i], verdict)) verdict = rule_.judge(actual[i], expected[i]);
      visitor.differ(i, verdict);
    }
    visitor.equal(equal);
  }

  /// Of elements or parts of 8, 16, 32 or 64 bits.
  template <class Unit, class Visitor>
  void judge_units(std::int64_t begin, std::int64_t end, Visitor& visitor) {
    const Unit* const actual = actual_.values<Unit>().data();
    const Unit* const expected = expected_.values<Unit>().data();
    judge_each(
        begin, end, [actual](std::int64_t i) { return std::uint64_t{actual[i]}; },
        [expected](std::int64_t i) { return std::uint64_t{expected[i]}; }, visitor);
  }

  /// Of packed elements and elements of two types.
  template <class Visitor>
  void judge_mixed(std::int64_t begin, std::int64_t end, Visitor& visitor) {
    const auto reader = [](const Tensor& tensor) {
      return [bytes = tensor.bytes(), bits = info(tensor.dtype()).bits](std::int64_t i) {
        return bits_at(bytes, bits, i);
      };
    };
    judge_each(begin, end, reader(actual_), reader(expected_), visitor);
  }

  template <class Actual, class Expected, class Visitor>
  void judge_each(std::int64_t begin, std::int64_t end, const Actual& actual, const Expected& expected,
                  Visitor& visitor) {
    std::int64_t equal = 0;
    for (std::int64_t element = begin; element < end; ++element) {
      const std::int64_t i = element * parts_;
      if (same_type_ && actual(i) == expected(i) && (parts_ == 1 || actual(i + 1) == expected(i + 1))) {
        ++equal;
        continue;
      }
      const Passing verdict = rule_.judge(actual(i), expected(i));
      visitor.differ(element,
                     parts_ == 1 ? verdict : Passing::both(verdict, rule_.judge(actual(i + 1), expected(i + 1))));
    }
    visitor.equal(equal);
  }

  std::string bits_text(const Tensor& parts, std::int64_t element) const;

  Tolerance tolerance_;
  Tensor actual_, expected_;
  int parts_;
  std::int64_t count_;
  bool same_type_;
  ElementRule rule_;
};

}  // namespace opref::compare
