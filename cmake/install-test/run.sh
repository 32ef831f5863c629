#!/bin/bash
# The ctest `install`. It installs to a scratch prefix, moves the prefix, and builds and
# runs a consumer from there: with CMake, with pkg-config and plain clang and the long
# flags, with tp-clang, and with the shims. It does the same with CMake from the build
# folder. The commands name only the folders of headers and libraries that the documents
# name. documents.py, in this folder, runs the commands of the documents themselves.
#
# usage: run.sh BUILD_FOLDER CMAKE CLANG CLANGXX
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 cmake=$2 clang=$3 clangxx=$4
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tp-install-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
expected='sum 90, counted 10'
failures=0
unset LD_LIBRARY_PATH TPRT_OPTIONS TP_CLANG TP_CLANGXX

failed() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

check() { # what, program and its arguments
  local what=$1 output
  shift
  if output=$("$@" 2>&1) && [[ $output == "$expected" ]]; then
    echo "ok: $what"
  else
    failed "$what: expected '$expected', got: $output"
  fi
}

# The installation is moved, because no file may contain the prefix.
"$cmake" --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mkdir "$scratch/a b"
mv "$scratch/first" "$scratch/a b/tp"
prefix="$scratch/a b/tp"
libdir=$(dirname "$(find "$prefix" -name libtp.so -type l)")

files=("$libdir/libtppass.so" "$libdir/libtpcheck.so" "$libdir/libtprt.so" "$libdir/libtprt-code.so" "$libdir/libtprt.a"
  "$prefix/bin/tp-clang" "$prefix/bin/tp-clang++" "$prefix/libexec/tp/clang" "$prefix/libexec/tp/clang++"
  "$prefix"/libexec/tp/as-gcc/{gcc,g++,cc,c++,clang,clang++} "$libdir/tp/include/tprt/tprt.h"
  "$prefix/share/man/man1/tp-clang++.1" "$prefix/share/man/man3/tprt_probe_attach.3"
  "$prefix"/share/man/man1/tpctl-{list,on,off,status,count,top,hist,record,snapshot,attach,report,graph,trace,diff,export,view,pack}.1)
# The libraries of each clang are installed, and those in lib/ are the newest ones.
for library in "$build"/lib/tp/llvm-*/libtp*.so; do
  files+=("$libdir${library#"$build/lib"}")
done
if [[ $(readlink "$libdir/libtp.so") != tp/llvm-*/libtp.so ]]; then
  failed "$libdir/libtp.so is not a relative link"
fi
if [[ $(uname -m) == x86_64 ]]; then
  files+=("$libdir/tprt_near.o" "$libdir/tp/libtprt-inject.so")
fi
if [[ -e $build/lib/tp/musl/libtprt.so ]]; then
  files+=("$libdir/tp/musl/libtprt.so")
fi
if [[ -e $build/lib/tp/aarch64/libtprt.so ]]; then
  files+=("$libdir/tp/aarch64/libtprt.so" "$libdir/tp/aarch64/libtprt-code.so" "$libdir/tp/aarch64/libtprt.a")
fi
# Each header, manual page and document of the source is installed.
source=$here/../..
for file in "$source"/runtime/include/tprt/*; do
  files+=("$prefix/include/tprt/$(basename "$file")")
done
for file in "$source"/man/*.[137]; do
  files+=("$prefix/share/man/man${file##*.}/$(basename "$file")")
done
shopt -s globstar
for file in "$source"/docs/**/*.md "$source"/examples/*.[ch] "$source"/{README.md,CHANGELOG.md,LICENSE}; do
  files+=("$prefix/share/doc/tp/${file#"$source"/}")
done
for file in "${files[@]}"; do
  [[ -e $file ]] || failed "$file is not installed"
  # The build folder has the same layout; its folder of libraries is always lib.
  file=$build/${file#"$prefix"/}
  file=${file/"$build${libdir#"$prefix"}/"/"$build/lib/"}
  [[ -e $file ]] || failed "the build folder has no $file"
done
# The targets of links between the documents exist.
while IFS=: read -r file link; do
  [[ -e $(dirname "$file")/${link%%#*} ]] || failed "$file: the link to $link leads nowhere"
done < <(cd / && grep -oE '\]\([a-zA-Z./_-]+(#[a-z-]+)?\)' -r --include=*.md "$prefix/share/doc/tp" |
  sed -E 's/\]\((.*)\)/\1/')
# tp-select is not built if LLVM has no shared clang library.
if [[ -e $build/bin/tp-select ]] &&
  ! "$prefix/bin/tp-select" --version | grep -q '^tp-select (tp '; then
  failed "tp-select does not run from where it is installed"
fi
if grep -rlIF -- "$build" "$prefix" >"$scratch/leaks"; then
  failed "these files name the build folder: $(cat "$scratch/leaks")"
fi

# Each header compiles by itself, with warnings that projects turn into errors.
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wcast-align -Werror)
compile_header() { # header, compiler and flags
  local header=$1 output
  shift
  if ! output=$("$@" "${warnings[@]}" -fsyntax-only "-I$prefix/include" - \
    <<<"#include <tprt/$(basename "$header")>" 2>&1); then
    failed "$header does not stand alone: $output"
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
"${configure[@]}" -B "$scratch/cmake" >"$scratch/log" 2>&1 || cat "$scratch/log"
grep -A 4 'CMake Warning' "$scratch/log" >"$scratch/warnings"
if ! tr -s ' \n' ' ' <"$scratch/warnings" | grep -q 'neither ENTRY nor EXIT for mistake: only'; then
  failed "tp_instrument without ENTRY and EXIT says nothing"
fi
if [[ $(grep -c 'CMake Warning' "$scratch/warnings") != 1 ]]; then
  failed "not one warning: $(cat "$scratch/warnings")"
fi
"$cmake" --build "$scratch/cmake" >"$scratch/log" || cat "$scratch/log"
check "CMake, Tp::tprt" "$scratch/cmake/app"
check "CMake, Tp::tprt_static" "$scratch/cmake/app_static"
check "CMake, link-time optimisation" "$scratch/cmake/app_lto"
check "CMake, instrumented shared library" "$scratch/cmake/app_shared"
if [[ $(uname -m) == x86_64 ]] && ! nm -D "$scratch/cmake/app" | grep -q ' __tprt_near$'; then
  failed "Tp::tprt gives an executable no trampolines of its own (tprt_near.o)"
fi
count_work() { # program
  local output
  output=$(TPRT_OPTIONS=count=work "$1" 2>&1)
  [[ $output =~ \ 10\ +work ]] || failed "TPRT_OPTIONS does nothing in $(basename "$1"): $output"
}
for program in app app_static app_shared silent silent_static; do
  count_work "$scratch/cmake/$program"
done
needs_runtime() { [[ $(readelf -d "$scratch/cmake/$1") == *"library: [libtprt"* ]]; }
for library in libplain_library.so libplain_module.so; do
  ! needs_runtime $library || failed "$library calls nothing of libtprt and needs it"
done
for library in libcalling_library.so liblibrary_of_objects.so app; do
  needs_runtime $library || failed "$library does not need libtprt"
done
flags=$(grep -A 8 'CMakeFiles/flags.dir/work.cpp.o:' "$scratch/cmake/build.ninja" | tr '\n' ' ')
for key in entry=2 exit slot=none instruction-threshold=7 opaque names; do
  [[ $flags == *"-fplugin-arg-tp-$key "* ]] || failed "tp_instrument does not hand on -fplugin-arg-tp-$key"
done

# A program that the consumer installs still finds libtprt if the consumer asks for
# that. A second installation leaves the program as it was.
for time in once twice; do
  "$cmake" --install "$scratch/cmake" --prefix "$scratch/consumer" >"$scratch/log" || cat "$scratch/log"
  check "CMake, the consumer installed $time" "$scratch/consumer/bin/app"
done

# A project that finds tp in the build folder.
"${configure[@]}" "-DCMAKE_PREFIX_PATH=$build" -B "$scratch/from-build" >"$scratch/log" 2>&1 || cat "$scratch/log"
"$cmake" --build "$scratch/from-build" --target app app_static >"$scratch/log" || cat "$scratch/log"
check "CMake, from the build folder" "$scratch/from-build/app"
check "CMake, from the build folder, static" "$scratch/from-build/app_static"

# A project with tp-clang as its compiler. CMake has to find the other tools of that
# compiler, and how to do link-time optimisation.
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
  "${libs[@]}" -o "$scratch/plain"
check "pkg-config and plain clang" "$scratch/plain"
eval "libs=($(pkg-config --variable=static_libs tprt))"
"$clang" "${plain[@]}" "${cflags[@]}" "$here/consumer/silent.c" "$scratch/work.o" \
  "${libs[@]}" -o "$scratch/plain-static"
check "pkg-config and plain clang, the archive" "$scratch/plain-static"
count_work "$scratch/plain-static"
# Only a folder that the loader does not search needs a run path.
DESTDIR=$scratch/system "$cmake" --install "$build" --prefix /usr >"$scratch/log"
if grep -q rpath "$(find "$scratch/system" -name tprt.pc)"; then
  failed "tprt.pc has a run path where it is installed into /usr"
fi

# gdb finds debug information in the folders .debug, and the source by the command that install.md
# has: the debug information does not name this folder.
if command -v gdb >/dev/null; then
  "$cmake" "-DCMAKE_INSTALL_PREFIX=$scratch/debug" -DCMAKE_INSTALL_DO_STRIP=ON -DTP_DEBUG_FILES=1 -P "$build/cmake_install.cmake" >"$scratch/log"
  output=$(cd / && gdb -nx -batch -ex "set substitute-path /usr/src/tp $(cd "$source" && pwd)" -ex 'list tp-clang/main.cpp:1,200' "$scratch/debug/bin/tp-clang" 2>&1)
  [[ $output == *'int main('* ]] || failed "gdb does not find the source of an installed tp-clang: $output"
  rm -rf "$scratch/debug"
fi

"$prefix/bin/tp-clang++" -ftp-entry=2,0 -O2 \
  -x c "$here/consumer/main.c" -x c++ "$here/consumer/work.cpp" -o "$scratch/driver"
check "tp-clang++" "$scratch/driver"

PATH="$prefix/libexec/tp:$PATH" clang -fplugin=libtp.so -ftp-entry=2,0 -O2 \
  "$here/consumer/main.c" "$scratch/work.o" -ltprt \
  -o "$scratch/shim"
check "the shim, as clang" "$scratch/shim"

PATH="$prefix/libexec/tp:$PATH" clang -ftp-entry=2,0 -O2 -static \
  "$here/consumer/main.c" "$scratch/work.o" \
  -o "$scratch/static"
check "the shim, -static" "$scratch/static"

PATH="$prefix/libexec/tp/as-gcc:$PATH" gcc -ftp-entry=2,0 -O2 "$here/consumer/main.c" "$scratch/work.o" \
  -o "$scratch/as-gcc"
check "the shim, as gcc" "$scratch/as-gcc"

if [[ $failures -ne 0 ]]; then
  echo "$failures of the checks failed; the install log:"
  tail -n 50 "$scratch/install.log"
  exit 1
fi
