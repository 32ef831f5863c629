// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the libraries that belong to libtprt.so and lie in its folder. Not part
// of libtprt.a. Without the lock.
#ifndef TPRT_OPTIONS_OPEN_LIBRARY_H
#define TPRT_OPTIONS_OPEN_LIBRARY_H

namespace tprt {

// Returns the address of the symbol in the library of that file name, which
// stays loaded. nullptr, after *fault was set to the reason: it is not there.
void *symbolBeside(const char *file, const char *symbol, const char **fault);

} // namespace tprt

#endif
