// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which a program ends, and the functions that print its tables for
// them. at_end.cpp says on which threads they are called.
#ifndef TPRT_OPTIONS_AT_END_H
#define TPRT_OPTIONS_AT_END_H

#include <stdint.h>

namespace tprt {

enum class End : uint8_t {
  Exit,      // exit(), or main's return
  QuickExit, // quick_exit()
  Leave,     // _exit()
  Exec,      // another program is about to run in this process
  Signal,    // a signal that kills the process
  Asked,     // the signal of TPRT_OPTIONS=signal=NAME; the program continues
};

// What the tables are printed for.
struct Occasion {
  End end;
  int signal;          // for Signal and Asked
  const char *program; // for Exec
  // Whether malloc and the C++ demangler may be called. Only at Exit, as the
  // other ends may come inside a signal handler.
  bool ordinary() const { return end == End::Exit; }
};

// From now on the tables are printed when the process ends. Called once.
// `hasSleds`: a module with sleds is loaded. Where none is, signals that kill
// are left as they are.
void watchEndings(bool hasSleds);

// Prints the tables. Does nothing in a process that the tables are not about (a
// child of vfork), or if they have been printed for the end of the process.
// Async-signal-safe unless the occasion is ordinary().
void printFor(const Occasion &occasion);

// The functions below are for exit_exec.cpp. They do nothing if no table is
// wanted, and are async-signal-safe.
// The program is about to end by _exit().
void beforeLeave();
// The program is about to run the file `path` in this process, as seen from the
// folder `directory` (a descriptor, or AT_FDCWD).
void beforeExec(int directory, const char *path);
// The program is about to run the first file of that name in PATH.
void beforeSearch(const char *name);

// Whether the program's calls of _exit and exec reach these. Defined in
// exit_exec.cpp, which is not part of libtprt.a.
bool interposes() __attribute__((weak));

} // namespace tprt

#endif
