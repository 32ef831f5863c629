// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of C++ functions as the source has them. No state, no lock.
#ifndef TPRT_CORE_CPPNAME_H
#define TPRT_CORE_CPPNAME_H

namespace tprt {

// Whether the program has a C++ runtime, which demangles names.
bool canDemangle();
// Matches a linked name's demangled form with a glob, with and without its
// parameters, and with and without the type of the result, which stands in
// front of names of templates' instances. Called without the lock, because the
// C++ library's demangler allocates from the program's allocator.
bool demangledMatches(const char *glob, const char *linked);

// Where a demangled function's parameters begin; nullptr if it has none.
const char *parametersOf(const char *plain);
// Where a demangled name begins behind the type of its result. `end` is where
// its parameters begin, or its end.
const char *behindResult(const char *plain, const char *end);

} // namespace tprt

#endif
