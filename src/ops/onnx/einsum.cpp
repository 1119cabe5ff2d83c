// SPDX-License-Identifier: Apache-2.0
// ai.onnx Einsum, versions 12, 28
// https://onnx.ai/onnx/operators/onnx__Einsum.html
#include "evaluators/contraction.h"
#include "fast/fast.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_einsum {
namespace {
/// An index is a letter, or an axis of the ellipsis.
constexpr Label kEllipsis = 256;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string without_dots(std::string term) {
  if (const size_t dots = term.find("..."); dots != std::string::npos) term.erase(dots, 3);
  return term;
}
bool has_ellipsis(const std::string& term) { return term.find("...") != std::string::npos; }

Labels labels_of(const std::string& term, std::int64_t ellipsis_rank) {
  const std::string letters = without_dots(term);
  require(std::ranges::all_of(letters, is_letter),
          "attribute 'equation' has the term '{}', but a term has letters and at most one ellipsis", printable(term));
  Labels labels(letters.begin(), letters.end());
  if (!has_ellipsis(term)) return labels;
  Labels axes;
  for (std::int64_t k = 0; k < ellipsis_rank; ++k) axes.push_back(kEllipsis + static_cast<Label>(k));
  labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(term.find("...")), axes.begin(), axes.end());
  return labels;
}

/// How many axes each ellipsis stands for; nothing where there is none.
std::optional<std::int64_t> ellipsis_rank(const std::vector<std::string>& terms, std::span<const Input> inputs) {
  std::optional<std::int64_t> rank;
  for (size_t k = 0; k < terms.size(); ++k) {
    labels_of(terms[k], 0);  // letters alone
    const Dims& shape = inputs[k].type.tensor.shape;
    const std::int64_t letters = std::ssize(without_dots(terms[k])), rest = std::ssize(shape) - letters;
    require(has_ellipsis(terms[k]) ? rest >= 0 : rest == 0, "the term '{}' has {}, but input {} has shape {}",
            printable(terms[k]), counted(letters, "letter"), k, shape);
    if (!has_ellipsis(terms[k])) continue;
    require(!rank || *rank == rest, "the ellipsis of '{}' stands for {} axes, but that of a term before for {}",
            printable(terms[k]), rest, rank.value_or(0));
    rank = rest;
  }
  return rank;
}

/// "The equation string may contain spaces"; without "->" the output has the ellipsis and then, in alphabetical order,
/// the indices that are there once.
Contraction equation(const Call& call) {
  std::string text = call.string("equation");
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  std::vector<std::string> terms{""};
  for (const char c : text.substr(0, arrow)) c == ',' ? terms.emplace_back() : terms.back() += c;
  const std::span<const Input> inputs = call.inputs("Inputs");
  require(terms.size() == inputs.size(), "attribute 'equation' has {}, but the node has {}",
          counted(std::ssize(terms), "term"), counted(std::ssize(inputs), "input"));
  const std::optional<std::int64_t> ellipsis = ellipsis_rank(terms, inputs);
  Contraction e;
  std::map<Label, int> uses;
  for (size_t k = 0; k < terms.size(); ++k) {
    e.shapes.push_back(inputs[k].type.tensor.shape);
    e.terms.push_back(labels_of(terms[k], ellipsis.value_or(0)));
    for (size_t axis = 0; axis < e.terms[k].size(); ++axis) {
      const Label label = e.terms[k][axis];
      const std::int64_t size = e.shapes[k][axis];
      std::int64_t& known = e.sizes.try_emplace(label, size).first->second;
      const bool repeats = label >= kEllipsis || call.reads("einsum.size_one", "broadcast");
      require(known == size || (repeats && (known == 1 || size == 1)), "the index '{}' has the sizes {} and {}",
              label >= kEllipsis ? "..." : std::string(1, static_cast<char>(label)), known, size);
      if (known == 1) known = size;
      ++uses[label];
    }
  }
  if (arrow == std::string::npos) {
    for (std::int64_t k = 0; k < ellipsis.value_or(0); ++k) e.output.push_back(kEllipsis + static_cast<Label>(k));
    for (const auto& [label, count] : uses)  // by their codes, upper case first
      if (label < kEllipsis && count == 1) e.output.push_back(label);
  } else {
    const std::string output = text.substr(arrow + 2);
    require(!ellipsis || has_ellipsis(output), "the output '{}' lacks the ellipsis that a term has", printable(output));
    e.output = labels_of(output, ellipsis.value_or(0));
  }
  for (const Label label : e.output) {
    const std::string name(1, static_cast<char>(label));
    require(e.sizes.contains(label), "the output has the index '{}', which no term has", name);
    require(std::ranges::count(e.output, label) == 1, "the output has the index '{}' twice", name);
  }
  return e;
}

std::vector<ValueType> output_types(const Call& call) {
  const Contraction e = equation(call);
  return {TensorType{call.inputs("Inputs")[0].type.tensor.dtype, e.sizes_of(e.output)}};
}

/// Where an input's elements lie by the indices of the output, and by those that are summed: of these the last one is a
/// run.
struct Operand {
  Elements x;
  Strided by_output, by_summed;
  std::int64_t step;
};

// Output[o] = Σ over the indices that it does not have of the product of the inputs' elements
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Contraction e = equation(call);
  Labels outer = e.summed(), inner;
  if (!outer.empty()) inner.push_back(outer.back()), outer.pop_back();
  const std::int64_t n = element_count(e.sizes_of(inner));
  std::vector<Operand> in;
  const std::vector<Tensor> inputs = call.tensors();
  for (size_t k = 0; k < inputs.size(); ++k)
    in.push_back({Elements(inputs[k]), Strided(e.sizes_of(e.output), e.strides(k, e.output)),
                  Strided(e.sizes_of(outer), e.strides(k, outer)), inner.empty() ? 0 : e.strides(k, inner)[0]});
  const std::int64_t sums = in[0].by_summed.count();
  const auto run = [&](const Operand& x, std::int64_t i, std::int64_t s) {
    return Run{x.by_output(i) + x.by_summed(s), n, x.step};
  };
  const DType dtype = in[0].x.dtype();
  const auto one_or_two = [&](std::int64_t i, auto& sum) {
    for (std::int64_t s = 0; s < sums; ++s)
      if (in.size() == 1)
        sum.add(in[0].x[run(in[0], i, s)]);
      else
        sum.add(in[0].x[run(in[0], i, s)], in[1].x[run(in[1], i, s)]);
  };
  const auto rows = [&](const RowTarget& y) {
    const std::optional<MatrixForm> form = e.matrix_form();
    return form && fast::matrix_product(y, fast::in_form(*form, inputs));
  };
  if (in.size() <= 2) return {sum(outs[0], dtype, one_or_two, {}, rows)};
  const auto products = [&]<class N>(std::int64_t i, const auto& x, const N& one, const auto& add) {
    for (std::int64_t s = 0; s < sums; require_time(), ++s)
      for (std::int64_t k = 0; k < n; ++k) {
        N product = one;
        for (const Operand& operand : in)
          product = product * static_cast<N>(x(operand.x, run(operand, i, s).from + k * operand.step));
        add(product);
      }
  };
  if (info(dtype).kind != Kind::floating)
    return {wholes(outs[0], [&](std::int64_t i, const WholeReader& x) {
      std::uint64_t sum = 0;
      products(i, x, std::uint64_t{1}, [&](std::uint64_t product) { sum += product; });
      return sum;
    })};
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    SumOf<R> sum;
    products(i, x, R(1.0), [&](const R& product) { sum.add(product); });
    return sum.total();
  })};
}

void version_12(OpSchema& s) {
  s.attribute(required(STRING, "equation"));
  s.input("Inputs", "T", Arity::variadic).output("Output", "T");
  s.types("T", types::numbers, "Constrain input and output types to all numerical tensor types.");
}
}  // namespace
Operator einsum() {
  return Operator("ai.onnx", "Einsum")
      .summary("sums of products of the inputs' elements, by an equation of indices")
      .version(12, version_12)
      .version(28, adds("T", DType::bfloat16))
      .reading(
          {.name = "einsum.size_one",
           .alternatives = {"reject: a named index has one size", "broadcast: an axis of size 1 is repeated"},
           .defaults = {{12, "reject"}},
           .reason =
               "the page lets only the ellipsis broadcast; numpy, onnxruntime and ONNX's inference repeat an axis of "
               "size 1 of any index"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_einsum
