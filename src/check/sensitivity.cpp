// SPDX-License-Identifier: Apache-2.0
#include "check/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "check/rounding_noise.h"
#include "core/error.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "run/graph_names.h"
#include "run/memory.h"
#include "run/sound_names.h"
#include "run/version.h"
#include "system/deadline.h"

namespace opref::check {
namespace {

bool is_numeric(DType dtype) { return is_integer(dtype) || is_floating(dtype); }

double number_at(const Tensor& tensor, std::int64_t i) {
  if (is_floating(tensor.dtype())) return floating_element(tensor, i);
  const Number number = number_of(tensor.dtype(), element_bits(tensor, i));
  const double size = std::ldexp(static_cast<double>(number.significand), number.exponent);
  return number.negative ? -size : size;
}

/// The rms of numbers, which may be of any magnitude.
class Rms {
 public:
  void add(double x) {
    x = std::abs(x);
    ++count_;
    if (x > greatest_) {
      sum_ *= (greatest_ / x) * (greatest_ / x);
      greatest_ = x;
    }
    if (greatest_ > 0) sum_ += (x / greatest_) * (x / greatest_);
  }
  double value() const { return count_ == 0 ? 0 : greatest_ * std::sqrt(sum_ / static_cast<double>(count_)); }
  double greatest() const { return greatest_; }

 private:
  double greatest_ = 0, sum_ = 0;
  std::int64_t count_ = 0;
};

const Tensor* numbers_of(const Environment& values, const std::string& name) {
  const auto found = values.find(name);
  const Tensor* tensor = found == values.end() || !found->second.value ? nullptr : found->second.value->tensor();
  return tensor != nullptr && is_numeric(tensor->dtype()) ? tensor : nullptr;
}

/// The rms of the difference over that of the first; 0 of what is no tensor of numbers, or of another type.
double relative_difference(const Tensor* exact, const Tensor* moved) {
  if (exact == nullptr || moved == nullptr || exact->type() != moved->type()) return 0;
  if (exact->identity() == moved->identity()) return 0;
  Rms size, difference;
  for (std::int64_t i = 0; i < exact->count(); ++i) {
    require_time();
    const double x = number_at(*exact, i), y = number_at(*moved, i);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    size.add(x);
    difference.add(y - x);
  }
  if (difference.value() == 0) return 0;
  return size.value() == 0 ? 1 : difference.value() / size.value();
}

/// Sums of squares of relative differences, over all runs.
struct Passed {
  double in = 0, out = 0;
  double factor() const { return in > 0 ? std::sqrt(out / in) : 0; }
};

/// One evaluation, node after node.
class Run {
 public:
  Run(const Graph& graph, const Environment& given, const EvaluationOptions& options)
      : environment_(given), options_(options), evaluation_(graph, environment_, options_, Compute::values) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() = default;

  void evaluate(const Node& node) { evaluation_.evaluate(node); }
  void forget(std::span<const std::string> names) { evaluation_.forget(names); }
  const Environment& values() const { return environment_; }

 protected:
  EvaluationOptions& options() { return options_; }

 private:
  Environment environment_;
  EvaluationOptions options_;
  Evaluation evaluation_;
};

/// With noise.
class NoisyRun : public Run {
 public:
  NoisyRun(const Graph& graph, const Environment& given, const EvaluationOptions& without_noise, std::uint64_t seed,
           const Run& exact)
      : Run(graph, given, without_noise), random_(seed), exact_(exact) {
    options().confirm_readings_below = 0;
    options().alter = [this](const Step& step, std::vector<Value>& values) { add_noise(step, values); };
  }

  void evaluate(const Node& node, Passed& passed) {
    double in = 0;
    for (const std::string& name : names_read(node)) in += square_of(differences_, name);
    node_ = &node;
    out_ = 0;
    Run::evaluate(node);
    for (const std::string& name : node.outputs)
      if (!name.empty())
        differences_[name] = relative_difference(numbers_of(exact_.values(), name), numbers_of(values(), name));
    passed.in += in;
    if (in > 0) passed.out += out_;
  }

 private:
  using Differences = std::map<std::string, double, std::less<>>;
  static double square_of(const Differences& differences, const std::string& name) {
    const auto found = differences.find(name);
    return found == differences.end() ? 0 : found->second * found->second;
  }

  void add_noise(const Step& step, std::vector<Value>& values) {
    for (size_t k = 0; k < values.size() && k < step.node->outputs.size(); ++k) {
      const Tensor* tensor = values[k].tensor();
      if (tensor == nullptr || step.node->outputs[k].empty()) continue;
      if (step.node == node_) {
        const double difference = relative_difference(numbers_of(exact_.values(), step.node->outputs[k]), tensor);
        out_ += difference * difference;
      }
      const bool is_made_inside = step.call.subgraphs() != nullptr;  // where its own nodes had their noise
      const std::int64_t roundings = is_made_inside ? 0 : roundings_of(step, k, *tensor);
      if (roundings > 0) values[k] = with_noise(*tensor, roundings, random_, drawn_++);
    }
  }

  Random random_;
  std::uint32_t drawn_ = 0;
  const Run& exact_;
  const Node* node_ = nullptr;
  double out_ = 0;
  Differences differences_;
};

/// What a value's tensors are without and with noise, where they are as many and of the same types.
bool have_same_types(const TensorList& a, const TensorList& b) {
  if (a.size() != b.size()) return false;
  for (size_t k = 0; k < a.size(); ++k)
    if (a[k].type() != b[k].type()) return false;
  return true;
}

bool same_element(const Tensor& a, const Tensor& b, std::int64_t i) {
  if (a.dtype() == DType::string) return a.strings()[static_cast<size_t>(i)] == b.strings()[static_cast<size_t>(i)];
  if (info(a.dtype()).bits <= 64) return element_bits(a, i) == element_bits(b, i);
  const auto size = static_cast<size_t>(info(a.dtype()).bits / 8), at = static_cast<size_t>(i) * size;
  return std::ranges::equal(a.bytes().subspan(at, size), b.bytes().subspan(at, size));
}

OutputSpread spread_of(const ValueInfo& output, const Run& exact, std::span<const std::unique_ptr<NoisyRun>> noisy) {
  const Value& value = value_of(exact.values(), output.name);
  OutputSpread result;
  result.name = output.name;
  result.type = type_of(value);
  const TensorList right = tensors_in(value);
  Rms size, differences;
  const Tensor* whole = value.tensor();
  result.is_numeric = whole != nullptr && is_numeric(whole->dtype());
  std::vector<TensorList> others;
  for (const auto& run : noisy) {
    others.push_back(tensors_in(value_of(run->values(), output.name)));
    if (have_same_types(right, others.back())) continue;
    result.changes_type = true;
    others.pop_back();
  }
  for (size_t k = 0; k < right.size(); ++k) {
    const Tensor& tensor = right[k];
    result.count += tensor.count();
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
      require_time();
      bool changed = false, lost = false;
      const double x = result.is_numeric ? number_at(tensor, i) : 0;
      if (result.is_numeric && std::isfinite(x)) size.add(x);
      for (const TensorList& other : others) {
        const bool is_same = same_element(tensor, other[k], i);
        changed |= !is_same;
        if (!result.is_numeric) continue;
        const double y = is_same ? x : number_at(other[k], i);
        if (std::isfinite(x) != std::isfinite(y)) lost = true;
        if (!std::isfinite(x) || !std::isfinite(y)) continue;
        if (std::abs(y - x) > differences.greatest()) result.at = coordinates(i, tensor.shape());
        differences.add(y - x);
      }
      result.changed += changed ? 1 : 0;
      result.lost += lost ? 1 : 0;
    }
  }
  result.rms = size.value();
  result.spread = differences.value();
  result.greatest = differences.greatest();
  return result;
}

std::vector<Amplifier> amplifiers_of(const Graph& graph, const std::string& output, std::span<const Passed> passed) {
  constexpr size_t kMost = 3;
  std::set<std::string, std::less<>> needed = {output};
  std::vector<Amplifier> amplifiers;
  for (size_t place = graph.nodes.size(); place-- > 0;) {
    const Node& node = graph.nodes[place];
    const auto gives = [&](const std::string& name) { return !name.empty() && needed.contains(name); };
    const auto given = std::ranges::find_if(node.outputs, gives);
    if (given == node.outputs.end()) continue;
    for (const std::string& name : names_read(node)) needed.insert(name);
    if (const double factor = passed[place].factor(); factor > 1)
      amplifiers.push_back({place, node.name.empty() ? *given : node.name, node.op_type, factor});
  }
  std::ranges::stable_sort(amplifiers, std::greater<>(), &Amplifier::factor);
  amplifiers.resize(std::min(amplifiers.size(), kMost));
  return amplifiers;
}

}  // namespace

double OutputSpread::relative() const {
  if (spread == 0) return 0;
  return rms == 0 ? std::numeric_limits<double>::infinity() : spread / rms;
}

Sensitivity sensitivity_of(const Graph& graph, const Environment& given, const EvaluationOptions& options,
                           const SensitivityOptions& how) {
  require_known_operators(graph);
  std::set<std::string_view> names;
  for (const auto& [name, known] : given) names.insert(name);
  require_sound_names(graph, names);
  EvaluationOptions each = options;  // the runs share what is given
  const std::int64_t shared = HeldBytes(given).total();
  each.max_bytes = shared + std::max<std::int64_t>(0, options.max_bytes - shared) / (how.runs + 1);
  each.repeat = 1;
  each.after_node = {};
  Run exact(graph, given, each);
  std::vector<std::unique_ptr<NoisyRun>> noisy;
  for (int k = 0; k < how.runs; ++k)
    noisy.push_back(std::make_unique<NoisyRun>(graph, given, each, how.seed + static_cast<std::uint64_t>(k), exact));
  const LastReaders readers(graph, graph.outputs);
  NonFiniteSearch search(graph, options);
  std::vector<Passed> passed(graph.nodes.size());
  for (size_t place = 0; place < graph.nodes.size(); ++place) {
    const Node& node = graph.nodes[place];
    exact.evaluate(node);
    search.look_at(place, exact.values());
    how.after_node();
    for (size_t k = 0; k < noisy.size(); ++k) {
      at_place([k] { return format("in run {} with noise", k + 1); }, [&] { noisy[k]->evaluate(node, passed[place]); });
      how.after_node();
    }
    exact.forget(readers.done_after(place));
    for (const auto& run : noisy) run->forget(readers.done_after(place));
  }
  Sensitivity result{{}, search.first()};
  for (const ValueInfo& output : graph.outputs) {
    result.outputs.push_back(spread_of(output, exact, noisy));
    result.outputs.back().amplifiers = amplifiers_of(graph, output.name, passed);
  }
  return result;
}

std::optional<double> rms_difference(const Value& a, const Value& b) {
  const Tensor *one = a.tensor(), *other = b.tensor();
  if (one == nullptr || other == nullptr || one->type() != other->type() || !is_numeric(one->dtype()))
    return std::nullopt;
  Rms rms;
  for (std::int64_t i = 0; i < one->count(); ++i) {
    const double x = number_at(*one, i), y = number_at(*other, i);
    if (std::isfinite(x) && std::isfinite(y)) rms.add(y - x);
  }
  return rms.value();
}

}  // namespace opref::check
