/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A library that calls libtprt. */
#include <tprt/tprt.h>

const char *version_of_the_runtime(void);
const char *version_of_the_runtime(void) { return tprt_version_string(); }
