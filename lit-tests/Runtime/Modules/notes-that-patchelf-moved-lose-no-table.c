// If this fails, the sleds, points and names of a library are lost after patchelf has moved the
// library's notes to make room for a longer run path. The fields of these notes are relative to
// their own addresses.
//
// REQUIRES: patchelf, lld, bfd, gold, mold
// DEFINE: %{linker} = %use_lld
// DEFINE: %{check} = %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-names -DLIBRARY -I %tprt_include %{linker} %s -o %t.so && \
// DEFINE:   patchelf --set-rpath "%{where}" %t.so && llvm-readelf -SW %t.so | FileCheck %s --check-prefix=MOVED && llvm-strip %t.so && \
// DEFINE:   env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=answer print=point" %t %t.so 2>&1 | FileCheck %s
// DEFINE: %{where} = /some/folder/with/a/very/long/name/so/that/it/does/not/fit/where/the/strings/are
// RUN: %plain_clang -O1 %s -ldl -o %t
// RUN: %{check}
// REDEFINE: %{linker} = -fuse-ld=bfd
// RUN: %{check}
// REDEFINE: %{linker} = -fuse-ld=gold
// RUN: %{check}
// REDEFINE: %{linker} = -fuse-ld=mold
// RUN: %{check}
//
// If the file has section headers, they give the addresses of the tables.
// RUN: %tpctl list -b %t.so | FileCheck %s --check-prefix=LIST
// LIST-DAG: answer
// LIST-DAG: point
// RUN: llvm-objcopy --strip-sections %t.so %t.bare.so
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=answer %t %t.bare.so 2>&1 | FileCheck %s --check-prefix=BARE
//
// tp_sleds before the note: the note lies in a segment at the end.
// MOVED: {{ }}tp_sleds
// MOVED: {{ }}.note.tp
// CHECK-DAG: point: x=6
// CHECK-DAG: 1 {{ *}}answer
// CHECK-DAG: it said 7
// BARE: .bare.so: its note points to a table outside the module; its sleds stay off (is the file damaged, built by another version of tp, or changed by patchelf and without section headers?)
// BARE: it said 7
#ifdef LIBRARY
#include <tprt/trace.h>
TPRT_POINT(point);
__attribute__((visibility("hidden"), noinline)) int answer(int x) { return x + 1; }
int ask(int x) {
  TPRT_TRACE(point, "x=%d", x);
  return answer(x);
}
#else
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int (*ask)(int) = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "ask");
  printf("it said %d\n", ask(6));
}
#endif
