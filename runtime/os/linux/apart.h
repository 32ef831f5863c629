// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Excludes this library's threads from what the C library and the thread
// sanitizer do with all threads of a program.
#ifndef TPRT_OS_APART_H
#define TPRT_OS_APART_H

namespace tprt {

// Finds out how to do that. Called before pthread_create(), on the same thread.
// That thread may have the loader's locks, for which the new thread must not
// wait.
void prepareToKeepApart();

// Whether the C library's setuid() and its relatives leave our threads out. If
// not, they change our threads. Called on one of our threads.
bool isOutOfSetxid();

// While this object exists, its thread, which pthread_create() made after that,
// is kept apart.
class KeptApart {
public:
  KeptApart();
  ~KeptApart();
  KeptApart(const KeptApart &) = delete;
  KeptApart &operator=(const KeptApart &) = delete;
};

} // namespace tprt

#endif
