// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: traps and the program's signal handlers.
// os_memory.h says what the port is.
#ifndef TPRT_BASE_OS_SIGNAL_H
#define TPRT_BASE_OS_SIGNAL_H

#include "tprt/tprt.h"

#include <stdint.h>

struct sigaction; // the system's

namespace tprt {

// --- traps: os/linux/sigtrap.cpp ---------------------------------------------

// What the signal's handler asks of the architecture (arch.h). It asks on the
// thread that executed a breakpoint instruction or got a sent signal. `context`
// is the signal's ucontext_t. Async-signal-safe.
struct TrapResponses {
  // The thread executed a breakpoint instruction. True: the breakpoint is ours,
  // and the thread continues elsewhere.
  bool (*resume)(void *context);
  // The signal was sent by somebody. The trap of an instruction may be lost in
  // it.
  void (*resumeLost)(void *context);
  // True: the thread is sent back to the breakpoint instruction that it has
  // just executed. False: there was no such instruction.
  bool (*repeat)(void *context);
};
// The first time, makes libtprt the handler of SIGTRAP; later, checks that it
// still is. TPRT_REFUSAL_NONE, or the reason why no trap may be set now. Under
// the lock. Caller: traps.cpp.
tprt_refusal takeTrapSignal(const TrapResponses &responses);
// The program's calls of pthread_sigmask() and of sigaction(), so that traps
// find SIGTRAP open, and its handler libtprt's: os/linux/trap_masks.cpp. True:
// the call continues with other arguments. Async-signal-safe. Caller of these
// three: interpose/sigtrap_guard.cpp.
bool keepTrapsOpen(int how, const void *&set);
bool keepTrapsOurs(int number, const struct ::sigaction *&action,
                   struct ::sigaction *&old);
// Takes SIGTRAP out of the masks of the handlers that there are.
void openHandlersMasks();
// An address in the C library. Callers: site_plan.cpp and the architecture.
uint64_t addressInCLibrary();
// Whether a debugger is attached, or it cannot be known. Caller: site_plan.cpp,
// under the lock.
bool isTraced();

// --- signals: os/linux/signals.cpp -------------------------------------------

// What the handler that stands for the program's asks of the core. `context` is
// the signal's ucontext_t. Async-signal-safe.
struct SignalResponses {
  // What show() changed: the program counter that was there; how far the stack
  // pointer was moved; registers, which the architecture knows.
  struct Shown {
    uint64_t programCounter;
    int64_t moved;
    uint64_t registers[2];
  };
  // Gives the context the registers that the program's handler is shown. False:
  // they stay as they are.
  bool (*show)(void *context, Shown &was);
  // Undoes it.
  void (*giveBack)(void *context, const Shown &was);
  uint64_t (*programCounter)(const void *context);
  // Of a fault at this address of data: takes the thread out of the hit for
  // which its stack was too small. False: that was not the reason.
  bool (*leaveOverflow)(void *context, uint64_t fault);
};
// Has the handlers that the program has for signals, and will have, called by
// libtprt's: those that may catch an overflow of the stack, which are the ones
// of SIGSEGV and SIGBUS on an alternate stack, or all. May be called again with
// more. False: the handlers that it has cannot be read. Caller: pc_map.cpp.
enum class Translated : uint32_t { None, Overflows, All };
bool translateSignals(const SignalResponses &responses, Translated which);
// sigaction() and signal() for a program, where `next` is the function of that
// name. Before translateSignals() was called they only call it. Callers:
// interpose/signal_calls.cpp.
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
