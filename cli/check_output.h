// What `check` prints.
#pragma once

#include <map>
#include <string>

#include "check/report.h"
#include "io/json.h"

namespace opref::cli {

struct Totals {
  std::map<Verdict, int> verdicts;
  std::map<std::string, int> unsupported;  ///< by reason
  int outputs = 0, bit_equal = 0, one_ulp = 0;

  void add(const CaseRecord& record);
  int number(Verdict verdict) const;
};

/// The verdict on a case; of one that is `bad` also where it differs and how to repeat it.
enum class Good : std::uint8_t { yes, no };
void print_case(const CaseRecord& record, Good good);
/// Reasons why cases are unsupported, how near the outputs are, numbers of verdicts.
void print_totals(const Totals& totals, std::size_t cases);
JsonWriter case_json(const CaseRecord& record);

}  // namespace opref::cli
