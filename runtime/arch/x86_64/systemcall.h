// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A system call by one instruction. The recorder's code in hits uses it,
// because functions of the C library may be recorded themselves, and would be
// events that the program did not cause. Any thread; async-signal-safe.
#ifndef TPRT_ARCH_SYSTEMCALL_H
#define TPRT_ARCH_SYSTEMCALL_H

namespace tprt {

// Returns the kernel's result: from -4095 to -1 a negated errno, which is not
// stored (psABI, A.2.1; syscall(2), "Architecture calling conventions").
inline long systemCall(long number, long a = 0, long b = 0, long c = 0,
                       long d = 0) {
  register long fourth __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

} // namespace tprt

#endif
