// SPDX-License-Identifier: Apache-2.0
#include "symbols/free_sizes.h"

#include <catch2/catch.hpp>

#include "core/text.h"

namespace free_sizes_test {

using namespace opref::symbols;

namespace {

/// "N = x.0 y.1 (batch)" of each, by what the inputs x, y, … declare.
std::string sizes_of(const std::vector<std::vector<DeclaredDim>>& inputs, std::string first = "x") {
  Graph graph;
  for (const std::vector<DeclaredDim>& dims : inputs) {
    graph.inputs.push_back({first, "", DType::float32, dims});
    ++first.back();
  }
  std::string text;
  for (const FreeSize& size : free_sizes(graph)) {
    text += (text.empty() ? "" : ", ") + size.symbol + " =";
    for (const FreeSize::Place& place : size.places) text += " " + place.input + "." + std::to_string(place.axis);
    if (!size.declared.empty() && size.declared != size.symbol) text += " (" + size.declared + ")";
  }
  return text;
}

DeclaredDim named(std::string name) { return {{}, std::move(name), ""}; }

}  // namespace

TEST_CASE("free sizes: a name is one size wherever it stands", "[symbols]") {
  CHECK(sizes_of({{named("N"), {3, "", ""}, named("T")}, {named("T"), named("N")}}) == "N = x.0 y.1, T = x.2 y.0");
  CHECK(sizes_of({{{1, "", ""}}}).empty());
}

TEST_CASE("free sizes: without a name they have the input's and the axis", "[symbols]") {
  CHECK(sizes_of({{named("?"), named(""), named("-1"), named("12")}}) == "x_0 = x.0, x_1 = x.1, x_2 = x.2, x_3 = x.3");
  CHECK(sizes_of({{named("")}}, "input.1/a") == "input_1_a_0 = input.1/a.0");
  CHECK(sizes_of({{named("")}}, "0") == "_0_0 = 0.0");
}

TEST_CASE("free sizes: names become identifiers, and none is taken twice or means something else", "[symbols]") {
  CHECK(sizes_of({{named("batch size"), named("batch_size"), named("batch-size")}}) ==
        "batch_size_2 = x.0 (batch size), batch_size = x.1, batch_size_3 = x.2 (batch-size)");
  CHECK(sizes_of({{named("floor"), named("u1"), named("u"), named("Max")}}) ==
        "floor_2 = x.0 (floor), u1_2 = x.1 (u1), u = x.2, Max_2 = x.3 (Max)");
  CHECK(sizes_of({{named(""), named("x_0")}}) == "x_0_2 = x.0, x_0 = x.1");
  CHECK(sizes_of({{named("2*N"), named("größe")}}) == "_2_N = x.0 (2*N), gr__e = x.1 (größe)");
}

}  // namespace free_sizes_test
