// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pins; see module_refs.h.
#include "loader/module_refs.h"
#include "base/os_loader.h"
#include "modules/module.h"
#include "threads/lock.h"

namespace tprt {

bool mayGo(const Module *module) { return canUnload() && !module->executable; }

constinit thread_local bool inInit = false;

bool mayPin(const Module *module) {
  return !inInit || module->ready || !mayGo(module);
}

Pin pinModule(const Module *module) {
  return {module->base, pinLoaded(module->path, module->base)};
}

void unpin(const Pin &pin) {
  if (pin.handle)
    unpinLoaded(pin.handle);
}

void unpin(Array<Pin> &pins) {
  for (const Pin &pin : pins)
    unpin(pin);
  pins.clear();
}

Pins::~Pins() {
  if (!wanted.empty()) { // the caller that wanted them gives up
    Lock lock;
    for (Module *module : wanted)
      --module->readers;
  }
  for (const Entry &entry : entries)
    unpin(entry.pin);
}

bool Pins::want(Module *module) {
  if (!wanted.push(module))
    return false;
  ++module->readers; // the path is read without the lock
  return true;
}

void Pins::take() {
  if (wanted.empty())
    return;
  for (const Module *module : wanted) {
    Pin pin = pinModule(module);
    // An old entry: the module could not be pinned, or another module was
    // there.
    Entry *old = find(module);
    if (old)
      *old = {pin, module->adopted, module->number};
    else if (!entries.push({pin, module->adopted, module->number}))
      unpin(pin);
  }
  Lock lock;
  for (Module *module : wanted) {
    --module->readers;
    // dlopen has waited for the dlopen calls of other threads, and for their
    // initializers.
    const Entry *entry = find(module);
    module->ready |= module->loaded && entry && entry->pin.handle;
  }
  wanted.clear();
}

// There cannot be a pin of another module at the same place, because the pinned
// module would still lie there.
Pins::Entry *Pins::find(const Module *module) {
  for (size_t i = 0; i < entries.size(); ++i) {
    size_t at = (hint + i) % entries.size();
    if (entries[at].pin.base != module->base ||
        entries[at].number != module->number)
      continue;
    hint = at + 1;
    return &entries[at];
  }
  return nullptr;
}

bool Pins::holds(const Module *module) {
  if (!mayGo(module))
    return true;
  const Entry *entry = find(module);
  return entry && entry->pin.handle;
}

bool Pins::failed(const Module *module) {
  const Entry *entry = find(module);
  return entry && !entry->pin.handle && entry->adopted == module->adopted;
}

void Pins::handOver(Module *module) {
  if (module->holders++)
    return;
  Entry *entry = find(module);
  module->handle = entry ? entry->pin.handle : nullptr;
  if (entry)
    entry->pin.handle = nullptr;
}

} // namespace tprt
