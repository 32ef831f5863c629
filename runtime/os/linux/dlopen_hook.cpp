// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notices modules that are loaded while probes stand (probes/pending_probes.h).
// It runs on the thread that loads the module, with the loader's lock held.
//
// Interposing dlopen would change which RUNPATH is searched, as that is the
// caller's. So libtprt defines __gmon_start__ instead. The first code of a
// module that runs is its _init, from the C library's crti.o, before the
// module's constructors. _init calls __gmon_start__ if any module defines that
// function: every module has a weak reference to it, meant for profilers
// (glibc, sysdeps/*/crti.S). So every load of a module comes here, be it by a
// dlopen from anywhere or as the dependency of another module.
//
// The next call of the API finds the modules that do not come here:
//  - modules in another namespace (dlmopen);
//  - modules linked with -nostartfiles or with musl's crti.o;
//  - modules in whose scopes the loader does not find this library.
#include "base/os_loader.h"

// It is weak, as a program built with -pg has its own __gmon_start__, in
// gcrt1.o.
extern "C" __attribute__((visibility("default"), weak)) void __gmon_start__() {
  tprt::noteLoading(__builtin_return_address(0));
}
