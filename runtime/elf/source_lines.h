// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions of a module come from which source file. Each query reads the
// line table of the module's file. No result is kept. Called under the lock.
#ifndef TPRT_ELF_SOURCE_LINES_H
#define TPRT_ELF_SOURCE_LINES_H

#include "sites/site.h"

namespace tprt {

constexpr uint8_t kInSource = 2; // a bit of an item of `marks`

// Sets kInSource in marks[i] if the function of site firstSite + i begins in a
// source file whose path, or the last parts of it, match the pattern. Returns
// nullptr, or the reason why the line table cannot be read. readSymbols() must
// be called first.
const char *markSource(Module *module, const char *pattern,
                       Array<uint8_t> &marks);

// Adds the addresses at which code of this line begins in a code module, one
// for each function. If no code belongs to the line, *nearest is the nearest
// line that has code, or 0. Called under the lock. readSymbols() must be called
// first. Returns nullptr, or the reason why the line table cannot be read.
const char *findLine(Module *outer, const char *source, uint32_t line,
                     Array<uint64_t> &out, uint32_t *nearest);

// Whether the whole path matches the pattern, or the text after one of the
// path's slashes.
bool sourceMatches(const char *pattern, const char *path);

} // namespace tprt

#endif
