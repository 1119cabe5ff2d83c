#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A part of scripts/lab/same-bytes: 1 thread, 2 threads, the exact tier alone and the program without the room fast write
# the same bytes.
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
exec python3 scripts/lab/same-bytes --opref "$1" --opref "$(dirname "$1")/opref_by_definition"
