// SPDX-License-Identifier: Apache-2.0
#include "cli/version.h"

#include "cli/arguments.h"
#include "cli/commit.h"
#include "core/text.h"
#include "exact/vector.h"

namespace opref::cli {
namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

}  // namespace

std::string version_number() { return OPREF_VERSION; }

std::string version_commit() { return OPREF_COMMIT; }

std::string version_text() {
  return format("opref {}\ncommit {}\ncompiler {}\nbuild type {}\nvector instructions {}\n", version_number(),
                OPREF_COMMIT, kCompiler, OPREF_BUILD_TYPE, vector_instructions());
}

std::string version_json() {
  Json json = document("version");
  json.set("commit", OPREF_COMMIT).set("compiler", kCompiler).set("build_type", OPREF_BUILD_TYPE);
  json.set("vector_instructions", vector_instructions());
  return json.text();
}

}  // namespace opref::cli
