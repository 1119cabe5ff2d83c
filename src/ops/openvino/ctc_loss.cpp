// SPDX-License-Identifier: Apache-2.0
// openvino CTCLoss, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_ctc_loss {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, logits] = call.type("logits");
  require(logits.size() == 3 && logits[2] >= 1,
          "logits has shape {}, but must have those of batches, steps and classes", logits);
  const Dims batches{logits[0]}, steps = logits.first(2);
  for (const std::string_view input : {"logit_length", "label_length"})
    require(call.type(input).shape == batches, "{} has shape {}, but must have {}", input, call.type(input).shape,
            batches);
  require(call.type("labels").shape == steps, "labels has shape {}, but must have {}", call.type("labels").shape,
          steps);
  if (call.has("blank_index")) require_scalar(call, "blank_index");
  return {TensorType{dtype, batches}};
}

struct Losses {
  explicit Losses(const Call& call)
      : x(call.input("logits")),
        T(call.type("logits").shape[1]),
        C(call.type("logits").shape[2]),
        blank(call.has("blank_index") ? call.integer("blank_index") : C - 1),
        merges(flag_or_default(call, "ctc_merge_repeated", "ctc_loss.default")),
        lengths(call.integers("logit_length")) {
    require(blank >= 0 && blank < C, "blank_index is {}, but must be from 0 to {}", blank, C - 1);
    const std::vector<std::int64_t> labels = call.integers("labels"), counts = call.integers("label_length");
    for (size_t n = 0; n < lengths.size(); ++n) {
      require(lengths[n] >= 0 && lengths[n] <= T, "logit_length[{}] is {}, but must be from 0 to {}", n, lengths[n], T);
      require(counts[n] >= 0 && counts[n] <= lengths[n],
              "label_length[{}] is {}, but must be from 0 to {}, logit_length", n, counts[n], lengths[n]);
      std::vector<std::int64_t>& target = targets.emplace_back();
      for (std::int64_t k = 0; k < counts[n]; ++k) {
        const std::int64_t label = labels[n * static_cast<size_t>(T) + static_cast<size_t>(k)];
        require(label >= 0 && label < C, "labels[{},{}] is {}, but must be from 0 to {}", n, k, label, C - 1);
        require(label != blank, "labels[{},{}] is {}, which is the blank", n, k, label);
        const bool is_again = call.flag("unique")
                                  ? std::ranges::find(target, label) != target.end()
                                  : call.flag("preprocess_collapse_repeated") && k > 0 &&
                                        labels[n * static_cast<size_t>(T) + static_cast<size_t>(k) - 1] == label;
        if (!is_again) target.push_back(label);
      }
    }
  }

  /// What a path may have come to: with merged repeats blank, label, blank, …, label, blank; else so many labels, of
  /// which the state says the last one.
  std::vector<std::int64_t> states(const std::vector<std::int64_t>& target) const {
    std::vector<std::int64_t> all{blank};
    for (const std::int64_t label : target) {
      all.push_back(label);
      if (merges) all.push_back(blank);
    }
    return all;
  }

  template <class R>
  R operator()(std::int64_t n, const Reader<R>& read) const {
    using Log = std::optional<R>;  // nothing: of 0
    const std::vector<std::int64_t> states = this->states(targets[static_cast<size_t>(n)]);
    const size_t count = states.size();
    std::vector<Log> alpha(count);
    for (std::int64_t t = 0; t < lengths[static_cast<size_t>(n)]; ++t) {
      require_time();
      const std::vector<R> log_p = log_softmax(read, (n * T + t) * C);
      const auto p = [&](size_t state) { return log_p[static_cast<size_t>(states[state])]; };
      std::vector<Log> next(count);
      for (size_t i = 0; i < count; ++i) {
        std::vector<R> from;
        const auto add = [&](size_t state, const R& by) {
          if (alpha[state]) from.push_back(*alpha[state] + by);
        };
        if (t == 0) {
          if (i < 2) next[i] = p(i);
          continue;
        }
        if (merges) {
          add(i, p(i));
          if (i >= 1) add(i - 1, p(i));
          if (i >= 2 && states[i] != blank && states[i] != states[i - 2]) add(i - 2, p(i));
        } else {
          add(i, p(0));
          if (i >= 1) add(i - 1, p(i));
        }
        next[i] = log_of_sum(from);
      }
      alpha = std::move(next);
    }
    if (lengths[static_cast<size_t>(n)] == 0) return read.zero();
    std::vector<R> ends;
    for (size_t i = merges && count > 1 ? count - 2 : count - 1; i < count; ++i)
      if (alpha[i]) ends.push_back(*alpha[i]);
    const Log all = log_of_sum(ends);
    return all ? read.zero() - *all : R(std::numeric_limits<double>::infinity());
  }

 private:
  /// ln of Σ e^x; nothing of no x.
  template <class R>
  static std::optional<R> log_of_sum(const std::vector<R>& x) {
    if (x.empty()) return std::nullopt;
    if (x.size() == 1) return x[0];
    R most = x[0];
    for (const R& number : x) most = max(most, number);
    SumOf<R> sum;
    for (const R& number : x) sum.add(exp(number - most));
    return most + log(sum.total());
  }
  template <class R>
  std::vector<R> log_softmax(const Reader<R>& read, std::int64_t first) const {
    std::vector<R> y;
    for (std::int64_t c = 0; c < C; ++c) y.push_back(read(x, first + c));
    if (C == 1) return {R(0.0)};
    const R all = *log_of_sum(y);
    for (R& number : y) number = number - all;
    return y;
  }

  Elements x;
  std::int64_t T, C, blank;
  bool merges;
  std::vector<std::int64_t> lengths;
  std::vector<std::vector<std::int64_t>> targets;
};

// output0[n] = -ln Σ Π softmax(logits[n, t])[path[t]], t < logit_length[n], over all paths that decode to the target.
// Decoding makes repeated classes one (ctc_merge_repeated), and drops blanks. The target is the first label_length[n]
// labels, each once where it comes first (unique), or repeated ones made one (preprocess_collapse_repeated). Of no
// steps 0, of no path +Inf.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "logits");
  return {real(outs[0], Losses(call))};
}

void version_4(OpSchema& s) {
  s.attribute(with_default("preprocess_collapse_repeated", 0, flag()))
      .attribute(with_default("ctc_merge_repeated", 0, flag()))
      .attribute(with_default("unique", 0, flag()));
  s.input("logits", "T_F")
      .input("logit_length", "T1")
      .input("labels", "T2")
      .input("label_length", "T1")
      .input("blank_index", "T2", Arity::optional)
      .output("output0", "T_F");
  s.types("T_F", computed_floats).types("T1", types::signed_wide).types("T2", types::signed_wide);
}
}  // namespace
Operator ctc_loss() {
  return Operator("openvino", "CTCLoss")
      .summary("-ln of the probability of all paths through classes that decode to the labels")
      .page("sequence/ctc-loss-4")
      .category("category sequence processing")
      .version(4, version_4)
      .reading(left_out_flag_reading("ctc_loss.default", 4,
                                     [](const Call& call) { return !call.stated("ctc_merge_repeated"); }))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_ctc_loss
