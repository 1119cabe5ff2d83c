# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a header with the commit of SOURCE, if it changed.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define OPREF_COMMIT \"${commit}\"\n" @ONLY)
