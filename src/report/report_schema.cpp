// SPDX-License-Identifier: Apache-2.0
#include "report/report_json.h"

namespace opref::report {

std::string_view report_schema() {
  return R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "opref check report",
  "description": "What 'opref check' writes of one run, and 'opref report merge' of several. A member that is absent has its empty value. A change that older programs cannot read gets the next report_format.",
  "type": "object",
  "properties": {
    "report_format": {"description": "Stands before the cases; 2 had the names of all cases of all shards, and no digests", "const": 3},
    "summary": {
      "description": "Number of cases by verdict; a report that says another one than its cases is refused",
      "type": "object",
      "properties": {
        "pass": {"$ref": "#/$defs/size"},
        "fail": {"$ref": "#/$defs/size"},
        "error": {"$ref": "#/$defs/size"},
        "unsupported": {"$ref": "#/$defs/size"},
        "skip": {"$ref": "#/$defs/size"}
      }
    },
    "opref": {"description": "Version of the program", "type": "string"},
    "commit": {"description": "Of its source", "type": "string"},
    "backend": {"description": "What was judged: opref itself where absent, 'outputs DIR' or 'runner CMD'", "type": "string"},
    "rule": {"description": "The rule chosen for all cases; each case's own where absent", "type": "string"},
    "options": {"description": "Those of 'opref check' that may change a verdict", "type": "string"},
    "started": {"description": "UTC: 2026-11-21T10:00:00Z", "type": "string"},
    "seconds": {"description": "That the run took by the clock on the wall; of shards the longest", "$ref": "#/$defs/measure"},
    "complete": {"description": "false: interrupted, or ended at the first failure; some cases are not there", "type": "boolean"},
    "filtered": {"description": "true: cases were left out by a filter", "type": "boolean"},
    "causes": {"description": "Of all failures and errors, those of most cases first", "type": "array", "items": {"$ref": "#/$defs/cause_group"}},
    "shard": {"$ref": "#/$defs/positive"},
    "shards": {"$ref": "#/$defs/positive"},
    "all_count": {"description": "Of the cases of all shards", "$ref": "#/$defs/size"},
    "all_sha256": {"description": "Of their names, sorted, each followed by a zero byte", "type": "string"},
    "missing": {"description": "The cases of this shard that were not judged, sorted", "type": "array", "items": {"type": "string"}},
    "cases": {"description": "The cases of this shard, sorted by name", "type": "array", "items": {"$ref": "#/$defs/case"}}
  },
  "required": ["report_format", "opref", "shard", "shards", "all_count", "all_sha256", "cases"],
  "additionalProperties": false,
  "$defs": {
    "size": {"type": "integer", "minimum": 0, "maximum": 9223372036854775807},
    "positive": {"type": "integer", "minimum": 1, "maximum": 2147483647},
    "distance": {"description": "In ULP", "type": "integer", "minimum": 0, "maximum": 18446744073709551615},
    "measure": {
      "description": "A number of at least 0, NaN or infinity",
      "anyOf": [{"type": "number", "minimum": 0}, {"enum": ["NaN", "Inf"]}]
    },
    "sizes": {"type": "array", "items": {"$ref": "#/$defs/size"}, "maxItems": 16},
    "pairs": {
      "type": "array",
      "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
    },
    "case": {
      "type": "object",
      "properties": {
        "name": {"type": "string"},
        "path": {"description": "What 'opref run' takes", "type": "string"},
        "verdict": {"enum": ["pass", "fail", "error", "unsupported", "skip"]},
        "reason": {"description": "Why it did not pass, in one line", "type": "string"},
        "domain": {"description": "Of the first node, as what follows", "type": "string"},
        "operator": {"description": "Its op_type", "type": "string"},
        "since_version": {"$ref": "#/$defs/size"},
        "opset": {"$ref": "#/$defs/size"},
        "dtype": {"description": "Of the first floating input or output, else of the first input", "type": "string"},
        "attributes": {"description": "In force: [name, value as text]", "$ref": "#/$defs/pairs"},
        "inputs": {"description": "[name, float32[1,3,8,8]]", "$ref": "#/$defs/pairs"},
        "outputs": {"type": "array", "items": {"$ref": "#/$defs/output"}},
        "readings": {"description": "Readings that mattered: with another alternative the result is another one", "type": "array", "items": {"$ref": "#/$defs/reading"}},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "explained_by": {"description": "What reproduces the output: of the causes the one of most cases of the run, with the rule in brackets", "type": "string"},
        "causes": {"description": "All that reproduce it equally well, the plainest first", "type": "array", "items": {"$ref": "#/$defs/cause"}},
        "within": {"description": "The rule by which they reproduce it; bit for bit where absent", "type": "string"},
        "unexplained": {"description": "Nothing that is known reproduces it", "type": "boolean"},
        "cause": {"description": "Of a failure or error: which of the report's causes counts it", "type": "string"},
        "stderr_tail": {"description": "The last lines that a runner wrote", "type": "string"},
        "repeat": {"description": "The command that repeats the case alone", "type": "string"},
        "seconds": {"$ref": "#/$defs/measure"},
        "files": {"description": "SHA-256 of what it was judged by: the case's files, and a backend's outputs that lay ready", "type": "string"},
        "transient": {"description": "true: an error of the machine, or of a runner that died; a run that is resumed judges the case again", "type": "boolean"}
      },
      "required": ["name", "path", "verdict", "seconds"],
      "additionalProperties": false
    },
    "cause": {
      "type": "object",
      "properties": {
        "name": {"description": "reading NAME=VALUE, arithmetic in words, mistake NAME, or opref's own result", "type": "string"},
        "meaning": {"description": "In one line", "type": "string"},
        "link": {"description": "Where the specification says it", "type": "string"}
      },
      "required": ["name"],
      "additionalProperties": false
    },
    "cause_group": {
      "type": "object",
      "properties": {
        "verdict": {"enum": ["fail", "error"]},
        "count": {"description": "Of cases", "$ref": "#/$defs/size"},
        "cause": {"description": "A cause's name, 'nothing known reproduces it', or the reason that all have but for numbers in it", "type": "string"},
        "meaning": {"type": "string"},
        "link": {"type": "string"},
        "example": {"description": "The first case", "type": "string"},
        "filter": {"description": "A filter of 'opref check': of all cases exactly these; none of more than 1000 that have no part of their names for themselves", "type": "string"}
      },
      "required": ["verdict", "count", "cause", "example"],
      "additionalProperties": false
    },
    "reading": {
      "description": "See 'opref ops OPERATOR'",
      "type": "object",
      "properties": {
        "name": {"type": "string"},
        "in_force": {"description": "The alternative by which the case was evaluated", "type": "string"},
        "stands_for": {"description": "The alternative that in_force meant here, where it decides by the values", "type": "string"},
        "selected": {"description": "Whether the case chooses it", "type": "boolean"},
        "others": {"description": "Alternatives that give another result", "type": "array", "items": {"type": "string"}},
        "possible": {"description": "Alternatives that may, but were not evaluated in time", "type": "array", "items": {"type": "string"}}
      },
      "required": ["name", "in_force"],
      "additionalProperties": false
    },
    "output": {
      "type": "object",
      "properties": {
        "name": {"type": "string"},
        "type": {"description": "The expected one: float32[1,3,8,8]", "type": "string"},
        "rule": {"description": "When an element passes: rtol 0.001, atol 1e-07", "type": "string"},
        "comparison": {"$ref": "#/$defs/comparison"},
        "description": {"description": "Where it does not pass: what the comparison says to a person, in lines", "type": "string"},
        "errors": {"$ref": "#/$defs/error_map"}
      },
      "required": ["name", "type", "rule", "comparison"],
      "additionalProperties": false
    },
    "comparison": {
      "type": "object",
      "properties": {
        "reason": {"description": "What kept elements from being compared", "type": "string"},
        "count": {"description": "Elements compared", "$ref": "#/$defs/size"},
        "mismatches": {"description": "Elements that do not pass", "$ref": "#/$defs/size"},
        "bit_equal": {"$ref": "#/$defs/size"},
        "within_one_ulp": {"$ref": "#/$defs/size"},
        "max_ulp": {"$ref": "#/$defs/distance"},
        "bound_ratio": {"description": "Rule bound: the greatest error over its bound", "$ref": "#/$defs/measure"},
        "without_bound": {"description": "Rule bound: elements that have no bound of their own, because the accumulator may overflow", "$ref": "#/$defs/size"},
        "first_without_bound": {"description": "The first of them in C order", "type": "array", "items": {"$ref": "#/$defs/sizes"}},
        "absolute": {"description": "|actual - expected|, where it is finite", "$ref": "#/$defs/summary"},
        "relative": {"description": "That over |expected|", "$ref": "#/$defs/summary"},
        "ulp": {"$ref": "#/$defs/summary"},
        "histogram": {
          "description": "Elements by their distance in ULP, without empty bins: 0, 1, 2, 3-4, 5-8, and so on by powers of 2; none where there is no distance",
          "type": "object",
          "propertyNames": {"pattern": "^([0-9]+(-[0-9]+)?|none)$"},
          "additionalProperties": {"$ref": "#/$defs/size"}
        },
        "where": {"description": "Sentences on where the mismatches lie", "type": "array", "items": {"type": "string"}},
        "first": {"description": "The first mismatch in C order", "$ref": "#/$defs/mismatch"},
        "worst": {"$ref": "#/$defs/mismatch"},
        "worst_mismatches": {"description": "The worst first", "type": "array", "items": {"$ref": "#/$defs/mismatch"}}
      },
      "required": ["count", "mismatches", "bit_equal", "within_one_ulp", "max_ulp", "absolute", "relative", "ulp", "histogram"],
      "additionalProperties": false
    },
    "summary": {
      "description": "Over the elements that have this measure",
      "type": "object",
      "properties": {
        "max": {"$ref": "#/$defs/measure"},
        "mean": {"$ref": "#/$defs/measure"},
        "count": {"description": "How many have it", "$ref": "#/$defs/size"}
      },
      "required": ["max", "mean", "count"],
      "additionalProperties": false
    },
    "mismatch": {
      "type": "object",
      "properties": {
        "place": {"description": "Inside a sequence: sequence element 2", "type": "string"},
        "index": {"$ref": "#/$defs/sizes"},
        "actual": {"description": "The shortest text that reads back to the same bits", "type": "string"},
        "expected": {"type": "string"},
        "actual_bits": {"description": "0x3f800000; absent for strings", "type": "string"},
        "expected_bits": {"type": "string"},
        "absolute": {"$ref": "#/$defs/measure"},
        "relative": {"$ref": "#/$defs/measure"},
        "ulp": {"description": "Absent where the two have no distance", "$ref": "#/$defs/distance"}
      },
      "required": ["index", "actual", "expected", "absolute", "relative"],
      "additionalProperties": false
    },
    "error_map": {
      "description": "How far the elements are off, as planes of the two last axes; a cell stands for the worst of a block of row_step x column_step elements",
      "type": "object",
      "properties": {
        "outer": {"description": "The axes before the two last ones", "$ref": "#/$defs/sizes"},
        "rows": {"$ref": "#/$defs/size"},
        "columns": {"$ref": "#/$defs/size"},
        "row_step": {"$ref": "#/$defs/positive"},
        "column_step": {"$ref": "#/$defs/positive"},
        "planes": {"description": "How many are shown", "type": "integer", "minimum": 0, "maximum": 32},
        "plane_indices": {"description": "Which of the tensor's, in C order", "type": "array", "items": {"$ref": "#/$defs/size"}},
        "cells": {
          "description": "Base64 of one byte per cell, row-major, plane after plane: 0 equal bits, 1..64 for 1 + floor(log2(ULP)), 65 where there is no distance; plus 128 where an element does not pass",
          "type": "string"
        }
      },
      "required": ["outer", "rows", "columns", "row_step", "column_step", "planes", "plane_indices", "cells"],
      "additionalProperties": false
    }
  }
}
)";
}

}  // namespace opref::report
