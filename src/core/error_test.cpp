// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <catch2/catch.hpp>

namespace error_test {

using namespace opref::core;

TEST_CASE("an error carries its places, innermost first", "[core]") {
  try {
    at_place(
        [] { return "in model.onnx"; },
        [] {
          at_place(
              [] { return "in node 'pool1' (LpPool-18)"; },
              [] { require(false, "attribute '{}' has {} values, but X has {} spatial axes", "kernel_shape", 3, 2); });
        });
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::invalid);
    CHECK(error.text() ==
          "attribute 'kernel_shape' has 3 values, but X has 2 spatial axes\n"
          "  in node 'pool1' (LpPool-18)\n"
          "  in model.onnx");
  }
}

TEST_CASE("an error has a way out and an attribute beside its message, and keeps them on its way", "[core]") {
  try {
    at_place([] { return "in model.onnx"; },
             [] {
               fail(Fault::unsupported, {kKnownNames, "28"}, "opset {} is newer than {}", 29, 28);
             });
    FAIL("no error");
  } catch (Error& error) {
    CHECK(error.text() == "opset 29 is newer than 28\n  in model.onnx");
    CHECK(error.remedy() == kKnownNames);
    CHECK(error.way_out().argument == "28");
    CHECK(error.attribute().empty());
    CHECK(Error(error.set_attribute("p")).attribute() == "p");
  }
  CHECK(Error(Fault::usage, "it is bad").remedy() == kNoRemedy);
}

TEST_CASE("the fault is the exit code of the manual", "[core]") {
  CHECK(static_cast<int>(Fault::usage) == 2);
  CHECK(static_cast<int>(Fault::malformed) == 3);
  CHECK(static_cast<int>(Fault::invalid) == 4);
  CHECK(static_cast<int>(Fault::unsupported) == 5);
  CHECK(static_cast<int>(Fault::system) == 6);
  CHECK(static_cast<int>(Fault::internal) == 70);
}

TEST_CASE("a near name is offered, a far one is not", "[core]") {
  const std::string_view names[] = {"kernel_shape", "strides", "pads", "output_shape"};
  CHECK(did_you_mean("kernel_shap", names) == ", did you mean 'kernel_shape'?");
  CHECK(did_you_mean("STRIDES", names) == ", did you mean 'strides'?");
  CHECK(did_you_mean("output_size", names) == ", did you mean 'output_shape'?");
  CHECK(did_you_mean("dtpye", std::vector<std::string_view>{"dtype"}) == ", did you mean 'dtype'?");
  CHECK(did_you_mean("tow", std::vector<std::string_view>{"one", "two"}) == ", did you mean 'two'?");
  CHECK(did_you_mean("x", std::vector<std::string_view>{"X", "Y"}) == ", did you mean 'X'?");
  CHECK(did_you_mean("Z", std::vector<std::string_view>{"X", "Y"}).empty());
  CHECK(did_you_mean("dilations", names).empty());
  // Dashes are no letters, and of two letters none may be another.
  CHECK(did_you_mean("XX", std::vector<std::string_view>{"W", "X"}) == ", did you mean 'X'?");
  CHECK(did_you_mean("XY", std::vector<std::string_view>{"AY", "XB"}).empty());
  CHECK(did_you_mean("-V", std::vector<std::string_view>{"-h", "-o"}).empty());
  CHECK(did_you_mean("--tol", std::vector<std::string_view>{"--rtol"}) == ", did you mean '--rtol'?");
  CHECK(did_you_mean("--output", std::vector<std::string_view>{"--opset"}).empty());
  CHECK(did_you_mean("-O", std::vector<std::string_view>{"-o"}) == ", did you mean '-o'?");
  // The mark that turns the writing direction, the end of a line.
  CHECK(printable("a\xe2\x80\xaeyna.x") == "a\\xe2\\x80\\xaeyna.x");
  CHECK(printable("\xe2\x80\xa8|\xd8\x9c|\xe2\x80\xa6") == "\\xe2\\x80\\xa8|\\xd8\\x9c|…");
  CHECK(did_you_mean("strides", names).empty());
  CHECK(did_you_mean("float8_e8m0", std::vector<std::string_view>{"float8_e5m2", "float8_e8m0fnu"}) ==
        ", did you mean 'float8_e8m0fnu'?");
  CHECK(did_you_mean("two", std::vector<std::string_view>{"two", "tow"}) == ", did you mean 'tow'?");
  CHECK(did_you_mean("", names).empty());
  CHECK(did_you_mean(std::string(100000, 's'), names).empty());
}

TEST_CASE("names from files are printable in messages", "[core]") {
  CHECK(printable("X") == "X");
  CHECK(printable("a\nb\x7f") == "a\\x0ab\\x7f");
  CHECK(printable("größe") == "größe");
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable("\x1b[31m") == "\\x1b[31m");
  CHECK(printable("\xc2\x9b|\xc2\xa0") == "\\xc2\\x9b|\xc2\xa0");  // C1's CSI; a space that does not break
  // A surrogate, sequences longer than need be, above 10FFFF: no character.
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(printable("\xe0\x80\xaf|\xf0\x80\x80\xaf") == "\\xe0\\x80\\xaf|\\xf0\\x80\\x80\\xaf");
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(printable("\xf0\x9f\x98\x80\xf0\x9f\x98") == "\xf0\x9f\x98\x80\\xf0\\x9f\\x98");
  CHECK(did_you_mean("strid\xff", std::vector<std::string_view>{"strid\x1b"}) == ", did you mean 'strid\\x1b'?");
  CHECK(printable(std::string(500, 'x')).size() < 100);
}

TEST_CASE("sentences", "[core]") {
  CHECK(format("{} and {}", 1, "two") == "1 and two");
  CHECK(format("{}", 0.1) == "0.1");
  CHECK(counted(1, "value") == "1 value");
  CHECK(counted(2, "value") == "2 values");
  CHECK(join_text(std::vector{1, 2, 3}, ", ") == "1, 2, 3");
  CHECK(join_some(std::vector{1, 2, 3}, ", ", 3) == "1, 2, 3");
  CHECK(join_some(std::vector{1, 2, 3}, ", ", 2) == "1, 2, …");
  CHECK(join_some(std::vector<int>{}, ", ").empty());
  CHECK(printable_names(std::vector<std::string>{"a", "b\n"}) == "a, b\\x0a");
  CHECK(printable_names(std::vector<std::string>(17, "a")).ends_with(", a, …"));
  CHECK(printable_names(std::vector<std::string>(16, "a")).ends_with(", a, a"));
}

}  // namespace error_test
