// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Demangles linked names of C++ (Itanium C++ ABI) and of Rust, in both of its
// manglings. This is the only demangler. So a tool prints the same names that
// the process compares with a pattern, no matter which C++ library the program
// uses. The forms are those of LLVM's demangler. A test compares the two. The
// functions have no state, acquire no lock and allocate nothing:
// async-signal-safe.
#ifndef TPRT_DEMANGLE_DEMANGLE_H
#define TPRT_DEMANGLE_DEMANGLE_H

#include "demangle/node.h"

namespace tprt::names {

// The longest readable name, with its NUL. A name that would be longer, or is
// nested too deeply, has no readable form: its linked form is shown.
constexpr size_t kMostBytes = 32768;

// Whether the beginning of a name is that of a mangled name. Blocks in C++
// functions have more than two '_'.
inline bool mayBeMangled(const char *linked) {
  if (linked[0] == '_' && linked[1] == 'R')
    return true;
  size_t bars = 0;
  while (bars < 4 && linked[bars] == '_')
    ++bars;
  return bars && linked[bars] == 'Z';
}

// Writes the readable form of a linked name. Returns false if there is no
// readable form. If `withHash` is set, the readable form of a Rust name
// contains its hash.
bool demangle(const char *linked, Memory &memory, char *out, size_t size,
              Parts &parts, bool withHash = false);

} // namespace tprt::names

#endif
