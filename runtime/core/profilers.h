// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of profilers that compilers put where a function begins, in front of
// everything else: `call __fentry__` (gcc and clang, -pg -mfentry).
//
// The problem: a call can't run at another place, because it leaves its own
// address. And a program that was built so has such a call in each function.
//
// The solution: while a probe is on, a jump takes the call's place, and the
// profiler is not called. The bytes behind the call stay, so a thread that is
// in the profiler returns to what it left.
//
// Here is found what such a call leads to. runtime/code/reader.cpp finds the
// calls. Called under the lock.
#ifndef TPRT_CORE_PROFILERS_H
#define TPRT_CORE_PROFILERS_H

#include "core/module.h"

namespace tprt {

// Whether a profiler's function has this name.
bool namesProfiler(const char *name);

// Adds the addresses of the words that the loader sets to the address of a
// profiler's function: in the GOT, also for the PLT. What can't be read is left
// out. False: no memory.
bool findProfilerWords(const Module *module, Array<uint64_t> &out);

} // namespace tprt

#endif
