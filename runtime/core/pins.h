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

#include "core/sites.h"
#include "os/linux/loader.h"

namespace tprt {

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
