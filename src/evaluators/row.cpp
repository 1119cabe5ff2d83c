// SPDX-License-Identifier: Apache-2.0
#include "evaluators/row.h"

#include <algorithm>

namespace opref::evaluators {
namespace {

/// A thread's, in doubles: 1 MiB, which is near.
constexpr std::size_t kMostMemory = std::size_t{1} << 17;
constexpr std::size_t kRowsKept = 16;
/// A thread's, of all precisions together: each takes up to half of what is left.
constexpr std::size_t kMostIntervalBytes = std::size_t{24} << 20;

constexpr double kLeast = 0x1p-149;  ///< of float32, and of all narrower types

/// The axes of a shape that are kept, or the others; strides likewise.
Dims some(const Dims& of, const std::vector<bool>& is_taken, bool taken) {
  Dims some;
  for (size_t a = 0; a < of.size(); ++a)
    if (is_taken[a] == taken) some.push_back(of[a]);
  return some;
}
/// Strides of an array of the axes for which is_taken, as seen from the whole one: 0 along the others.
Dims strides_of_some(const Dims& shape, const std::vector<bool>& is_taken, bool taken) {
  Dims seen = shape;
  for (size_t a = 0; a < shape.size(); ++a)
    if (is_taken[a] != taken) seen[a] = 1;
  return broadcast_strides(seen, shape);
}
bool repeats(const Dims& shape, const Dims& strides) {
  for (size_t a = 0; a < shape.size(); ++a)
    if (shape[a] > 1 && strides[a] == 0) return true;
  return false;
}
/// An integer, where a double has it.
Special special_of(Elements::Wide n) {
  const auto nearest = static_cast<double>(n);
  return static_cast<Elements::Wide>(nearest) == n ? Special(nearest) : Special(Special::Kind::finite);
}
bool repeats_all(const Dims& shape, const Dims& strides) {
  for (size_t a = 0; a < shape.size(); ++a)
    if (shape[a] > 1 && strides[a] != 0) return false;
  return true;
}

}  // namespace

Slicing::Slicing(const Dims& shape, const std::vector<bool>& is_within)
    : shape_(shape),
      is_within_(is_within),
      of_slice_(some(shape, is_within, false), some(strides_of(shape), is_within, false)),
      within_(some(shape, is_within, true), some(strides_of(shape), is_within, true)),
      slice_of_(shape, strides_of_some(shape, is_within, false)),
      place_of_(shape, strides_of_some(shape, is_within, true)) {}

Slicing Slicing::along(const Dims& shape, const std::vector<size_t>& axes) {
  std::vector<bool> is_within(shape.size());
  for (const size_t a : axes) is_within[a] = true;
  return {shape, is_within};
}

Slicing Slicing::from(const Dims& shape, size_t axis) {
  std::vector<bool> is_within(shape.size());
  for (size_t a = axis; a < shape.size(); ++a) is_within[a] = true;
  return {shape, is_within};
}

SliceOperand Slicing::operand(const Tensor& x, const Dims& strides) const {
  const Dims slices = some(shape_, is_within_, false), to_slice = some(strides, is_within_, false),
             places = some(shape_, is_within_, true), to_place = some(strides, is_within_, true);
  return {.numbers = Elements(x),
          .of_slice = Strided(slices, to_slice),
          .within = Strided(places, to_place),
          .is_shared = repeats_all(slices, to_slice),
          .is_repeated = repeats(places, to_place),
          .is_constant = repeats_all(places, to_place)};
}

void SliceNumbers::move_to(const SliceOperand& x, std::int64_t slice) {
  x_ = &x, slice_ = slice, base_ = x.of_slice(slice);
  size_ = static_cast<size_t>(x.within.count());
  whole_ = room_ = nullptr;
  loaded_ = 0;
  range_.reset(), bound_.reset();
}

void SliceNumbers::tell(size_t i) const {
  if (Heard* heard = memory_.heard()) heard->read(x_->numbers.place(place(i)));
}
Interval SliceNumbers::interval(size_t i) const {
  tell(i);
  return x_->numbers.is_floating() ? Interval(number(i)) : whole_number<Interval>(x_->numbers, place(i));
}
Special SliceNumbers::special(size_t i) const {
  return x_->numbers.is_floating() ? Special(number(i)) : special_of(x_->numbers.wide(place(i)));
}
std::optional<size_t> SliceNumbers::greatest() const {
  std::optional<size_t> greatest;
  const auto is_less = [&](size_t i, size_t j) {
    if (!x_->numbers.is_floating()) return x_->numbers.wide(place(i)) < x_->numbers.wide(place(j));
    return number(i) < number(j) || (std::isnan(number(j)) && !std::isnan(number(i)));
  };
  for (size_t i = 0; i < size_; ++i) {
    tell(i);
    if (!greatest || is_less(*greatest, i)) greatest = i;
  }
  return greatest;
}

void SliceNumbers::load(size_t i, size_t n, double* to) const {
  for (size_t done = 0; done < n;) {
    Run run = x_->within.run(static_cast<std::int64_t>(i + done));
    run.from += base_;
    run.count = std::min(run.count, static_cast<std::int64_t>(n - done));
    if (run.step == 0)
      std::fill_n(to + done, run.count, x_->numbers.number(run.from));
    else
      x_->numbers.numbers(run, to + done);
    done += static_cast<size_t>(run.count);
  }
}

/// Where the elements of a slice lie apart, and those of the next slices beside them, some slices are read together.
/// Null where they do not.
const double* SliceNumbers::among_neighbours() {
  constexpr std::int64_t kSlices = 16;
  const auto n = static_cast<std::int64_t>(size_);
  if (block_of_ == x_ && slice_ >= block_first_ && slice_ < block_first_ + block_count_)
    return &block_[static_cast<size_t>((slice_ - block_first_) * n)];
  const Run along = x_->within.run(0), across = x_->of_slice.run(slice_);
  if (n < 2 || n > static_cast<std::int64_t>(SliceMemory::kPart) || along.count < n || along.step < 2 ||
      across.step != 1 || across.count < kSlices)
    return nullptr;
  block_of_ = x_, block_first_ = slice_, block_count_ = kSlices;
  block_.resize(static_cast<size_t>(kSlices * n));
  double beside[kSlices + kRowSlack];
  for (std::int64_t k = 0; k < n; ++k) {
    x_->numbers.numbers({base_ + k * along.step, kSlices, 1}, beside);
    for (std::int64_t s = 0; s < kSlices; ++s) block_[static_cast<size_t>(s * n + k)] = beside[s];
  }
  return block_.data();
}

const double* SliceNumbers::part(size_t i, size_t n) {
  if (whole_ == nullptr && room_ == nullptr) {
    whole_ = among_neighbours();
    if (whole_ == nullptr && (!x_->is_repeated || size_ <= SliceMemory::kPart)) keep_whole(memory_.room(size_));
    if (whole_ == nullptr) room_ = memory_.part_room();
  }
  if (whole_ != nullptr) return whole_ + i;
  const bool is_there = first_ == i || x_->is_constant;
  if (!is_there || loaded_ < n) load(i, n, room_);
  first_ = i, loaded_ = n;
  return room_;
}

void SliceNumbers::keep_whole(double* room) {
  if (room != nullptr) load(0, size_, room);
  whole_ = room;
}

const RowRange& SliceNumbers::range() {
  if (range_) return *range_;
  range_.emplace();
  for (size_t i = 0, n; i < size_; i += n) {
    n = std::min(size_ - i, SliceMemory::kPart);
    const Run run = x_->is_repeated ? x_->within.run(static_cast<std::int64_t>(i)) : Run{0};
    if (x_->is_repeated && run.step == 0) {
      const double x = number(i);
      range_->add(&x, 1);
      n = static_cast<size_t>(run.count);
    } else {
      range_->add(part(i, n), n);
    }
  }
  return *range_;
}

const StaticBound& SliceNumbers::bound() {
  if (bound_) return *bound_;
  if (!x_->numbers.is_narrow()) return bound_.emplace(StaticBound::unknown());
  const bool is_known = !range().has_nan && range().most < kInfinity;
  return bound_.emplace(is_known ? StaticBound(range().least, range().most, kLeast) : StaticBound::unknown());
}

SliceMemory::SliceMemory(std::int64_t n, Heard* heard)
    : heard_(heard),
      capacity_(std::min(kMostMemory, kRowsKept * (std::min(static_cast<size_t>(n), kMostMemory) + kRowSlack))),
      memory_(std::make_unique_for_overwrite<double[]>(capacity_)),
      scratch_(std::make_unique_for_overwrite<double[]>(3 * (kPart + kRowSlack))) {}

void SliceMemory::move_to(std::int64_t slice) {
  slice_ = slice;
  used_ = interval_bytes_ = rooms_used_ = numbers_used_ = 0;
}

SliceNumbers& SliceMemory::numbers(const SliceOperand& x, std::int64_t slice) {
  are_doubles_ = are_doubles_ && !x.numbers.is_wide();
  for (const auto& shared : shared_)
    if (shared->is_of(x, slice)) return *shared;
  for (size_t k = 0; k < numbers_used_; ++k)
    if (numbers_[k]->is_of(x, slice)) return *numbers_[k];
  double* lasting = x.is_shared ? lasting_room(static_cast<size_t>(x.within.count())) : nullptr;
  std::vector<std::unique_ptr<SliceNumbers>>& all = lasting != nullptr ? shared_ : numbers_;
  const size_t k = lasting != nullptr ? shared_.size() : numbers_used_++;
  if (k == all.size()) all.push_back(std::make_unique<SliceNumbers>(*this));
  all[k]->move_to(x, slice);
  if (lasting != nullptr) all[k]->keep_whole(lasting);
  return *all[k];
}

double* SliceMemory::room(size_t n) {
  if (n > capacity_ - used_ || capacity_ - used_ - n < kRowSlack) return nullptr;
  double* free = &memory_[used_];
  used_ += n + kRowSlack;
  return free;
}
/// From the end of what there is.
double* SliceMemory::lasting_room(size_t n) {
  if (n > capacity_ - used_ || capacity_ - used_ - n < kRowSlack) return nullptr;
  capacity_ -= n + kRowSlack;
  return &memory_[capacity_];
}

double* SliceMemory::part_room() {
  if (rooms_used_ == rooms_.size()) rooms_.push_back(std::make_unique_for_overwrite<double[]>(kPart + kRowSlack));
  return rooms_[rooms_used_++].get();
}

bool SliceMemory::has_room_for_intervals(size_t n) {
  constexpr size_t kAllocation = 32;  // more or less, what an end takes beside its bits
  const size_t each = sizeof(Interval) + 2 * (static_cast<size_t>(Interval::precision) / 8 + kAllocation);
  if (n > (kMostIntervalBytes - interval_bytes_) / 2 / each) return false;
  interval_bytes_ += n * each;
  return true;
}

}  // namespace opref::evaluators
