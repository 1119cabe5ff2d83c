// SPDX-License-Identifier: Apache-2.0
#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <climits>

#include "core/map.h"
#include "io/onnx/onnx.h"
#include "io/onnx/testing.h"
#include "io/onnx/wire.h"
#include "system/memory_testing.h"

namespace onnx_tensor_test {

using namespace opref::io;

namespace {

ValueInfo declared(Form form, DType dtype) { return {"v", "", dtype, {}, form}; }

Value value_of(const google::protobuf::Message& message, const ValueInfo& info = {}) {
  return read_onnx_value(file_of(message.SerializeAsString()), info);
}

std::string error_of_tensor(const ::onnx::TensorProto& proto) {
  return error_of([&] { value_of(proto); });
}

::onnx::TensorProto proto_of(DType dtype, std::initializer_list<std::int64_t> dims) {
  ::onnx::TensorProto proto;
  proto.set_data_type(static_cast<int>(dtype));
  for (const std::int64_t size : dims) proto.add_dims(size);
  return proto;
}

constexpr std::string_view kMap =
    "0a016d1007180318ffffffffffffffffff012a1610011a0810014a040000c03f1a0810014a0400000040";
constexpr std::string_view kMaps =
    "0a01731004322010082201612201622a1610011a0810014a040000803e1a0810014a040000403f321310082201612a0c1001"
    "1a0810014a040000803f";

struct Encoded {
  DType dtype;
  std::string_view typed;  ///< a TensorProto with the elements in a typed field
  std::string_view bytes;  ///< the elements as raw_data
};

// Made with onnx 1.23.2 and ml_dtypes 0.6: helper.make_tensor("", type, dims, values) and
// numpy_helper.from_array(values). The values hold -0, NaN, infinities, both ends of the integer ranges, and packed
// types that do not fill their last byte.
constexpr Encoded kEncoded[] = {
    // clang-format off
    {DType::float32, "08031001220c0000c03f000000800000c07f", "0000c03f000000800000c07f"},
    {DType::uint8, "080310022a0500c801ff01", "00c8ff"},
    {DType::int8, "080310032a1580ffffffffffffffff01ffffffffffffffffff017f", "80ff7f"},
    {DType::uint16, "080210042a0400ffff03", "0000ffff"},
    {DType::int16, "080210052a148080feffffffffffff01ffffffffffffffffff01", "0080ffff"},
    {DType::int32, "080210062a0b80808080f8ffffffff0107", "0000008007000000"},
    {DType::int64, "080210073a1380808080808080808001ffffffffffffffff7f", "0000000000000080ffffffffffffff7f"},
    {DType::boolean, "080310092a03010001", "010001"},
    {DType::float16, "0803100a2a08807c80800380f801", "003e00c0007c"},
    {DType::float64, "0802100b52109a9999999999b93f000000000000f0ff", "9a9999999999b93f000000000000f0ff"},
    {DType::uint32, "0802100c5a0600ffffffff0f", "00000000ffffffff"},
    {DType::uint64, "0802100d5a0b01ffffffffffffffffff01", "0100000000000000ffffffffffffffff"},
    {DType::complex64, "0802100e22100000803f0000004000000080000060c0", "0000803f0000004000000080000060c0"},
    {DType::complex128, "0801100f5210000000000000f03f00000000000000c0", "000000000000f03f00000000000000c0"},
    {DType::bfloat16, "080310102a08c07f808003c0ff01", "c03f00c0c07f"},
    {DType::float8_e4m3fn, "080310112a043cfe017f", "3cfe7f"},
    {DType::float8_e4m3fnuz, "080310122a0544ff018001", "44ff80"},
    {DType::float8_e5m2, "080210132a033efb01", "3efb"},
    {DType::float8_e5m2fnuz, "080210142a0342ff01", "42ff"},
    {DType::uint4, "080310152a03f10109", "f109"},
    {DType::int4, "080310162a03f80107", "f807"},
    {DType::float4_e2m1fn, "080310172a03f10103", "f103"},
    {DType::float8_e8m0fnu, "080310182a047f7e8101", "7f7e81"},
    {DType::uint2, "080510192a022d03", "2d03"},
    {DType::int2, "0805101a2a021e03", "1e03"},
    {DType::float6_e2m3fn, "0803101b2a03083f04", "c84f00"},
    {DType::float6_e3m2fn, "0805101c2a050c38021220", "0c2e4820"},
    // clang-format on
};

}  // namespace

TEST_CASE("onnx: every element type, from typed fields and from raw_data", "[onnx]") {
  REQUIRE(std::size(kEncoded) == onnx_dtypes().size() - 1);  // all but string
  for (const Encoded& encoded : kEncoded) {
    INFO(name(encoded.dtype));
    const Value typed = read_onnx_value(file_of(from_hex(encoded.typed)));
    REQUIRE(typed.tensor() != nullptr);
    CHECK(typed.tensor()->dtype() == encoded.dtype);
    CHECK(to_hex(typed.tensor()->bytes()) == encoded.bytes);

    ::onnx::TensorProto raw;
    REQUIRE(raw.ParseFromString(from_hex(encoded.typed)));
    raw.clear_float_data(), raw.clear_int32_data(), raw.clear_int64_data(), raw.clear_double_data(),
        raw.clear_uint64_data();
    raw.set_raw_data(from_hex(encoded.bytes));
    const Value from_raw = value_of(raw);
    CHECK(from_raw.tensor()->type() == typed.tensor()->type());
    CHECK(to_hex(from_raw.tensor()->bytes()) == encoded.bytes);
  }
}

TEST_CASE("onnx: tensors written are those of onnx.numpy_helper", "[onnx]") {
  // onnx 1.23.2: numpy_helper.from_array(np.array([[1,2,3],[4,5,6]], np.int16), "t").SerializeToString()
  const std::int16_t elements[] = {1, 2, 3, 4, 5, 6};
  const std::string bytes = onnx_value_bytes("t", Tensor::of<std::int16_t>(DType::int16, {2, 3}, elements));
  CHECK(to_hex(std::as_bytes(std::span(bytes))) == "0802080310054201744a0c010002000300040005000600");
  // np.array(["a", "\u00fc", ""], dtype=object)
  const std::string text = onnx_value_bytes("s", Tensor(Dims{3}, {"a", "\xc3\xbc", ""}));
  CHECK(to_hex(std::as_bytes(std::span(text))) == "080310083201613202c3bc3200420173");
}

TEST_CASE("onnx: strings, rank 0 and empty tensors", "[onnx]") {
  const Value strings = read_onnx_value(file_of(from_hex("080310083201613202c3bc3200420173")));
  CHECK(strings.tensor()->shape() == Dims{3});
  CHECK(strings.tensor()->strings()[1] == "\xc3\xbc");

  ::onnx::TensorProto scalar = proto_of(DType::float32, {});
  scalar.add_float_data(2.5f);
  CHECK(value_of(scalar).tensor()->shape().empty());
  CHECK(value_of(scalar).tensor()->values<float>()[0] == 2.5f);

  for (const DType dtype : {DType::float32, DType::int4, DType::boolean, DType::complex128}) {
    ::onnx::TensorProto empty = proto_of(dtype, {2, 0, INT64_MAX});
    CHECK(value_of(empty).tensor()->count() == 0);
    empty.set_raw_data("");
    CHECK(value_of(empty).tensor()->bytes().empty());
  }
  CHECK(value_of(proto_of(DType::string, {0})).tensor()->strings().empty());
}

TEST_CASE("onnx: bool elements become 0 or 1, padding bits 0", "[onnx]") {
  ::onnx::TensorProto boolean = proto_of(DType::boolean, {3});
  boolean.set_raw_data(std::string("\x00\xff\x02", 3));
  CHECK(to_hex(value_of(boolean).tensor()->bytes()) == "000101");
  boolean = proto_of(DType::boolean, {2});
  boolean.add_int32_data(256), boolean.add_int32_data(0);
  CHECK(to_hex(value_of(boolean).tensor()->bytes()) == "0100");

  ::onnx::TensorProto packed = proto_of(DType::int4, {3});
  packed.set_raw_data("\x21\xf3");
  CHECK(to_hex(value_of(packed).tensor()->bytes()) == "2103");
  packed = proto_of(DType::uint2, {5});
  packed.add_int32_data(0xff), packed.add_int32_data(0xff);
  CHECK(to_hex(value_of(packed).tensor()->bytes()) == "ff03");
}

TEST_CASE("onnx: tensors that contradict themselves", "[onnx]") {
  CHECK(error_of_tensor({}) == "malformed: the tensor's data_type is UNDEFINED");
  ::onnx::TensorProto proto = proto_of(DType::float32, {2, 3});
  CHECK(error_of_tensor(proto) == "malformed: float32[2,3] takes 6 values in float_data, but there are 0");
  proto.set_raw_data("12345678");
  CHECK(error_of_tensor(proto) == "malformed: float32[2,3] takes 24 bytes, but raw_data has 8");
  proto.add_float_data(1);
  CHECK(error_of_tensor(proto) ==
        "malformed: the tensor has raw_data and float_data, but must have its elements in one");
  proto.clear_float_data();
  proto = proto_of(DType::complex64, {2});
  proto.add_float_data(1);
  CHECK(error_of_tensor(proto) == "malformed: complex64[2] takes 4 values in float_data, but there are 1");
  proto = proto_of(DType::int4, {3});
  proto.add_int32_data(1);
  CHECK(error_of_tensor(proto) == "malformed: int4[3] takes 2 values in int32_data, but there are 1");

  CHECK(error_of_tensor(proto_of(DType::float32, {2, -3})) ==
        "malformed: the tensor's dims [2,-3] have a negative size");
  const std::string too_many = " have more elements than a file can hold";
  CHECK(error_of_tensor(proto_of(DType::int8, {1ll << 62, 4})) ==
        "malformed: the tensor's dims [4611686018427387904,4]" + too_many);
  CHECK(error_of_tensor(proto_of(DType::complex128, {1ll << 60})) ==
        "malformed: the tensor's dims [1152921504606846976]" + too_many);
  // Refused before anything is allocated.
  CHECK(error_of_tensor(proto_of(DType::int8, {1ll << 50})) ==
        "malformed: int8[1125899906842624] takes 1125899906842624 values in int32_data, but there are 0");
  CHECK(error_of_tensor(proto_of(DType::string, {1ll << 50})) ==
        "malformed: string[1125899906842624] takes 1125899906842624 values in string_data, but there are 0");
  ::onnx::TensorProto deep = proto_of(DType::int8, {});
  for (int i = 0; i < 17; ++i) deep.add_dims(1);
  CHECK(error_of_tensor(deep) == "unsupported: rank 17 is more than 16");

  proto = proto_of(DType::string, {1});
  proto.set_raw_data("a");
  CHECK(error_of_tensor(proto) == "malformed: a string tensor cannot have raw_data");
  proto = proto_of(DType::float32, {0});
  proto.mutable_segment()->set_begin(0);
  CHECK(error_of_tensor(proto) == "unsupported: the tensor is stored in segments");
  proto.set_data_type(29);
  CHECK(error_of_tensor(proto) == "unsupported: ONNX data type 29 is not known");
}

TEST_CASE("onnx: entries of typed fields beyond the type", "[onnx]") {
  const auto error_of_entry = [](DType dtype, std::int32_t entry) {
    ::onnx::TensorProto proto = proto_of(dtype, {1});
    proto.add_int32_data(entry);
    return error_of_tensor(proto);
  };
  CHECK(error_of_entry(DType::uint8, 255) == "no error");
  CHECK(error_of_entry(DType::uint8, 256) ==
        "malformed: entry 0 of int32_data is 256, which does not fit into the 8 bits of uint8");
  CHECK(error_of_entry(DType::int8, -128) == "no error");
  CHECK(error_of_entry(DType::int8, -129) ==
        "malformed: entry 0 of int32_data is -129, which does not fit into the 8 bits of int8");
  CHECK(error_of_entry(DType::float16, 65536) ==
        "malformed: entry 0 of int32_data is 65536, which does not fit into the 16 bits of float16");
  CHECK(error_of_entry(DType::int32, INT_MIN) == "no error");
  ::onnx::TensorProto proto = proto_of(DType::uint32, {1});
  proto.add_uint64_data(1ull << 32);
  CHECK(error_of_tensor(proto) == "malformed: entry 0 of uint64_data is 4294967296, which does not fit into uint32");
}

TEST_CASE("onnx: raw_data stay in the file's bytes where they are aligned", "[onnx]") {
  for (size_t shift = 0; shift < 4; ++shift) {
    ::onnx::TensorProto proto = proto_of(DType::float32, {2});
    proto.set_doc_string(std::string(shift, 'x'));  // stands behind the elements in the file
    proto.set_name(std::string(4 + shift, 'n'));    // stands before them
    proto.set_raw_data("12345678");
    const FileBytes file = file_of(proto.SerializeAsString());
    const auto place = reinterpret_cast<std::uintptr_t>(file.bytes.data()) + file.text().find("12345678");
    std::optional<Value> value = read_onnx_value(file);
    const auto read = reinterpret_cast<std::uintptr_t>(value->tensor()->bytes().data());
    CHECK((read == place) == (place % 4 == 0));
    CHECK(value->tensor()->values<char>()[7] == '8');
    CHECK((file.owner.use_count() > 1) == (place % 4 == 0));
  }
}

// The bytes are made with onnx 1.23.2's numpy_helper.from_list and from_optional.
TEST_CASE("onnx: sequences and optionals", "[onnx]") {
  const auto read = [](std::string_view hex, Form form, DType dtype) {
    return read_onnx_value(file_of(from_hex(hex)), declared(form, dtype));
  };
  const Value pair = read("0a017310011a0c0801080110014a040000003f1a100801080210014a080000003f0000803f", Form::sequence,
                          DType::float32);
  const Sequence& sequence = std::get<Sequence>(pair);
  CHECK(sequence.dtype == DType::float32);
  REQUIRE(sequence.elements.size() == 2);
  CHECK(sequence.elements[0].shape() == Dims{1, 1});
  CHECK(sequence.elements[1].shape() == Dims{1, 2});
  CHECK(sequence.elements[1].values<float>()[0] == 0.5f);
  CHECK(error_of([&] {
          read("0a017310011a16080210074a10010000000000000002000000000000001a0c0801080110014a040000003f", Form::sequence,
               DType::float32);
        }) == "malformed: the sequence's element 0 is int64, but element 1 is float32");
  // Without elements the declared type is all there is.
  for (const std::string_view none : {"0a01731001", ""}) {
    const Value empty = read(none, Form::sequence, DType::int8);
    CHECK(std::get<Sequence>(empty).elements.empty());
    CHECK(type_of(empty) == ValueType(Form::sequence, DType::int8));
  }

  const Value some = read("0a016f10011a07080110024a0107", Form::optional, DType::uint8);
  CHECK(std::get<Tensor>(std::get<Optional>(some).element).values<std::uint8_t>()[0] == 7);
  CHECK(type_of(some) == ValueType(Form::optional, DType::uint8));
  for (const std::string_view none : {"0a016f1001", "0a016f1000"}) {
    const Value empty = read(none, Form::optional, DType::uint8);
    CHECK(std::holds_alternative<std::monostate>(std::get<Optional>(empty).element));
    CHECK(type_of(empty) == ValueType(Form::optional, DType::uint8));
  }
  const Value list = read("0a016f10032a0b10011a07080110024a0107", Form::optional_sequence, DType::uint8);
  CHECK(std::get<Sequence>(std::get<Optional>(list).element).elements.size() == 1);
  CHECK(type_of(list) == ValueType(Form::optional_sequence, DType::uint8));
}

// Made with onnx 1.23.2: MapProto(name="m", key_type=INT64, keys=[3, -1], values=SequenceProto(elem_type=TENSOR, …))
// with numpy_helper.from_array(numpy.float32(1.5)) and 2; a SequenceProto of two maps {"a": 0.25, "b": 0.75} and {"a":
// 1}.
TEST_CASE("onnx: maps", "[onnx]") {
  const Value value = read_onnx_value(file_of(from_hex(kMap)), declared(Form::map, DType::float32));
  const Map& map = std::get<Map>(value);
  CHECK(type_of(value) == ValueType(Form::map, DType::float32, DType::int64));
  REQUIRE(map.keys.count() == 2);
  CHECK(map.keys.values<std::int64_t>()[0] == -1);
  CHECK(map.values.values<float>()[0] == 2);
  CHECK(map.values.values<float>()[1] == 1.5F);
  // It says itself that it is one of maps.
  for (const Form form : {Form::sequence, Form::map_sequence}) {
    const Value list = read_onnx_value(file_of(from_hex(kMaps)), declared(form, DType::float32));
    const auto& maps = std::get<MapSequence>(list);
    CHECK(to_text(type_of(list)) == "seq(map(string,float))");
    REQUIRE(maps.size() == 2);
    CHECK(maps[0].keys.strings()[1] == "b");
    CHECK(maps[1].values.values<float>()[0] == 1);
  }
  // Without elements the declared types are all there is.
  ValueInfo none = declared(Form::map_sequence, DType::string);
  none.key = DType::string;
  for (const std::string_view empty : {"1004", ""})
    CHECK(to_text(type_of(read_onnx_value(file_of(from_hex(empty)), none))) == "seq(map(string,string))");
  CHECK(likely_form_of_maps(file_of(from_hex(kMap))) == Form::map);
  CHECK(likely_form_of_maps(file_of(from_hex(kMaps))) == Form::map_sequence);
  CHECK(likely_form_of_maps(file_of(from_hex("0802080310054201744a0c010002000300040005000600"))) == Form::tensor);
}

TEST_CASE("onnx: maps of every type of keys and values", "[onnx]") {
  for (const DTypeInfo& type : onnx_dtypes()) {
    INFO(type.name);
    const Dims shape{3};
    const Tensor values =
        type.kind == Kind::string
            ? Tensor(shape, {"", "x", "\xc3\xa9"})
            : Tensor::copy_of({type.dtype, shape},
                              std::vector<std::byte>(static_cast<size_t>(byte_size({type.dtype, shape}))));
    for (const DType key : {DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int32, DType::uint32,
                            DType::int64, DType::uint64}) {
      TensorBuilder keys({key, shape});
      keys.bytes()[0] = std::byte{0xff};
      keys.bytes().back() = std::byte{0x80};
      const Value map = map_of(std::move(keys).finish(), values);
      const Value read = read_onnx_value(file_of(onnx_value_bytes("m", map)), declared(Form::map, type.dtype));
      CHECK(same_bits(read, map));
    }
  }
}

TEST_CASE("onnx: maps that contradict themselves", "[onnx]") {
  const auto proto_with = [](int key_type, std::vector<std::int64_t> keys, std::vector<std::string> strings,
                             int values) {
    ::onnx::MapProto proto;
    proto.set_key_type(key_type);
    for (const std::int64_t key : keys) proto.add_keys(key);
    for (const std::string& key : strings) proto.add_string_keys(key);
    proto.mutable_values()->set_elem_type(::onnx::SequenceProto::TENSOR);
    for (int i = 0; i < values; ++i) {
      ::onnx::TensorProto& value = *proto.mutable_values()->add_tensor_values();
      value.set_data_type(::onnx::TensorProto::FLOAT);
      value.add_float_data(static_cast<float>(i));
    }
    return proto;
  };
  const auto error = [](const ::onnx::MapProto& proto) {
    return error_of([&] { value_of(proto, declared(Form::map, DType::float32)); });
  };
  CHECK(error(proto_with(7, {1, 2}, {}, 3)) == "malformed: the map has 2 keys, but 3 values");
  CHECK(error(proto_with(7, {1, 2}, {}, 0)) == "malformed: the map has 2 keys, but 0 values");
  CHECK(error(proto_with(7, {1, 2, 1}, {}, 3)) == "malformed: the key 1 is there twice");
  CHECK(error(proto_with(8, {}, {"a", "a"}, 2)) == "malformed: the key \"a\" is there twice");
  CHECK(error(proto_with(8, {1}, {}, 1)) ==
        "malformed: the map's key_type is STRING, but it has keys that are integers");
  CHECK(error(proto_with(7, {}, {"a"}, 1)) == "malformed: the map's key_type is INT64, but it has string_keys");
  CHECK(error(proto_with(0, {1}, {}, 1)) == "malformed: the map's key_type is UNDEFINED");
  for (const int type : {1, 9, 11, 21, 99, -1}) {
    INFO(type);
    CHECK(error(proto_with(type, {1}, {}, 1)) ==
          format("malformed: the map's key_type is {}, but keys are integers of 8 to 64 bits or strings", type));
  }
  CHECK(error(proto_with(3, {128}, {}, 1)) == "malformed: key 0 of the map is 128, which does not fit into int8");
  CHECK(error(proto_with(2, {0, -1}, {}, 2)) == "malformed: key 1 of the map is -1, which does not fit into uint8");
  CHECK(error(proto_with(13, {-1}, {}, 1)) == "no error");  // the bits of uint64
  CHECK(error(proto_with(8, {}, {"\xff"}, 1)) == "malformed: element [0] is '\\xff', but strings are UTF-8");
  ::onnx::MapProto wide = proto_with(7, {1}, {}, 1);
  wide.mutable_values()->mutable_tensor_values(0)->add_dims(2);
  wide.mutable_values()->mutable_tensor_values(0)->add_float_data(2);
  CHECK(error(wide) == "malformed: a value of the map has shape [2], but each must be one element");
  ::onnx::MapProto mixed = proto_with(7, {1, 2}, {}, 2);
  mixed.mutable_values()->mutable_tensor_values(1)->set_data_type(::onnx::TensorProto::INT32);
  mixed.mutable_values()->mutable_tensor_values(1)->clear_float_data();
  mixed.mutable_values()->mutable_tensor_values(1)->add_int32_data(1);
  CHECK(error(mixed) == "malformed: the sequence's element 0 is float32, but element 1 is int32");
  ::onnx::MapProto nested = proto_with(7, {1}, {}, 0);
  nested.mutable_values()->set_elem_type(::onnx::SequenceProto::MAP);
  *nested.mutable_values()->add_map_values() = proto_with(7, {1}, {}, 1);
  CHECK(error(nested) == "unsupported: maps whose values have elem_type 4 are not read: only those of tensors are");
  ::onnx::MapProto huge = proto_with(7, {1}, {}, 1);
  huge.mutable_values()->mutable_tensor_values(0)->add_dims(1LL << 40);
  CHECK(error(huge).starts_with("malformed: "));

  ::onnx::SequenceProto maps;
  maps.set_elem_type(::onnx::SequenceProto::MAP);
  *maps.add_map_values() = proto_with(7, {1}, {}, 1);
  *maps.add_map_values() = proto_with(8, {}, {"a"}, 1);
  CHECK(error_of([&] { value_of(maps, declared(Form::map_sequence, DType::float32)); }) ==
        "malformed: the sequence's element 0 is map(int64,float), but element 1 is map(string,float)");
  maps.add_tensor_values();
  CHECK(error_of([&] { value_of(maps, declared(Form::map_sequence, DType::float32)); }) ==
        "malformed: the sequence's elem_type is MAP, but it has values of another kind");
  ::onnx::OptionalProto optional;
  optional.set_elem_type(::onnx::OptionalProto::SEQUENCE);
  optional.mutable_sequence_value()->set_elem_type(::onnx::SequenceProto::MAP);
  CHECK(error_of([&] { value_of(optional, declared(Form::optional_sequence, DType::float32)); }) ==
        "unsupported: optionals of sequences of maps are not read");
  // Nothing is allocated before it is known to fit.
  CHECK(error_of([&] {
          read_onnx_value(file_of(proto_with(7, {1, 2, 3}, {}, 3).SerializeAsString()),
                          declared(Form::map, DType::float32), 10);
        }).starts_with("system: "));
}

TEST_CASE("onnx: written values read back", "[onnx]") {
  const Tensor tensor =
      Tensor::of(DType::int8, Dims{2}, std::span<const std::int8_t>(std::array<std::int8_t, 2>{1, 2}));
  const Sequence sequence{DType::int8, {tensor, tensor.reshaped(Dims{1, 2})}};
  const auto again = [](const Value& value) {
    const ValueType type = type_of(value);
    return read_onnx_value(file_of(onnx_value_bytes("v", value)), declared(type.form, type.dtype()));
  };
  const auto same = [](const Sequence& read) {
    return read.elements.size() == 2 && read.elements[0].shape() == Dims{2} &&
           read.elements[1].values<std::int8_t>()[1] == 2;
  };
  CHECK(again(tensor).tensor()->values<std::int8_t>()[1] == 2);
  CHECK(same(std::get<Sequence>(again(sequence))));
  CHECK(type_of(again(Sequence{DType::int8, {}})) == ValueType(Form::sequence, DType::int8));
  CHECK(std::get<Tensor>(std::get<Optional>(again(Optional{DType::int8, tensor})).element).shape() == Dims{2});
  CHECK(same(std::get<Sequence>(std::get<Optional>(again(Optional{DType::int8, sequence})).element)));
  CHECK(std::get<Optional>(again(Optional{DType::int8, {}})).element.index() == 0);
}

TEST_CASE("onnx: values of another kind than declared", "[onnx]") {
  const std::string tensor = from_hex("0802080310054201744a0c010002000300040005000600");
  CHECK(error_of([&] { read_onnx_value(file_of(tensor), declared(Form::sequence, DType::int16)); }) ==
        "malformed: the file is no SequenceProto: it has other fields");
  CHECK(error_of([&] { read_onnx_value(file_of(tensor), declared(Form::optional, DType::int16)); }) ==
        "malformed: the file is no OptionalProto: it has other fields");
  CHECK(error_of([&] {
          read_onnx_value(file_of(tensor), {"m", "sparse_tensor(float)", {}, {}});
        }) == "unsupported: values of type sparse_tensor(float) are not read");
  CHECK(error_of([&] { read_onnx_value(file_of("no message")); }) ==
        "malformed: the file is no TensorProto: it does not parse as protobuf");
  ::onnx::SequenceProto maps;
  maps.set_elem_type(::onnx::SequenceProto::MAP);
  CHECK(to_text(type_of(value_of(maps, declared(Form::sequence, DType::float64)))) == "seq(map(int64,double))");
  ::onnx::SequenceProto lists;
  lists.set_elem_type(::onnx::SequenceProto::SEQUENCE);
  CHECK(error_of([&] { value_of(lists, declared(Form::sequence, DType::float32)); }) ==
        "unsupported: sequences of elem_type 3 are not read: only those of tensors and maps are");
  ::onnx::SequenceProto untyped;
  untyped.add_tensor_values();
  CHECK(error_of([&] { value_of(untyped, declared(Form::sequence, DType::float32)); }) ==
        "malformed: the sequence's elem_type is UNDEFINED");
  ::onnx::OptionalProto optional;
  optional.mutable_tensor_value();
  CHECK(error_of([&] { value_of(optional, declared(Form::optional, DType::float32)); }) ==
        "malformed: the optional's elem_type is UNDEFINED");
  ::onnx::TensorProto external = proto_of(DType::float32, {1});
  external.set_data_location(::onnx::TensorProto::EXTERNAL);
  CHECK(error_of_tensor(external) == "unsupported: external data are read only beside a model");
}

TEST_CASE("onnx: a string that is no UTF-8 is refused, with its place", "[onnx]") {
  ::onnx::TensorProto proto = proto_of(DType::string, {2, 2});
  for (const char* text : {"a", "\xc3\xbc", "\xf0\x28\x8c\x28", ""}) proto.add_string_data(text);
  CHECK(error_of_tensor(proto) == "malformed: element [1,0] is '\\xf0(\\x8c(', but strings are UTF-8");
}

TEST_CASE("onnx: an error names the tensor", "[onnx]") {
  ::onnx::TensorProto proto = proto_of(DType::float32, {1});
  proto.set_name("weights\xff");
  try {
    value_of(proto);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.places() == std::vector<std::string>{"in tensor 'weights\\xff'"});
  }
}

TEST_CASE("onnx: values cut off anywhere, or with one byte changed", "[onnx]") {
  const std::pair<std::string_view, ValueInfo> files[] = {
      {"0802080310054201744a0c010002000300040005000600", {}},
      {"080310083201613202c3bc3200420173", {}},
      {"0a017310011a0c0801080110014a040000003f1a0c0801080110014a040000003f", declared(Form::sequence, DType::float32)},
      {"0a016f10032a0b10011a07080110024a0107", declared(Form::optional_sequence, DType::uint8)},
      {kMap, declared(Form::map, DType::float32)},
      {kMaps, declared(Form::map_sequence, DType::float32)}};
  int values = 0, errors = 0;
  const auto read = [&](const std::string& bytes, const ValueInfo& info) {
    (error_of([&] { read_onnx_value(file_of(bytes), info); }) == "no error" ? values : errors)++;
  };
  for (const auto& [hex, info] : files) {
    const std::string whole = from_hex(hex);
    for (size_t length = 0; length < whole.size(); ++length) read(whole.substr(0, length), info);
    for (size_t place = 0; place < whole.size(); ++place) {
      for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        std::string changed = whole;
        changed[place] = static_cast<char>(changed[place] ^ flip);
        read(changed, info);
      }
    }
  }
  CHECK(values > 0);
  CHECK(errors > 0);
}

TEST_CASE("onnx: entries that are wider than elements are narrowed one by one", "[onnx]") {
  constexpr std::int64_t kCount = std::int64_t{16} << 20;
  for (const auto& [dtype, field, bytes] :
       {std::tuple{DType::uint8, "int32_data", 1}, {DType::uint32, "uint64_data", 4}}) {
    WireWriter proto(kTensorProto);
    proto.add("dims", kCount);
    proto.add("data_type", static_cast<std::int64_t>(dtype));
    proto.add_bytes(kTensorProto.field(field), std::string(static_cast<size_t>(kCount), '\1'));
    const FileBytes file = file_of(proto.bytes());
    Value value;
    CHECK(memory_of([&] { value = read_onnx_value(file, {}, kCount * bytes); }) < kCount * (bytes + 1));
    CHECK(value.tensor()->bytes().back() == std::byte{dtype == DType::uint8});
  }
}

}  // namespace onnx_tensor_test
