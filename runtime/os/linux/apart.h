// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps this library's threads apart from what the C library and the thread
// sanitizer do with all threads of a program.
#ifndef TPRT_OS_APART_H
#define TPRT_OS_APART_H

namespace tprt {

// Finds out how. Before pthread_create(), on the thread that calls it, which
// may have the loader's locks; the new thread must not wait for these.
void prepareToKeepApart();

// Whether the C library's setuid() and the like leave our threads out. If not,
// they change them. On one of our threads.
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
