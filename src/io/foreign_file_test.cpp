// SPDX-License-Identifier: Apache-2.0
#include "io/foreign_file.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace foreign_file_test {

using namespace opref::io;

TEST_CASE("foreign files are named, tensors and models are none", "[io][foreign]") {
  using namespace std::string_view_literals;
  CHECK(foreign_kind("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a").starts_with("a git-lfs pointer"));
  CHECK(foreign_kind("\n<!DOCTYPE HTML>\n<html>").starts_with("an HTML page"));
  CHECK(foreign_kind("<html lang=\"en\">").starts_with("an HTML page"));
  CHECK(foreign_kind("\x1f\x8b\x08"sv).starts_with("gzip"));
  CHECK(foreign_kind("\x80\x04}."sv).starts_with("a pickle"));
  CHECK(foreign_kind("\x89HDF\r\n\x1a\n"sv).starts_with("HDF5"));
  CHECK(foreign_kind("\x1c\0\0\0TFL3\0"sv).starts_with("a model of TensorFlow Lite"));
  CHECK(foreign_kind("\x08\x01\x12\x40\x0a\x09\x22\x05serve"sv).starts_with("a model of TensorFlow:"));
  for (const std::string_view own :
       {"\x08\x01\x12\x04test\x22\x05"sv, "\x93NUMPY\x01"sv, "PK\x03\x04"sv, "\x08\x07\x12\x00"sv,
        "<?xml version=\"1.0\"?>"sv, "<layer id=\"0\">"sv, "{\"op_type\": 1}"sv, "\x80\x04}"sv, "\x80"sv, ""sv})
    CHECK(foreign_kind(own).empty());
  CHECK_THROWS_WITH(require_no_foreign_file("<html>"),
                    "the file is an HTML page: what was fetched is no file, but a page about it");
}

}  // namespace foreign_file_test
