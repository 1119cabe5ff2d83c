# SPDX-License-Identifier: Apache-2.0
# For shell tests. one_case FILE N: the N-th case of a file of cases, as a file of its own would have it.
one_case() { awk -v n="$2" '/^  [{]$/ {k++} k == n && /^  / {sub(/^  /, ""); sub(/^[}],$/, "}"); print}' "$1"; }
