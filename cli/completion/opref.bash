# SPDX-License-Identifier: Apache-2.0
# Completion of opref for bash; opref itself says what fits.
_opref() {
  # Words as the command gets them: bash breaks them at = and : too.
  local line=${COMP_LINE:0:COMP_POINT} words=() word i n=-1
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $i == 0 || $line == [[:space:]]* ]]; then
      line=${line#"${line%%[![:space:]]*}"}
      words[++n]=
    fi
    ((i < COMP_CWORD)) || word=$line
    words[n]+=$word
    line=${line#"$word"}
  done
  local program=${words[0]/#\~\//$HOME/}
  words=("${words[@]//[\"\'\\]/}")

  # What stands before the last break stays, and is no part of a reply.
  local typed=${words[n]} head= value meaning files=
  local breaks=${COMP_WORDBREAKS//[!=:]/}
  [[ -z $breaks || $typed != *["$breaks"]* ]] || head=${typed%"${typed##*["$breaks"]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r value meaning; do
    if [[ $value == :files ]]; then files=1; else COMPREPLY+=("${value#"$head"}"); fi
  done < <("$program" completion --complete "${words[@]}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  if [[ -n $files ]]; then
    [[ $typed != *=* ]] || typed=${typed##*=}
    [[ ${#COMPREPLY[@]} != 0 ]] || compopt -o filenames 2>/dev/null
    while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$typed")
  fi
}
complete -F _opref opref
