// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notices modules that are loaded while probes stand (core/standing.h).
//
// The first thing that a module runs, on the thread that loads it, before its
// constructors and with the loader's lock held, is its _init, from the C
// library's crti.o. It calls __gmon_start__ if anyone defines that: a weak
// reference in every module, meant for profilers (glibc, sysdeps/*/crti.S). So
// whoever opens a module, by dlopen from wherever or as another's dependency,
// comes by here. Interposing dlopen itself would change which RUNPATH it
// searches: the caller's. Not noticed here: modules in another namespace
// (dlmopen), linked with -nostartfiles or with musl's crti.o, or where this
// library is in no scope they search; the next call of the API finds those.
#include "core/os.h"

// Weak: a program built with -pg has one of its own, in gcrt1.o.
extern "C" __attribute__((visibility("default"), weak)) void __gmon_start__() {
  tprt::noteLoading();
}
