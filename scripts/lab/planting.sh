# SPDX-License-Identifier: Apache-2.0
# What plants known bugs in a copy of the sources, to show that something finds them.

# copy_sources FOLDER: only what differs is copied, so that only that is compiled again.
copy_sources() {
  mkdir -p "$1"
  parts='src cli scripts testdata CMakeLists.txt CMakePresets.json README.md'
  (cd "$1" && find $parts -type f 2>/dev/null || true) | while read -r path; do [ -e "$path" ] || rm "$1/$path"; done
  find $parts -type f | while read -r path; do
    cmp -s "$path" "$1/$path" || { mkdir -p "$1/$(dirname "$path")" && cp "$path" "$1/$path"; }
  done
  rm -rf "$1/originals"
}

# replace FILE OLD NEW [PLACES_ALONE]: OLD, a fixed text, stands in FILE exactly once. Where PLACES_ALONE is not empty,
# nothing is replaced, and a text that does not stand there is a failure; else it ends the script.
replace() {
  if [ "$(grep -oF -- "$2" "$1" | wc -l)" != 1 ]; then
    echo "${0##*/}: '$2' does not stand once in $1" >&2
    [ "${4-}" ] || exit 1
    return 1
  fi
  [ ! "${4-}" ] || return 0
  mkdir -p "originals/$(dirname "$1")"
  [ -e "originals/$1" ] || cp -p "$1" "originals/$1"
  cp "$1" changed
  OLD=$2 NEW=$3 awk 'BEGIN { old = ENVIRON["OLD"]; new = ENVIRON["NEW"] }
    { at = index($0, old); if (at) $0 = substr($0, 1, at - 1) new substr($0, at + length(old)); print }' changed >"$1"
  rm changed
}

# Takes all replacements back.
restore() {
  [ -d originals ] || return 0
  (cd originals && find . -type f) | while read -r path; do mv "originals/$path" "$path" && touch "$path"; done
  rm -r originals
}
