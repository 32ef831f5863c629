// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program ends, and when its tables are printed for that.
#ifndef TPRT_OPTIONAL_ENDING_H
#define TPRT_OPTIONAL_ENDING_H

#include <stdint.h>

namespace tprt {

enum class End : uint8_t {
  Exit,      // exit(), or main's return
  QuickExit, // quick_exit()
  Leave,     // _exit()
  Exec,      // another program is about to run in this process
  Signal,    // one that kills
  Asked,     // by TPRT_OPTIONS=signal=NAME; the program goes on
};

// What the tables are printed for.
struct Occasion {
  End end;
  int signal;          // of Signal
  const char *program; // of Exec
  // malloc and the C++ demangler may be called: only Exit. The others may come
  // from a signal handler.
  bool ordinary() const { return end == End::Exit; }
};

// From now on the tables are printed when the process ends. Called once.
void watchEndings();

// Prints the tables, unless this is not the process they are of (a child of
// vfork), or they have been printed for its end. Async-signal-safe unless
// ordinary().
void printFor(const Occasion &occasion);

// The hooks of extension.h.
void beforeLeave();
void beforeExec(int directory, const char *path);
void beforeSearch(const char *name);

} // namespace tprt

#endif
