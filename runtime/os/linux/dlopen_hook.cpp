// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects modules that are loaded while probes are attached
// (probes/pending_probes.h). Runs on the thread that loads the module, with the
// loader's lock held.
//
// dlopen searches the RUNPATH of its caller, so interposing dlopen would change
// the search. Instead, libtprt defines __gmon_start__. The first code that a
// module runs is its _init, from the C library's crti.o, before the module's
// constructors. If any module defines __gmon_start__, _init calls this
// function: every module has a weak reference to __gmon_start__, meant for
// profilers (glibc, sysdeps/*/crti.S). So every load of a module calls this
// function, both for modules from dlopen and for dependencies of other modules.
//
// These modules do not call the function, and are found by the next call of the
// API:
//  - modules in another namespace (dlmopen);
//  - modules linked with -nostartfiles or with musl's crti.o;
//  - modules in whose scopes the loader does not find this library.
#include "base/os_loader.h"

// The function is weak because a program built with -pg has its own
// __gmon_start__, in gcrt1.o.
extern "C" __attribute__((visibility("default"), weak)) void __gmon_start__() {
  tprt::noteLoading(__builtin_return_address(0));
}
