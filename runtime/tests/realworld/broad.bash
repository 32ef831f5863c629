#!/bin/bash
# Uses most of what bash has for scripts: traps, subshells, pipes, jobs, signals to itself, functions, arrays,
# patterns. It prints what it computes, and two runs print the same.
# usage: broad.bash ROUNDS
rounds=${1:-3}
set -u
shopt -s extglob lastpipe

sum() { # a checksum of standard input
  local line total=7 i
  while IFS= read -r line; do
    for ((i = 0; i < ${#line}; i += 3)); do
      printf -v code %d "'${line:i:1}"
      ((total = (total * 31 + code) % 1000003))
    done
  done
  echo "$total"
}

traps() {
  (
    seen=''
    trap 'seen+=u' USR1
    trap 'seen+=t' TERM
    trap 'echo "left with $? after $seen"' EXIT
    for i in {1..20}; do
      kill -USR1 $BASHPID
      ((i % 5)) || kill -TERM $BASHPID
    done
    exit 5
  )
  echo "subshell: $?"
  (
    trap 'echo "error at $LINENO"; trap - ERR' ERR
    set -E
    fail() { false; }
    fail
    trap 'last=$BASH_COMMAND' DEBUG
    : one
    : two
    trap - DEBUG
    echo "$last"
    trap 'echo return' RETURN
    source /dev/null
  )
  (
    trap 'echo child; children=$((children + 1))' CHLD
    children=0
    set -m
    (exit 3) &
    wait $!
    echo "job: $?"
  ) | sort | uniq | head -n 3
}

pipes() {
  seq 1 400 | while read -r number; do echo $((number * 7919 % 1009)); done | sort -n | tail -n 5 | tr '\n' ' '
  echo "${PIPESTATUS[*]}"
  diff <(seq 1 9) <(seq 2 10) | tr '\n' ' '
  seq 5 | tee >(cat >/dev/null) | mapfile -t lines
  echo "${lines[*]}" "${#lines[@]}"
  yes | head -n 2000 | wc -l
  coproc CAT { cat; }
  local reply i
  for i in 1 2 3; do
    echo "line $i" >&"${CAT[1]}"
    read -r reply <&"${CAT[0]}" && echo "back: $reply"
  done
  local end=${CAT[1]}
  exec {end}>&-
  wait "$CAT_PID"
  cat <<HERE | tr a-z A-Z
a here-document of $((1 << 10)) $(echo from "$(echo a $(echo nested) command)")
HERE
  { echo out; echo err >&2; } 2>&1 >/dev/null | sed 's/^/stderr: /'
}

jobs_() {
  local pids=() pid i results=''
  for i in 1 2 3 4 5 6; do
    (for ((j = 0; j < i * 40; ++j)); do :; done; exit "$i") &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid"
    results+=" $?"
  done
  sleep 60 &
  kill -TERM $!
  wait $! 2>/dev/null
  echo "$results, ended: $?"
}

strings() {
  local text="" i word
  local -A count=()
  for i in {1..200}; do text+="word$((i * 7919 % 97)) "; done
  for word in $text; do count[$word]=$((${count[$word]:-0} + 1)); done
  for word in "${!count[@]}"; do echo "$word=${count[$word]}"; done | sort | sum
  echo "${text:10:20}|${text//word1/_}|${text##*word9}|${text%%word3*}|${text^^}" | sum
  [[ $text =~ word([0-9]+)\ word([0-9]+) ]] && echo "${BASH_REMATCH[*]}"
  case $text in *(x)word+([0-9])\ *) echo matches ;; esac
  printf '%05d|%-8s|%x|%q|%.3f|%(%Y)T\n' 42 left 255 "a b'c" 2.5 0
  echo {a..e}{1..3} $'tab\there' "$(printf '%s,' {1..30})"
  local -a sorted=(9 3 7 1)
  local -n name=sorted
  name+=(5)
  echo "${sorted[@]:1:3}" "${#name[@]}" "${sorted[@]/#/n}"
}

fib() { (($1 < 2)) && echo "$1" && return; echo $(($(fib $(($1 - 1))) + $(fib $(($1 - 2))))); }

rec() { (($1 == 0)) || rec $(($1 - 1)); }

numbers() {
  local i a=1 b=0
  for ((i = 0; i < 3000; ++i)); do ((a = (a * 1103515245 + 12345) & 0x7fffffff, b ^= a >> 3)); done
  echo "$b $((2 ** 40 % 1000007)) $((-17 / 5)) $((16#ff)) $((b > 0 ? 1 : 2))"
  fib 8
  rec 300 && echo deep
  local until=0
  until ((until >= 10)); do ((until += 3)); done
  while true; do ((++until > 20)) && break; continue; done
  echo "$until"
  eval 'echo "evaluated $((6 * 7))"'
  (exec 3>&1; echo through >&3; exec bash -c 'echo "exec: $0 $*"' name arguments)
  command -v nothing-of-this-name || echo "status $?"
  nothing-of-this-name 2>/dev/null || echo "status $?"
}

for ((round = 1; round <= rounds; ++round)); do
  echo "round $round"
  traps
  pipes
  jobs_
  strings
  numbers
done
