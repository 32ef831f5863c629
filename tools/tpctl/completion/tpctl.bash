# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of tpctl for bash. Verbs, options and their values are read from tpctl's own
# help, so that they cannot differ.

# The help of a verb, a line for each option.
_tpctl_options() {
  "$1" "$2" --help 2>/dev/null | awk '
    /^  +-/ { if (line) print line; line = $0; next }
    /^    / { line = line $0; next }
    { if (line) print line; line = "" }
    END { if (line) print line }'
}

_tpctl() {
  local program=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} cur prev at
  cur=${COMP_WORDS[COMP_CWORD]}
  prev=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    local verbs
    verbs=$("$program" --help 2>/dev/null | sed -n '/^Processes/,/^$/s/^  \([a-z]*\) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$verbs --help --version" -- "$cur")
    return
  fi
  # After -- comes another command.
  for ((at = 2; at < COMP_CWORD; ++at)); do
    if [[ ${COMP_WORDS[at]} == -- ]]; then
      if ((at + 1 == COMP_CWORD)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
      else
        compopt -o default 2>/dev/null
      fi
      return
    fi
  done
  # bash takes --format=csv for three words.
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
  case $prev in
  --format | --by | --mode | --sort)
    local values
    values=$(_tpctl_options "$program" "$verb" |
      sed -n "s/^ *$prev [A-Z]* *//p" | sed 's/;.*//; s/ or /, /; s/,/ /g')
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
    return
    ;;
  esac
  if [[ $cur == -* ]]; then
    local options
    options=$(_tpctl_options "$program" "$verb" | awk '{ gsub(",", " ", $1); print $1 }')
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    return
  fi
  compopt -o default 2>/dev/null # a file
}

complete -F _tpctl tpctl
