#!/bin/bash
# Tests tp with real programs. First: Lua, SQLite and zstd from Debian's source packages.
# Each is built plainly, and with sleds at every entry and exit. Both builds run the
# program's own tests. In the second, a preloaded thread attaches and detaches probes at
# random every few milliseconds (runtime/tests/realworld/toggler.c). Both must print the
# same, except for times, and must end with the same status. Called by `make realworld`.
#
#   Lua     a script that uses all of the language, and the demo (Debian's package
#           of Lua has no tests)
#   SQLite  test/veryquick.test: 255,000 tests; --all: test/all.test, which takes hours
#   zstd    playTests.sh, the tests of the command line, the pool, dictionaries,
#           fuzzers with a fixed seed; --all: with large data and ten times the rounds
#
# Then: uninstrumented programs from Debian's packages. Their functions, and those of
# their libraries, are toggled (runtime/tests/realworld/unprepared.py). These tests are
# for x86-64.
#
#   sqlite-code  SQLite's tests once more, built by GCC without sleds; not run by default
#   python  tests of CPython's own suite: twenty files; --all: all 431, which takes an hour or more
#   redis   commands, scripts, children of fork, a restart
#   nginx   many connections while workers come and go
#   tools   a long script for bash; sort, gzip, xz and others with a large file
#
# usage: realworld.sh BUILD_FOLDER [--only lua|sqlite|zstd|sqlite-code|python|redis|nginx|tools] [--all] [--smoke]
#   --all    the suites as a whole
#   --smoke  Lua alone, a few seconds: part of `make check`
# Exits with 0; 1: a difference or a fault; 77: no source, package or compiler to be had.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?usage: realworld.sh BUILD_FOLDER [--only NAME] [--all] [--smoke]}" && pwd)
shift
names='lua sqlite zstd sqlite-code python redis nginx tools'
only='' all='' smoke=''
while [[ $# -gt 0 ]]; do
  case $1 in
  --only) only=${2:?--only needs one of: $names} && shift 2 ;;
  --all) all=1 && shift ;;
  --smoke) smoke=1 only=lua && shift ;;
  *) echo "realworld: unknown argument '$1'" >&2 && exit 2 ;;
  esac
done
[[ -z $only || " $names " == *" $only "* ]] || {
  echo "realworld: --only takes one of: $names; not '$only'" >&2 && exit 2
}

if [[ ! -x $build/bin/tp-clang ]]; then
  echo "realworld: no tp-clang in $build: build it first" >&2
  exit 77
fi
# A hanging run is ended after this many seconds.
limit=$([[ $all ]] && echo 86400 || echo 7200)
work=$build/realworld
plain_clang=$(TP_CLANG='' "$build/bin/tp-clang" -print-prog-name=clang)
[[ -x $plain_clang ]] || plain_clang=clang-22
# The names of kinds have the same length, because SQLite's tests pad file names to the
# longest possible one.
kinds=(plain sleds)
mkdir -p "$work/out"
export LC_ALL=C
unset LD_PRELOAD TPRT_OPTIONS
ccache=''
if command -v ccache >/dev/null; then
  ccache='ccache '
  # ccache does not see the plugin, because tp-clang adds it later.
  export CCACHE_EXTRAFILES=$build/lib/libtp.so:$build/lib/libtppass.so
fi

say() { printf '== %s %s\n' "$(date +%T)" "$*"; }

"$plain_clang" -O2 -Wall -shared -fPIC -I"$root/runtime/include" "$root/runtime/tests/realworld/toggler.c" \
  -L"$build/lib" -ltprt -Wl,-rpath,"$build/lib" -o "$work/libtoggler.so" -pthread

# Probes of uninstrumented functions. The toggler is built without unwind tables, so its
# own functions are not sites. Otherwise its handler would be hit, too.
"$plain_clang" -O2 -Wall -shared -fPIC -fno-asynchronous-unwind-tables -s -I"$root/runtime/include" \
  "$root/runtime/tests/realworld/toggler.c" -L"$build/lib" -ltprt -Wl,-rpath,"$build/lib" -o "$work/libfire.so" -pthread

# get PACKAGE NAME: makes two copies of the source, in NAME.plain and NAME.sleds, or as
# `kinds` says.
get() {
  "$root/scripts/fetch-source.sh" "$1" "$work/source" || exit 77
  local kind
  for kind in "${kinds[@]}"; do
    [[ -d $work/$2.$kind ]] || cp -r "$work/source/$1" "$work/$2.$kind"
  done
}

# stale KIND PROGRAM: whether the program has to be built, because it does not exist
# or was made with another plugin.
stale() {
  [[ ! -x $2 ]] && return 0
  [[ $1 == sleds && ($build/lib/libtp.so -nt $2 || $build/lib/libtppass.so -nt $2) ]]
}

compiler() { # KIND
  case $1 in
  sleds) echo "$ccache$build/bin/tp-clang -ftp-entry=2,0 -ftp-exit" ;;
  naked) echo "${ccache}gcc" ;;
  *) echo "$ccache$plain_clang" ;;
  esac
}

running=()
trap '[[ ${#running[@]} -eq 0 ]] || kill "${running[@]}" 2>/dev/null || true' EXIT

failures=0
user=() # the command that changes the user who runs a case
# run_case NAME FILTER FOLDER COMMAND...: runs the command in FOLDER.plain, and at the same
# time in FOLDER.sleds, or FOLDER.naked without sleds, in which probes come and go ("under
# fire"). FILTER is a sed script that removes text that differs from run to run.
run_case() {
  local name=$1 filter=$2 folder=$3
  shift 3
  local out=$work/out/$name kind began=$SECONDS turn=0
  rm -f "$out".*
  running=()
  for kind in "${kinds[@]}"; do
    (
      cd "$folder.$kind"
      fire=()
      local environment=("TP_TOGGLER_LOG=$out.log" "TP_TOGGLER_SEED=$RANDOM" TPRT_VERBOSE=0)
      case $kind in
      sleds) fire=(env "${environment[@]}" "LD_PRELOAD=$build/lib/libtprt.so $work/libtoggler.so") ;;
      naked) fire=(env "${environment[@]}" TP_TOGGLER_CODE=1 "LD_PRELOAD=$build/lib/libtprt.so $work/libfire.so") ;;
      esac
      exec timeout "$limit" "${user[@]}" "${fire[@]}" "$@"
    ) >"$out.$kind.raw" 2>&1 </dev/null &
    running+=($!)
  done
  while kill -0 "${running[0]}" 2>/dev/null || kill -0 "${running[1]}" 2>/dev/null; do
    sleep 0.2
    ((++turn % 150)) || say "        $name: $(wc -l <"$out.plain.raw") lines untouched, $(wc -l <"$out.${kinds[1]}.raw") under fire"
  done
  local i status
  for i in 0 1; do
    kind=${kinds[i]} status=0
    wait "${running[i]}" || status=$?
    # Text that a carriage return overwrites is only progress.
    { sed -E "s/[^\r]*\r//g; s/\.$kind\b//g; $filter" "$out.$kind.raw" && echo "ended with $status"; } >"$out.$kind"
  done
  running=()
  local fire
  fire=$(awk '{ probes += $1; hits += $3; counted += $5; faults += $11 } END {
    printf "%d probes, %.0f hits, %.0f counted in %d processes, %d faults", probes, hits, counted, NR, faults }' "$out.log" 2>/dev/null) || true
  if ! diff "$out.plain" "$out.${kinds[1]}" >"$out.diff"; then
    say "FAILED $name: not the same as untouched; see $out.diff"
    head -n 20 "$out.diff"
    failures=$((failures + 1))
  elif [[ ! -s $out.log || $fire != *' 0 faults' ]]; then
    say "FAILED $name: the toggler had faults, or wrote nothing: $fire; see $out.log"
    grep -v ' 0 faults' "$out.log" | head -n 3 || true
    failures=$((failures + 1))
  else
    say "same    $name: $(wc -l <"$out.${kinds[1]}") lines, $(tail -n 1 "$out.${kinds[1]}"); $fire; $((SECONDS - began)) s"
  fi
}

judge_lua() {
  get lua5.4 lua
  local kind
  for kind in "${kinds[@]}"; do
    if stale "$kind" "$work/lua.$kind/src/lua"; then
      say "building Lua ($kind)"
      make -s -C "$work/lua.$kind/src" clean
      make -s -j "$(nproc)" -C "$work/lua.$kind/src" linux CC="$(compiler "$kind") -std=gnu99" >"$work/out/lua.$kind.build" 2>&1
    fi
  done
  run_case lua-broad '' "$work/lua" src/lua "$root/runtime/tests/realworld/broad.lua" "$([[ $smoke ]] && echo 10 || echo 200)"
  run_case lua-demo '' "$work/lua" src/lua -e "print(dofile('$root/examples/demo.lua'))"
  say "lua: observed while it runs"
  python3 "$root/runtime/tests/realworld/live.py" "$build/bin/tpctl" "$work/lua.sleds/src/lua" || failures=$((failures + 1))
}

# judge_sqlite [NAME]
judge_sqlite() {
  local name=${1:-sqlite}
  if [[ ! -f /usr/include/tcl8.6/tcl.h && ! -f /usr/include/tcl.h ]]; then
    say "sqlite: the tests need Tcl's headers: install tcl-dev"
    exit 77
  fi
  # The tests need files that cannot be read, and root can read all files.
  if [[ $(id -u) -eq 0 ]]; then
    user=(unshare --user --map-user=1000 --map-group=1000)
    if ! "${user[@]}" true 2>/dev/null; then
      say "sqlite: the tests don't run as root, and unshare --user is not allowed here"
      exit 77
    fi
  fi
  get sqlite3 sqlite
  local kind
  for kind in "${kinds[@]}"; do
    if stale "$kind" "$work/sqlite.$kind/testfixture"; then
      say "building SQLite's testfixture ($kind)"
      (
        cd "$work/sqlite.$kind"
        [[ -f Makefile ]] || ./configure --with-tcl=/usr/lib/tcl8.6 CC="$(compiler "$kind")" --disable-amalgamation \
          CFLAGS="$([[ $kind == naked ]] && echo -O2 || echo -O1)"
        rm -f testfixture
        [[ $kind == plain ]] || rm -f -- *.lo *.o libsqlite3.la
        make -j "$(nproc)" testfixture
      ) >"$work/out/sqlite.$kind.build" 2>&1
    fi
  done
  # The names of the tests avtrans-9 contain a number of rows, which depends on random
  # numbers.
  run_case "$name" 's/^(avtrans-9[.0-9]+)-[0-9]+/\1/; /busy2-[12]\./d; s/[0-9.]+ ?(ms|microseconds)\b//g; /^(Time:|Memory|Maximum|Lookaside|Current|Allocation count|Page-cache)/d' \
    "$work/sqlite" ./testfixture "test/$([[ $all ]] && echo all || echo veryquick).test"
  user=()
}

judge_sqlite-code() {
  local kinds=(plain naked)
  judge_sqlite sqlite-code
}

judge_zstd() {
  get libzstd zstd
  local kind
  for kind in "${kinds[@]}"; do
    if stale "$kind" "$work/zstd.$kind/tests/fuzzer"; then
      say "building zstd and its tests ($kind)"
      (
        cd "$work/zstd.$kind"
        make -C programs clean
        make -C tests clean
        make -j "$(nproc)" -C programs zstd CC="$(compiler "$kind")" MOREFLAGS=-O1
        make -j "$(nproc)" -C tests fuzzer zstreamtest invalidDictionaries poolTests datagen decodecorpus \
          CC="$(compiler "$kind")" CFLAGS=-O1
      ) >"$work/out/zstd.$kind.build" 2>&1
    fi
  done
  # Progress lines have the numbers of passed tests, and not all of these lines are shown.
  local progress='/^ *[0-9]+ *\/ *[0-9]+/d; s/0x[0-9a-f]+/0x/g; s/[0-9.]+ *(seconds|s|ms|MB\/s)\b//g' times=1
  [[ -z $all ]] || times=10
  run_case zstd-invalid-dictionaries '' "$work/zstd" tests/invalidDictionaries
  run_case zstd-pool '' "$work/zstd" tests/poolTests
  run_case zstd-levels '' "$work/zstd" bash -c 'for l in 1 3 5 7 9 12 16 19; do
    cat ../source/libzstd/lib/*/*.c | programs/zstd -q -T2 -$l | tee >(sha256sum) | programs/zstd -q -d | sha256sum; wait; done | sort'
  run_case zstd-cli '/^(Stdout|Running)/d; s/[0-9.]+ *(seconds|s|ms)\b//g' "$work/zstd" python3 tests/cli-tests/run.py --preserve
  # Standard error has speeds, and mixed lines of two programs in a pipe. Lists of files contain the minute.
  run_case zstd-play '/-> +[0-9]+ \(x/d; s/[0-9.]+ *(seconds|s|ms|MB\/s)\b//g; s/ [A-Z][a-z]+ +[0-9]+ [0-9]{2}:[0-9]{2} / /; s/ +/ /g' "$work/zstd" bash -c \
    "cd tests && EXE_PREFIX= ZSTD_BIN=../programs/zstd DATAGEN_BIN=./datagen ./playTests.sh $([[ $all ]] && echo --test-large-data) 2>stderr"
  run_case zstd-corpus "$progress" "$work/zstd" tests/decodecorpus -t -s7 -n$((200 * times))
  run_case zstd-fuzzer "$progress" "$work/zstd" tests/fuzzer -v -s7 -i$((300 * times))
  run_case zstd-stream "$progress" "$work/zstd" tests/zstreamtest -v -s7 -i$((200 * times))
  run_case zstd-stream-newapi "$progress" "$work/zstd" tests/zstreamtest --newapi -t1 -s7 -i$((300 * times))
}

# judge_unprepared NAME
judge_unprepared() {
  local status=0
  python3 "$root/runtime/tests/realworld/unprepared.py" "$1" "$build/lib/libtprt.so $work/libfire.so" "$work" ${all:+--all} || status=$?
  case $status in
  0) ;;
  77) [[ -z $only ]] || exit 77 ;;
  *) failures=$((failures + 1)) ;;
  esac
}
judge_python() { judge_unprepared python; }
judge_redis() { judge_unprepared redis; }
judge_nginx() { judge_unprepared nginx; }
judge_tools() { judge_unprepared tools; }

judges=(lua sqlite zstd)
[[ $(uname -m) != x86_64 ]] || judges+=(python redis nginx tools)
[[ $only != sqlite-code ]] || judges+=(sqlite-code)
for judge in "${judges[@]}"; do
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
