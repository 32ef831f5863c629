// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The life of probes; see probe.h.
#include "actions/probe.h"

namespace tprt {

static uint64_t markOf(const tprt_probe *probe) {
  return reinterpret_cast<uint64_t>(probe) ^ 0x7470'7274'7072'6f62; // tprtprob
}

tprt_probe *makeProbe() {
  auto *probe = static_cast<tprt_probe *>(allocateSmall(sizeof(tprt_probe)));
  if (probe)
    probe->mark = markOf(probe);
  return probe;
}

// The memory of a freed probe may have any contents, but it is very unlikely to
// have this value.
bool isProbe(const tprt_probe *probe) {
  return mayBeSmallBlock(probe, sizeof *probe) && probe->mark == markOf(probe);
}

void setState(tprt_probe &probe, ProbeState state) {
  __atomic_store_n(reinterpret_cast<uint8_t *>(&probe.state),
                   static_cast<uint8_t>(state), __ATOMIC_RELAXED);
}

static void freeIfUnused(tprt_probe *probe) {
  if (probe->state != ProbeState::Gone || probe->references)
    return;
  probe->~tprt_probe();
  freeSmall(probe, sizeof(tprt_probe));
}

void holdProbe(tprt_probe *probe) { ++probe->references; }

void releaseProbe(tprt_probe *probe) {
  --probe->references;
  freeIfUnused(probe);
}

void endProbe(tprt_probe *probe) {
  setState(*probe, ProbeState::Gone);
  probe->mark = 0;
  freeIfUnused(probe);
}

} // namespace tprt
