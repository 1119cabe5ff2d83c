// SPDX-License-Identifier: Apache-2.0
// openvino MatrixNms, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino_boxes.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_matrix_nms {
namespace {
/// The candidates of one class of one image, the best first, and which of them overlap at all.
struct Line {
  std::int64_t image, class_of;
  std::vector<std::int64_t> boxes;
  std::vector<std::vector<char>> overlap;  ///< [i][j], j < i
  std::vector<char> is_twin;               ///< of one before: they overlap wholly
  std::vector<exact::Bounded> greatest;    ///< K, known as far as estimates go
};

/// score·factor·e^power
template <class R>
struct Decayed {
  R value, power;
};

// With X(j, i) the overlap of candidates j < i, and K_j = max X(l, j) over l < j, a score is multiplied by the least of
//   linear:    (1 - X(j, i))/(1 - K_j), over j < i with K_j < 1
//   gaussian:  e^((K_j² - X(j, i)²)·gaussian_sigma), over j < i
class Selection {
 public:
  explicit Selection(const Call& call)
      : boxes_(call.input("boxes")),
        scores_(call.input("scores")),
        count_(call.type("scores").shape[2]),
        classes_(call.type("scores").shape[1]),
        sides_{.more = call.flag("normalized") ? 0 : 1, .is_apart = true},
        is_gaussian_(call.string("decay_function") == "gaussian"),
        sigma_(call.number("gaussian_sigma")) {
    require_finite(call, "boxes");
    const double least = call.number("post_threshold");
    std::vector<std::vector<SelectedBox>> images;
    for (std::int64_t image = 0; image < call.type("scores").shape[0]; ++image) {
      images.emplace_back();
      for (std::int64_t c = 0; c < classes_; ++c) {
        if (c == call.integer("background_class")) continue;
        lines_.push_back(line_of(call, image, c));
        for (size_t i = 0; i < lines_.back().boxes.size(); ++i) {
          const std::int64_t box = lines_.back().boxes[i];
          const SelectedBox row{image,
                                c,
                                box,
                                (image * classes_ + c) * count_ + box,
                                (image * count_ + box) * 4,
                                image * count_ + box,
                                lines_.size() - 1,
                                i};
          if (decide(
                  [&]<class R>(const Reader<R>& x) {
                    const Decayed<R> score = decayed(row, x);
                    return is_less_by_powers(R(least), R(0.0), score.value, score.power);
                  },
                  [&] { return format("whether the score of box {} is above post_threshold", box); }))
            images.back().push_back(row);
        }
      }
    }
    rows_ = in_order(call, std::move(images), sizes_, [&](const SelectedBox& a, const SelectedBox& b) {
      return decide(
          [&](const auto& x) {
            const auto one = decayed(a, x), other = decayed(b, x);
            return is_less_by_powers(one.value, one.power, other.value, other.power);
          },
          [&] { return format("the greater of the scores of boxes {} and {}", a.box, b.box); });
    });
  }
  const std::vector<SelectedBox>& rows() const { return rows_; }
  const std::vector<std::int64_t>& sizes() const { return sizes_; }

  template <class R>
  Decayed<R> decayed(const SelectedBox& row, const Reader<R>& x) const {
    const Line& line = lines_[row.line];
    const R score = x(scores_, row.score_at), one(1.0);
    std::optional<R> least;
    for (size_t j = 0; j < row.rank; ++j) {
      if (!is_gaussian_ && line.is_twin[j] != 0) continue;
      const R X = overlap(line, j, row.rank, x), K = greatest(line, j, x);
      const R now = is_gaussian_ ? (K * K - X * X) * R(sigma_) : (one - X) / (one - K);
      least = least ? min(*least, now) : now;
    }
    if (!least) return {score, R(0.0)};
    return is_gaussian_ ? Decayed<R>{score, *least} : Decayed<R>{score * *least, R(0.0)};
  }

 private:
  template <class R>
  Box<R> box(const Line& line, size_t i, const Reader<R>& x) const {
    return box_at(boxes_, (line.image * count_ + line.boxes[i]) * 4, x);
  }
  template <class R>
  R overlap(const Line& line, size_t j, size_t i, const Reader<R>& x) const {
    return line.overlap[i][j] == 0 ? R(0.0) : overlap_ratio(box(line, j, x), box(line, i, x), sides_);
  }
  template <class R>
  R greatest(const Line& line, size_t j, const Reader<R>& x) const {
    if constexpr (std::is_same_v<R, exact::Bounded>)
      if (j < line.greatest.size()) return line.greatest[j];
    R most(0.0);
    for (size_t l = 0; l < j; ++l) most = max(most, overlap(line, l, j, x));
    return most;
  }
  Line line_of(const Call& call, std::int64_t image, std::int64_t c) const {
    Line line{image, c, {}, {}, {}, {}};
    const auto score = [&](std::int64_t i) { return scores_.number((image * classes_ + c) * count_ + i); };
    for (std::int64_t i = 0; i < count_; ++i)
      if (score(i) > call.number("score_threshold")) line.boxes.push_back(i);
    sort_by_score(line.boxes, score);
    keep_first(line.boxes, call.integer("nms_top_k"));
    for (size_t i = 0; i < line.boxes.size(); ++i) {
      require_time();
      line.overlap.emplace_back();
      line.is_twin.push_back(0);
      for (size_t j = 0; j < i; ++j) {
        const bool do_at_all =
            decide([&](const auto& x) { return do_overlap(box(line, j, x), box(line, i, x), sides_); },
                   [&] { return format("how boxes {} and {} overlap", line.boxes[j], line.boxes[i]); });
        line.overlap[i].push_back(char{do_at_all});
        bool is_same = do_at_all;
        for (std::int64_t k = 0; k < 4; ++k)
          is_same &= boxes_.number((image * count_ + line.boxes[i]) * 4 + k) ==
                     boxes_.number((image * count_ + line.boxes[j]) * 4 + k);
        if (is_same) line.is_twin[i] = 1;
      }
      line.greatest.push_back(greatest(line, i, Reader<exact::Bounded>()));
    }
    return line;
  }

  Elements boxes_, scores_;
  std::int64_t count_, classes_;
  Sides sides_;
  bool is_gaussian_;
  double sigma_;
  std::vector<Line> lines_;
  std::vector<SelectedBox> rows_;
  std::vector<std::int64_t> sizes_;
};

std::vector<ValueType> output_types(const Call& call) {
  require_boxes_and_scores(call, 4);
  const Selection selection(call);
  return nms_output_types(call, std::ssize(selection.rows()), std::ssize(selection.sizes()));
}

// selected_outputs = [class, decayed score, x1, y1, x2, y2]; selected_indices: image·boxes + box; selected_num: how
// many each image has
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Selection selection(call);
  return selected_rows(
      call, outs, selection.rows(), selection.sizes(), [&]<class R>(const SelectedBox& row, const Reader<R>& x) {
        const Decayed<R> score = selection.decayed(row, x);
        return call.string("decay_function") == "gaussian" && row.rank > 0 ? score.value * exp(score.power)
                                                                           : score.value;
      });
}

void version_8(OpSchema& s) {
  add_nms_attributes(s);
  s.attribute(with_default("decay_function", "linear", one_of({"gaussian", "linear"})))
      .attribute(with_default("gaussian_sigma", 2.0F, at_least(0)))
      .attribute(with_default("post_threshold", 0.0F))
      .input("boxes", "T", "(images, boxes, 4): x1, y1, x2, y2")
      .input("scores", "T", "(images, classes, boxes)")
      .output("selected_outputs", "T", "class, score and corners of each")
      .output("selected_indices", "T_IND", "image · boxes + box of each")
      .output("selected_num", "T_IND", "how many each image has")
      .types("T", computed_floats)
      .types("T_IND", types::signed_wide);
}
}  // namespace
Operator matrix_nms() {
  return Operator("openvino", "MatrixNms")
      .summary("the boxes whose scores stay high though boxes that they overlap lower them")
      .page("sort/matrix-non-max-suppression-8")
      .category("category sorting and maximization")
      .version(8, version_8)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_matrix_nms
