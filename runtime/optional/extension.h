// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between libtprt and what TPRT_OPTIONS needs beyond it: reading
// the options, summing up, printing tables. That is a library of its own,
// libtprt-options.so, as most programs run without. libtprt.so opens it when it
// is loaded, if the variable is set; in libtprt.a both are one.
//
// libtprt hands over a Runtime and gets Hooks back. Each side looks at the
// other's size and version first: the two files may come from different builds.
// libtprt-options.so links nothing of libtprt's by name, so it works for the
// very copy of libtprt that opened it.
#ifndef TPRT_OPTIONAL_EXTENSION_H
#define TPRT_OPTIONAL_EXTENSION_H

#include "core/lock.h"
#include "core/module.h"
#include "core/os.h"
#include "optional/follow.h"
#include "optional/names.h"

namespace tprt {

// One higher whenever Runtime, Hooks, or a type that they name changes.
constexpr uint32_t kExtensionVersion = 1;

// What the two structures begin with.
struct ExtensionHead {
  uint32_t bytes, version;
};

// What is known of a site without the lock.
struct SiteFacts {
  const char *name; // as linked; nullptr: none, or its module's were not read
  const Module *module;
  const char *path; // the module's
  const void *function;
  uint32_t index;
  bool isEntry;
  bool hasSymbols; // its module's file has a symbol table, which was read
};

// What libtprt hands over. "Under the lock": between takeLock() and giveLock().
struct Runtime {
  ExtensionHead head;
  // From the public headers.
  decltype(&tprt_version_string) versionString;
  decltype(&tprt_probe_attach) attach;
  decltype(&tprt_site_visit) visitSites;
  decltype(&tprt_site_describe) describe;
  decltype(&tprt_stats_read) readStats;
  decltype(&tprt_module_refresh) refreshModules;
  decltype(&tprt_error_string) lastError;
  decltype(&tprt_ticks_to_ns) ticksToNs;
  decltype(&tprt_name_demangle) demangle;
  decltype(&tprt_name_shorten) shortenName;
  // optional/names.h, optional/follow.h, core/os.h.
  decltype(&tprt::cutName) cutName;
  decltype(&tprt::follow) follow;
  decltype(&tprt::findWithoutExits) findWithoutExits;
  decltype(&tprt::hasExit) hasExit;
  decltype(&tprt::standardError) standardError;
  decltype(&tprt::keepStandardError) keepStandardError;
  decltype(&tprt::writeAll) writeAll;
  int *verbosity;
  // The lock, as core/lock.h has it.
  void (*takeLock)();
  decltype(&tprt::tryLock) tryLock;
  decltype(&tprt::giveLock) giveLock;
  // Selectors with kSelectWithoutExcluded leave these out from now on. The
  // list has to stay.
  void (*exclude)(const char *const *globs, size_t count);
  // Async-signal-safe.
  void (*look)(const tprt_site *site, SiteFacts &facts);
  // Each site of a probe, with its hits since the attach. Under the lock.
  // Async-signal-safe.
  void (*visitCounts)(const tprt_probe *probe,
                      void (*tell)(const tprt_site *, uint64_t, void *),
                      void *data);
  // Whether a loaded module has sites. Under the lock. Async-signal-safe.
  bool (*haveSites)();
  // Each run of stubs, with the path of its module. Under the lock.
  // Async-signal-safe.
  void (*visitStubs)(void (*tell)(uint64_t start, size_t bytes,
                                  const char *path, void *data),
                     void *data);
  // Whether the program's calls of _exit and exec come to the hooks below.
  // nullptr: libtprt has no functions of these names.
  bool (*interposes)();
};

// What libtprt-options.so wants to be called for. Async-signal-safe, in any
// thread. nullptr is allowed.
struct Hooks {
  ExtensionHead head;
  // The program is about to end by _exit().
  void (*beforeLeave)();
  // It is about to run the file `path`, as seen from the folder `directory` (a
  // descriptor, or AT_FDCWD).
  void (*beforeExec)(int directory, const char *path);
  // It is about to run the first file of that name in PATH.
  void (*beforeSearch)(const char *name);
};

// In libtprt. Null where nobody wants to be called, as without TPRT_OPTIONS.
// Written once, when the library is loaded.
extern const Hooks *hooks TPRT_HIDDEN;

// In libtprt.so, in interpose.cpp.
bool interposes() __attribute__((weak));

// In libtprt.so: opens libtprt-options.so and starts it; what keeps it from
// that is said on standard error. In libtprt.a: starts what is linked with it.
// nullptr: there are no hooks.
const Hooks *openExtension(const Runtime &runtime, const char *text);

// In libtprt-options: what it was handed.
extern const Runtime *runtime TPRT_HIDDEN;

// The same for the time that a structure of this type lives.
struct Locked {
  Locked() { runtime->takeLock(); }
  ~Locked() { runtime->giveLock(); }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  CancelDisabled uncancelled; // begins before the lock is taken
};

} // namespace tprt

// The one function that libtprt-options.so exports. Where size or version of
// `runtime` are not those that it knows, it does nothing; else it follows the
// options in `text`. Returns its hooks, which are all nullptr where there is
// nothing to be called for.
extern "C" const tprt::Hooks *tprt_options_start(const tprt::Runtime *runtime,
                                                 const char *text)
    __attribute__((visibility("default")));

#endif
