// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64; see Machine.h. System calls keep all registers except rax, rcx and
// r11. In a system call, orig_rax has the call's number. Elsewhere, orig_rax is
// -1. When a thread leaves the kernel through the signal code, the kernel
// restarts the system call if orig_rax is a number and rax is one of the codes
// below.

#include "inject/Machine.h"

#include "inject/Payload.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/ucontext.h>

namespace tpctl {

// In Entries.S.
static_assert(offsetof(InjectBlock, PthreadCreate) == 0 &&
              offsetof(InjectBlock, ErrnoLocation) == 24 &&
              offsetof(InjectBlock, Munmap) == 56 &&
              offsetof(InjectBlock, Begin) == 80 &&
              offsetof(InjectBlock, Bytes) == 88 &&
              offsetof(InjectBlock, ThreadEntry) == 96 &&
              offsetof(InjectBlock, Thread) == 104 &&
              offsetof(InjectBlock, CreateError) == 112);

namespace {
constexpr int64_t RestartNoHandler = -514, RestartBlock = -516;
constexpr uint64_t UserCode64 = 0x33;
constexpr uint64_t Direction = 0x400, Trap = 0x100, Alignment = 0x40000;
} // namespace

bool isInSystemCall(const Registers &R) {
  return static_cast<int64_t>(R.orig_rax) >= 0 && R.cs == UserCode64;
}
bool computes(const Registers &R) {
  return static_cast<int64_t>(R.orig_rax) < 0 && R.cs == UserCode64;
}
uint64_t systemCallOf(const Registers &R) { return R.orig_rax; }
int64_t resultOf(const Registers &R) { return static_cast<int64_t>(R.rax); }
uint64_t stackOf(const Registers &R) { return R.rsp; }
uint64_t placeOf(const Registers &R) { return R.rip; }
uint64_t threadPointerOf(const Registers &R) { return R.fs_base; }

uint64_t argumentOf(const Registers &R, unsigned Index) {
  const unsigned long long Arguments[] = {R.rdi, R.rsi, R.rdx,
                                          R.r10, R.r8,  R.r9};
  return Arguments[Index];
}

bool isSystemCall(const uint8_t *Bytes) {
  return Bytes[0] == 0x0f && Bytes[1] == 0x05; // syscall
}

Registers forSystemCall(const Registers &Now, uint64_t Instruction,
                        uint64_t Number,
                        const std::vector<uint64_t> &Arguments) {
  Registers R = Now;
  decltype(&R.rdi) Places[] = {&R.rdi, &R.rsi, &R.rdx, &R.r10, &R.r8, &R.r9};
  for (size_t I = 0; I < Arguments.size(); ++I)
    *Places[I] = Arguments[I];
  R.rip = Instruction;
  R.rax = Number;
  R.orig_rax = ~0ull;
  R.eflags &= ~(Trap | Direction);
  return R;
}

Registers forCall(const Registers &Now, uint64_t Entry, uint64_t Block,
                  uint64_t StackEnd, uint64_t Frame) {
  Registers R = Now;
  R.rip = Entry;
  R.rbx = Block;
  R.rsp = StackEnd & ~15ull;
  R.rbp = 0;
  R.r14 = Frame;
  R.orig_rax = ~0ull;
  R.eflags &= ~(Trap | Direction | Alignment);
  return R;
}

void skipSystemCall(Registers &R) { R.orig_rax = ~0ull; }

void restartSystemCall(Registers &R) {
  R.rax = static_cast<uint64_t>(RestartNoHandler);
}

bool isRestorer(const uint8_t *Bytes) {
  // mov $15, %rax; syscall
  static const uint8_t Long[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
  // mov $15, %eax; syscall
  static const uint8_t Short[] = {0xb8, 15, 0, 0, 0, 0x0f, 0x05};
  return memcmp(Bytes, Long, sizeof Long) == 0 ||
         memcmp(Bytes, Short, sizeof Short) == 0;
}

bool isSignalFrame(const uint64_t *Words, uint64_t Address) {
  // The return address, uc_flags, uc_link, uc_stack, and the registers.
  constexpr unsigned Context = 1, General = Context + 5;
  uint64_t Segments = Words[General + REG_CSGSFS];
  uint64_t State = Words[General + 23]; // the pointer to the vector registers
  return Words[Context] <= 7 && Words[Context + 1] == 0 &&
         (Segments & 0xffff) == UserCode64 && Words[General + REG_RIP] &&
         (State == 0 || (State > Address && State - Address < 16384));
}

namespace {
/// The kernel's layout (asm/sigcontext.h, struct _fpx_sw_bytes).
struct VectorState {
  uint32_t Magic, Bytes;
  uint64_t Features;
  uint32_t StateBytes, Padding[7];
};
constexpr uint32_t Magic1 = 0x46505853, Magic2 = 0x46505845;
constexpr size_t SoftwareAt = 464, FeaturesAt = 512;

void fillGeneral(greg_t *To, Registers R) {
  // Without a debugger, the kernel would do the same.
  if (static_cast<int64_t>(R.orig_rax) >= 0 && resultOf(R) <= -512 &&
      resultOf(R) >= RestartBlock) {
    bool Again = resultOf(R) != RestartBlock;
    R.rax = Again ? R.orig_rax : static_cast<uint64_t>(-EINTR);
    R.rip -= Again ? SystemCallBytes : 0;
  }
  const unsigned long long From[] = {
      R.r8,  R.r9,  R.r10, R.r11, R.r12, R.r13, R.r14, R.r15, R.rdi,
      R.rsi, R.rbp, R.rbx, R.rdx, R.rax, R.rcx, R.rsp, R.rip, R.eflags};
  for (size_t I = 0; I < sizeof From / sizeof *From; ++I)
    To[I] = static_cast<greg_t>(From[I]);
  To[REG_CSGSFS] = static_cast<greg_t>(R.cs | R.ss << 48);
}
} // namespace

std::vector<uint8_t> signalFrame(const Registers &R,
                                 const std::vector<uint8_t> &Vectors,
                                 uint64_t Blocked, uint64_t Address) {
  // uc_flags: the frame has vector registers and its own ss.
  constexpr uint64_t Flags = 1 | 2 | 4;
  constexpr size_t SignalsAt = offsetof(ucontext_t, uc_sigmask);
  constexpr size_t VectorsAt = 1024;
  std::vector<uint8_t> Frame(VectorsAt + Vectors.size() + sizeof Magic2);
  ucontext_t Context;
  memset(&Context, 0, sizeof Context);
  Context.uc_flags = Flags;
  // This value is invalid, so the thread keeps its signal stack.
  Context.uc_stack.ss_flags = 0xff;
  fillGeneral(Context.uc_mcontext.gregs, R);
  uint64_t State = Address + VectorsAt;
  memcpy(&Context.uc_mcontext.fpregs, &State, sizeof State);
  memcpy(Frame.data(), &Context, SignalsAt);
  memcpy(Frame.data() + SignalsAt, &Blocked, sizeof Blocked);
  uint8_t *To = Frame.data() + VectorsAt;
  memcpy(To, Vectors.data(), Vectors.size());
  VectorState Software{};
  memcpy(&Software.Features, To + SoftwareAt, sizeof Software.Features);
  Software.Magic = Magic1;
  Software.StateBytes = static_cast<uint32_t>(Vectors.size());
  Software.Bytes = Software.StateBytes + sizeof Magic2;
  memcpy(To + SoftwareAt, &Software, sizeof Software);
  memcpy(To + Vectors.size(), &Magic2, sizeof Magic2);
  return Frame;
}

} // namespace tpctl
