// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several copies of this library in one process: a shared one, and static ones
// in the program or in shared libraries. One is in charge; two that flip the
// same sleds would each take the other's jump for damage.
#ifndef TPRT_OS_COPIES_H
#define TPRT_OS_COPIES_H

#include <stddef.h>

namespace tprt {

// Puts this copy in charge if no other is, and keeps it loaded from then on.
// False: another is, whose module's path is stored. Takes the loader's lock;
// thread-safe.
bool takeCharge(char *other, size_t bytes);

} // namespace tprt

#endif
