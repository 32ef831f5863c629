/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes names of functions readable: demangles and shortens them. Any thread
 * may call these functions. They do not acquire any lock of libtprt.
 */
#ifndef TPRT_NAMES_H
#define TPRT_NAMES_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes to `out` the name that a function has in the source, with its
 * parameters. `linked` is the symbol's name, such as tprt_site_info.name. At
 * most `size` bytes are written, including the terminating zero. Names of C++
 * and of Rust are demangled. Any other name is copied unchanged. So is a name
 * that is nested too deeply or whose result would have more than 32,767 bytes.
 * Thread-safe. Not async-signal-safe, because it maps memory. A handler may
 * call this function wherever it may call malloc(). Returns `out`. */
TPRT_API char *tprt_name_demangle(const char *linked, char *out, size_t size);

/* Shortens a demangled name in place. std::string replaces the full name of its
 * type. Allocators and the inline namespaces of the C++ library are omitted. If
 * the name is then longer than `width` columns (0 means no limit; 1 and 2 are
 * treated as 3), these steps follow until it fits:
 *  1. template arguments become <…>, the innermost first;
 *  2. the parameters become (…);
 *  3. the end of the name becomes ….
 * The name is in UTF-8. Thread-safe and async-signal-safe. Returns `name`. */
TPRT_API char *tprt_name_shorten(char *name, size_t width);

#ifdef __cplusplus
}
#endif

#endif
