// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short names of the C++ library.
#ifndef TPRT_NAMES_SHORTEN_H
#define TPRT_NAMES_SHORTEN_H

namespace tprt {

// Shortens names of the C++ library: std::string for the whole name of its
// type, and no std::allocator<...> as the last argument of a template.
void shortenLibraryNames(char *name);

} // namespace tprt

#endif
