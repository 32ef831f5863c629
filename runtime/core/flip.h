// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps by which attach.cpp and detach.cpp change code, for a batch of any
// number of sites. They come in this order:
//
//   1. stubs are made: complete, executable, reachable from nowhere
//   2. slots get their jump to the stub: no thread can reach them
//   3. membarrier SYNC_CORE: no core holds old bytes of either
//   4. each sled is toggled by one aligned store, which leads to slot or stub;
//      through /proc/self/mem byte by byte, by way of instructions without
//      effect
//   5. membarrier SYNC_CORE: no core runs the old sled any more
//
// (2 and 3 only the first time.) Detach is 4 and 5 backwards, after the chain
// was replaced. Slots and stubs stay as they are: a thread may be inside one
// for as long as it likes. What permits each store is said in
// arch/<name>/sled.cpp. All under the lock.
#ifndef TPRT_CORE_FLIP_H
#define TPRT_CORE_FLIP_H

#include "core/arch.h"
#include "core/chain.h"
#include "os/linux/text.h"

namespace tprt {

// Consecutive sites of one module in a batch.
struct Group {
  Module *module;
  size_t begin, end;
  TextWriter writer;
};

// False: no memory.
bool groupByModule(const Array<uint32_t> &batch, Array<Group> &groups);
void closeAll(Array<Group> &groups);

// Steps 1 and 2 for one site that is off. Sets *slotWritten when bytes changed.
// What memory holds decides, not what was written once: a module closed and
// opened again at its old place between two looks has fresh code.
tprt_refusal prepare(tprt_site &site, TextWriter &writer, Toggle *toggle,
                     bool *slotWritten);

// Publishes what the site's stub leads to. Chain before target: whichever of
// the two trampolines a thread is in, it does what the new chain says.
void publish(tprt_site &site, Chain *chain);

// Step 4: the store, right after its plan was held against the bytes in memory.
tprt_refusal flip(tprt_site &site, bool on, const Toggle &toggle,
                  TextWriter &writer);

} // namespace tprt

#endif
