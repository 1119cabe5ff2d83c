// SPDX-License-Identifier: Apache-2.0
// What is counted over all cases of a run, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "io/sha256.h"
#include "report/case_record.h"

namespace opref::report {

/// Calls the visitor with each name, in their order.
using NameWalk = std::function<void(const std::function<void(const std::string&)>& visit)>;

/// SHA-256 of sorted names, each followed by a zero byte, as reports write them: what is no UTF-8 is U+FFFD.
class NamesDigest {
 public:
  void add(const std::string& name);
  std::int64_t count() const { return count_; }
  std::string finish() { return hash_.finish(); }

 private:
  Sha256 hash_;
  std::int64_t count_ = 0;
};

/// Counts by texts that come from cases: of very many only the first ones are told apart.
void count_text(std::map<std::string, std::int64_t>& counts, const std::string& text);

/// The cases of one operator in one version.
struct Suite {
  std::string name;    ///< "ai.onnx.LpPool-18"
  std::size_t number;  ///< in the order in which they came
  VerdictCounts verdicts = {};
  double seconds = 0;
};

struct Tally {
  struct Reading {
    std::int64_t decided = 0, possible = 0;
  };

  /// Returns the number of its suite.
  std::size_t add(const CaseRecord& record);

  VerdictCounts verdicts;
  std::map<std::string, std::int64_t> unsupported;  ///< by reason
  std::map<std::string, Reading> readings;
  std::map<std::string, std::int64_t> fits;  ///< how many cases each cause reproduces
  std::int64_t outputs = 0, bit_equal = 0, one_ulp = 0, without_bound = 0;
  std::int64_t accurate = 0, page = 0, beyond = 0;  ///< outputs by the class of their bound
  double largest_share = 0;
  std::int64_t taken_over = 0, internal = 0;
  std::map<std::tuple<std::string, std::string, std::int64_t>, Suite> suites;  ///< by domain, operator and version
};

}  // namespace opref::report
