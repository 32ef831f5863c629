// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites in code without sleds, for selectors with TPRT_SELECT_CODE.
//
// The problem: such sites are in no table. To find them, the code has to be
// decoded, and a decoder of x86-64 is larger than libtprt.
//
// The solution: libtprt-code.so has the decoder (runtime/decode/). It is opened
// when the first selector with TPRT_SELECT_CODE comes. A module with such sites
// has a second entry in the list of modules, its *code module*, whose sites are
// those that libtprt-code.so finds. So all that is done with sites is done with
// these as with others: selectors, names, batches, stubs, detach. Only the
// plan of a store differs (arch/<name>/code_patch.cpp), and a stub goes on at a copy
// of the instruction that the jump displaced.
#ifndef TPRT_CODE_CODE_MODULES_H
#define TPRT_CODE_CODE_MODULES_H

#include "modules/module.h"
#include "sites/code_site.h"
#include "base/visibility.h"
#include "select/select.h"

namespace tprt {

// One higher whenever CodeReader or a type that it names changes.
constexpr uint32_t kCodeReaderVersion = 11;

// What libtprt-code.so hands over.
struct CodeReader {
  uint32_t bytes, version;
  // What the functions return if there was no memory. Compared by its address.
  const char *noMemory;
  // Adds the sites of a module to `out`, in order of address. nullptr, or why
  // there are none. Takes no lock and allocates by the system's pages alone.
  const char *(*read)(const CodeView &view, Array<CodeSite> &out);
  // The same of the instructions of the functions that contain these offsets.
  const char *(*readInside)(const CodeView &view, const uint32_t *offsets,
                            size_t count, InnerCode &out);
};

// Opens libtprt-code.so. nullptr, after `*fault` was set to a sentence: it
// cannot be had. Called without the lock. Defined in options/decoder_outside.cpp, and
// in options/decoder_absent.cpp as nullptr: libtprt.a has no such library.
using OpenCodeReader = const CodeReader *(const char **fault);
extern OpenCodeReader *const openCodeReader TPRT_HIDDEN;

// Before the first attach that may set traps in code: keeps SIGTRAP for them.
// Called without the lock. Defined in interpose/sigtrap_guard.cpp.
void guardTraps();

// Opens the reader before the first walk for code. False: a status and its text
// were set.
bool prepareCode();
// Whether prepareCode() has been successful.
bool readsCode();

// Which sites have a jump that does not need its first byte (needsFirstByte()
// in sites/code_site.h), so that a uprobe that goes leaves the whole instruction, or
// the jump. Most of them change the first byte alone. There are fewer jumps of
// this kind, and each takes one or more pages of its own.
enum class OneByte : uint8_t {
  Never,
  Always,   // Set before the first code is read. Other sites have no jump.
  Preferred // Sites that have room for it when they are first on (one_byte.cpp).
};
extern OneByte oneByte TPRT_HIDDEN;

enum class CodeRead : uint8_t {
  All,
  NotAwaited, // There was no memory for what only standing probes ask for.
  NotWanted   // The same of what the selector asks for.
};

// Finds the sites of those code modules that the pattern, or a standing probe
// of this kind, asks for and that were not read yet. Unless it returns All, it
// has set the text of a failure, and the next call tries again. Called without
// the lock, after walkModules().
CodeRead readCode(const tprt_selector *selector);

// Whether the instructions that were read of a code module, and of its inner
// modules, are those in memory. Under the lock.
bool hasSameCode(const Module *module);

// Fills in the sites of a code module. Under the lock.
void fillCode(Module *module, tprt_site *out);

} // namespace tprt

#endif
