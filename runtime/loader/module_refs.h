// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps modules loaded for a call that uses their sites or their code.
// choose_and_pin.h has the order of the steps: want() under the lock, take()
// without it, and holds() under the lock again.
//
// A Pins object is destroyed without the lock, because destructors of modules
// may run.
//
// A module is pinned by dlopen, which runs the module's initializers if they
// have not run yet. This is harmless, except in _init of another library that
// is being loaded (os/linux/dlopen_hook.cpp): initializers of libraries that
// depend on that library would run before its own initializers. So in _init,
// only ready modules are pinned. The others are pinned in their own _init, or
// in the next call of the API.
#ifndef TPRT_LOADER_MODULE_REFS_H
#define TPRT_LOADER_MODULE_REFS_H

#include "sites/site.h"

namespace tprt {

// A reference that keeps a module loaded.
struct Pin {
  uint64_t base;
  void *handle; // nullptr if the module could not be pinned
};

// Whether this module can be unloaded. The program itself cannot. If
// canUnload() (os_loader.h) is false, no module can.
bool mayGo(const Module *module);

// Whether the calling thread runs _init of a module. Two threads may run _init
// at once: for modules that were linked with the program, the loader uses no
// lock.
extern constinit thread_local bool inInit;

// Whether the calling thread may pin the module now. Called under the lock.
bool mayPin(const Module *module);

// Keeps a module loaded. The module may already have been unloaded. So the
// caller then updates the list of modules by walkModules() and searches for the
// module again. Called without the lock; see pinLoaded().
Pin pinModule(const Module *module);

// Releases a pin. The module's destructors may run. Called without the lock.
void unpin(const Pin &pin);
void unpin(Array<Pin> &pins);

class Pins {
public:
  // How often a call chooses again because other threads load or unload
  // modules. After that, modules that could not be pinned are ignored.
  static constexpr unsigned kMostRounds = 16;

  Pins() = default;
  Pins(const Pins &) = delete;
  Pins &operator=(const Pins &) = delete;
  ~Pins();

  // Called under the lock. Returns false if there is no memory.
  bool want(Module *module);
  bool wantsAny() const { return !wanted.empty(); }
  // Without the lock.
  void take();

  // Whether the module stays loaded for now, because it is pinned or because it
  // cannot be unloaded. A probe with sites in the module does not guarantee
  // this: an attach in the module's own destructor pins the module, but the
  // loader still unloads the module. Called under the lock.
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
  size_t hint = 0; // Modules are usually looked up in the order of the pins.
};

} // namespace tprt

#endif
