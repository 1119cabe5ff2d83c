// SPDX-License-Identifier: Apache-2.0
// Products of matrices of integers of 8 bits, whose exact sums are scaled: what MatMulIntegerToFloat,
// DynamicQuantizeMatMul and QGemm of com.microsoft share.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string_view>

#include "evaluators/programs.h"
#include "fast/fast.h"
#include "ops/shared/products.h"
#include "schema/operator.h"
namespace opref::ops {
/// The sums of a product of integers less their zero points, as numbers of a formula: whole numbers, or modulo 2^32
/// where integer_product.overflow says so. `explain` hears their factors.
class ProductSums {
 public:
  /// Element i is the product of the runs row(i) of product.of.a and column(i) of product.of.b.
  ProductSums(const Output& y, fast::QuantizedProduct product, std::function<Run(std::int64_t i)> row,
              std::function<Run(std::int64_t i)> column);
  /// `explain` hears the elements of this tensor where those of a are made of them.
  void read_instead(const Tensor& a) { told_ = Elements(a); }
  template <class R>
  R of(std::int64_t i, const Reader<R>& x) const {
    if (sums_) return R::whole(Elements(*sums_).integer(i));
    const Run row = row_(i), column = column_(i);
    if constexpr (std::same_as<R, Interval>)
      for (std::int64_t k = 0; k < row.count; ++k)
        x(told_, row.from + k * row.step), x(b_, column.from + k * column.step);
    return x.named("the sum of the products", R::whole(one(i, row, column)));
  }

 private:
  std::int64_t one(std::int64_t i, const Run& row, const Run& column) const;

  fast::QuantizedProduct product_;
  std::function<Run(std::int64_t i)> row_, column_;
  Elements a_, b_, told_;
  bool wraps_;
  std::optional<Tensor> sums_;  ///< unless one element alone is asked for
};
/// Per column of b, or one number for all: the place of a parameter in element i, whose column is column(i). Of
/// `columns` numbers, [], or [1]; others are `invalid`.
std::function<std::int64_t(std::int64_t i)> of_columns(const Call& call, std::string_view parameter,
                                                       std::int64_t columns);

/// An input `bias` has one number for each column.
void require_column_bias(const Call& call, std::int64_t columns);

/// a as the integers of a product: a tensor, and where its scale and zero point are for element i.
struct ScaledFactor {
  Tensor integers, scale;
  ParameterPlace place;
  std::function<std::int64_t(std::int64_t i)> zero_point;
  std::optional<Tensor> made_of = {};  ///< what `explain` reads
};
/// Y = scale·b_scale·Σ (a - zero_point)·(B - b_zero_point) + bias, b_scale, b_zero_point and bias being those of the
/// column; `bias` may be left out.
Tensor scaled_product(const Call& call, const Output& y, const Product& product, const ScaledFactor& a);

/// matmul_integer_to_float.a_scale
Reading row_scale_reading();
/// integer_product.overflow; `of` says whether a sum of products may be beyond 32 bits.
Reading overflow_reading(bool (*of)(const Call&));
/// The same of products of so many terms.
constexpr bool may_overflow(std::int64_t terms) { return terms > (std::int64_t{1} << 31) / (255 * 255); }
}  // namespace opref::ops
