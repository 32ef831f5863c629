// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between the recorder (record/) and the stubs and the core. A
// recording probe calls the recorder's handler. If that is a site's only
// action, the sled leads to a recording stub instead, which stores the event
// without a call. If the thread has no block, the block is full, or the
// counter's high half has changed, the recording stub continues at the general
// stub, which calls the handler.
#ifndef TPRT_ACTIONS_RECORD_HOOK_H
#define TPRT_ACTIONS_RECORD_HOOK_H

#include "base/visibility.h"
#include "sites/record_cursor.h"
#include "tprt/tprt.h"

#include <stdint.h>

namespace tprt {

struct Module;

// The functions of the recorder that the core calls. All members are non-null.
struct Recorder {
  // A probe with this handler, in an action without options, may record in
  // stubs.
  tprt_handler handler;
  // The low 24 bits of a site's event words, for a probe with this data: the
  // site's number and what happens there. 0 means that the stub must not
  // record. Called under the lock.
  uint32_t (*wordOf)(const tprt_site &site, void *data);
  // Called before the sleds of these sites of one module lead to a probe with
  // this data. The recorder describes the sites in the file. Called under the
  // lock.
  void (*describe)(const Module *module, const uint32_t *sites, size_t count,
                   void *data);
  // A module was unloaded. Under the lock.
  void (*unloaded)(const Module *module);
  // Called for a hit while the thread's guard is raised, in place of the
  // handler. Keeps the event, or counts it as lost. Called in hits.
  // Async-signal-safe.
  void (*nested)(const tprt_event *event, const tprt_regs *regs, void *data);
};

// The recorder, or nullptr if the library contains none. Set when the library
// is loaded.
extern const Recorder *recorder TPRT_HIDDEN;

// Whether a handler is the recorder's handler.
inline bool isRecorders(tprt_handler handler) {
  return recorder && handler && handler == recorder->handler;
}

} // namespace tprt

// The calling thread's cursor.
extern "C" TPRT_HIDDEN constinit thread_local tprt::RecordCursor __tprt_record
    TPRT_IN_HITS;

#endif
