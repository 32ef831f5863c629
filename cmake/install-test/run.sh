#!/bin/bash
# Installs to a scratch prefix, moves it, and builds and runs a consumer from
# there: by CMake, by pkg-config with plain clang and the long flags, by tp-clang
# and by the shim. A ctest.
#
# usage: run.sh BUILD_FOLDER CMAKE CLANG CLANGXX
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 cmake=$2 clang=$3 clangxx=$4
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tp-install-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
expected='sum 90, counted 10'
failures=0

check() { # what, program and its arguments
  local what=$1 output
  shift
  if output=$("$@" 2>&1) && [[ $output == "$expected" ]]; then
    echo "ok: $what"
  else
    echo "FAILED: $what: expected '$expected', got: $output"
    failures=$((failures + 1))
  fi
}

# Another place than the one installed to: nothing may hold the prefix.
"$cmake" --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mkdir "$scratch/a b"
mv "$scratch/first" "$scratch/a b/tp"
prefix="$scratch/a b/tp"
libdir=$(dirname "$(find "$prefix" -name libtp.so)")

files=("$libdir/libtppass.so" "$libdir/libtprt.so" "$libdir/libtprt.a"
  "$prefix/bin/tp-clang" "$prefix/bin/tp-clang++" "$prefix/libexec/tp/clang" "$prefix/libexec/tp/clang++"
  "$prefix/share/man/man1/tp-clang++.1")
if [[ $(uname -m) == x86_64 ]]; then
  files+=("$libdir/tprt_near.o")
fi
if [[ -e $build/lib/tp/aarch64/libtprt.so ]]; then
  files+=("$libdir/tp/aarch64/libtprt.so" "$libdir/tp/aarch64/libtprt.a")
fi
# Every header, manual page and document that there is.
source=$here/../..
for file in "$source"/runtime/include/tprt/*; do
  files+=("$prefix/include/tprt/$(basename "$file")")
done
for file in "$source"/man/*.[137]; do
  files+=("$prefix/share/man/man${file##*.}/$(basename "$file")")
done
for file in "$source"/docs/*.md "$source"/{README.md,CHANGELOG.md,LICENSE}; do
  files+=("$prefix/share/doc/tp/$(basename "$file")")
done
for file in "${files[@]}"; do
  if [[ ! -e $file ]]; then
    echo "FAILED: $file is not installed"
    failures=$((failures + 1))
  fi
done
# Left out where LLVM has no shared clang library.
if [[ -e $build/bin/tp-select ]] &&
  ! "$prefix/bin/tp-select" --version | grep -q '^tp-select (tp '; then
  echo "FAILED: tp-select does not run from where it is installed"
  failures=$((failures + 1))
fi
if grep -rlIF -- "$build" "$prefix" >"$scratch/leaks"; then
  echo "FAILED: these files name the build folder: $(cat "$scratch/leaks")"
  failures=$((failures + 1))
fi

# Each header by itself, with what projects that take warnings for errors ask for.
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wcast-align -Werror)
compile_header() { # header, compiler and flags
  local header=$1 output
  shift
  if ! output=$("$@" "${warnings[@]}" -fsyntax-only "-I$prefix/include" - \
    <<<"#include <tprt/$(basename "$header")>" 2>&1); then
    echo "FAILED: $header does not stand alone: $output"
    failures=$((failures + 1))
  fi
}
for header in "$prefix"/include/tprt/*; do
  [[ $header == *.hpp ]] || compile_header "$header" "$clang" -std=c11 -x c
  for compiler in "$clangxx" g++; do
    command -v "$compiler" >/dev/null || continue
    compile_header "$header" "$compiler" -std=c++17 -Wold-style-cast -Wzero-as-null-pointer-constant -x c++
    compile_header "$header" "$compiler" -std=c++20 -fno-exceptions -fno-rtti -x c++
  done
done

configure=("$cmake" -G Ninja -S "$here/consumer" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=$prefix"
  "-DCMAKE_C_COMPILER=$clang" "-DCMAKE_CXX_COMPILER=$clangxx")
"${configure[@]}" -B "$scratch/cmake" >"$scratch/log" || cat "$scratch/log"
"$cmake" --build "$scratch/cmake" >"$scratch/log" || cat "$scratch/log"
check "CMake, Tp::tprt" "$scratch/cmake/app"
check "CMake, Tp::tprt_static" "$scratch/cmake/app_static"
check "CMake, link-time optimisation" "$scratch/cmake/app_lto"
if [[ $(uname -m) == x86_64 ]] && ! nm -D "$scratch/cmake/app" | grep -q ' __tprt_near$'; then
  echo "FAILED: Tp::tprt gives an executable no trampolines of its own (tprt_near.o)"
  failures=$((failures + 1))
fi

if ! grep -q -e '-fplugin-arg-tp-exit' "$scratch/cmake/build.ninja"; then
  echo "FAILED: tp_instrument(... EXIT) asks for no exit sleds"
  failures=$((failures + 1))
fi

# tp-clang as the compiler: CMake has to find its other tools, and what to do for
# link-time optimisation.
"${configure[@]}" -B "$scratch/tp-cmake" "-DCMAKE_C_COMPILER=$prefix/bin/tp-clang" \
  "-DCMAKE_CXX_COMPILER=$prefix/bin/tp-clang++" >"$scratch/log" || cat "$scratch/log"
grep 'no link-time optimisation' "$scratch/log" && failures=$((failures + 1))
"$cmake" --build "$scratch/tp-cmake" >"$scratch/log" || cat "$scratch/log"
check "CMake, tp-clang as the compiler" "$scratch/tp-cmake/app"
check "CMake, tp-clang as the compiler, link-time optimisation" "$scratch/tp-cmake/app_lto"

# pkg-config escapes the blank in the prefix for a shell, hence eval.
export PKG_CONFIG_PATH=$libdir/pkgconfig
eval "plugin=$(pkg-config --variable=plugin tprt)"
# shellcheck disable=SC2154 # set by eval
plain=(-O2 "-fplugin=$plugin" "-fplugin-arg-tp-entry=2,0")
cflags=() libs=()
eval "cflags=($(pkg-config --cflags tprt))"
eval "libs=($(pkg-config --libs tprt))"
if [[ $(uname -m) == x86_64 ]]; then
  eval "libs+=($(pkg-config --variable=near tprt))"
fi
"$clangxx" "${plain[@]}" -c "$here/consumer/work.cpp" -o "$scratch/work.o"
"$clang" "${plain[@]}" "${cflags[@]}" "$here/consumer/main.c" "$scratch/work.o" \
  "${libs[@]}" "-Wl,-rpath,$libdir" -o "$scratch/plain"
check "pkg-config and plain clang" "$scratch/plain"

"$prefix/bin/tp-clang++" -ftp-entry=2,0 -O2 "-I$prefix/include" \
  -x c "$here/consumer/main.c" -x c++ "$here/consumer/work.cpp" -o "$scratch/driver"
check "tp-clang++" "$scratch/driver"

PATH="$prefix/libexec/tp:$PATH" clang -fplugin=libtp.so -ftp-entry=2,0 -O2 \
  "-I$prefix/include" "$here/consumer/main.c" "$scratch/work.o" -ltprt \
  -o "$scratch/shim"
check "the shim, as clang" "$scratch/shim"

PATH="$prefix/libexec/tp:$PATH" clang -ftp-entry=2,0 -O2 -static \
  "-I$prefix/include" "$here/consumer/main.c" "$scratch/work.o" \
  -o "$scratch/static"
check "the shim, -static" "$scratch/static"

if [[ $failures -ne 0 ]]; then
  echo "$failures of the checks failed; the install log:"
  tail -n 50 "$scratch/install.log"
  exit 1
fi
