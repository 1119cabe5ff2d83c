// SPDX-License-Identifier: Apache-2.0
// The rooms of the house: a namespace each, and whose names it sees. `opref help contributing` has it as a table.
#pragma once

namespace opref {

namespace core {}

namespace system {
using namespace core;
}

namespace exact {
using namespace core;
using namespace system;
}  // namespace exact

namespace schema {
using namespace core;
using namespace exact;
}  // namespace schema

namespace evaluators {
using namespace schema;
using namespace system;
}  // namespace evaluators

namespace fast {
using namespace evaluators;
}

namespace ops {
using namespace fast;
}

namespace kernels {
using namespace ops;
}

namespace mistakes {
using namespace ops;
}

namespace compare {
using namespace exact;
}

namespace io {
using namespace compare;
using namespace schema;
using namespace system;
}  // namespace io

namespace run {
using namespace io;
using namespace ops;
}  // namespace run

namespace backend {
using namespace run;
}

namespace explain {
using namespace mistakes;
using namespace run;
}  // namespace explain

namespace report {
using namespace run;
}

namespace check {
using namespace backend;
using namespace explain;
using namespace report;
}  // namespace check

namespace golden {
using namespace backend;
using namespace explain;
using namespace report;
}  // namespace golden

namespace fuzz {
using namespace golden;
}

namespace cli {
using namespace check;
using namespace golden;
}  // namespace cli

}  // namespace opref
