// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of profilers, which compilers insert into each function:
//
//   call __fentry__                    -pg -mfentry; in front of everything
//   call mcount                        -pg; after the prologue
//   call __cyg_profile_func_enter      -finstrument-functions; the same
//   call __cyg_profile_func_exit       the same; where the function ends
//   a nop of five bytes                -mnop-mcount, listed by -mrecord-mcount
//
// The problem: a call cannot be executed at another address, because it pushes
// its own return address. In addition, a program that was built this way always
// pays the cost of these calls.
//
// The solution: while a probe is on, a jump replaces the call, and the profiler
// is not called. A probe that skips calls (TPRT_ACTION_SKIP) replaces them with
// a harmless instruction (patch/site_plan.cpp). The bytes after the call do not
// change, so a thread in the profiler can return.
//
// This file finds the targets of such calls.
// runtime/decode/<arch>/mcount_table.cpp finds the calls. Called under the
// lock.
#ifndef TPRT_ELF_MCOUNT_CALLS_H
#define TPRT_ELF_MCOUNT_CALLS_H

#include "modules/module.h"

namespace tprt {

// The profiler whose function has this name.
Profiler profilerNamed(const char *name);

// The parts of a module that refer to profilers.
struct ProfilerHints {
  // The words that the loader sets to the address of a profiler's function: in
  // the GOT, also for the PLT.
  Array<ProfilerWord> words;
  // The entries of section __mcount_loc: offsets from the module's origin.
  Array<uint32_t> calls;
};
// Fills in the hints. Data that cannot be read is omitted. Returns false if
// there is no memory.
bool findProfilers(const Module *module, ProfilerHints &out);

} // namespace tprt

#endif
