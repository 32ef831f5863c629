// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps SIGTRAP for the traps in code without sleds. A trap in a thread that
// blocks SIGTRAP ends the process. A trap after the program has set its own
// action for SIGTRAP may also end the process. Common programs do both: CPython
// and Perl block all signals around fork, and vim and bash set actions for each
// signal.
//
// So handlers of this library run at the beginning of two functions of the C
// library: pthread_sigmask, which sigprocmask also calls, and sigaction, which
// signal() also calls. The handlers change the arguments as described in
// os/linux/trap_masks.cpp.
//
// The two probes are never detached, because other probes with traps may be
// attached at any time. Without the two probes, traps are dangerous
// (docs/reference/runtime-limits.md).
#include "actions/action_list.h"
#include "base/os_signal.h"
#include "code/code_modules.h"
#include "tprt/event.h"
#include "tprt/regs.h"
#include "tprt/tprt.h"

namespace tprt {

static void setArgument(const tprt_event *event, const tprt_regs *regs,
                        unsigned index, const void *value) {
  tprt_regs *changed = tprt_regs_change(event, regs);
  if (!changed)
    return;
#if defined(__x86_64__)
  (&changed->rdi)[index] = reinterpret_cast<uint64_t>(value);
#else
  changed->x[index] = reinterpret_cast<uint64_t>(value);
#endif
}

template <class Type>
static Type *pointerArgument(const tprt_regs *regs, unsigned index) {
  return reinterpret_cast<Type *>(tprt_regs_argument(regs, index));
}

// int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
static void onMask(const tprt_event *event, const tprt_regs *regs, void *) {
  const void *set = pointerArgument<const void>(regs, 1);
  if (keepTrapsOpen(static_cast<int>(tprt_regs_argument(regs, 0)), set))
    setArgument(event, regs, 1, set);
}

// int sigaction(int number, const struct sigaction *action,
//               struct sigaction *old)
static void onAction(const tprt_event *event, const tprt_regs *regs, void *) {
  auto *action = pointerArgument<const struct ::sigaction>(regs, 1);
  auto *old = pointerArgument<struct ::sigaction>(regs, 2);
  if (keepTrapsOurs(static_cast<int>(tprt_regs_argument(regs, 0)), action,
                    old)) {
    setArgument(event, regs, 1, action);
    setArgument(event, regs, 2, old);
  }
}

static bool guard(const char *function, tprt_handler handler) {
  tprt_selector selector = {};
  selector.function = function;
  selector.module = "libc.so*";
  selector.kinds = TPRT_KIND_SET_ENTRY;
  selector.flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED;
  tprt_action action = {};
  action.handler = handler;
  action.data = const_cast<char *>(&ownHandlersData);
  action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY | TPRT_HANDLER_CHANGES_REGS;
  tprt_probe *probe;
  return tprt_probe_attach(&selector, &action, &probe, nullptr) ==
         TPRT_STATUS_OK;
}

void guardTraps() {
  // Two threads may do this at the same time. A thread must not wait for the
  // other thread, which may be waiting for the loader's lock. A second pair of
  // probes is harmless.
  static bool isDone;
  if (!openCodeReader || __atomic_load_n(&isDone, __ATOMIC_ACQUIRE))
    return;
  if (guard("sigaction", onAction))
    openHandlersMasks();
  guard("pthread_sigmask", onMask);
  __atomic_store_n(&isDone, true, __ATOMIC_RELEASE);
}

} // namespace tprt
