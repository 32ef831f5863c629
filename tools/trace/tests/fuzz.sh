#!/bin/bash
# The test `fuzz.trace`. It builds the reader of recordings with AddressSanitizer and
# UndefinedBehaviorSanitizer, and runs it from a corpus that tp-make-trace writes.
# TP_FUZZ_SECONDS in the environment
# is the time, 10 by default. Inputs that show a fault are written to FOLDER/found.
#
# usage: fuzz.sh SOURCE FOLDER CLANG++ MAKE-TRACE LIBRARY-FOR-LLVM...
set -euo pipefail

source=$1 build=$2 clangxx=$3 make_trace=$4
shift 4
unset LD_PRELOAD TPRT_OPTIONS
mkdir -p "$build/found" "$build/work"
"$make_trace" --corpus "$build/corpus"

include=$(dirname "$1")/../include
compile=("$clangxx" -std=c++20 -O1 -gline-tables-only -w -fsanitize=fuzzer-no-link,address,undefined
  -fno-sanitize-recover=all -fno-sanitize=vptr,function -fno-rtti -fno-exceptions -DNDEBUG
  -I "$source/tools/trace" -I "$source/runtime" -I "$source/runtime/include" -isystem "$include" -c)
# The folders also have files that only libtprt needs.
names=()
for folder in "$source"/runtime/{demangle,names}; do
  mapfile -t listed < <(sed -n '/^set(TP_.*[a-z]*\.cpp/,/)/p' "$folder/sources.cmake" | grep -o '[a-z_]*\.cpp')
  names+=("${listed[@]/#/$folder/}")
done
# LLVM's headers cost more to compile than the files that include them. So the files of the reader
# are compiled as one, as in the build, and the other files meanwhile.
printf '#include "%s"\n' "$source"/tools/trace/*.cpp >"$build/reader.cpp"
objects=() pids=()
for file in "$build/reader.cpp" "$source/tools/trace/tests/fuzz_trace.cpp" "${names[@]}"; do
  object=$build/$(basename "$file").o
  objects+=("$object")
  newer=$(find "$source/tools/trace" "$source"/runtime/{demangle,names} \( -name '*.h' -o -name '*.cpp' \) -newer "$object" -print -quit 2>/dev/null || echo none)
  [[ -z $newer ]] || { "${compile[@]}" "$file" -o "$object" & pids+=($!); }
done
for pid in "${pids[@]}"; do wait "$pid"; done
# LLVM's libraries are compiled without sanitizers, so their containers would seem
# to overflow.
"$clangxx" -fsanitize=fuzzer,address,undefined "${objects[@]}" "$@" -lz -lpthread -ldl -o "$build/fuzz_trace"
export ASAN_OPTIONS=detect_container_overflow=0
exec "$build/fuzz_trace" -max_total_time="${TP_FUZZ_SECONDS:-10}" -timeout=10 -rss_limit_mb=1024 -max_len=20000 \
  -artifact_prefix="$build/found/" "$build/work" "$build/corpus"
