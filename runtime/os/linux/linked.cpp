// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library's functions that the linker has bound into a static program;
// see clibrary.h. A static program has no symbol table for a search. So if the
// program defines a function of one of these names, the program's function is
// called. Only libtprt.a contains this file; the shared libraries contain
// unlinked.cpp instead.
#include "os/linux/clibrary.h"

extern "C" {
#define TPRT_NAME(name) void tprt_linked_##name() __asm__(#name);
TPRT_C_FUNCTIONS(TPRT_NAME)
#undef TPRT_NAME
#define TPRT_NAME(name)                                                        \
  void tprt_linked_##name() __asm__(#name) __attribute__((weak));
TPRT_LOADER_FUNCTIONS(TPRT_NAME)
#undef TPRT_NAME
}

namespace tprt {

#define TPRT_NAME(name) reinterpret_cast<const void *>(tprt_linked_##name),
static const void *const kLinked[] = {TPRT_LOADER_FUNCTIONS(TPRT_NAME)
                                          TPRT_C_FUNCTIONS(TPRT_NAME)};
#undef TPRT_NAME

const void *const *const linkedFunctions = kLinked;

} // namespace tprt
