// SPDX-License-Identifier: Apache-2.0
#include "ops/standard_names.h"

#include <catch2/catch.hpp>

#include "ops/operators.h"
#include "schema/domains.h"

namespace standard_names_test {

using namespace opref::run;

TEST_CASE("names that are published are known by their domain, whatever their case", "[ops]") {
  CHECK(standard_name("", "conv") == "Conv");
  CHECK(standard_name("ai.onnx", "Xor") == "Xor");
  CHECK(standard_name("ai.onnx.ml", "ZipMap") == "ZipMap");
  CHECK(standard_name("ai.onnx.preview.training", "Gradient") == "Gradient");
  CHECK(standard_name("com.microsoft", "quickgelu") == "QuickGelu");
  CHECK(standard_name("openvino", "relu") == "ReLU");
  for (const char* other : {"Con", "Conv ConvInteger", "", "QuickGelu", "Adam"})
    CHECK(standard_name("", other).empty());
  CHECK(standard_name("ai.onnx.preview.other", "Adam").empty());
}

TEST_CASE("an operator that is published and not known yet is told with its domain", "[ops]") {
  for (const Domain& domain : kDomains) CHECK(find_domain(domain.name) == &domain);
  // Two that never will be: an artefact of training, and a part of another program.
  for (const char* name : {"ai.onnx.preview.training:Gradient", "com.microsoft:EPContext"})
    CHECK_THROWS_WITH(get_operator_named(name), Catch::Contains("is not yet known here"));
  CHECK_THROWS_WITH(get_operator_named("com.microsoft:EPContext"),
                    Catch::StartsWith("operator 'EPContext' of domain 'com.microsoft'"));
}

TEST_CASE("a name may end with an opset, where it is an operator's", "[ops]") {
  CHECK(split_version("LpPool-11").name == "LpPool");
  CHECK(split_version("LpPool-11").opset == 11);
  CHECK(split_version("ai.onnx:LpPool-11").name == "ai.onnx:LpPool");
  CHECK(split_version("Conv-11").opset == 11);
  CHECK(split_version("LpPool@18").opset == 18);
  CHECK(split_version("openvino.MaxPool-8").name == "openvino.MaxPool");
  CHECK(split_version("com.microsoft:EPContext-1").name == "com.microsoft:EPContext");
  for (const char* other : {"LpPool", "LpPool-", "LpPool-0", "LpPool--1", "LpPool-1x", "Frobnicate-11", "-11", ""}) {
    INFO(other);
    CHECK(split_version(other).name == other);
    CHECK_FALSE(split_version(other).opset.has_value());
  }
}

TEST_CASE("an operator's domain stands before a colon or a dot", "[ops]") {
  CHECK(get_operator_named("openvino.MaxPool").domain() == "openvino");
  CHECK(get_operator_named("openvino:MaxPool").domain() == "openvino");
  CHECK(get_operator_named("ai.onnx.MaxPool").domain() == "ai.onnx");
  CHECK(get_operator_named("ai.onnx.preview.training.Adam").op_type() == "Adam");
  CHECK_THROWS_WITH(get_operator_named("MaxPool:8"), Catch::Contains("did you mean 'MaxPool-8'?"));
  CHECK_THROWS_WITH(get_operator_named("elsewhere.MaxPool"), Catch::Contains("not known"));
}

TEST_CASE("a name without a domain is one of ai.onnx", "[ops]") {
  const auto refused = [](const char* name, const char* why) {
    INFO(name);
    CHECK_THROWS_WITH(get_operator_named(name), Catch::EndsWith(why));
  };
  CHECK(get_operator_named("MaxPool").domain() == "ai.onnx");
  refused("Clamp", "is not known, did you mean 'Clip', or 'openvino.Clamp'?");
  refused("Convolution", "is not known, did you mean 'Conv', or 'openvino.Convolution'?");
  refused("ReLU", "is not known, did you mean 'Relu', or 'openvino.ReLU'?");
  refused("Divide", "is not known, did you mean 'Div', or 'openvino.Divide'?");
  refused("QuickGelu", "is not known, did you mean 'com.microsoft.QuickGelu'?");
  refused("Binarizer", "is not known, did you mean 'ai.onnx.ml.Binarizer'?");
  refused("openvino.Softmax", "'Softmax' of domain 'openvino' is not known, did you mean 'SoftMax'?");
  refused("openvino.Clip", "; domain 'ai.onnx' has one of that name, which is another operator");
}

TEST_CASE("the number of OpenVINO's page names the version too, where no opset is that", "[ops]") {
  const NamedVersion acosh = split_version("openvino.Acosh-3");
  CHECK(acosh.name == "openvino.Acosh");
  CHECK(acosh.opset == 4);
  CHECK(acosh.page_text() == "openvino.Acosh came with opset 4: only its page has the number 3");
  CHECK(split_version("openvino:MVN-1").opset == 2);
  for (const char* name : {"openvino.Acosh-4", "openvino.MVN-6", "Acosh-3", "openvino.ScatterNDUpdate-4"})
    CHECK_FALSE(split_version(name).page.has_value());
}

}  // namespace standard_names_test
