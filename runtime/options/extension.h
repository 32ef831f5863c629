// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between libtprt and libtprt-options.so. The second library does
// what TPRT_OPTIONS needs in addition: it reads the options, sums up, and
// prints tables. It is a library of its own, as most programs run without
// TPRT_OPTIONS. libtprt.so opens it when it is loaded, if the variable is set;
// libtprt.a contains both.
//
// libtprt hands over a Runtime and gets Hooks back. Each side first compares
// the other side's size and version with its own, as the two files may come
// from different builds. libtprt-options.so links to no symbol of libtprt's, so
// it works with exactly the copy of libtprt that opened it.
#ifndef TPRT_OPTIONS_EXTENSION_H
#define TPRT_OPTIONS_EXTENSION_H

#include "base/os_file.h"
#include "base/os_signal.h"
#include "code/code_modules.h"
#include "control/control_state.h"
#include "modules/module.h"
#include "names/short_names.h"
#include "record/recording.h"
#include "select/select.h"
#include "text/pc_map.h"
#include "text/pun_islands.h"
#include "threads/lock.h"
#include "timing/call_timer.h"
#include "timing/missing_exits.h"
#include "tprt/point.h"
#include "tprt/record.h"

namespace tprt {

// One higher whenever Runtime, Hooks, or a type that they name changes.
constexpr uint32_t kExtensionVersion = 12;

// The beginning of both structures.
struct ExtensionHead {
  uint32_t bytes, version;
};

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

// The functions that libtprt hands over. "Under the lock" means between
// takeLock() and giveLock().
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
  decltype(&tprt_point_print) printHit;
  decltype(&tprt_usdt_watch) watchUsdt;
  decltype(&tprt_signal_translate) translateSignals;
  decltype(&tprt_recording_start) startRecording;
  // record/recording.h.
  decltype(&tprt::awaitRecording) awaitRecording;
  decltype(&tprt::addToRecording) addToRecording;
  // control/control_state.h.
  decltype(&tprt::startControl) startControl;
  // names/short_names.h, timing/call_timer.h, timing/missing_exits.h,
  // base/os_file.h.
  decltype(&tprt::cutName) cutName;
  decltype(&tprt::makeTimed) makeTimed;
  decltype(&tprt::attachTimed) attachTimed;
  decltype(&tprt::sumTimed) sumTimed;
  decltype(&tprt::lostTimed) lostTimed;
  decltype(&tprt::findWithoutExits) findWithoutExits;
  decltype(&tprt::standardError) standardError;
  decltype(&tprt::keepStandardError) keepStandardError;
  decltype(&tprt::writeAll) writeAll;
  // errno in the code of libtprt. Async-signal-safe.
  int *(*ownErrno)();
  int *verbosity;
  OneByte *oneByte;  // text/pun_islands.h
  bool *startsWatch; // patch/uprobe_thread.h
  // The lock, as threads/lock.h has it.
  void (*takeLock)();
  decltype(&tprt::tryLock) tryLock;
  decltype(&tprt::giveLock) giveLock;
  // From now on selectors with kSelectWithoutExcluded leave out the functions
  // that match `globs`. The list has to stay valid.
  void (*exclude)(const char *const *globs, size_t count);
  // select/select.h.
  decltype(&tprt::asksForInstructions) asksForInstructions;
  // Fills in what is known of a site. Async-signal-safe.
  void (*look)(const tprt_site *site, SiteFacts &facts);
  // Calls `tell` for each site of a probe with its hits since the attach. Under
  // the lock. Async-signal-safe.
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
  // text/pc_map.h. From now on `changed` is called; visitPcMap() is for it.
  decltype(&tprt::visitPcMap) visitPcMap;
  void (*watchPcMap)(void (*changed)());
  // Whether the program's calls of _exit and exec reach the hooks below.
  // nullptr: this libtprt has no functions of these names.
  bool (*interposes)();
};

// The functions of libtprt-options.so that libtprt calls. They may be called on
// any thread and are async-signal-safe. Each may be nullptr.
struct Hooks {
  ExtensionHead head;
  // The program is about to end by _exit().
  void (*beforeLeave)();
  // The program is about to run the file `path` in this process, as seen from
  // the folder `directory` (a descriptor, or AT_FDCWD).
  void (*beforeExec)(int directory, const char *path);
  // The program is about to run the first file of that name in PATH.
  void (*beforeSearch)(const char *name);
};

// The hooks, in libtprt. nullptr where there are none, as without TPRT_OPTIONS.
// Written once, when the library is loaded.
extern const Hooks *hooks TPRT_HIDDEN;

// See Runtime::interposes. Defined in exit_exec.cpp, in libtprt.so alone.
bool interposes() __attribute__((weak));

// In libtprt.so: opens libtprt-options.so and starts it. If that fails, the
// reason is printed on standard error. In libtprt.a: starts the code that is
// linked with it. Returns nullptr if there are no hooks.
const Hooks *openExtension(const Runtime &runtime, const char *text);

// In libtprt-options.so: the Runtime that it was handed.
extern const Runtime *runtime TPRT_HIDDEN;

// Holds the lock as long as an object of this type lives.
struct Locked {
  Locked() { runtime->takeLock(); }
  ~Locked() { runtime->giveLock(); }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  CancelDisabled uncancelled; // begins before the lock is taken
};

} // namespace tprt

// The only function that libtprt-options.so exports. If the size and version of
// `runtime` are those that it knows, it follows the options in `text`;
// otherwise it does nothing. Returns its hooks, which are all nullptr if it
// does not want to be called.
extern "C" const tprt::Hooks *tprt_options_start(const tprt::Runtime *runtime,
                                                 const char *text)
    __attribute__((visibility("default")));

#endif
