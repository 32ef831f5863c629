// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps modules loaded for an attach. This needs three steps, because the
// loader's lock comes before the runtime's:
// 1. Under the lock: want() each module that has chosen sites.
// 2. Without the lock: take() pins the modules, and then the list of modules is
//    brought up to date. A module that went in between is closed by that. A
//    module that is still in the list is the one that was pinned.
// 3. Under the lock: if the epoch has changed, the sites are chosen again, and
//    holds() is asked about their modules again.
//
// A Pins is destroyed without the lock, because destructors of modules may run.
//
// A module is pinned by dlopen, which runs the module's initialisers if they
// have not run. That is harmless, except in _init of another library that is
// being loaded (os/linux/dlopen_hook.cpp): initialisers of libraries that need
// that one would run before its own. So in _init, only ready modules are
// pinned. The others are pinned in their own _init, or in the next call of the
// API.
#ifndef TPRT_LOADER_MODULE_REFS_H
#define TPRT_LOADER_MODULE_REFS_H

#include "sites/site.h"

namespace tprt {

// A reference that keeps a module loaded.
struct Pin {
  uint64_t base;
  void *handle; // nullptr: the module could not be pinned
};

// Whether this module can be unloaded. The program itself cannot. If
// canUnload() (os_loader.h) is false, no module can.
bool mayGo(const Module *module);

// Whether the calling thread runs _init of a module. Two threads may do so at
// once: for modules that were linked with the program, the loader takes no
// lock.
extern constinit thread_local bool inInit;

// Whether the calling thread may pin the module now. Under the lock.
bool mayPin(const Module *module);

// Keeps a module loaded. The module may already have been unloaded, so the
// caller then updates the list of modules by walkModules() and looks the module
// up again. Without the lock; see pinLoaded().
Pin pinModule(const Module *module);

// Releases a pin. The module's destructors may run. Without the lock.
void unpin(const Pin &pin);
void unpin(Array<Pin> &pins);

class Pins {
public:
  // How often an attach chooses sites again because other threads load or
  // unload modules. After that, modules that could not be pinned are left out.
  static constexpr unsigned kMostRounds = 16;

  Pins() = default;
  Pins(const Pins &) = delete;
  Pins &operator=(const Pins &) = delete;
  ~Pins();

  // Under the lock. False: no memory.
  bool want(Module *module);
  bool wantsAny() const { return !wanted.empty(); }
  // Without the lock.
  void take();

  // Whether the module stays loaded for now, because it is pinned or because it
  // cannot be unloaded. If a probe has sites in the module, that is no proof:
  // an attach in the module's own destructor pins the module, but the loader
  // unloads it all the same. Under the lock.
  bool holds(const Module *module);
  // Whether the module could not be pinned, because it is being unloaded.
  bool failed(const Module *module);
  // Turns the pin, if there is one, into the probe's reference.
  void handOver(Module *module);

private:
  // A loaded file may have several modules: one for its table, one for its
  // code, and some for its instructions. Each of these has a separate pin.
  struct Entry {
    Pin pin;
    uint64_t adopted; // the epoch in which the module was loaded
    uint16_t number;  // ModuleState::number
  };
  Entry *find(const Module *module);

  Array<Entry> entries;
  Array<Module *> wanted;
  size_t hint = 0; // Modules are asked for in the order of the pins.
};

} // namespace tprt

#endif
