#!/bin/bash
# Real programs as judges: Lua, SQLite and zstd, from Debian's source packages,
# built untouched and built with sleds at every entry and exit, run their own
# tests while a preloaded thread attaches and detaches probes at random every few
# milliseconds (runtime/tests/realworld/toggler.c). What they print, but for times,
# and how they end must be the same. Called by `make realworld`.
#
# usage: realworld.sh BUILD_FOLDER [--seconds N] [--only lua|sqlite|zstd] [--smoke]
#   --seconds N   begin no test of a program after it has run for N seconds (600)
#   --smoke       Lua alone, a few seconds: part of `make check`
# Exits with 0; 1: a difference or a fault; 77: no source or compiler to be had.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?usage: realworld.sh BUILD_FOLDER [--seconds N] [--only NAME] [--smoke]}" && pwd)
shift
seconds=600 only='' smoke=''
while [[ $# -gt 0 ]]; do
  case $1 in
  --seconds) seconds=${2:?--seconds needs a number} && shift 2 ;;
  --only) only=${2:?--only needs lua, sqlite or zstd} && shift 2 ;;
  --smoke) smoke=1 only=lua && shift ;;
  *) echo "realworld: unknown argument '$1'" >&2 && exit 2 ;;
  esac
done

if [[ ! -x $build/bin/tp-clang ]]; then
  echo "realworld: no tp-clang in $build: build it first" >&2
  exit 77
fi
work=$build/realworld
plain_clang=$(TP_CLANG='' "$build/bin/tp-clang" -print-prog-name=clang)
[[ -x $plain_clang ]] || plain_clang=clang-22
flags='-ftp-entry=2,0'
# Exits where this plugin has them.
if "$build/bin/tp-clang" -ftp-exit -c -x c /dev/null -o /dev/null 2>/dev/null; then
  flags+=' -ftp-exit'
fi
mkdir -p "$work/out"
export LC_ALL=C
unset LD_PRELOAD TPRT_OPTIONS

say() { printf '== %s %s\n' "$(date +%T)" "$*"; }

"$plain_clang" -O2 -Wall -shared -fPIC -I"$root/runtime/include" "$root/runtime/tests/realworld/toggler.c" \
  -L"$build/lib" -ltprt -Wl,-rpath,"$build/lib" -o "$work/libtoggler.so" -pthread

# get PACKAGE NAME: two copies of the source, to be built in NAME.plain and NAME.tp.
get() {
  "$root/scripts/fetch-source.sh" "$1" "$work/source" || exit 77
  local kind
  for kind in plain tp; do
    [[ -d $work/$2.$kind ]] || cp -r "$work/source/$1" "$work/$2.$kind"
  done
}

# stale KIND PROGRAM: whether the program is to be built: not there, or made with
# another plugin.
stale() {
  [[ ! -x $2 ]] && return 0
  [[ $1 == tp && ($build/lib/libtp.so -nt $2 || $build/lib/libtppass.so -nt $2) ]]
}

compiler() { # KIND
  if [[ $1 == tp ]]; then echo "$build/bin/tp-clang $flags"; else echo "$plain_clang"; fi
}

failures=0
# run_case NAME FILTER FOLDER COMMAND...: in FOLDER.plain, and under fire in
# FOLDER.tp; FILTER is a sed script that takes out what differs from run to run.
run_case() {
  local name=$1 filter=$2 folder=$3
  shift 3
  local out=$work/out/$name kind status
  rm -f "$out".*
  for kind in plain tp; do
    status=0
    (
      cd "$folder.$kind"
      if [[ $kind == tp ]]; then
        export TP_TOGGLER_LOG=$out.log TP_TOGGLER_SEED=$RANDOM
        export LD_PRELOAD="$build/lib/libtprt.so $work/libtoggler.so"
      fi
      exec timeout "$((seconds * 3 + 120))" "$@"
    ) >"$out.$kind.raw" 2>&1 </dev/null || status=$?
    { tr '\r' '\n' <"$out.$kind.raw" | sed -E "$filter" && echo "ended with $status"; } >"$out.$kind"
  done
  local fire
  fire=$(awk '{ probes += $1; hits += $3; counted += $5; faults += $11 } END {
    printf "%d probes, %d hits, %d counted in %d processes, %d faults", probes, hits, counted, NR, faults }' "$out.log" 2>/dev/null) || true
  if ! diff "$out.plain" "$out.tp" >"$out.diff"; then
    say "FAILED $name: not the same as untouched; see $out.diff"
    head -n 20 "$out.diff"
    failures=$((failures + 1))
  elif [[ ! -s $out.log || $fire != *' 0 faults' ]]; then
    say "FAILED $name: the toggler had faults, or wrote nothing: $fire; see $out.log"
    grep -v ' 0 faults' "$out.log" | head -n 3 || true
    failures=$((failures + 1))
  else
    say "same    $name: $(tail -n 1 "$out.tp"); $fire"
  fi
}

in_time() { ((SECONDS - began < seconds)); }

judge_lua() {
  get lua5.4 lua
  local kind script
  for kind in plain tp; do
    if stale $kind "$work/lua.$kind/src/lua"; then
      say "building Lua ($kind)"
      make -s -C "$work/lua.$kind/src" clean
      make -s -j "$(nproc)" -C "$work/lua.$kind/src" linux CC="$(compiler $kind) -std=gnu99" >"$work/out/lua.$kind.build" 2>&1
    fi
  done
  for script in "$root/runtime/tests/realworld/broad.lua" "$root/examples/demo.lua"; do
    in_time || return 0
    run_case "lua-$(basename "$script" .lua)" '' "$work/lua" src/lua "$script" "$([[ $smoke ]] && echo 10 || echo 200)"
  done
}

judge_sqlite() {
  get sqlite3 sqlite
  local kind test
  for kind in plain tp; do
    if stale $kind "$work/sqlite.$kind/testfixture"; then
      say "building SQLite's testfixture ($kind)"
      (
        cd "$work/sqlite.$kind"
        [[ -f Makefile ]] || ./configure --with-tcl=/usr/lib/tcl8.6 CC="$(compiler $kind)" CFLAGS=-O1 --disable-amalgamation
        rm -f testfixture
        make -j "$(nproc)" testfixture
      ) >"$work/out/sqlite.$kind.build" 2>&1
    fi
  done
  # From each part of the library; names as in its folder test/.
  for test in select1 expr func join where insert update delete trigger1 view index alter attach autovac blob cast \
    check collate1 corrupt crash date distinct exists fkey2 fts3aa fuzz incrblob in intpkey journal1 json101 like limit \
    lock malloc3 memdb minmax misc1 notnull null orderby1 pager1 pragma printf quote rollback rowid savepoint schema \
    sort subquery table temptable thread1 trans types unique upsert1 utf16align vacuum vtab1 wal where2 window1 with1 zeroblob; do
    in_time || return 0
    [[ -f $work/sqlite.plain/test/$test.test ]] || continue
    run_case "sqlite-$test" '/^(Time:|Memory|Maximum|Number of|Lookaside|Current|Page-cache|Scratch|[0-9.]+ (ms|us))/d; /[0-9]+ (ms|microseconds)/d' \
      "$work/sqlite" ./testfixture "test/$test.test"
  done
}

judge_zstd() {
  get libzstd zstd
  local kind level
  for kind in plain tp; do
    if stale $kind "$work/zstd.$kind/tests/fuzzer"; then
      say "building zstd and its tests ($kind)"
      rm -f "$work/zstd.$kind/tests/fuzzer"
      make -j "$(nproc)" -C "$work/zstd.$kind/programs" zstd CC="$(compiler $kind)" MOREFLAGS=-O1 >"$work/out/zstd.$kind.build" 2>&1
      make -j "$(nproc)" -C "$work/zstd.$kind/tests" fuzzer zstreamtest invalidDictionaries CC="$(compiler $kind)" \
        CFLAGS=-O1 >>"$work/out/zstd.$kind.build" 2>&1
    fi
  done
  run_case zstd-levels '' "$work/zstd" bash -c 'for l in 1 3 5 7 9 12 16 19; do
    cat ../source/libzstd/lib/*/*.c | programs/zstd -q -T2 -$l | tee >(sha256sum) | programs/zstd -q -d | sha256sum; wait; done | sort'
  # The numbers of passed tests stand in progress lines, of which not all are shown.
  local progress='/^(test|[0-9]+\/|.*elapsed|#| *[0-9]+ *:? *\/)/Id; s/[0-9]+ *(seconds|s|ms)\b//g'
  in_time && run_case zstd-invalid-dictionaries '' "$work/zstd" tests/invalidDictionaries
  in_time && run_case zstd-fuzzer "$progress" "$work/zstd" tests/fuzzer -s7 -i200 --no-big-tests
  in_time && run_case zstd-stream "$progress" "$work/zstd" tests/zstreamtest -s7 -i100 --no-big-tests
  in_time && run_case zstd-stream-threads "$progress" "$work/zstd" tests/zstreamtest --mt -s7 -i50 --no-big-tests
  in_time && run_case zstd-cli '/^(Stdout|Running)/d; s/[0-9.]+ *(seconds|s|ms)\b//g' "$work/zstd" \
    python3 tests/cli-tests/run.py --preserve
  return 0
}

for judge in lua sqlite zstd; do
  [[ -z $only || $only == "$judge" ]] || continue
  began=$SECONDS
  "judge_$judge"
  say "$judge: done in $((SECONDS - began)) s"
done
if ((failures)); then
  say "$failures tests FAILED"
  exit 1
fi
say "all the same"
