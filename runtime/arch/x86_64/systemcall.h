// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A system call by one instruction. All system calls of the runtime are made
// here. os/linux/calls.cpp defines the functions that the rest of the runtime
// calls under the C library's names. Uses only general registers. Any thread;
// async-signal-safe.
#ifndef TPRT_ARCH_SYSTEMCALL_H
#define TPRT_ARCH_SYSTEMCALL_H

namespace tprt {

// Returns the kernel's result. A result from -4095 to -1 is a negated errno,
// which is not stored (psABI, A.2.1; syscall(2), "Architecture calling
// conventions").
inline long systemCall(long number, long a = 0, long b = 0, long c = 0,
                       long d = 0, long e = 0, long f = 0) {
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth),
                     "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

} // namespace tprt

#endif
