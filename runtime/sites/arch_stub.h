// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the core asks of an architecture about stubs; a part of the port
// (arch.h), and included there alone. Callers: the files of stubs (stubs.cpp,
// stub_regions.cpp, inline_stubs.cpp) and jump_islands.cpp; text_writer.h calls
// publishCode().
#ifndef TPRT_SITES_ARCH_STUB_H
#define TPRT_SITES_ARCH_STUB_H

#include "sites/site.h"

namespace tprt {

// plan.h also has kPointShape, kPointSledBytes and kCodeAlignment, which
// describe a point's sled and a static branch.
constexpr size_t kStubBytes = 16; // of one stub
// The stub of a single instruction (patch/overlap.h) has kInnerStubBytes
// (plan.h). On x86-64 data may lie below the stack pointer where keepsBelow()
// holds, so the stub moves it first.
enum class InnerStub : uint8_t { General, Counting, Recording };
// For a thread `inside` bytes after the beginning of a stub: by how many bytes
// its stack pointer is lower than at the site. The stub is the general stub of
// any site, or another stub of an instruction. In uninstrumented code, the copy
// of the instruction follows the general stub. Async-signal-safe.
int64_t stackBelow(InnerStub stub, size_t inside, const tprt_site &site);
// How far after the beginning of its general stub a hit of the site begins.
inline size_t startInStub(const tprt_site &site); // plan.h
// For a thread in a general stub: whether unwinding should start at the
// function's first instruction instead of the site's own. There are two
// reasons. The stub may have overwritten words below the stack pointer that the
// function has popped, and to which its unwind table may refer; then
// leavesAsEntered() is true. Or the stub has undone pushes. Async-signal-safe.
bool isAtBeginning(size_t inside, const tprt_site &site);
// The greatest distance from a sled or slot to its stub.
extern const int64_t kStubReach;

// struct StubData {actionList, ...} is what a stub and its trampoline read at
// each hit. Attach and detach write it with single stores. It is never
// unmapped.
//   const ActionList *actionList;  what the trampoline calls; never null
// siteOf(data) is the site that the data belongs to. initialiseData(data, site)
// fills in everything except the action list. leadTo(data, site, mode) is
// called after an action list that is not empty was stored, with that action
// list's mode. It updates whatever else the stub reads to find its trampoline.

// Writes a region's header of kStubHeaderBytes, which will run at `address`.
// The data of the region's stubs begins at `data`, one StubData after the
// other. `isCode`: the region's sites are in code without sleds, so each stub
// is followed by the copy of an instruction.
void writeStubHeader(uint8_t *out, uint64_t address, uint64_t data,
                     bool isCode);
// Writes the stub of `site`, which will run at `address`. The stub's data is at
// `data`, and its region's header at `header`. `wayBack` is the way back of a
// far stub. If it is 0, the stub itself leads past the sled.
void writeStub(uint8_t *out, uint64_t address, uint64_t header, uint64_t data,
               uint64_t wayBack, const tprt_site &site);
// Whether a site can have a second stub that counts in place, without a call.
// If its word (text/inline_stubs.h) or the thread's state does not let that
// stub count, it continues at the general stub, which is at `general`.
bool canCountInStub(const tprt_site &site);
constexpr size_t kCountStubBytes = 32;
void writeCountStub(uint8_t *out, uint64_t address, uint64_t word,
                    uint64_t general, const tprt_site &site);
// The same for a site in code without sleds, where every register and the flags
// are kept. Its word is wordOfFullCountStub(), and the site's counter is given
// as countWord() of counters.h.
bool canCountInFullStub(const tprt_site &site);
constexpr size_t kFullCountStubBytes = 64;
void writeFullCountStub(uint8_t *out, uint64_t address, uint64_t word,
                        uint64_t general, int32_t counter,
                        const tprt_site &site);
// The word of such a stub, for a stub that may count and for one that may not.
int32_t wordOfFullCountStub(bool may);
// The same for a stub that records its hit (actions/record_hook.h).
bool canRecordInStub(const tprt_site &site);
constexpr size_t kRecordStubBytes = 192;
void writeRecordStub(uint8_t *out, uint64_t address, uint64_t word,
                     uint64_t general, const tprt_site &site);

// Writes code that acts as the function does without its sled. The code will
// run at `address` and has at most kOriginalBytes (plan.h). `wayBack`: as in
// writeStub(). In code without sleds, a copy of the site's instruction alone
// lies kOriginalCopy bytes after the beginning. If kOriginalCopy is 0, the code
// jumps to the copy after the general stub.
void writeOriginal(uint8_t *out, uint64_t address, uint64_t wayBack,
                   const tprt_site &site);

// publishCode(address, bytes) is called after every store to code. Once the
// cores have then synchronised (synchroniseCores() in os_text.h), all of them
// fetch what was stored.

} // namespace tprt

#endif
