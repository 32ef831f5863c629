// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites in code without sleds, for selectors with TPRT_SELECT_CODE.
//
// The problem: such sites are in no table. To find them, the code must be
// decoded, and a decoder of x86-64 is larger than libtprt.
//
// The solution: libtprt-code.so contains the decoder (runtime/decode/). It is
// opened for the first selector with TPRT_SELECT_CODE. A module with such sites
// has a second entry in the list of modules, its *code module*, with the sites
// that libtprt-code.so finds. So selectors, names, batches, stubs and detach
// treat these sites like all others. Only the plan of a store differs
// (arch/<name>/code_patch.cpp), and a stub continues at a copy of the
// instruction that the jump displaced.
#ifndef TPRT_CODE_CODE_MODULES_H
#define TPRT_CODE_CODE_MODULES_H

#include "decode/decoder.h"
#include "modules/module.h"
#include "select/select.h"
#include "sites/code_site.h"

namespace tprt {

// Called before the first attach that may set traps in code: reserves SIGTRAP
// for these traps. Called without the lock. Defined in
// interpose/sigtrap_guard.cpp.
void guardTraps();

// Opens the decoder before the first walk for code. Returns false after it has
// set a status and its text.
bool prepareCode();
// Whether prepareCode() has been successful.
bool readsCode();
// The decoder that prepareCode() opened, or nullptr.
const CodeReader *codeReader();

enum class CodeRead : uint8_t {
  All,
  NotAwaited, // There was no memory for modules that only pending probes
              // request.
  NotWanted   // There was no memory for modules that the selector requests.
};

// Reads the unread code modules that the pattern, or a pending probe with
// TPRT_SELECT_CODE, requests, and makes their sites. If the result is not All,
// the error text is set, and the next call tries again. Called without the
// lock, after walkModules().
CodeRead readCode(const tprt_selector *selector);

} // namespace tprt

#endif
