// SPDX-License-Identifier: Apache-2.0
#include "models/numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "system/deadline.h"

namespace opref::models {
namespace {

double number_at(const Tensor& tensor, std::int64_t i) {
  if (is_floating(tensor.dtype())) return floating_element(tensor, i);
  const Number number = number_of(tensor.dtype(), element_bits(tensor, i));
  const double size = std::ldexp(static_cast<double>(number.significand), number.exponent);
  return number.negative ? -size : size;
}

std::uint64_t integer_bits(double x, DType dtype, const Scale& scale) {
  const double steps = std::nearbyint(x / scale.scale) + scale.zero;
  const Conversion saturating{.beyond = Conversion::Beyond::saturate};
  return converted(Number::of(std::isnan(steps) ? scale.zero : steps), dtype, saturating);
}

std::uint64_t bits_of(double x, DType dtype, const Scale& scale) {
  if (dtype == DType::boolean) return x != 0 ? 1 : 0;
  if (!is_floating(dtype)) return integer_bits(x, dtype, scale);
  if (std::isnan(x)) return nan_of(dtype).value_or(0);
  if (std::isinf(x)) return infinity_of(dtype, x < 0).value_or(encode_bits(dtype, x < 0, 1, 2000));
  if (x == 0) return encode_bits(dtype, std::signbit(x), 0, 0);
  const Scaled parts = scaled(x);
  return encode_bits(dtype, parts.negative, parts.significand, parts.exponent);
}

}  // namespace

std::optional<Numbers> numbers_of(const Tensor& tensor, const Scale& scale) {
  const Kind kind = info(tensor.dtype()).kind;
  if (kind == Kind::string || kind == Kind::complex) return std::nullopt;
  Numbers numbers{tensor.shape(), std::vector<double>(static_cast<size_t>(tensor.count()))};
  if (tensor.dtype() == DType::float32) {
    std::ranges::copy(tensor.values<float>(), numbers.values.begin());
    return numbers;
  }
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    require_time();
    const double x = number_at(tensor, i);
    numbers.values[static_cast<size_t>(i)] = kind == Kind::floating ? x : (x - scale.zero) * scale.scale;
  }
  return numbers;
}

Tensor tensor_of(const Numbers& numbers, const TensorType& type, const Scale& scale) {
  TensorBuilder builder(type);
  const std::span<std::byte> bytes = builder.bytes();
  for (std::int64_t i = 0; i < std::ssize(numbers.values); ++i) {
    require_time();
    set_bits(bytes, info(type.dtype).bits, i, bits_of(numbers.values[static_cast<size_t>(i)], type.dtype, scale));
  }
  return std::move(builder).finish();
}

Dims squeezed(const Dims& shape) {
  Dims sizes;
  for (const std::int64_t size : shape)
    if (size != 1) sizes.push_back(size);
  return sizes;
}

std::vector<std::int64_t> places_of(const Layout& layout, const Dims& from, const Dims& to) {
  if (layout.is_flat()) return {};
  const Dims source = squeezed(from), target = squeezed(to);
  std::vector<std::int64_t> strides(source.size(), 1);
  for (size_t k = source.size(); k-- > 1;) strides[k - 1] = strides[k] * source[k];
  std::vector<std::int64_t> places(static_cast<size_t>(element_count(to)));
  std::vector<std::int64_t> index(target.size(), 0);
  std::int64_t at = 0;
  for (std::int64_t& place : places) {
    place = at;
    for (size_t k = target.size(); k-- > 0;) {
      const std::int64_t stride = strides[layout.order[k]];
      if (++index[k] < target[k]) {
        at += stride;
        break;
      }
      at -= stride * (target[k] - 1);
      index[k] = 0;
    }
  }
  return places;
}

Numbers arranged(Numbers numbers, const Layout& layout, const Dims& to) {
  const std::vector<std::int64_t> places = places_of(layout, numbers.shape, to);
  if (places.empty()) return {to, std::move(numbers.values)};
  Numbers result{to, std::vector<double>(places.size())};
  for (size_t i = 0; i < places.size(); ++i) result.values[i] = numbers.values[static_cast<size_t>(places[i])];
  return result;
}

Numbers arranged_back(Numbers numbers, const Layout& layout, const Dims& from) {
  const std::vector<std::int64_t> places = places_of(layout, from, numbers.shape);
  if (places.empty()) return {from, std::move(numbers.values)};
  Numbers result{from, std::vector<double>(places.size())};
  for (size_t i = 0; i < places.size(); ++i) result.values[static_cast<size_t>(places[i])] = numbers.values[i];
  return result;
}

Tensor arranged_back(const Tensor& tensor, const Layout& layout, const Dims& from) {
  const std::vector<std::int64_t> places = places_of(layout, from, tensor.shape());
  if (places.empty()) return tensor.reshaped(from);
  TensorBuilder builder({tensor.dtype(), from});
  const std::span<std::byte> bytes = builder.bytes();
  const int bits = info(tensor.dtype()).bits;
  if (bits > 64) fail(Fault::unsupported, "{} has more than 64 bits", to_text(tensor.dtype()));
  const std::span<const std::byte> given = tensor.bytes();
  for (size_t i = 0; i < places.size(); ++i)
    set_bits(bytes, bits, places[i], bits_at(given, bits, static_cast<std::int64_t>(i)));
  return std::move(builder).finish();
}

std::vector<Layout> possible_layouts(const Dims& from, const Dims& to) {
  constexpr size_t kMostAxes = 5;
  const Dims source = squeezed(from), target = squeezed(to);
  if (source.size() != target.size() || source.size() < 2 || source.size() > kMostAxes) return {};
  std::vector<size_t> order(source.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<Layout> layouts;
  while (std::ranges::next_permutation(order).found) {
    bool fits = true;
    for (size_t k = 0; k < order.size(); ++k) fits = fits && source[order[k]] == target[k];
    if (fits) layouts.push_back({order});
  }
  return layouts;
}

}  // namespace opref::models
