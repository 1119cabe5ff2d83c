// SPDX-License-Identifier: Apache-2.0
#include "report/record_json.h"

#include <algorithm>
#include <array>
#include <limits>

#include "io/base64.h"
#include "io/json/fields.h"
#include "report/record_members.h"

namespace opref::report {

// --- Writing

class RecordWriter {
 public:
  static constexpr bool kWrites = true;

  template <class T>
  void operator()(std::string_view key, const T& value) {
    set(key, value);
  }
  template <class T>
  void written(std::string_view key, const T& value) {
    set(key, value);
  }
  template <class T>
  void optional(std::string_view key, const T& value) {
    if constexpr (requires { value.has_value(); }) {
      if (value) set(key, *value);
    } else if constexpr (requires { value.empty(); }) {
      if (!value.empty()) set(key, value);
    } else {
      if (value != T{}) set(key, value);
    }
  }
  Json json;

 private:
  template <class T>
  static Json object(const T& record) {
    RecordWriter writer;
    members(writer, record);
    return std::move(writer.json);
  }
  template <class T>
  void set(std::string_view key, const T& value) {
    if constexpr (requires { members(*this, value); })
      json.set(key, object(value));
    else
      json.set(key, value);
  }
  template <class T>
  void set(std::string_view key, const std::vector<T>& values) {
    if constexpr (requires { members(*this, values.front()); }) {
      Json list = Json::list();
      for (const T& value : values) list.append(object(value));
      json.set(key, list);
    } else {
      json.set(key, values);
    }
  }
  void set(std::string_view key, const std::vector<std::pair<std::string, std::string>>& pairs) {
    Json list = Json::list();
    for (const auto& [name, text] : pairs) list.append(std::array{name, text});
    json.set(key, list);
  }
  void set(std::string_view key, const std::vector<std::uint8_t>& bytes) { json.set(key, base64(bytes)); }
  void set(std::string_view key, const UlpHistogram& histogram) {
    Json bins;
    for (size_t bin = 0; bin < histogram.bins.size(); ++bin)
      if (histogram.bins[bin] != 0) bins.set(UlpHistogram::label(bin), histogram.bins[bin]);
    json.set(key, std::move(bins));
  }
  void set(std::string_view key, const ShareHistogram& histogram) {
    Json bins;
    for (size_t bin = 0; bin < histogram.bins.size(); ++bin)
      if (histogram.bins[bin] != 0) bins.set(ShareHistogram::kLabels[bin], histogram.bins[bin]);
    json.set(key, std::move(bins));
  }
  void set(std::string_view key, DType dtype) { json.set(key, to_text(dtype)); }
  void set(std::string_view key, Verdict verdict) { json.set(key, name(verdict)); }
  void set(std::string_view key, Change change) { json.set(key, name(change)); }
  void set(std::string_view key, BoundClass of) { json.set(key, to_text(of)); }
};

// --- Reading

namespace {

void read(const JsonValue& value, std::string& text) { text = string_of(value); }
void read(const JsonValue& value, std::int64_t& number) { number = integer_of(value, 0); }
void read(const JsonValue& value, std::uint64_t& number) { number = unsigned_of(value); }
void read(const JsonValue& value, std::vector<std::uint8_t>& bytes) {
  const std::string text = string_of(value);
  bytes = malformed_at(value, [&] { return from_base64(text); });
}

void read(const JsonValue& value, bool& flag) {
  require_kind(value, JsonKind::boolean);
  flag = value.text() == "true";
}

void read(const JsonValue& value, int& number) {
  const std::int64_t wide = integer_of(value, 0);
  if (wide > INT32_MAX) must_be(value, format("at most {}", INT32_MAX));
  number = static_cast<int>(wide);
}

/// An error or a time: no less than 0; "NaN" and "Inf" are strings.
void read(const JsonValue& value, double& number) {
  if (value.kind() != JsonKind::string)
    number = real_of(value);
  else if (value.text() == "NaN" || value.text() == "Inf")
    number = value.text() == "NaN" ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else
    must_be(value, R"(a number, "NaN" or "Inf")");
}

void read(const JsonValue& value, Verdict& verdict) {
  const std::string text = string_of(value);
  const auto found = std::ranges::find(kVerdicts, text, [](Verdict v) { return name(v); });
  if (found != kVerdicts.end()) {
    verdict = *found;
    return;
  }
  std::vector<std::string_view> names;
  for (const Verdict v : kVerdicts) names.push_back(name(v));
  fail(Fault::malformed, "{} is '{}', which is no verdict{}", place(value), printable(text), did_you_mean(text, names));
}

void read(const JsonValue& value, Change& change) {
  const std::string text = string_of(value);
  const auto* const found = std::ranges::find(kChanges, text, [](Change c) { return name(c); });
  if (found == kChanges.end()) fail(Fault::malformed, "{} is '{}', which is no change", place(value), printable(text));
  change = *found;
}

void read(const JsonValue& value, BoundClass& of) {
  const std::string text = string_of(value);
  const auto found = std::ranges::find(compare::kBoundClasses, text, [](BoundClass c) { return to_text(c); });
  if (found == compare::kBoundClasses.end()) must_be(value, "accurate, page, absolute or flush");
  of = *found;
}

void read(const JsonValue& value, DType& dtype) {
  const std::string text = string_of(value);
  const std::optional<DType> known = dtype_meant(text);
  if (!known) must_be(value, "an element type");
  dtype = *known;
}

/// Bins that these labels name, in their order.
void read_bins(const JsonValue& value, const auto& labels, std::span<std::int64_t> bins) {
  require_kind(value, JsonKind::object);
  for (const JsonValue member : value) {
    const auto found = std::ranges::find(labels, member.key());
    if (found == labels.end()) fail(Fault::malformed, "{} is no bin of a histogram", place(member));
    bins[static_cast<size_t>(found - labels.begin())] = integer_of(member, 0);
  }
}

void read(const JsonValue& value, ShareHistogram& histogram) {
  read_bins(value, ShareHistogram::kLabels, histogram.bins);
}

void read(const JsonValue& value, UlpHistogram& histogram) {
  std::vector<std::string> labels;
  for (size_t bin = 0; bin < histogram.bins.size(); ++bin) labels.push_back(UlpHistogram::label(bin));
  read_bins(value, labels, histogram.bins);
}

void read(const JsonValue& value, Dims& dims) {
  require_kind(value, JsonKind::list);
  if (value.size() > Dims::kCapacity) must_be(value, format("a list of at most {}", Dims::kCapacity));
  dims = {};
  for (const JsonValue item : value) dims.push_back(integer_of(item, 0));
}

void read(const JsonValue& value, std::pair<std::string, std::string>& pair) {
  require_kind(value, JsonKind::list);
  if (value.size() != 2) must_be(value, "a list of a name and a text");
  auto item = value.begin();
  pair.first = string_of(*item);
  pair.second = string_of(*++item);
}

template <class T>
void read(const JsonValue& value, T& record);

template <class T>
void read(const JsonValue& value, std::vector<T>& list) {
  require_kind(value, JsonKind::list);
  list.clear();
  for (const JsonValue item : value) read(item, list.emplace_back());
}

}  // namespace

class RecordReader {
 public:
  static constexpr bool kWrites = false;

  explicit RecordReader(const JsonValue& object) : object_(object) { require_kind(object, JsonKind::object); }

  template <class T>
  void operator()(std::string_view key, T& value) {
    known_.push_back(key);
    read(required(object_, key), value);
  }
  template <class T>
  void optional(std::string_view key, T& value) {
    known_.push_back(key);
    if (const auto member = object_.find(key)) read(*member, value);
  }
  template <class T>
  void written(std::string_view key, T& value) {
    optional(key, value);
  }
  template <class T>
  void optional(std::string_view key, std::optional<T>& value) {
    known_.push_back(key);
    if (const auto member = object_.find(key)) read(*member, value.emplace());
  }
  void known(std::string_view key) { known_.push_back(key); }
  /// After all members are named.
  void refuse_others() const { require_known_keys(object_, known_); }

 private:
  JsonValue object_;
  std::vector<std::string_view> known_;
};

namespace {

/// What the page draws from: the numbers must fit each other.
void require_consistent(const JsonValue& value, const ErrorMap& map) {
  const auto cells = [](std::int64_t elements, std::int64_t step) { return elements / step + (elements % step != 0); };
  if (map.row_step < 1 || map.column_step < 1) fail(Fault::malformed, "{}: a step is 0", place(value));
  const std::int64_t rows = cells(map.rows, map.row_step), columns = cells(map.columns, map.column_step);
  if (rows > ErrorMap::kMostCells || columns > ErrorMap::kMostCells || map.planes > ErrorMap::kMostPlanes)
    fail(Fault::malformed, "{} has {} planes of {}x{} cells, but at most {} of {}x{} are shown", place(value),
         map.planes, rows, columns, ErrorMap::kMostPlanes, ErrorMap::kMostCells, ErrorMap::kMostCells);
  const auto all = static_cast<std::size_t>(map.planes * rows * columns);
  if (map.cells.size() != all || map.plane_indices.size() != static_cast<std::size_t>(map.planes))
    fail(Fault::malformed, "{} has {} cells and {} plane_indices, but {} planes of {}x{}", place(value),
         map.cells.size(), map.plane_indices.size(), map.planes, rows, columns);
  const std::int64_t planes = malformed_at(value, [&] { return element_count(map.outer); });
  for (const std::int64_t index : map.plane_indices)
    if (index >= planes)
      fail(Fault::malformed, "{} shows plane {}, but the tensor has {}", place(value), index, planes);
  for (const std::uint8_t cell : map.cells)
    if ((cell & 127) > 65) fail(Fault::malformed, "{} has a cell {}", place(value), static_cast<int>(cell));
}

template <class T>
void read(const JsonValue& value, T& record) {
  RecordReader reader(value);
  members(reader, record);
  reader.refuse_others();
  if constexpr (std::is_same_v<T, ErrorMap>) require_consistent(value, record);
}

VerdictCounts read_verdicts(const JsonValue& summary) {
  require_kind(summary, JsonKind::object);
  VerdictCounts counts;
  std::vector<std::string_view> known;
  for (const Verdict verdict : kVerdicts) {
    known.push_back(name(verdict));
    if (const auto member = summary.find(name(verdict))) counts[verdict] = integer_of(*member, 0);
  }
  require_known_keys(summary, known);
  return counts;
}

}  // namespace

Json record_json(const CaseRecord& record) {
  RecordWriter writer;
  members(writer, record);
  return std::move(writer.json);
}

Json comparison_json(const Comparison& comparison, const Tolerance& tolerance) {
  RecordWriter writer;
  writer.json.set("equal", comparison.equal()).set("rule", rule_text(comparison, tolerance));
  members(writer, comparison);
  return std::move(writer.json.set("where", comparison.where));  // of equal tensors too
}

Json baseline_json(const Baseline& baseline) {
  RecordWriter writer;
  members(writer, baseline);
  return std::move(writer.json);
}

CaseRecord read_record(const JsonValue& record) {
  CaseRecord read_here;
  read(record, read_here);
  return read_here;
}

Json run_json(const RunRecord& run, const VerdictCounts& counts) {
  RecordWriter writer;
  Json summary;
  for (const Verdict verdict : kVerdicts) summary.set(name(verdict), counts[verdict]);
  writer.json.set(kFormatKey, RunRecord::kFormat).set("summary", summary);
  members(writer, run);
  return std::move(writer.json);
}

ReadRun read_run(const JsonValue& document) {
  ReadRun read;
  RecordReader reader(document);
  for (const std::string_view key : {kFormatKey, std::string_view("summary"), kCasesKey}) reader.known(key);
  members(reader, read.run);
  reader.refuse_others();
  if (const auto cases = document.find(kCasesKey)) require_kind(*cases, JsonKind::list);
  if (const auto summary = document.find("summary")) read.counts = read_verdicts(*summary);
  const RunRecord& run = read.run;
  if (run.shard < 1 || run.shard > run.shards)
    fail(Fault::malformed, "'shard' is {}, but must be from 1 to {}", run.shard, run.shards);
  return read;
}

}  // namespace opref::report
