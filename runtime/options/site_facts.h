// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tables and messages of TPRT_OPTIONS ask of sites and probes. Any
// thread; async-signal-safe, as tables may be printed in a signal handler.
#ifndef TPRT_OPTIONS_SITE_FACTS_H
#define TPRT_OPTIONS_SITE_FACTS_H

#include "modules/module.h"
#include "tprt/point.h"

namespace tprt {

// What is known of a site without the lock.
struct SiteFacts {
  // The function's symbol. nullptr: it has none, or the symbols of its module
  // were not read.
  const char *name;
  const Module *module;
  const char *path; // the module's
  const void *function;
  // Of a point's site; nullptr for sleds of functions.
  const tprt_descriptor *point;
  // How far a single instruction lies after the beginning of its function.
  int64_t offset;
  uint32_t index;
  bool isEntry, isInstruction;
  // Whether its module's file has a symbol table, and that was read.
  bool hasSymbols;
};

SiteFacts lookAt(const tprt_site *site);

// Calls `tell` for each site of a probe with its hits since the attach, or with
// 0 if the probe does not count. Under the lock.
void visitCounts(const tprt_probe *probe,
                 void (*tell)(const tprt_site *, uint64_t, void *), void *data);

// Whether a loaded module has sites. Under the lock.
bool haveSites();

} // namespace tprt

#endif
