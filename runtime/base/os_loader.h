// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: loaded modules. os_memory.h says what the
// port is.
#ifndef TPRT_BASE_OS_LOADER_H
#define TPRT_BASE_OS_LOADER_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

namespace tprt {

// --- the loader: os/linux/walk.cpp, loader.cpp, duplicate_runtimes.cpp,
// own_folder.cpp --------------------------------------------------------------
// Except for programPath(), isSystemsOwn() and canUnload(), these functions
// take the loader's locks. So they may not be called with the runtime's lock
// held: a constructor run by dlopen has the loader's lock and may wait for the
// runtime's. Any thread. Callers: loader_walk.cpp, module_refs.cpp,
// open_decoder.cpp, and refresh.cpp for takeCharge().

// A module in the loader's list, valid while the visit to it lasts.
struct LoadedModule {
  uint64_t base;
  const Elf64_Phdr *headers;
  uint32_t headerCount;
  // The loader's name for the module; empty or nullptr for the program.
  const char *name;
  // If `counts` is true, the loader counts the modules that it has ever loaded
  // and unloaded, and `loads` and `unloads` are these numbers.
  bool counts;
  uint64_t loads, unloads;
};
using LoaderVisit = int (*)(const LoadedModule &module, void *data);
// Visits all modules in the order in which they were loaded, until a visit
// returns a value other than 0. No fork is in progress when the first visit
// begins. A visit may acquire the runtime's lock. Modules in other namespaces
// (dlmopen) are not visited, because dl_iterate_phdr(3) reports the caller's
// namespace only.
void walkLoader(LoaderVisit visit, void *data);
// Walks the loader's list like walkLoader(), but is called from inside a visit:
// the caller already has the loader's lock.
void walkLoaderWithin(LoaderVisit visit, void *data);
// Stores the path of the program's own file, if it is known. Acquires no lock.
void programPath(char *path, size_t bytes);

// Whether the module at `base` is the loader or the vdso, which the kernel maps
// into each process. Acquires no lock.
bool isSystemsOwn(uint64_t base);

// Whether modules can be unloaded at all. If not, modules need not be pinned.
// Acquires no lock.
bool canUnload();
// Keeps the module at `base` loaded. `name` is the loader's own name for the
// module. Returns nullptr if the module is no longer loaded. May wait for a
// dlopen or dlclose of another thread, including the constructors and
// destructors that it runs.
void *pinLoaded(const char *name, uint64_t base);
// Releases the handle that pinLoaded() returned. May run the module's
// destructors.
void unpinLoaded(void *handle);
// Opens the library `file` in the folder of libtprt.so, and returns the address
// of `symbol` in the library. The library stays loaded. If the library or the
// symbol is missing, sets *fault to the reason and returns nullptr. Not part of
// libtprt.a.
void *symbolInOwnFolder(const char *file, const char *symbol,
                        const char **fault);

// A process may contain several copies of this library: a shared one, and
// static ones in the program or in shared libraries. Only one copy may be in
// charge, because two copies that flip the same sleds would mistake each
// other's jumps for damage. If no copy is in charge, this function puts the
// calling copy in charge and keeps it loaded. If another copy is in charge, the
// function stores the path of that copy's module and returns false.
bool takeCharge(char *other, size_t bytes);

// --- what the system calls: probes/pending_probes.cpp has it -----------------

// Notifies the runtime that this thread is loading a module.
// os/linux/dlopen_hook.cpp calls it with the loader's lock held, before the
// module's constructors run. `caller` lies in the module.
void noteLoading(const void *caller);

} // namespace tprt

#endif
