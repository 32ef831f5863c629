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
// which is not stored (syscall(2), "Architecture calling conventions").
inline long systemCall(long number, long a = 0, long b = 0, long c = 0,
                       long d = 0, long e = 0, long f = 0) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

} // namespace tprt

#endif
