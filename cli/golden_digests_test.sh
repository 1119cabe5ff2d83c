#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A part of scripts/lab/golden-digests: every twenty-fourth operator's golden files are those that every machine makes.
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
exec python3 scripts/lab/golden-digests --opref "$1" --sample 24
