// SPDX-License-Identifier: Apache-2.0
#include "schema/sparse.h"

#include <array>
#include <catch2/catch.hpp>

#include "core/error.h"

namespace opref::schema::sparse_test {
namespace {

template <class T>
Tensor tensor(DType dtype, const Dims& shape, const std::vector<T>& elements) {
  return Tensor::of(dtype, shape, std::span<const T>(elements));
}

Tensor indices(const Dims& shape, const std::vector<std::int64_t>& elements) {
  return tensor(DType::int64, shape, elements);
}

std::string refusal(const SparseTensor& sparse) {
  try {
    dense_type(sparse);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::invalid);
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("sparse tensors: elements by flat positions and by coordinates, zeros elsewhere", "[schema]") {
  const Tensor values = tensor<std::int16_t>(DType::int16, Dims{2}, {7, -8});
  for (const Tensor& at : {indices(Dims{2}, {1, 5}), indices(Dims{2, 2}, {0, 1, 1, 2})}) {
    const SparseTensor sparse{values, at, Dims{2, 3}};
    CHECK(dense_type(sparse) == TensorType{DType::int16, Dims{2, 3}});
    const Tensor full = dense(sparse);
    const std::vector<std::int16_t> elements(full.values<std::int16_t>().begin(), full.values<std::int16_t>().end());
    CHECK(elements == std::vector<std::int16_t>{0, 7, 0, 0, 0, -8});
  }
  const SparseTensor none{tensor<float>(DType::float32, Dims{0}, {}), indices(Dims{0}, {}), Dims{2}};
  CHECK(dense(none).values<float>()[1] == 0);
}

TEST_CASE("sparse tensors of every width: packed ones, complex ones and strings", "[schema]") {
  // int4: 1, -2 in the nibbles of 0xe1. At 1 and 4 of 5 elements: nibbles 0 1 | 0 0 | e.
  const SparseTensor int4{tensor<std::uint8_t>(DType::int4, Dims{2}, {0xe1}), indices(Dims{2}, {1, 4}), Dims{5}};
  const std::array<std::byte, 3> nibbles{std::byte{0x10}, std::byte{0}, std::byte{0x0e}};
  CHECK(std::ranges::equal(dense(int4).bytes(), nibbles));
  // float6: the elements 0x3f and 0x01 fill twelve bits; at 1 and 3 of 4: 0x3f in bits 6 to 11, 0x01 in 18 to 23.
  const SparseTensor six{tensor<std::uint8_t>(DType::float6_e2m3fn, Dims{2}, {0x7f, 0x00}), indices(Dims{2}, {1, 3}),
                         Dims{4}};
  const std::array<std::byte, 3> sixes{std::byte{0xc0}, std::byte{0x0f}, std::byte{0x04}};
  CHECK(std::ranges::equal(dense(six).bytes(), sixes));
  const SparseTensor complex{tensor<double>(DType::complex128, Dims{1}, {1.5, -2}).reshaped(Dims{1}),
                             indices(Dims{1}, {1}), Dims{2}};
  const Tensor full = dense(complex);
  const auto parts = full.values<double>();
  CHECK(std::vector<double>(parts.begin(), parts.end()) == std::vector<double>{0, 0, 1.5, -2});
  const SparseTensor text{Tensor(Dims{1}, {"a"}), indices(Dims{1}, {2}), Dims{3}};
  CHECK(dense(text).strings()[2] == "a");
  CHECK(dense(text).strings()[0].empty());
}

TEST_CASE("sparse tensors that break a rule", "[schema]") {
  const Tensor two = tensor<float>(DType::float32, Dims{2}, {1, 2});
  const auto flat = [&](const std::vector<std::int64_t>& at) {
    return refusal({two, indices(Dims{2}, at), Dims{2, 3}});
  };
  CHECK(flat({0, 5}).empty());
  CHECK(flat({0, 6}) == "index 1 of the sparse tensor is 6, but it has 6 elements");
  CHECK(flat({-1, 5}) == "index 0 of the sparse tensor is -1, but it has 6 elements");
  CHECK(flat({5, 5}) == "index 1 of the sparse tensor is 5, but index 0 is 5: they must ascend");
  CHECK(refusal({two, indices(Dims{2, 2}, {1, 0, 0, 2}), Dims{2, 3}}) ==
        "index 1 of the sparse tensor is [0,2], but index 0 is [1,0]: they must ascend");
  CHECK(refusal({two, indices(Dims{2, 2}, {0, 1, 1, 3}), Dims{2, 3}}) ==
        "index 1 of the sparse tensor is [1,3], but its shape is [2,3]");
  CHECK(refusal({two, indices(Dims{2, 3}, {0, 0, 0, 0, 0, 1}), Dims{2, 3}}) ==
        "the sparse tensor's indices have shape [2,3], but must have [2] or [2,2]");
  CHECK(refusal({two.reshaped(Dims{2, 1}), indices(Dims{2}, {0, 1}), Dims{2, 3}}) ==
        "the sparse tensor's values have shape [2,1], but must have one axis");
  CHECK(refusal({two, tensor<std::int32_t>(DType::int32, Dims{2}, {0, 1}), Dims{2}}) ==
        "the sparse tensor's indices are int32, but must be int64");
  CHECK(refusal({two, indices(Dims{2}, {0, 1}), Dims{-2}}) ==
        "the sparse tensor has shape [-2], but sizes must be >= 0");
}

}  // namespace opref::schema::sparse_test
