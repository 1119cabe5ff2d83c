// SPDX-License-Identifier: Apache-2.0
#include "evaluators/programs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "evaluators/move.h"
#include "evaluators/nothing.h"
#include "evaluators/parts.h"
#include "evaluators/undecided.h"
#include "exact/rows.h"
#include "exact/storage.h"

namespace opref::evaluators {
namespace {

/// Whether its elements have a C++ type of their own.
bool is_ieee(DType dtype) { return info(dtype).kind == Kind::floating && info(dtype).bits > 8; }

/// Sets element `at` to the number, where it is known which element that is.
bool settle_integer(const Interval& y, std::span<std::byte> elements, DType dtype, std::int64_t at) {
  std::uint64_t bits = 0;
  if (!settle(y, bits)) return false;
  set_bits(elements, info(dtype).bits, at, bits);
  return true;
}
/// The number is the nearest double, or lies on one side of it: that is all that a shorter type wants to know.
bool settle_small(const Interval& y, std::span<std::byte> elements, DType dtype, std::int64_t at,
                  const Conversion& how) {
  double nearest = 0;
  if (!settle(y, nearest)) return false;
  Number number = Number::of(nearest);
  if (number.form == Number::Form::finite) {
    const Interval rest = abs(y) - Interval(std::abs(nearest));
    const std::optional<int> side = rest.sign();
    if (!side) return false;
    const Scaled parts = scaled(nearest);
    number.significand = (parts.significand << 2) + static_cast<std::uint64_t>(*side),
    number.exponent = parts.exponent - 2;
  }
  set_bits(elements, info(dtype).bits, at, converted(number, dtype, how));
  return true;
}

template <class F>
void leave_early(const F& f) {
  try {
    f();
  } catch (const ProgramDone&) {
  }
}

/// By the programs that have elements which the sink asks for.
void tell_bounds(const Programs& programs, const Output& out, size_t output) {
  std::map<std::int64_t, std::int64_t> asked;  // how many of each program
  for (std::int64_t at = 0, count = element_count(out.type().shape); at < count; ++at)
    if (out.sink()->asks_for_bound(at)) ++asked[programs.program_of(programs.program, output, at)];
  const Reader<Faithful> x;
  for (const auto& [k, elements] : asked) {
    Writer<Faithful> y(output, out, elements);
    leave_early([&, program = k] { programs.faithful(programs.program, program, x, y); });
  }
}

/// The elements of several outputs.
class Evaluation {
 public:
  Evaluation(std::span<const Output> outs, const Programs& programs) : outs_(outs), programs_(programs) {
    for (const Output& out : outs)
      if (out.wanted())
        builders_.emplace_back(std::in_place, out.type());
      else
        builders_.emplace_back(std::nullopt);
  }

  std::vector<Value> evaluate(std::int64_t n) {
    if (const Output* asked = asked_for()) {
      run_for(*asked, *asked->only());
    } else if (!ask_for_nothing(outs_)) {
      Numerics numerics = first_wanted(outs_).numerics();
      numerics.only = {};
      has_rows_ = by_rows();
      const std::int64_t left = std::ranges::count_if(outs_, &Output::wanted) - (has_rows_ ? 1 : 0);
      const auto run_some = [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t k = first; k < last; ++k) {
          require_time();
          run(k);
        }
      };
      if (left > 0) for_each_part(n, 1, numerics, run_some);
    }
    std::vector<Value> values;
    for (auto& builder : builders_) values.push_back(builder ? Value{std::move(*builder).finish()} : Value{});
    return values;
  }

  /// The operands, the named parts and the result of the only element.
  void tell() const {
    const Output* asked = asked_for();
    if (asked == nullptr) return;
    const std::int64_t at = *asked->only();
    const std::int64_t k = programs_.program_of(programs_.program, place(*asked), at);
    Heard heard{asked->sink(), true, {}};
    tell_parts(*asked->sink(), [&] {
      std::vector<Board> boards(outs_.size());
      Board& board = boards[place(*asked)];
      board.wanted = true, board.open = {at}, board.is_decided = {0};
      std::optional<Interval> result;
      Writer<Interval> y(boards, 1,
                         [&](size_t, size_t, const Interval& number) { result = number, board.is_decided[0] = 1; });
      leave_early([&] { programs_.exact(programs_.program, k, Reader<Interval>(&heard), y); });
      heard.reads = false;
      return result.value_or(Interval(0.0));
    });
  }

 private:
  size_t place(const Output& out) const { return static_cast<size_t>(&out - outs_.data()); }
  /// The output of which one element alone is asked for.
  const Output* asked_for() const {
    const auto found = std::ranges::find_if(outs_, [](const Output& out) { return out.wanted() && out.only(); });
    return found == outs_.end() ? nullptr : &*found;
  }
  bool is_exact_only(const Output& out) const {
    return out.numerics().exact_only || out.type().dtype == DType::float64 || !is_ieee(out.type().dtype);
  }

  /// Of the first output.
  bool by_rows() {
    const Output& out = outs_.front();
    const Numerics& numerics = out.numerics();
    if (programs_.rows == nullptr || !out.wanted() || is_exact_only(out)) return false;
    const ByDefinition by_definition = [&](std::span<const std::int64_t> in_any_order) {
      std::vector<std::int64_t> sorted(in_any_order.begin(), in_any_order.end());
      std::ranges::sort(sorted);
      std::span<const std::int64_t> positions = sorted;
      const auto program = [&](std::int64_t at) { return programs_.program_of(programs_.program, 0, at); };
      while (!positions.empty()) {
        const std::int64_t k = program(positions[0]);
        const auto other = std::ranges::find_if(positions, [&](std::int64_t at) { return program(at) != k; });
        const auto n = static_cast<size_t>(other - positions.begin());
        n == 1 ? run_for(out, positions[0]) : run_for_some(k, positions.first(n));
        positions = positions.subspan(n);
      }
    };
    RowTarget target{out.type(), numerics, builders_.front()->bytes(), by_definition};
    return programs_.rows(target);
  }

  /// For one element of an output.
  void run_for(const Output& out, std::int64_t at) {
    std::vector<Board> boards(outs_.size());
    boards[place(out)].wanted = true, boards[place(out)].only = at;
    run(programs_.program_of(programs_.program, place(out), at), boards, 1);
  }
  /// For some elements of the first output, ascending, all of one program.
  void run_for_some(std::int64_t k, std::span<const std::int64_t> positions) {
    std::vector<Board> boards(outs_.size());
    Board& board = boards.front();
    board.wanted = true;
    estimate(k, boards, -1);
    size_t asked = 0;
    for (size_t i = 0; i < board.at.size(); ++i) {
      if (!std::ranges::binary_search(positions, board.at[i])) continue;
      board.at[asked] = board.at[i], board.v[asked] = board.v[i], board.e[asked] = board.e[i];
      ++asked;
    }
    board.at.resize(asked), board.v.resize(asked), board.e.resize(asked);
    decide(k, boards);
  }
  void run(std::int64_t k) {
    std::vector<Board> boards(outs_.size());
    for (size_t o = 0; o < outs_.size(); ++o) boards[o].wanted = outs_[o].wanted() && !(o == 0 && has_rows_);
    run(k, boards, -1);
  }
  /// `elements` are asked for, or -1.
  void run(std::int64_t k, std::vector<Board>& boards, std::int64_t elements) {
    estimate(k, boards, elements);
    decide(k, boards);
  }
  void estimate(std::int64_t k, std::vector<Board>& boards, std::int64_t elements) {
    Writer<Bounded> y(boards, elements);
    leave_early([&] { programs_.estimate(programs_.program, k, Reader<Bounded>(), y); });
  }
  void decide(std::int64_t k, std::vector<Board>& boards) {
    for (size_t o = 0; o < outs_.size(); ++o)
      if (boards[o].wanted) settle_all(o, boards[o]);
    std::int64_t left = 0;
    for (const Board& board : boards) left += std::ssize(board.open);
    if (left > 0) exactly(k, boards, left);
    for (size_t o = 0; o < outs_.size(); ++o) {
      const std::int64_t open = std::ssize(boards[o].open);
      count_elements(outs_[o].numerics(), std::ssize(boards[o].at) - open, open);
    }
  }

  void settle_all(size_t output, Board& board) {
    if (is_exact_only(outs_[output]))
      board.open = board.at;
    else
      with_float(outs_[output].type().dtype, [&]<class T>(T) { settle_estimates<T>(output, board); });
    std::ranges::sort(board.open);
    board.is_decided.assign(board.open.size(), 0);
  }
  template <class T>
  void settle_estimates(size_t output, Board& board) {
    constexpr size_t kPart = 512, kSize = kPart + kRowSlack;
    const std::span<T> y = builders_[output]->template values<T>();
    if constexpr (!std::is_same_v<T, double>) {
      std::array<double, kSize> v{}, e{};
      SettledRow<T, kPart> row;
      for (size_t i = 0, n; i < board.at.size(); i += n) {
        n = std::min(kPart, board.at.size() - i);
        std::copy_n(&board.v[i], n, v.data());
        std::copy_n(&board.e[i], n, e.data());
        row.settle(v.data(), e.data(), n);
        for (size_t k = 0; k < n; ++k) {
          y[static_cast<size_t>(board.at[i + k])] = row.y[k];
          if (row.is_open[k] != 0) board.open.push_back(board.at[i + k]);
        }
      }
    }
  }
  bool settle_exactly(size_t output, std::int64_t at, const Interval& number) {
    const DType dtype = outs_[output].type().dtype;
    TensorBuilder& y = *builders_[output];
    if (is_ieee(dtype))
      return with_float(dtype, [&]<class T>(T) { return settle(number, y.values<T>()[static_cast<size_t>(at)]); });
    return info(dtype).kind == Kind::floating ? settle_small(number, y.bytes(), dtype, at, programs_.result)
                                              : settle_integer(number, y.bytes(), dtype, at);
  }

  void exactly(std::int64_t program, std::vector<Board>& boards, std::int64_t left) {
    const auto take = [&](size_t output, size_t k, const Interval& number) {
      Board& board = boards[output];
      if (settle_exactly(output, board.open[k], number)) board.is_decided[k] = 1, --left;
    };
    in_some_precision([&] {
      Writer<Interval> y(boards, left, take);
      leave_early([&] { programs_.exact(programs_.program, program, Reader<Interval>(), y); });
      return left == 0;
    });
    for (size_t o = 0; left > 0 && o < boards.size(); ++o)
      for (size_t k = 0; k < boards[o].open.size(); ++k)
        if (boards[o].is_decided[k] == 0) fail_undecided(outs_[o], boards[o].open[k]);
  }

  std::span<const Output> outs_;
  const Programs& programs_;
  std::vector<std::optional<TensorBuilder>> builders_;
  bool has_rows_ = false;  ///< the first output is through
};

}  // namespace

template <class R>
R whole_number(const Elements& x, std::int64_t i) {
  const std::int64_t n = x.integer(i);
  return x.dtype() == DType::uint64 ? R::whole(static_cast<std::uint64_t>(n)) : R::whole(n);
}
template Bounded whole_number(const Elements& x, std::int64_t i);
template Interval whole_number(const Elements& x, std::int64_t i);
template Faithful whole_number(const Elements& x, std::int64_t i);

size_t Board::find(std::int64_t i) const {
  const auto found = std::ranges::lower_bound(open, i);
  return found != open.end() && *found == i ? static_cast<size_t>(found - open.begin()) : open.size();
}

std::vector<Value> programs_of(std::span<const Output> outs, std::int64_t n, const Programs& programs) {
  const auto told = std::ranges::find_if(outs, [](const Output& out) { return out.wanted() && out.sink() != nullptr; });
  if (told == outs.end()) return Evaluation(outs, programs).evaluate(n);
  if (programs.faithful != nullptr && told->sink()->asks_for_bounds()) {
    tell_bounds(programs, *told, static_cast<size_t>(told - outs.begin()));
    return nothing(outs);
  }
  told->sink()->other();
  Evaluation(outs, programs).tell();
  return nothing(outs);
}

void tell_bounds(const Output& out, const std::function<Faithful(std::int64_t i)>& f) {
  for (std::int64_t i = 0, count = element_count(out.type().shape); i < count; ++i) {
    if (!out.sink()->asks_for_bound(i)) continue;
    require_time();
    out.sink()->bound(i, f(i), {});
  }
}

Tensor wholes(const Output& out, const std::function<std::uint64_t(std::int64_t i, const WholeReader& x)>& definition) {
  const TensorType& type = out.type();
  if (!out.wanted()) return {};
  if (TermSink* sink = out.sink()) {
    sink->other();
    Heard heard{sink, true, {}};
    if (out.only()) definition(*out.only(), WholeReader(&heard));
    return zeros_of(type);
  }
  TensorBuilder y(type, Content::any);
  const int width = info(type.dtype).bits;
  for_each_part(element_count(type.shape), 1, out.numerics(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      require_time();
      set_bits(y.bytes(), width, i, definition(i, WholeReader(nullptr)));
    }
    count_elements(out.numerics(), 0, last - first);
  });
  return std::move(y).finish();
}

}  // namespace opref::evaluators
