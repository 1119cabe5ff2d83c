// SPDX-License-Identifier: Apache-2.0
// The verdict on a backend. Only for judge.cpp.
#pragma once

#include <memory>

#include "check/judge.h"
#include "explain/evaluated.h"

namespace opref::check {

/// Errors of a must-fail case that leave this function are opref's own: the case could not be handed on.
void judge_backend(CaseRecord& record, const std::shared_ptr<const ReadyCase>& ready, const JudgeOptions& options);

}  // namespace opref::check
