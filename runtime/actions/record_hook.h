// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stubs and the core have in common with the recorder (record/).
// A recording probe calls the recorder's handler. Where that is a site's only
// action, the sled leads to a recording stub instead, which stores the event
// without a call, and goes on to the general stub, and so to the handler, when
// it cannot: the thread has no block, the block is full, or the counter's high
// half has changed.
#ifndef TPRT_ACTIONS_RECORD_HOOK_H
#define TPRT_ACTIONS_RECORD_HOOK_H

#include "base/visibility.h"
#include "sites/record_cursor.h"
#include "tprt/tprt.h"

#include <stdint.h>

namespace tprt {

struct Module;

// What the core asks of the recorder. All members are set.
struct Recorder {
  // A probe with this handler, in an action without options, may record in
  // stubs.
  tprt_handler handler;
  // The low 24 bits of the event words of a site, for a probe with this data:
  // the site's number and what happens there. 0: the stub must not record.
  // Under the lock.
  uint32_t (*wordOf)(const tprt_site &site, void *data);
  // Called before sleds of these sites of one module lead to a probe with this
  // data. The recorder describes the sites in the file. Under the lock.
  void (*describe)(const Module *module, const uint32_t *sites, size_t count,
                   void *data);
  // A module was unloaded. Under the lock.
  void (*unloaded)(const Module *module);
  // A hit while the thread's guard is up, so that the handler is not called.
  // Keeps the event, or counts it as lost. In hits: async-signal-safe.
  void (*nested)(const tprt_event *event, const tprt_regs *regs, void *data);
};

// The recorder of the part that has one; nullptr: there is none. Set when the
// library is loaded.
extern const Recorder *recorder TPRT_HIDDEN;

// Whether a handler is the recorder's.
inline bool isRecorders(tprt_handler handler) {
  return recorder && handler && handler == recorder->handler;
}

// Stores the word of a site again, where the site's stub may record: the words
// are empty in a copy of the process. The recorder calls this in a hit of the
// site or under the lock, with what wordOf() said. Async-signal-safe.
void letRecord(const tprt_site &site, uint32_t word);

} // namespace tprt

// The calling thread's cursor.
extern "C" TPRT_HIDDEN constinit thread_local tprt::RecordCursor __tprt_record
    TPRT_IN_HITS;

#endif
