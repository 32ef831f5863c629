/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of functions as people write them. Neither call takes a lock of
 * libtprt's.
 */
#ifndef TPRT_NAMES_H
#define TPRT_NAMES_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name that `linked`, a symbol's name such as tprt_site_info.name, has in
 * the source, with its parameters, as a string of at most `size` bytes with its
 * terminating zero. What is no C++ name, and every name in a program without a
 * C++ runtime, is copied as it is. Thread-safe. Not async-signal-safe, as the
 * C++ runtime allocates memory for it. Allowed inside a handler that runs where
 * malloc() is. Returns `out`. */
TPRT_API char *tprt_name_demangle(const char *linked, char *out, size_t size);

/* Shortens such a name in place: std::string for its type's whole name, no
 * allocators, no inline namespaces of the C++ library's. Where it is then still
 * longer than `width` columns (0: no limit), template arguments become <…>, the
 * innermost first, then the parameters (…), and at last its end …. (In UTF-8.)
 * Thread-safe and async-signal-safe. Returns `name`. */
TPRT_API char *tprt_name_shorten(char *name, size_t width);

#ifdef __cplusplus
}
#endif

#endif
