// SPDX-License-Identifier: Apache-2.0
#include "evaluators/undecided.h"

#include "core/error.h"
#include "core/index.h"
#include "evaluators/real.h"

namespace opref::evaluators {

void fail_undecided(const Output& out, std::int64_t position) {
  const Call& call = out.call();
  fail(Fault::unsupported, "element {} of {} of {} cannot be told from a tie with {} bits",
       coordinates(position, out.type().shape), call.name(OpSchema::formal(call.schema().outputs(), out.place()).name),
       call.title(), static_cast<long>(kLastPrecision));
}

}  // namespace opref::evaluators
