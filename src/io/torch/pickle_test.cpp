// SPDX-License-Identifier: Apache-2.0
#include "io/torch/pickle.h"

#include <catch2/catch.hpp>
#include <functional>

#include "core/error.h"

namespace pickle_test {

using namespace opref::io;

namespace {

using namespace std::string_literals;
using Kind = PickleValue::Kind;

Pickle read(const std::string& bytes) {
  return read_pickle(std::as_bytes(std::span(bytes)), [](std::string_view name) { return name == "m.f"; });
}

/// {'a': (1, -2), …} as text.
std::string text_of(const Pickle& pickle) {
  const std::function<std::string(std::size_t)> text = [&](std::size_t place) {
    const PickleValue& value = pickle.at(place);
    std::string all;
    for (const std::size_t item : value.items) all += (all.empty() ? "" : ",") + text(item);
    switch (value.kind) {
      case Kind::none:
        return "None"s;
      case Kind::boolean:
        return value.number != 0 ? "True"s : "False"s;
      case Kind::integer:
        return std::to_string(value.number);
      case Kind::real:
        return "real"s;
      case Kind::text:
      case Kind::global:
        return value.text;
      case Kind::tuple:
        return "(" + all + ")";
      case Kind::list:
        return "[" + all + "]";
      case Kind::dict:
        return "{" + all + "}";
      case Kind::call:
        return "call(" + all + ")";
      case Kind::persistent:
        return "persistent(" + all + ")";
    }
    return "?"s;
  };
  return text(pickle.result);
}

std::string error_of_pickle(const std::string& bytes) {
  try {
    return "read: " + text_of(read(bytes));
  } catch (const Error& error) {
    return (error.fault() == Fault::malformed ? "malformed: " : "unsupported: ") + error.message();
  }
}

}  // namespace

// Each as pickle.dumps of Python 3.11 writes it.
TEST_CASE("pickles are read as data", "[io][torch]") {
  CHECK(text_of(read("\x80\x02K\x01."s)) == "1");
  CHECK(text_of(read("\x80\x02J\xfe\xff\xff\xff."s)) == "-2");
  CHECK(text_of(read("\x80\x02\x8a\x05\x00\x00\x00\x00\x01."s)) == "4294967296");
  CHECK(text_of(read("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80."s)) == "-9223372036854775808");
  CHECK(
      text_of(read(
          "\x80\x02}q\x00(X\x01\x00\x00\x00\x61q\x01K\x01K\x02\x86q\x02X\x01\x00\x00\x00\x62q\x03]q\x04(h\x01N\x88\x65u."s)) ==
      "{a,(1,2),b,[a,None,True]}");
  CHECK(text_of(read("\x80\x04\x95\x06\x00\x00\x00\x00\x00\x00\x00\x8c\x01x\x94\x89\x86\x94."s)) == "(x,False)");
  CHECK(text_of(read("\x80\x02"
                     "cm\nf\nK\x07\x85R."s)) == "call(m.f,(7))");
  CHECK(text_of(read("\x80\x02X\x01\x00\x00\x00sK\x01\x86Q."s)) == "persistent((s,1))");
}

TEST_CASE("what a pickle must not have is refused", "[io][torch]") {
  CHECK(error_of_pickle("\x80\x02"
                        "cos\nsystem\n)R."s) ==
        "unsupported: the pickle calls 'os.system': of a pickle only tensors and dicts are read");
  CHECK(error_of_pickle("\x80\x04\x8c\x02os\x8c\x06system\x93)R."s) ==
        "unsupported: the pickle calls 'os.system': of a pickle only tensors and dicts are read");
  CHECK(error_of_pickle("\x80\x02(i"s).starts_with("unsupported: the pickle has operation 0x69 at byte 3"));
  CHECK(error_of_pickle("\x80\x06."s) == "unsupported: the pickle has protocol 6, but 2 to 5 are read");
  CHECK(error_of_pickle("\x80\x02\x8a\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01."s) ==
        "unsupported: the pickle has an integer of more than 64 bits");
}

TEST_CASE("broken pickles say where", "[io][torch]") {
  CHECK(error_of_pickle("") == "malformed: the pickle is broken at byte 0: it ends there");
  CHECK(error_of_pickle("\x80\x02."s) == "malformed: the pickle is broken at byte 2: a value is missing");
  CHECK(error_of_pickle("\x80\x02X\xff\xff\xff\xffx."s) == "malformed: the pickle is broken at byte 2: it ends there");
  CHECK(error_of_pickle("\x80\x02t."s) == "malformed: the pickle is broken at byte 2: there is no mark");
  CHECK(error_of_pickle("\x80\x02K\x01(0."s) == "malformed: the pickle is broken at byte 5: a value is missing");
  CHECK(error_of_pickle("\x80\x02h\x05."s) ==
        "malformed: the pickle is broken at byte 2: what is meant is not remembered");
  CHECK(error_of_pickle("\x80\x02}(K\x01u."s) == "malformed: the pickle is broken at byte 6: a key has no value");
  CHECK(error_of_pickle("\x80\x02]K\x01K\x02s."s) ==
        "malformed: the pickle is broken at byte 7: items of what is no dict");
  CHECK(error_of_pickle("\x80\x02K\x01)R."s) == "malformed: the pickle is broken at byte 5: a call of what is no name");
}

}  // namespace pickle_test
