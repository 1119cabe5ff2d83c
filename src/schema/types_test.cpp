// SPDX-License-Identifier: Apache-2.0
#include "schema/types.h"

#include <catch2/catch.hpp>

#include "core/text.h"
#include "schema/op_schema.h"

namespace opref::schema::types_test {

TEST_CASE("types: sets, forms and their order", "[schema]") {
  CHECK(to_text(types::floats | DType::bfloat16) == "float16, bfloat16, float32, float64");
  CHECK(types::basic.dtypes().size() == 15);
  CHECK(types::ir14.dtypes().size() == onnx_dtypes().size());
  CHECK((types::numbers - types::floats) == types::integers);
  const Types sequence = sequences({DType::string, DType::int8});
  CHECK(to_text(sequence | optionals(DType::float32)) ==
        "sequence of int8, string; optional float32; optional sequence of float32");
  CHECK(sequence.contains(DType::string, Form::sequence));
  CHECK_FALSE(sequence.contains(DType::string));
  CHECK_FALSE(sequence.contains(DType::float32, Form::sequence));
  CHECK(sequence.dtypes().empty());
  CHECK((sequence - sequence).empty());
}

TEST_CASE("schemas: changes to the version before", "[schema]") {
  OpSchema s;
  s.input("X", "T").input("B", "T", Arity::optional).output("Y", "T").types("T", types::floats);
  s.attribute(optional(INTS, "axes")).attribute(with_default("keep", 1, flag()));
  s.becomes_input("axes").rename("Y", "Z").add_types("T", DType::bfloat16).remove("keep");
  CHECK(s.attributes().empty());
  REQUIRE(s.inputs().size() == 3);
  CHECK(s.inputs()[2].name == "axes");
  CHECK(s.types_of(s.inputs()[2]) == DType::int64);
  CHECK(s.inputs()[2].arity == Arity::optional);
  CHECK(s.outputs()[0].name == "Z");
  CHECK(s.types_of("T") == (types::floats | DType::bfloat16));
  s.change_parameter("X").arity = Arity::heterogeneous_or_none;
  CHECK(s.inputs()[0].arity == Arity::heterogeneous_or_none);
  for (const char* name : {"keep", "Y", "U"}) {
    CHECK_THROWS_WITH(s.remove(name), format("'{}' names 0 things to remove in version 0", name));
    CHECK_THROWS_WITH(s.change_parameter(name), format("no input or output '{}' to change in version 0", name));
    CHECK_THROWS_WITH(s.change(name), format("no attribute '{}' to change in version 0", name));
    CHECK_THROWS_WITH(s.add_types(name, DType::int8), format("no type variable '{}' in version 0", name));
  }
  s.output("X", "T");
  CHECK_THROWS_WITH(s.remove("X"), "'X' names 2 things to remove in version 0");
  CHECK(s.anew().inputs().empty());
  CHECK(s.constraints().empty());
}

TEST_CASE("schemas: how many inputs a node has", "[schema]") {
  const auto counts = [](Arity last) {
    OpSchema s;
    s.input("a", "T", Arity::optional).input("b", "T", last);
    return std::pair(s.least_inputs(), s.most_inputs());
  };
  CHECK(counts(Arity::single) == std::pair(size_t{2}, size_t{2}));
  CHECK(counts(Arity::optional) == std::pair(size_t{0}, size_t{2}));
  CHECK(counts(Arity::variadic) == std::pair(size_t{2}, SIZE_MAX));
  CHECK(counts(Arity::heterogeneous) == std::pair(size_t{2}, SIZE_MAX));
  CHECK(counts(Arity::heterogeneous_or_none) == std::pair(size_t{1}, SIZE_MAX));
}

}  // namespace opref::schema::types_test
