#compdef opref
# SPDX-License-Identifier: Apache-2.0
compdef _opref opref
# Completion of opref for zsh; opref itself says what fits.
_opref() {
  local -a values shown open open_shown
  local line value files=
  local -a typed=("${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}")
  for line in "${(@f)$("${typed[1]/#\~\//$HOME/}" completion --complete "${typed[@]}" 2>/dev/null)}"; do
    value=${line%%$'\t'*}
    if [[ $value == :files ]]; then
      files=1
    elif [[ $value == *= ]]; then
      open+=("$value") open_shown+=("${line/$'\t'/  }")
    elif [[ -n $value ]]; then
      values+=("$value") shown+=("${line/$'\t'/  }")
    fi
  done
  (( $#values )) && compadd -l -d shown -a values
  (( $#open )) && compadd -l -S '' -d open_shown -a open
  if [[ -n $files ]]; then
    compset -P '*='
    _files
  fi
  (( compstate[nmatches] ))
}
[[ $funcstack[1] != _opref ]] || _opref "$@" # the file is loaded as the function, by the first use of it
