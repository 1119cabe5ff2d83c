// SPDX-License-Identifier: Apache-2.0
// A report in Markdown, for the summaries that CI servers show.
#pragma once

#include "report/document.h"

namespace opref::report {

/// What was judged, the counts, the table of causes with an example and a filter each, and why cases are unsupported.
/// Whatever comes from cases stands as text: it neither ends a cell nor makes a link.
void markdown_document(const CheckReport& report, const Sink& sink);

}  // namespace opref::report
