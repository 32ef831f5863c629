#!/bin/bash
# The tests `sanitize.*`. This script builds the runtime with a sanitizer, in a separate
# folder, links the runtime with the objects of the unit tests and of the threaded tests,
# and runs the tests. Each threaded test runs for a second. Tests that do not work under
# a sanitizer are left out below, with the reason. The tests' own files are not built
# with the sanitizer, because they contain handlers and code that calls traced functions.
#
# KIND coverage counts which code of the runtime these tests execute, with libtprt.a for
# both. It prints the share of lines and branches of each folder, and writes each file's
# lines to BUILD_FOLDER/coverage/html.
#
# usage: sanitize.sh KIND SOURCE BUILD_FOLDER CLANG CLANG++ UNIT STRESS
#        KIND: address, undefined, thread, coverage; UNIT, STRESS: object files, by ;
set -euo pipefail

kind=$1 source=$2 build=$3/$1 clang=$4 clangxx=$5
IFS=';' read -ra unit <<<"$6"
IFS=';' read -ra stress <<<"$7"
unset LD_PRELOAD TPRT_OPTIONS
export TP_STRESS_SECONDS=${TP_STRESS_SECONDS:-1}
mkdir -p "$3"
flag=-fsanitize=$kind library=-ltprt
[[ $kind != coverage ]] || flag=-fprofile-instr-generate library=$build/lib/libtprt.a

log=$3/$kind.log
{
  cmake -S "$source" -B "$build" -G Ninja -DTP_RUNTIME_ONLY=ON -DTP_BUILD_TESTS=OFF \
    -DTP_SANITIZE="$kind" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="$clangxx" -DCMAKE_ASM_COMPILER="$clang" \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only" &&
    ninja -C "$build" tprt_static tprt_shared &&
    "$clangxx" "$flag" "${unit[@]}" "$build/lib/libtprt.a" -lgtest -lgtest_main -o "$build/unit" &&
    "$clangxx" "$flag" "${stress[@]}" -L"$build/lib" -Wl,-rpath,"$build/lib" "$library" -lgtest -lgtest_main \
      -ldl -o "$build/stress"
} >"$log" 2>&1 || {
  tail -n 50 "$log"
  exit 1
}

# Step.*: single steps through a sanitizer's own code take minutes.
skip='Step.*'
if [[ $kind == thread ]]; then
  # ThreadSanitizer delays signals, and it does not support a fork of many threads.
  skip+=':*Fork*:*Signals*'
fi
# ThreadSanitizer does not know the loader's own lock, which dlclose and dl_iterate_phdr
# acquire. So ThreadSanitizer reports a race if memory was read under that lock and
# dlclose frees the memory.
echo 'race:_dl_close_worker' >"$build/suppressions"
export TSAN_OPTIONS="halt_on_error=1 suppressions='$build/suppressions'" UBSAN_OPTIONS=print_stacktrace=1
if [[ $kind == coverage ]]; then
  # A process of a test that ends without its exit handlers leaves no counts.
  rm -rf "$build/profiles"
  export LLVM_PROFILE_FILE=$build/profiles/%p.profraw
fi
"$build/unit"
"$build/stress" --gtest_filter="-$skip"
if [[ $kind == coverage ]]; then
  tools=$(dirname "$clang")
  "$tools/llvm-profdata" merge -sparse "$build"/profiles/*.profraw -o "$build/tests.profdata"
  chosen=("$build/stress" -object "$build/unit" -instr-profile "$build/tests.profdata" -ignore-filename-regex '/tests/|^/usr/')
  "$tools/llvm-cov" show "${chosen[@]}" -format html -output-dir "$build/html" >/dev/null
  "$tools/llvm-cov" export "${chosen[@]}" -summary-only | python3 "$source/scripts/coverage-by-folder.py" "$source/runtime"
  echo "the lines of each file: $build/html/index.html"
fi
