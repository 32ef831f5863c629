// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads memory of the program at any address, which may be unmapped or belong
// to another thread. In hits, in a thread that has a block: async-signal-safe,
// without vector registers. Which memory is read by loads is decided in
// lasting_memory.h.
#ifndef TPRT_PROGRAMS_READ_MEMORY_H
#define TPRT_PROGRAMS_READ_MEMORY_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Returned in registers, so that the interpreter's own variables stay in
// registers, too.
struct Read {
  uint64_t value;
  bool known;
};

// The integer of 1, 2, 4 or 8 bytes there, zero-extended.
Read readNumber(uint64_t address, unsigned bytes);

// Copies memory by a system call, which fails where a load would fault.
bool copyMemory(uint64_t address, void *to, size_t bytes);

// Reads at most `most` bytes of a string to `to`, which has room for one more.
// Returns its length, or -1: memory cannot be read. The string has no more than
// `bound` bytes, also without a NUL. `cut`: the string is longer. No page is
// read that the string does not reach.
int readString(uint64_t address, uint32_t most, uint64_t bound, char *to,
               bool &cut);

// Reads so many bytes to `to`. False: they cannot be read.
bool readMemory(uint64_t address, uint32_t bytes, char *to);

} // namespace tprt

#endif
