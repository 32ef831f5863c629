// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations for sled.cpp, code_patch.cpp, mcount_call.cpp and trap.cpp.
// Called under the lock.
#ifndef TPRT_ARCH_X86_64_CODE_PATCH_H
#define TPRT_ARCH_X86_64_CODE_PATCH_H

#include "sites/arch.h"

namespace tprt {

// Plans one store of the whole aligned word, for a slot that now jumps to
// another stub of the site.
tprt_refusal planInUse(Slot *slot);
// Whether the bytes of a slot, without its first `skipped` bits, are the jump
// to one of the site's other stubs.
bool leadsToAnother(const Ways &ways, uint64_t from, uint64_t now,
                    unsigned skipped);

// The declarations for calls of profilers are implemented in mcount_call.cpp.
// The bits of a call's first two bytes that differ while the call is skipped. 0
// if the site is not such a call, or is a nop.
uint64_t skipBitsOf(const CodeSite &code);
// Whether `sled` contains the bytes of the call, or the bytes that skip the
// call.
bool isCallOff(const CodeSite &code, const uint8_t *sled, bool skipped);
// Whether the site is a jump to the profiler.
inline bool endsFunction(const CodeSite &code) {
  return code.profiler != Profiler::None && code.kind == TPRT_KIND_TAIL_EXIT;
}
// The first byte of a call that is off.
uint8_t firstByteOff(const tprt_site &site);

} // namespace tprt

#endif
