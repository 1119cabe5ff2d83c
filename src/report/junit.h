// SPDX-License-Identifier: Apache-2.0
// A check report for CI servers.
#pragma once

#include "report/document.h"

namespace opref::report {

/// JUnit XML as Jenkins' xunit plugin (junit-10.xsd), GitLab and others read it: one testsuite per operator and
/// version, one testcase per case. `fail` is a <failure>, `error` an <error>, `unsupported` and `skip` are <skipped>;
/// the message is the case's reason, the text what its outputs and the repeat command say. Characters that XML 1.0
/// forbids become U+FFFD.
void junit_document(const CheckReport& report, const Sink& sink);

}  // namespace opref::report
