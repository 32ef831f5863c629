// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader of .debug_line. It wants one thing of it, the file and line of a
// function's first row, and skips the units that name no file of interest.
// Nothing read is trusted: a cursor that runs out yields zeros, and the unit
// ends there. Not async-signal-safe: a module's file is opened and read.
#ifndef TPRT_CORE_LINETABLE_H
#define TPRT_CORE_LINETABLE_H

#include "core/module.h"

namespace tprt {

struct LineReader;

// What is done with what is read.
struct LineVisitor {
  // Whether code that begins in the file with this path is of interest.
  // nullptr: it is, whatever the file.
  bool (*wants)(LineVisitor &visitor, const char *path);
  // The code between these addresses, as they are in the module's file, begins
  // at that line of the reader's current file.
  void (*found)(LineVisitor &visitor, const LineReader &reader, uint64_t from,
                uint64_t to, uint32_t line);
};

// nullptr, or why the module's file can't tell.
const char *readLineTable(const Module *module, LineVisitor &visitor);

constexpr size_t kMostPath = 4096;
// The reader's current file.
void writePath(const LineReader &reader, char (&path)[kMostPath]);

} // namespace tprt

#endif
