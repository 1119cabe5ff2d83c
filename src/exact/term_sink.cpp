// SPDX-License-Identifier: Apache-2.0
#include "exact/term_sink.h"

#include "exact/real/faithful.h"

namespace opref::exact {

std::optional<Faithful> TermSink::known(std::size_t, std::int64_t) const { return std::nullopt; }

}  // namespace opref::exact
