// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Excludes this library's threads from operations of the C library and the
// thread sanitizer on all threads of a program.
#ifndef TPRT_OS_APART_H
#define TPRT_OS_APART_H

namespace tprt {

// Finds out how to exclude threads. Called before pthread_create(), on the same
// thread. That thread may hold the loader's locks, for which the new thread
// must not wait.
void prepareToKeepApart();

// Whether the C library's setuid() and related functions skip libtprt's
// threads. If not, these functions change libtprt's threads. Called on one of
// libtprt's threads.
bool isOutOfSetxid();

// While this object exists, its thread is excluded. The thread was created
// after prepareToKeepApart().
class KeptApart {
public:
  KeptApart();
  ~KeptApart();
  KeptApart(const KeptApart &) = delete;
  KeptApart &operator=(const KeptApart &) = delete;
};

} // namespace tprt

#endif
