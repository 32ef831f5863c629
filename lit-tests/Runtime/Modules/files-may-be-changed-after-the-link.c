// If this fails, docs/reference/linkers.md is wrong: a program or a library has lost sleds or points because
// a packager's tool changed the file after the link.
//
// REQUIRES: patchelf, dwz, debugedit, eu-strip, lld, bfd, x86_64-host
// DEFINE: %{linker} = %use_lld
// DEFINE: %{build} = rm -rf %t && mkdir %t && \
// DEFINE:   %clang -gdwarf-4 -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DLIBRARY -I %tprt_include %{linker} %s -Wl,-soname,one.so -o %t/one.so && \
// DEFINE:   %clang -gdwarf-4 -O2 -fPIE -pie -fplugin-arg-tp-entry=2,0 -I %tprt_include %{linker} %s %t/one.so -Wl,-rpath,%t -o %t/program
// DEFINE: %{check} = env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=* print=point:*" %t/program 2>&1 | FileCheck %s
// DEFINE: %{both} = %t/one.so %t/program
// RUN: %{build} && %{check}
//
// RUN: %{build} && strip %{both} && strip %{both} && %{check}
// RUN: %{build} && llvm-strip --strip-all %{both} && %{check}
// RUN: %{build} && llvm-objcopy --strip-sections %t/one.so && llvm-objcopy --strip-sections %t/program && %{check}
// RUN: %{build} && eu-strip -f %t/debug %t/program && eu-strip -g %t/one.so && %{check}
// RUN: %{build} && objcopy --only-keep-debug %t/one.so %t/one.debug && objcopy --strip-debug --add-gnu-debuglink=%t/one.debug %t/one.so && %{check}
// RUN: %{build} && objcopy --compress-debug-sections=zlib %t/one.so && llvm-objcopy --compress-debug-sections=zlib %t/program && %{check}
// RUN: %{build} && objcopy --update-section .comment=%s %t/one.so && objcopy --prefix-symbols=other_ %t/program && %{check}
// RUN: %{build} && dwz %t/program && dwz %t/one.so && %{check}
// RUN: %{build} && debugedit -b %S -d /other -i %t/program && debugedit -b %S -d /other -i %t/one.so && %{check}
//
// RUN: %{build} && patchelf --shrink-rpath %t/program && patchelf --set-rpath %t:/a/folder/with/a/long/name/that/is/not/there %t/program && %{check}
// RUN: %{build} && patchelf --add-needed libm.so.6 --set-soname other.so %t/one.so && mv %t/one.so %t/other.so && patchelf --replace-needed one.so other.so %t/program && %{check}
// RUN: %{build} && patchelf --set-interpreter /lib64/../lib64/../lib64/../lib64/../lib64/../lib64/../lib64/ld-linux-x86-64.so.2 %t/program && %{check}
// RUN: %{build} && patchelf --force-rpath --set-rpath %t:/a/folder/with/a/long/name/that/is/not/there %t/program && strip %t/program && %{check}
// REDEFINE: %{linker} = -fuse-ld=bfd
// RUN: %{build} && patchelf --set-rpath %t:/a/folder/with/a/long/name/that/is/not/there %t/program && patchelf --add-needed libm.so.6 --set-rpath /a/folder/that/is/not/there %t/one.so && strip %{both} && %{check}
// RUN: %{build} && dwz %t/program && objcopy --strip-debug %t/program && %{check}
//
// CHECK: one: x=6
// CHECK: own: x=7
// CHECK: tprt: 4 hits of 4 functions and statements (4 watched)
#include <tprt/trace.h>
int answer(int x);
#ifdef LIBRARY
TPRT_POINT(one);
int answer(int x) {
  TPRT_TRACE(one, "x=%d", x);
  return x + 1;
}
#else
TPRT_POINT(own);
int main(void) {
  int x = answer(6);
  TPRT_TRACE(own, "x=%d", x);
  return x != 7;
}
#endif
