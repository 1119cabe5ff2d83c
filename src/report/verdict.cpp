// SPDX-License-Identifier: Apache-2.0
#include "report/verdict.h"

namespace opref::report {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::error:
      return "error";
    case Verdict::unsupported:
      return "unsupported";
    case Verdict::skip:
      break;
  }
  return "skip";
}

}  // namespace opref::report
