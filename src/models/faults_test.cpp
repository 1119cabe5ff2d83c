// SPDX-License-Identifier: Apache-2.0
// Faults planted in small models: the first region that differs names the node.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>

#include "models/models_testing.h"

namespace faults_test {

using namespace opref::models;

namespace {

/// '%' stands before each name that may be replaced.
struct SmallModel {
  std::string inputs, outputs, constants, nodes;
};

const SmallModel kConvolution = {
    "float[1,2,6,6] x", "float[1,3,6,6] y",
    "float[3,2,3,3] %w = " + numbers_text(54, 1) + ", float[3] %s = " + numbers_text(3, 2) +
        ", float[3] %b = " + numbers_text(3, 3) + ", float[3] %m = " + numbers_text(3, 4) +
        ", float[3] %v = {0.002, 0.5, 1}, float[3,2,1,1] %k = " + numbers_text(6, 5),
    "%c = Conv <pads = [1,1,1,1]> (x, %w) %n = BatchNormalization <epsilon = 1e-5> (%c, %s, %b, %m, %v) "
    "%r = Relu (%n) %d = Conv (x, %k) y = Add (%r, %d)"};

const SmallModel kPerceptron = {
    "float[4,8] x", "float[4,8] y",
    "float[8,8] %w = " + numbers_text(64, 6) + ", float[8] %b = " + numbers_text(8, 7) + ", float[8,8] %v = " +
        numbers_text(64, 8) + ", float %root = {1.4142135}, float %one = {1}, float %half = {0.5}",
    "%a = MatMul (x, %w) %h = Add (%a, %b) %q = Div (%h, %root) %e = Erf (%q) %o = Add (%e, %one) "
    "%p = Mul (%h, %o) %g = Mul (%p, %half) y = MatMul (%g, %v)"};

const SmallModel kNormalization = {
    "float[4,16] x", "float[4,16] y",
    "int64[1] %axes = {1}, float %eps = {0.00001}, float[16] %g = " + numbers_text(16, 9) +
        ", float[16] %b = " + numbers_text(16, 10),
    "%m = ReduceMean (x, %axes) %d = Sub (x, %m) %q = Mul (%d, %d) %v = ReduceMean (%q, %axes) %e = Add (%v, %eps) "
    "%r = Sqrt (%e) %n = Div (%d, %r) %k = Mul (%n, %g) y = Add (%k, %b)"};

const SmallModel kAttention = {
    "float[8,8] x", "float[8,8] y",
    "float[8,8] %wq = " + numbers_text(64, 11) + ", float[8,8] %wk = " + numbers_text(64, 12) +
        ", float[8,8] %wv = " + numbers_text(64, 13) + ", float %root = {2.8284271}",
    "%q = MatMul (x, %wq) %k = MatMul (x, %wk) %v = MatMul (x, %wv) %t = Transpose <perm = [1,0]> (%k) "
    "%s = MatMul (%q, %t) %c = Div (%s, %root) %p = Softmax <axis = -1> (%c) y = MatMul (%p, %v)"};

const SmallModel kGates = {"float[4,8] x", "float[4,16] y",
                           "float[8,8] %w = " + numbers_text(64, 14) + ", float[8] %b = " + numbers_text(8, 15),
                           "%u = Gemm (x, %w, %b) %s = Sigmoid (%u) %t = Tanh (%u) %z = Mul (%s, %t) "
                           "%j = Concat <axis = 1> (%z, %t) %l = LeakyRelu <alpha = 0.1> (%j) y = Atan (%l)"};

/// Changes of a model's text; `culprit` is the node of the reference that gives this tensor.
struct Planted {
  const SmallModel* model;
  std::string what, culprit;
  std::vector<std::pair<std::string, std::string>> changes;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string named(std::string text, const std::string& prefix) {
  for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + prefix.size()))
    text.replace(at, 1, prefix);
  return text;
}

std::string text_of(const SmallModel& model, const std::string& prefix) {
  return graph_text(model.inputs, model.outputs, named(model.constants, prefix), named(model.nodes, prefix));
}

/// The first element of a constant, and a tenth more.
std::pair<std::string, std::string> tenth_more(const SmallModel& model, const std::string& name) {
  const std::string begin = "%" + name + " = {";
  const size_t at = model.constants.find(begin) + begin.size();
  const std::string number = model.constants.substr(at, model.constants.find_first_of(",}", at) - at);
  return {begin + number, begin + format("{}", std::strtof(number.c_str(), nullptr) * 1.1F)};
}

SmallModel with(const SmallModel& model, const Planted& planted) {
  SmallModel changed = model;
  for (const auto& [from, to] : planted.changes) {
    std::string& text = changed.nodes.find(from) != std::string::npos ? changed.nodes : changed.constants;
    text = replaced(text, from, to);
  }
  return changed;
}

std::vector<Planted> all_planted() {
  return {
      {&kConvolution, "a weight", "c", {tenth_more(kConvolution, "w")}},
      {&kConvolution, "an attribute", "n", {{"epsilon = 1e-5", "epsilon = 1e-3"}}},
      {&kConvolution, "an operator", "r", {{"Relu", "LeakyRelu"}}},
      {&kConvolution, "a node removed", "r", {{"%r = Relu (%n) ", ""}, {"Add (%r, %d)", "Add (%n, %d)"}}},
      {&kConvolution, "another tensor read", "y", {{"Add (%r, %d)", "Add (%n, %d)"}}},
      {&kPerceptron, "a weight", "a", {tenth_more(kPerceptron, "w")}},
      {&kPerceptron, "a weight behind", "y", {tenth_more(kPerceptron, "v")}},
      {&kPerceptron, "an operator", "e", {{"Erf", "Tanh"}}},
      {&kPerceptron, "a node removed", "q", {{"%q = Div (%h, %root) ", ""}, {"Erf (%q)", "Erf (%h)"}}},
      {&kPerceptron, "another tensor read", "p", {{"Mul (%h, %o)", "Mul (%a, %o)"}}},
      {&kNormalization, "a constant", "e", {{"{0.00001}", "{0.01}"}}},
      {&kNormalization, "an operator", "m", {{"%m = ReduceMean", "%m = ReduceMax"}}},
      {&kNormalization, "inputs swapped", "n", {{"Div (%d, %r)", "Div (%r, %d)"}}},
      {&kNormalization, "inputs swapped before", "d", {{"Sub (x, %m)", "Sub (%m, x)"}}},
      {&kNormalization, "a node removed", "r", {{"%r = Sqrt (%e) ", ""}, {"Div (%d, %r)", "Div (%d, %e)"}}},
      {&kAttention, "a weight", "k", {tenth_more(kAttention, "wk")}},
      {&kAttention, "an attribute", "p", {{"axis = -1", "axis = 0"}}},
      {&kAttention, "a node removed", "c", {{"%c = Div (%s, %root) ", ""}, {"(%c) y", "(%s) y"}}},
      {&kAttention, "another tensor read", "y", {{"MatMul (%p, %v)", "MatMul (%p, %q)"}}},
      {&kGates, "a weight", "u", {tenth_more(kGates, "b")}},
      {&kGates, "an attribute", "l", {{"alpha = 0.1", "alpha = 0.2"}}},
      {&kGates, "an operator", "s", {{"%s = Sigmoid", "%s = HardSigmoid"}}},
      {&kGates, "inputs swapped", "j", {{"(%z, %t)", "(%t, %z)"}}},
      {&kGates, "a node removed", "l", {{"%l = LeakyRelu <alpha = 0.1> (%j) ", ""}, {"Atan (%l)", "Atan (%j)"}}},
      {&kGates, "another tensor read", "z", {{"Mul (%s, %t)", "Mul (%s, %s)"}}},
  };
}

}  // namespace

TEST_CASE("a planted fault is named by the first region that differs, names kept or replaced", "[models]") {
  const std::vector<std::string> prefixes = {"", "other_"};
  for (const Planted& planted : all_planted())
    for (const std::string& prefix : prefixes) {
      CAPTURE(planted.model->nodes, planted.what, prefix);
      const Compared both(text_of(with(*planted.model, planted), prefix), text_of(*planted.model, ""));
      const JudgedPair* first = both.found.first();
      REQUIRE(first != nullptr);
      std::vector<std::string> culprits;
      for (const size_t place : describe(*both.pairing, first->pair).culprits)
        culprits.push_back(both.reference_model->nodes()[place].name());
      CHECK(culprits == std::vector<std::string>{planted.culprit});
    }
}

TEST_CASE("each of the small models agrees with itself, names replaced", "[models]") {
  for (const SmallModel* model : {&kConvolution, &kPerceptron, &kNormalization, &kAttention, &kGates}) {
    CAPTURE(model->nodes);
    const Compared both(text_of(*model, "other_"), text_of(*model, ""));
    CHECK(both.found.count(Agreement::equal) == both.found.pairs.size());
    CHECK(both.found.unpaired.empty());
    CHECK(both.found.unpaired_reference.empty());
  }
}

}  // namespace faults_test
