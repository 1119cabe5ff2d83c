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
  local raw=${words[n]}
  words=("${words[@]//[\"\'\\]/}")

  # What stands before the last break stays, and is no part of a reply.
  local typed=${words[n]} head= value meaning files= quoted
  local breaks=${COMP_WORDBREAKS//[!=:]/}
  [[ -z $breaks || $typed != *["$breaks"]* ]] || head=${typed%"${typed##*["$breaks"]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r value meaning; do
    if [[ $value == :files ]]; then files=1; else COMPREPLY+=("${value#"$head"}"); fi
  done < <("$program" completion --complete "${words[@]}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  if [[ -n $files ]]; then
    [[ $typed != *=* ]] || typed=${typed##*=}
    # Files alone are quoted by bash itself; beside other words they are not, and are quoted here.
    local alone=${#COMPREPLY[@]}
    [[ $alone != 0 ]] || compopt -o filenames 2>/dev/null
    local path=${typed/#\~\//$HOME/} found=()
    [[ -n $path ]] && found=("$path"*) || found=(*)
    for value in "${found[@]}"; do
      [[ -e $value || -L $value ]] || continue
      value=$typed${value#"$path"}
      if [[ $alone == 0 ]]; then
        COMPREPLY+=("$value")
      else
        [[ ! -d $value ]] || value+=/
        _opref_quote "$value"
        COMPREPLY+=("$quoted")
      fi
    done
    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != */ ]] || compopt -o nospace 2>/dev/null
  fi
}
# $quoted is a file's name as it may stand behind what was typed, $raw, which may have opened quotes.
_opref_quote() {
  local quote= i c
  for ((i = 0; i < ${#raw}; ++i)); do
    c=${raw:i:1}
    case $quote$c in
      "''" | '""') quote= ;;
      "'" | '"') quote=$c ;;
      '\' | '"\') ((++i)) ;;
    esac
  done
  case $quote in
    '') printf -v quoted %q "$1" ;;
    "'") quoted=${1//\'/\'\\\'\'} ;;
    *)
      quoted=
      for ((i = 0; i < ${#1}; ++i)); do
        c=${1:i:1}
        case $c in '$' | '`' | '"' | '\') quoted+=\\ ;; esac
        quoted+=$c
      done
      ;;
  esac
}
complete -F _opref opref
