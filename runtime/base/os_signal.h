// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: traps and the program's signal handlers.
// os_memory.h says what the port is.
#ifndef TPRT_BASE_OS_SIGNAL_H
#define TPRT_BASE_OS_SIGNAL_H

#include "tprt/tprt.h"

#include <stdint.h>

struct sigaction; // defined by the system

namespace tprt {

// --- traps: os/linux/sigtrap.cpp ---------------------------------------------

// The operations of the architecture that the signal's handler calls (arch.h),
// on the thread that executed a breakpoint instruction or received a sent
// signal. `context` is the signal's ucontext_t. Async-signal-safe.
struct TrapResponses {
  // The thread executed a breakpoint instruction. Returns true if the
  // breakpoint is ours. The thread then continues elsewhere.
  bool (*resume)(void *context);
  // The signal was sent by a thread or process. The trap of an instruction may
  // have been merged into it and lost.
  void (*resumeLost)(void *context);
  // Returns the thread to the breakpoint instruction that it has just executed.
  // Returns false if there was no such instruction.
  bool (*repeat)(void *context);
};
// The first call makes libtprt the handler of SIGTRAP; later calls check that
// it still is. Returns TPRT_REFUSAL_NONE, or the reason why no trap may be set
// now. Under the lock. Caller: traps.cpp.
tprt_refusal takeTrapSignal(const TrapResponses &responses);
// Called for the program's calls of pthread_sigmask() and of sigaction(), so
// that SIGTRAP stays unblocked and its handler stays libtprt's
// (os/linux/trap_masks.cpp). Returns true if the call must continue with the
// changed arguments. Async-signal-safe. Caller of these three:
// interpose/sigtrap_guard.cpp.
bool keepTrapsOpen(int how, const void *&set);
bool keepTrapsOurs(int number, const struct ::sigaction *&action,
                   struct ::sigaction *&old);
// Removes SIGTRAP from the masks of the present handlers.
void openHandlersMasks();
// An address in the C library. Callers: site_plan.cpp and the architecture.
uint64_t addressInCLibrary();
// Whether a debugger is attached. Also returns true if that is unknown. Caller:
// site_plan.cpp, under the lock.
bool isTraced();

// --- signals: os/linux/signals.cpp -------------------------------------------

// The operations of the core that libtprt's handler calls. This handler runs in
// place of the program's handler. `context` is the signal's ucontext_t.
// Async-signal-safe.
struct SignalResponses {
  // The values that show() changed: the former program counter, the distance by
  // which the stack pointer was moved, and registers that the architecture
  // chooses.
  struct Shown {
    uint64_t programCounter;
    int64_t moved;
    uint64_t registers[2];
  };
  // Puts the registers that the program's handler must see into the context.
  // Returns false if it left the registers unchanged.
  bool (*show)(void *context, Shown &was);
  // Undoes show().
  void (*giveBack)(void *context, const Shown &was);
  uint64_t (*programCounter)(const void *context);
  // Called for a fault when accessing data at this address. If a hit found too
  // little stack, removes the thread from that hit. Returns false if the fault
  // has another cause.
  bool (*leaveOverflow)(void *context, uint64_t fault);
};
// Puts libtprt's handler before the program's present and future signal
// handlers, which it then calls. `Overflows` means the handlers that may catch
// a stack overflow: those of SIGSEGV and SIGBUS on an alternate stack. `All`
// means all handlers. May be called again with more. Returns false if the
// present handlers cannot be read. Caller: pc_map.cpp.
enum class Translated : uint32_t { None, Overflows, All };
bool translateSignals(const SignalResponses &responses, Translated which);
// sigaction() and signal() for a program; `next` is the C library's function of
// that name. Until translateSignals() is called, they only call `next`.
// Callers: interpose/signal_calls.cpp.
using SignalHandler = void(int);
using SignalChanger = int(int, const struct ::sigaction *,
                          struct ::sigaction *);
using HandlerChanger = SignalHandler *(int, SignalHandler *);
int changeSignal(int number, const struct ::sigaction *action,
                 struct ::sigaction *old, SignalChanger *next);
SignalHandler *changeHandler(int number, SignalHandler *handler,
                             HandlerChanger *next);

} // namespace tprt

#endif
