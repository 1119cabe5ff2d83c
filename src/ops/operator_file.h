// SPDX-License-Identifier: Apache-2.0
// What an operator's file includes first: words for its versions, readings and rules, and the evaluators that most
// need. It is also the precompiled header of all these files, so that it costs none of them time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/convert.h"
#include "evaluators/elements.h"
#include "evaluators/elementwise.h"
#include "evaluators/move.h"
#include "evaluators/nothing.h"
#include "evaluators/programs.h"
#include "evaluators/real.h"
#include "evaluators/select.h"
#include "evaluators/strided.h"
#include "evaluators/sum.h"
#include "exact/rounding.h"
#include "ops/shared/axes.h"
#include "ops/shared/elementwise.h"
#include "ops/shared/formulas.h"
#include "ops/shared/parameters.h"
#include "schema/operator.h"
