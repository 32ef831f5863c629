// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of an injection that depend on the processor. Each processor
// has a folder that implements them. The functions with registers as arguments
// change only these copies, not the target.

#ifndef TPCTL_INJECT_MACHINE_H
#define TPCTL_INJECT_MACHINE_H

#include <cstdint>
#include <elf.h>
#include <sys/user.h>
#include <vector>

namespace tpctl {

#ifdef TP_INJECT_MACHINE_X86_64
constexpr uint16_t OwnMachine = EM_X86_64;

/// Inlined into the code that runs in the target process.
__attribute__((always_inline)) inline int64_t
rawCall(uint64_t Number, uint64_t A, uint64_t B, uint64_t C, uint64_t D) {
  int64_t Result;
  register uint64_t Fourth __asm__("r10") = D;
  __asm__ volatile("syscall"
                   : "=a"(Result)
                   : "a"(Number), "D"(A), "S"(B), "d"(C), "r"(Fourth)
                   : "rcx", "r11", "memory");
  return Result;
}

/// SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS.
constexpr uint64_t FaultSignals =
    1u << 3 | 1u << 4 | 1u << 6 | 1u << 7 | 1u << 10 | 1u << 30;
#endif

using Registers = user_regs_struct;

/// The thread is in a system call, or has just left one.
bool isInSystemCall(const Registers &R);
/// The thread is in code of the program, not in a system call.
bool computes(const Registers &R);
uint64_t systemCallOf(const Registers &R);
uint64_t argumentOf(const Registers &R, unsigned Index);
int64_t resultOf(const Registers &R);
uint64_t stackOf(const Registers &R);
uint64_t placeOf(const Registers &R);
/// The address of the thread control block.
uint64_t threadPointerOf(const Registers &R);

/// The instruction before the one where the thread stopped.
constexpr unsigned SystemCallBytes = 2;
bool isSystemCall(const uint8_t *Bytes);

/// The registers with which a thread makes this system call immediately.
Registers forSystemCall(const Registers &Now, uint64_t Instruction,
                        uint64_t Number,
                        const std::vector<uint64_t> &Arguments);
/// The registers with which a thread enters the payload's callEntry().
Registers forCall(const Registers &Now, uint64_t Entry, uint64_t Block,
                  uint64_t StackEnd, uint64_t Frame);
/// Makes the kernel skip the system call that the thread is about to enter.
void skipSystemCall(Registers &R);
/// Makes the kernel restart the system call, unless a signal handler runs
/// first.
void restartSystemCall(Registers &R);

/// Whether these bytes are a restorer, the code to which a signal handler
/// returns.
constexpr unsigned RestorerBytes = 9;
bool isRestorer(const uint8_t *Bytes);
/// The number of words at the beginning of a signal's frame, from the return
/// address on.
constexpr unsigned FrameWords = 31;
/// Whether the words after a restorer's address are a signal's frame.
bool isSignalFrame(const uint64_t *Words, uint64_t Address);

/// The frame from which rt_sigreturn restores these registers and blocked
/// signals. `Address`, where the frame will be, is a multiple of 64.
std::vector<uint8_t> signalFrame(const Registers &R,
                                 const std::vector<uint8_t> &Vectors,
                                 uint64_t Blocked, uint64_t Address);

} // namespace tpctl

#endif
