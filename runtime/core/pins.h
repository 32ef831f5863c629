// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules that an attach is about to use, kept loaded. Three steps, as the
// loader comes before the runtime's lock:
//   1. under the lock: want() each module that has chosen sites;
//   2. without it: take() pins them, and the list of modules is brought up to
//      date. A module that went in between is closed then, and one that is
//      still in the list is the one that was pinned;
//   3. under the lock: what was chosen is chosen again if the epoch has
//      changed, and isReady() is asked once more.
// Destroyed without the lock: a module's destructors may run.
#ifndef TPRT_CORE_PINS_H
#define TPRT_CORE_PINS_H

#include "core/plain/site.h"

namespace tprt {

// A reference that keeps a module loaded.
struct Pin {
  uint64_t base;
  void *handle; // nullptr: the module could not be pinned
};

// Whether this module can go: not the program itself, nor one without a loader.
bool mayGo(const Module *module);

// Keeps a module loaded. The caller looks at the list of modules afterwards, by
// walkModules(): it may have gone before. Without the lock; see pinLoaded().
Pin pinModule(const Module *module);

// May run the modules' destructors. Without the lock.
void unpin(const Pin &pin);
void unpin(Array<Pin> &pins);

class Pins {
public:
  // So often is tried what other threads' modules undo: those that come and go
  // all the time are left out then.
  static constexpr unsigned kMostRounds = 16;

  Pins() = default;
  Pins(const Pins &) = delete;
  Pins &operator=(const Pins &) = delete;
  ~Pins();

  // Under the lock; false: no memory. What was wanted has to be taken.
  bool want(Module *module);
  bool wantsAny() const { return !wanted.empty(); }
  // Without the lock.
  void take();

  // Under the lock. Whether the module stays loaded for now: by a pin, by a
  // probe that has sites in it, or because it can't go.
  bool holds(const Module *module);
  // Whether it could not be pinned, as it is on its way out.
  bool failed(const Module *module);
  // The probe's reference: takes over the pin, if there is one.
  void handOver(Module *module);

private:
  struct Entry {
    Pin pin;
    uint64_t adopted; // the module's epoch
  };
  Entry *find(const Module *module);

  Array<Entry> entries;
  Array<Module *> wanted;
  size_t hint = 0; // modules are asked for in the order of the pins
};

} // namespace tprt

#endif
