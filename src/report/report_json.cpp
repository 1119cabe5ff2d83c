// SPDX-License-Identifier: Apache-2.0
#include "report/report_json.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <type_traits>

#include "io/base64.h"
#include "io/json/fields.h"
#include "io/json/json.h"
#include "report/report_summary.h"
#include "system/file.h"

namespace opref::report {
namespace {

constexpr std::string_view kFormatKey = "report_format";

class Writer;
class Reader;
/// A record that is written is const.
template <class Archive, class T>
using Of = std::conditional_t<std::is_same_v<Archive, Writer>, const T, T>;

// --- What each record has: the one place that writing, reading and the known keys come from. A member called by
// `optional` is not written where it has its default value, one called by `written` always.

template <class A>
void members(A& a, Of<A, Mismatch>& m) {
  a.optional("place", m.place);
  a("index", m.index);
  a("actual", m.actual);
  a("expected", m.expected);
  a.optional("actual_bits", m.actual_bits);
  a.optional("expected_bits", m.expected_bits);
  a("absolute", m.absolute);
  a("relative", m.relative);
  a.optional("ulp", m.ulp);
}

template <class A>
void members(A& a, Of<A, ErrorMap>& m) {
  a("outer", m.outer);
  a("rows", m.rows);
  a("columns", m.columns);
  a("row_step", m.row_step);
  a("column_step", m.column_step);
  a("planes", m.planes);
  a("plane_indices", m.plane_indices);
  a("cells", m.cells);
}

template <class A>
void members(A& a, Of<A, ErrorSummary>& m) {
  a("max", m.max);
  a("mean", m.mean);
  a("count", m.count);
}

template <class A>
void members(A& a, Of<A, Comparison>& m) {
  a.optional("reason", m.reason);
  a("count", m.count);
  a("mismatches", m.mismatches);
  a("bit_equal", m.bit_equal);
  a("within_one_ulp", m.within_one_ulp);
  a("max_ulp", m.max_ulp);
  a("absolute", m.absolute);
  a("relative", m.relative);
  a("ulp", m.ulp);
  a("histogram", m.histogram);
  a.optional("where", m.where);
  a.optional("bound_ratio", m.bound_ratio);
  a.optional("without_bound", m.without_bound);
  a.optional("first_without_bound", m.first_without_bound);
  a.optional("first", m.first);
  a.optional("worst", m.worst);
  a.optional("worst_mismatches", m.worst_mismatches);
}

template <class A>
void members(A& a, Of<A, ReadingRecord>& m) {
  a("name", m.name);
  a("in_force", m.in_force);
  a.optional("stands_for", m.stands_for);
  a.optional("selected", m.selected);
  a.optional("others", m.others);
  a.optional("possible", m.possible);
}

template <class A>
void members(A& a, Of<A, OutputRecord>& m) {
  a("name", m.name);
  a("type", m.type);
  a("rule", m.rule);
  a("comparison", m.comparison);
  a.optional("description", m.description);
  a.optional("errors", m.errors);
}

template <class A>
void members(A& a, Of<A, CauseRecord>& m) {
  a("name", m.name);
  a.optional("meaning", m.meaning);
  a.optional("link", m.link);
}

template <class A>
void members(A& a, Of<A, CauseGroup>& m) {
  a("verdict", m.verdict);
  a("count", m.count);
  a("cause", m.cause);
  a.optional("meaning", m.meaning);
  a.optional("link", m.link);
  a("example", m.example);
  a("filter", m.filter);
}

template <class A>
void members(A& a, Of<A, CaseRecord>& m) {
  a("name", m.name);
  a("path", m.path);
  a("verdict", m.verdict);
  a.optional("reason", m.reason);
  a.optional("domain", m.domain);
  a.optional("operator", m.op_type);  // not "op_type": by that word a folder's JSON files are known to be cases
  a.optional("since_version", m.since_version);
  a.optional("opset", m.opset);
  a.optional("dtype", m.dtype);
  a.optional("attributes", m.attributes);
  a.optional("inputs", m.inputs);
  a.optional("outputs", m.outputs);
  a.optional("readings", m.readings);
  a.optional("warnings", m.warnings);
  a.optional("explained_by", m.explained_by);
  a.optional("causes", m.causes);
  a.optional("within", m.within);
  a.optional("unexplained", m.unexplained);
  a.optional("cause", m.cause);
  a.optional("stderr_tail", m.stderr_tail);
  a.optional("repeat", m.repeat);
  a("seconds", m.seconds);
}

template <class A>
void members(A& a, Of<A, CheckReport>& m) {
  a("opref", m.opref);
  a.optional("backend", m.backend);
  a.optional("rule", m.rule);
  a.optional("started", m.started);
  a.optional("seconds", m.seconds);
  a.written("complete", m.complete);
  a.optional("filtered", m.filtered);
  a("shard", m.shard);
  a("shards", m.shards);
  a("all_names", m.all_names);
  a("cases", m.cases);
  a.optional("causes", m.causes);
}

// --- Writing

class Writer {
 public:
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
  JsonWriter json;

 private:
  template <class T>
  static JsonWriter object(const T& record) {
    Writer writer;
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
    if constexpr (std::is_same_v<T, std::string> || std::is_integral_v<T>) {
      json.set(key, std::span<const T>(values));
    } else {
      JsonWriter list = JsonWriter::list();
      for (const T& value : values) {
        if constexpr (std::is_same_v<T, Dims>)
          list.append(value);
        else
          list.append(object(value));
      }
      json.set(key, std::move(list));
    }
  }
  void set(std::string_view key, const std::vector<std::pair<std::string, std::string>>& pairs) {
    JsonWriter list = JsonWriter::list();
    for (const auto& [name, text] : pairs) {
      JsonWriter pair = JsonWriter::list();
      pair.append(name).append(text);
      list.append(std::move(pair));
    }
    json.set(key, std::move(list));
  }
  void set(std::string_view key, const std::vector<std::uint8_t>& bytes) { json.set(key, base64(bytes)); }
  void set(std::string_view key, const UlpHistogram& histogram) {
    JsonWriter bins;
    for (size_t bin = 0; bin < histogram.bins.size(); ++bin)
      if (histogram.bins[bin] != 0) bins.set(UlpHistogram::label(bin), histogram.bins[bin]);
    json.set(key, std::move(bins));
  }
  void set(std::string_view key, Verdict verdict) { json.set(key, name(verdict)); }
};

// --- Reading

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

void read(const JsonValue& value, UlpHistogram& histogram) {
  require_kind(value, JsonKind::object);
  std::vector<std::string> labels;
  for (size_t bin = 0; bin < histogram.bins.size(); ++bin) labels.push_back(UlpHistogram::label(bin));
  for (const JsonValue member : value) {
    const auto found = std::ranges::find(labels, member.key());
    if (found == labels.end()) fail(Fault::malformed, "{} is no bin of a histogram", place(member));
    histogram.bins[static_cast<size_t>(found - labels.begin())] = integer_of(member, 0);
  }
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

class Reader {
 public:
  explicit Reader(const JsonValue& object) : object_(object) { require_kind(object, JsonKind::object); }

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
  Reader reader(value);
  members(reader, record);
  reader.refuse_others();
  if constexpr (std::is_same_v<T, ErrorMap>) require_consistent(value, record);
}

JsonWriter summary_json(const CheckReport& report) {
  JsonWriter json;
  for (const auto& [verdict, number] : count_verdicts(report)) json.set(name(verdict), number);
  return json;
}

/// A summary that says something else than the cases is no work of this program.
void require_summary(const JsonValue& document, const CheckReport& report) {
  const auto summary = document.find("summary");
  if (!summary) return;
  require_kind(*summary, JsonKind::object);
  std::vector<std::string_view> known;
  for (const auto& [verdict, number] : count_verdicts(report)) {
    known.push_back(name(verdict));
    const auto member = summary->find(name(verdict));
    if (const std::int64_t stated = member ? integer_of(*member, 0) : 0; stated != number)
      fail(Fault::malformed, "'summary.{}' is {}, but of the cases it is {}", name(verdict), stated, number);
  }
  require_known_keys(*summary, known);
}

void require_readable_format(const JsonValue& document) {
  const auto format = document.find(kFormatKey);
  if (!format) fail(Fault::malformed, "this is no report of 'opref check': the document has no '{}'", kFormatKey);
  const std::int64_t number = integer_of(*format, 1);
  if (number > CheckReport::kFormat)
    fail(Fault::unsupported, "the report has format {}, but this opref reads up to {}", number, CheckReport::kFormat);
}

}  // namespace

std::string report_json(const CheckReport& report) {
  Writer writer;
  writer.json.set(kFormatKey, CheckReport::kFormat);
  writer.json.set("summary", summary_json(report));
  members(writer, report);
  return writer.json.text();
}

CheckReport read_report(std::string_view text, std::string_view origin) {
  return at_place([&] { return "in " + printable(origin); },
                  [&] {
                    const JsonDocument document = parse_json(text);
                    require_readable_format(document.root());
                    CheckReport report;
                    Reader reader(document.root());
                    reader.known(kFormatKey);
                    reader.known("summary");
                    members(reader, report);
                    reader.refuse_others();
                    require_summary(document.root(), report);
                    if (report.shard < 1 || report.shard > report.shards)
                      fail(Fault::malformed, "'shard' is {}, but must be from 1 to {}", report.shard, report.shards);
                    const auto unsorted = std::ranges::adjacent_find(report.all_names, std::ranges::greater_equal());
                    if (unsorted != report.all_names.end())
                      fail(Fault::malformed, "'all_names' is not sorted: '{}' stands before '{}'", printable(*unsorted),
                           printable(unsorted[1]));
                    return report;
                  });
}

CheckReport read_report(const std::filesystem::path& path) { return read_report(read_file(path).text(), shown(path)); }

void write_report(const CheckReport& report, const std::filesystem::path& path) {
  FileWriter file(path);
  file.write(report_json(report));
  file.commit(Sync::yes);
}

}  // namespace opref::report
