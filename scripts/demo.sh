#!/bin/bash
# The demo: builds Lua with sleds, by Lua's own makefile with only CC changed, and flips
# the sleds while Lua runs (examples/demo.c). Then it records all calls of Lua, and shows
# the recording by tpctl. If the source of Lua is not available, the demo uses the
# example interpreter. Called by `make demo`.
#
# usage: demo.sh BUILD_FOLDER [SECONDS]
#        TP_DEMO=minilang demo.sh ...    without Lua
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?usage: demo.sh BUILD_FOLDER [SECONDS]}" && pwd)
seconds=${2:-3}
work=$build/demo
examples=$root/examples
tp_clang=$build/bin/tp-clang
mkdir -p "$work"

say() { printf '\n== %s\n' "$*"; }

# The handlers' flags. demo_handlers.h says why.
compile_demo() { # workload's flags and files
  "$tp_clang" -O2 -mgeneral-regs-only -I"$root/runtime/include" \
    -c "$examples/demo_handlers.c" -o "$work/demo_handlers.o"
  "$tp_clang" -std=gnu11 -O2 -I"$root/runtime/include" -I"$examples" \
    "$examples/demo.c" "$work/demo_handlers.o" "$@" -o "$work/demo" -pthread
}

build_lua() {
  local source=$build/sources/lua5.4/src
  # If Lua was built with another plugin, it is built again.
  if [[ $build/lib/libtp.so -nt $source/liblua.a ||
    $build/lib/libtppass.so -nt $source/liblua.a ]]; then
    make -s -C "$source" clean
  fi
  local command=(make -s -j "$(nproc)" -C "$source" linux
    "CC=$tp_clang -std=gnu99 -ftp-entry=2,0 -ftp-exit")
  echo "${command[*]}"
  "${command[@]}"
  compile_demo -I"$source" "$examples/workload_lua.c" "$source/liblua.a" -lm -ldl
}

build_minilang() {
  echo "tp-clang -ftp-entry=2,0 -ftp-exit -O2 -c examples/minilang.c"
  "$tp_clang" -ftp-entry=2,0 -ftp-exit -std=gnu11 -O2 -c "$examples/minilang.c" \
    -o "$work/minilang.o"
  compile_demo "$examples/workload_minilang.c" "$work/minilang.o"
}

workload=${TP_DEMO:-lua}
if [[ $workload == lua ]]; then
  say "Source of Lua 5.4"
  if "$root/scripts/fetch-source.sh" lua5.4 "$build/sources"; then
    echo "in $build/sources/lua5.4"
  else
    echo "The source of Lua is not available here; the example interpreter"
    echo "examples/minilang.c takes its place."
    workload=minilang
  fi
fi

say "Building $workload with sleds"
if [[ $workload == lua ]]; then
  build_lua
  script=$examples/demo.lua
  program=("$build/sources/lua5.4/src/lua" "$script")
  pattern='lua*'
else
  build_minilang
  script=$examples/demo.ml
  program=("$work/demo" "$script" 0)
  pattern='ml_*'
fi

say "Running it, and flipping its functions while it runs"
"$work/demo" "$script" "$seconds"

if [[ $workload == lua ]]; then
  say "The same without a line of code: TPRT_OPTIONS='count=$pattern top=10' lua demo.lua"
  TPRT_OPTIONS="count=$pattern top=10" "${program[@]}" 2>"$work/options.log"
  cat "$work/options.log"
  if ! grep -q 'luaD_precall' "$work/options.log"; then
    echo "FAILED: the table at exit does not mention luaD_precall" >&2
    exit 1
  fi
fi

recording=$work/$workload.tp
page=$work/$workload.html
say "Every call, recorded: tpctl record '$pattern' -- ${program[*]##*/}"
"$build/bin/tpctl" record -q -o "$recording" "$pattern" -- "${program[@]}"

say "Where the time went: tpctl report $workload.tp"
"$build/bin/tpctl" report "$recording" | head -13 | tee "$work/report.log"
if ! grep -q "${pattern%\*}" "$work/report.log"; then
  echo "FAILED: the report mentions no function" >&2
  exit 1
fi

say "The same as a flame graph, for a browser"
if ! "$build/bin/tpctl" view "$recording" -o "$page"; then
  page=""
fi

say "Next, with a program of your own (PROGRAM), which needs no new build"
tpctl=$build/bin/tpctl
[[ -z $page ]] || echo "open $page"
echo "$tpctl count --code 'PROGRAM!*' -- ./PROGRAM          # how often each function is called"
echo "$tpctl hist --code 'PROGRAM!FUNCTION' -- ./PROGRAM    # how long its calls last"
echo "$tpctl top --code -p PID 'PROGRAM!*'                  # a running process, live"
