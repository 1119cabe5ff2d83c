// SPDX-License-Identifier: Apache-2.0
#include "core/map.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/text.h"

namespace opref::core {
namespace {

/// An integer key as one of 64 bits, signed or not as its type.
std::uint64_t bits_of_key(const Tensor& keys, size_t i) {
  const int unused = 64 - info(keys.dtype()).bits;
  const std::uint64_t bits = with_unit(keys.dtype(), [&]<class Unit>(Unit) -> std::uint64_t {
    if constexpr (sizeof(Unit) <= sizeof(std::uint64_t))
      return keys.values<Unit>()[i];
    else
      return 0;
  });
  if (info(keys.dtype()).kind != Kind::signed_integer) return bits;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}

/// Of elements of fewer than 8 bits.
std::uint64_t packed_bit(std::span<const std::byte> bytes, size_t at) {
  return std::to_integer<std::uint64_t>(bytes[at / 8] >> (at % 8)) & 1;
}

}  // namespace

bool is_key_type(DType dtype) {
  return dtype == DType::string || (is_integer(dtype) && info(dtype).bits >= 8 && info(dtype).bits <= 64);
}

std::strong_ordering compare_keys(const Tensor& a, size_t i, const Tensor& b, size_t j) {
  if (a.dtype() == DType::string) return a.strings()[i].compare(b.strings()[j]) <=> 0;
  const std::uint64_t x = bits_of_key(a, i), y = bits_of_key(b, j);
  return info(a.dtype()).kind == Kind::signed_integer ? static_cast<std::int64_t>(x) <=> static_cast<std::int64_t>(y)
                                                      : x <=> y;
}

std::string key_text(const Tensor& keys, size_t i) {
  if (keys.dtype() == DType::string) return format("\"{}\"", printable(keys.strings()[i]));
  const std::uint64_t bits = bits_of_key(keys, i);
  return info(keys.dtype()).kind == Kind::signed_integer ? std::to_string(static_cast<std::int64_t>(bits))
                                                         : std::to_string(bits);
}

Tensor taken(const Tensor& tensor, std::span<const size_t> places) {
  const Dims shape{std::ssize(places)};
  if (tensor.dtype() == DType::string) {
    std::vector<std::string> strings;
    for (const size_t place : places) strings.push_back(tensor.strings()[place]);
    return {shape, std::move(strings)};
  }
  TensorBuilder builder({tensor.dtype(), shape});
  const auto width = static_cast<size_t>(info(tensor.dtype()).bits);
  if (width < 8) {
    for (size_t bit = 0; bit < places.size() * width; ++bit)
      builder.bytes()[bit / 8] |=
          static_cast<std::byte>(packed_bit(tensor.bytes(), places[bit / width] * width + bit % width) << (bit % 8));
    return std::move(builder).finish();
  }
  with_unit(tensor.dtype(), [&]<class Unit>(Unit) {
    const auto from = tensor.values<Unit>();
    std::ranges::transform(places, builder.values<Unit>().begin(), [&](size_t place) { return from[place]; });
  });
  return std::move(builder).finish();
}

Map map_of(const Tensor& keys, const Tensor& values, Fault repeated) {
  const auto count = static_cast<size_t>(keys.count());
  if (!is_key_type(keys.dtype()) || keys.shape().size() != 1 || values.shape() != keys.shape())
    fail(Fault::internal, "{} cannot be the keys of {}", keys.type(), values.type());
  std::vector<size_t> places(count);
  std::iota(places.begin(), places.end(), size_t{0});
  const auto is_less = [&](size_t a, size_t b) { return compare_keys(keys, a, keys, b) < 0; };
  if (!std::ranges::is_sorted(places, is_less)) std::ranges::sort(places, is_less);
  for (size_t i = 1; i < count; ++i)
    if (compare_keys(keys, places[i - 1], keys, places[i]) == 0)
      fail(repeated, "the key {} is there twice", key_text(keys, places[i]));
  if (std::ranges::is_sorted(places)) return {keys, values};
  return {taken(keys, places), taken(values, places)};
}

std::optional<size_t> place_of(const Map& map, const Tensor& keys, size_t i) {
  size_t first = 0, last = static_cast<size_t>(map.keys.count());
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    const auto order = compare_keys(map.keys, middle, keys, i);
    if (order == 0) return middle;
    if (order < 0)
      first = middle + 1;
    else
      last = middle;
  }
  return std::nullopt;
}

}  // namespace opref::core
