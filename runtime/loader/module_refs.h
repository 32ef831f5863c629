// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the modules loaded that an attach is about to use. This takes three
// steps, because the loader's lock comes before the runtime's:
// 1. Under the lock: want() each module that has chosen sites.
// 2. Without the lock: take() pins the modules, and then the list of modules is
//    brought up to date. A module that went in between is closed by that. A
//    module that is still in the list is the one that was pinned.
// 3. Under the lock: if the epoch has changed, the sites are chosen again, and
//    holds() is asked about their modules again.
//
// A Pins is destroyed without the lock, because destructors of modules may run.
//
// The loader notes a reference to a library by dlopen, which runs the library's
// initialisers if they have not run. That is harmless, except in _init of
// another library that is being loaded (os/linux/dlopen_hook.cpp): initialisers
// of libraries that need that one would run before its own. So pins are taken
// there only of modules that are ready. The others have their turn in their own
// _init, or in the next call of the API.
#ifndef TPRT_LOADER_MODULE_REFS_H
#define TPRT_LOADER_MODULE_REFS_H

#include "sites/site.h"

namespace tprt {

// A reference that keeps a module loaded.
struct Pin {
  uint64_t base;
  void *handle; // nullptr: the module could not be pinned
};

// Whether this module can be unloaded. The program itself cannot; no module can
// if canUnload() (os_loader.h) is false.
bool mayGo(const Module *module);

// Whether the calling thread runs _init of a module. Two threads may do so at
// once: the loader takes no lock for what the program was linked with.
extern constinit thread_local bool inInit;

// Whether the calling thread may pin the module now. Under the lock.
bool mayPin(const Module *module);

// Keeps a module loaded. The module may have gone before, so the caller
// afterwards brings the list of modules up to date by walkModules() and looks
// the module up. Without the lock; see pinLoaded().
Pin pinModule(const Module *module);

// Gives pins back. Modules' destructors may run. Without the lock.
void unpin(const Pin &pin);
void unpin(Array<Pin> &pins);

class Pins {
public:
  // How often an attach chooses again because other threads load or unload
  // modules. After that, modules that could not be pinned are left out.
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

  // Whether the module stays loaded for now: because it is pinned, or because
  // it cannot be unloaded. That a probe has sites in it proves nothing: an
  // attach in the module's own destructor pins it, but the loader unloads it
  // all the same. Under the lock.
  bool holds(const Module *module);
  // Whether the module could not be pinned, because it is being unloaded.
  bool failed(const Module *module);
  // Makes the pin, if there is one, the probe's reference.
  void handOver(Module *module);

private:
  // A loaded file may be several modules, and each has its own pin: one module
  // for its table, one for its code, and some for its instructions.
  struct Entry {
    Pin pin;
    uint64_t adopted; // the epoch in which the module came
    uint16_t number;  // ModuleState::number
  };
  Entry *find(const Module *module);

  Array<Entry> entries;
  Array<Module *> wanted;
  size_t hint = 0; // Modules are asked for in the order of the pins.
};

} // namespace tprt

#endif
