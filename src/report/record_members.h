// SPDX-License-Identifier: Apache-2.0
// What each record has: the one place that writing, reading and the known keys come from. In JSON a member called by
// `optional` is not written where it has its default value, one called by `written` always.
#pragma once

#include <type_traits>

#include "report/report.h"

namespace opref::report {

/// A record that is written is const.
template <class Archive, class T>
using Of = std::conditional_t<Archive::kWrites, const T, T>;

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
  a.optional("allowed", m.allowed);
  a.optional("share", m.share);
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
void members(A& a, Of<A, Typicality>& m) {
  a("median", m.median);
  a("greatest", m.greatest);
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
  a.optional("below_atol", m.below_atol);
  a.optional("bound_accumulator", m.bound_accumulator);
  a.optional("bound_ratio", m.bound_ratio);
  a.optional("bound_median", m.bound_median);
  a.optional("bound_histogram", m.bound_histogram);
  a.optional("bound_class", m.bound_class);
  a.optional("accurate_ratio", m.accurate_ratio);
  a.optional("typicality", m.typicality);
  a.optional("estimate", m.is_estimate);
  a.optional("model_spread", m.model_spread);
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
  a.optional("filter", m.filter);
  a.optional("weak", m.weak);
  a.optional("near", m.near);
  a.optional("share", m.share);
}

template <class A>
void members(A& a, Of<A, CaseRecord>& m) {
  a("name", m.name);  // the first one: see RecordStore::name
  a("path", m.path);
  a("verdict", m.verdict);
  a.optional("reason", m.reason);
  a.optional("advice", m.advice);
  a.optional("output_differs", m.output_differs);
  a.optional("domain", m.domain);
  a.optional("operator", m.op_type);  // not "op_type": by that word a folder's JSON files are known to be cases
  a.optional("since_version", m.since_version);
  a.optional("opset", m.opset);
  a.optional("dtype", m.dtype);
  a.optional("attributes", m.attributes);
  a.optional("inputs", m.inputs);
  a.optional("values", m.values);
  a.optional("outputs", m.outputs);
  a.optional("readings", m.readings);
  a.optional("warnings", m.warnings);
  a.optional("explained_by", m.explained_by);
  a.optional("causes", m.causes);
  a.optional("within", m.within);
  a.optional("doubt", m.doubt);
  a.optional("unexplained", m.unexplained);
  a.optional("cause", m.cause);
  a.optional("stderr_tail", m.stderr_tail);
  a.optional("repeat", m.repeat);
  a("seconds", m.seconds);
  a.optional("files", m.files);
  a.optional("transient", m.transient);
  a.optional("internal", m.internal);
}

template <class A>
void members(A& a, Of<A, CaseState>& m) {
  a("verdict", m.verdict);
  a.optional("cause", m.cause);
  a.optional("share", m.share);
}

template <class A>
void members(A& a, Of<A, CaseChange>& m) {
  a("change", m.change);
  a("name", m.name);
  a.optional("before", m.before);
  a.optional("now", m.now);
}

template <class A>
void members(A& a, Of<A, Baseline>& m) {
  a("file", m.file);
  a.optional("differences", m.differences);
  a("known_failures", m.known_failures);
  a("changes", m.changes);
}

template <class A>
void members(A& a, Of<A, RunRecord>& m) {
  a("opref", m.opref);
  a.optional("commit", m.commit);
  a.optional("title", m.title);
  a.optional("notes", m.notes);
  a.optional("backend", m.backend);
  a.optional("rule", m.rule);
  a.optional("options", m.options);
  a.optional("started", m.started);
  a.optional("seconds", m.seconds);
  a.written("complete", m.complete);
  a.optional("filtered", m.filtered);
  a("shard", m.shard);
  a("shards", m.shards);
  a("all_count", m.all_count);
  a("all_sha256", m.all_sha256);
  a.optional("missing", m.missing);
  a.optional("causes", m.causes);
  a.optional("baseline", m.baseline);
}

}  // namespace opref::report
