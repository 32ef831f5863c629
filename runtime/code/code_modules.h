// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites in code without sleds, for selectors with TPRT_SELECT_CODE.
//
// The problem: such sites are in no table. To find them, the code has to be
// decoded, and a decoder of x86-64 is larger than libtprt.
//
// The solution: libtprt-code.so has the decoder (runtime/decode/). It is opened
// for the first selector with TPRT_SELECT_CODE. A module with such sites has a
// second entry in the list of modules, its *code module*, with the sites that
// libtprt-code.so finds. So these sites are treated like all others by
// selectors, names, batches, stubs and detach. Only the plan of a store differs
// (arch/<name>/code_patch.cpp), and a stub continues at a copy of the
// instruction that the jump displaced.
#ifndef TPRT_CODE_CODE_MODULES_H
#define TPRT_CODE_CODE_MODULES_H

#include "decode/decoder.h"
#include "modules/module.h"
#include "select/select.h"
#include "sites/code_site.h"

namespace tprt {

// Before the first attach that may set traps in code: keeps SIGTRAP for them.
// Called without the lock. Defined in interpose/sigtrap_guard.cpp.
void guardTraps();

// Opens the reader before the first walk for code. False: a status and its text
// were set.
bool prepareCode();
// Whether prepareCode() has been successful.
bool readsCode();

enum class CodeRead : uint8_t {
  All,
  NotAwaited, // There was no memory for modules that only pending probes ask
              // for.
  NotWanted   // The same for modules that the selector asks for.
};

// Reads the unread code modules that the pattern, or a pending probe with
// TPRT_SELECT_CODE, asks for, and makes their sites. If the result is not All,
// the text of a failure is set, and the next call tries again. Called without
// the lock, after walkModules().
CodeRead readCode(const tprt_selector *selector);

} // namespace tprt

#endif
