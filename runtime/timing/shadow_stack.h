// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timer's list of one thread's calls under way: which call an exit ends,
// and which calls were left without an exit. call_timer.cpp adds up what calls
// took, for tools and options; duration_probe.cpp tells a program's handler of
// each call. Called in hits, on any thread: async-signal-safe, without vector
// registers.
//
// An entry and an exit belong to one call if the stack pointer is the same: at
// both it points to the return address (psABI x86-64, 3.2.2; AAPCS64, 6.2.3).
// Open calls that lie below the current one on the same stack were left by an
// exception or a longjmp. A call that ends on another thread than it began on
// is taken from the other thread's list (disown()).
//
// A hit does not interrupt another hit of the same list, as hits inside a
// handler are not delivered. But a signal handler may leave a hit by siglongjmp
// at any instruction. So the list is whole between any two stores.
#ifndef TPRT_TIMING_SHADOW_STACK_H
#define TPRT_TIMING_SHADOW_STACK_H

#include "threads/thread_block.h"

namespace tprt {

// The most calls that one list holds.
constexpr uint32_t kMostOpen = 4096;

// Whether the call at `position` is under way around a call that begins at
// `stack`. 0: the call ended on another thread. guardHolds() makes a system
// call, so it is only asked about calls that lie below the new one. Therefore
// a call on an alternate stack further up that was left by longjmp is noticed
// later.
inline bool isOpenAround(uint64_t position, uint64_t stack) {
  return position > stack || (position && guardHolds(position, stack));
}

// `Call` has a member `stack`, the stack pointer at the call's entry; 0: the
// call ended on another thread. The memory is zero before init().
template <class Call> struct ShadowStack {
  // The innermost call. If it is calls[0], no call is open, because calls[0]
  // has the highest stack position. Other threads read `top` with acquire.
  Call *top;
  // After the last call there is one more, so that top[1] can always be read:
  // it is the call that ended last, if it has the position of an exit.
  Call calls[kMostOpen + 2];

  void init() {
    calls[0].stack = UINT64_MAX;
    top = calls;
  }
  void setTop(Call *call) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&top, call, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  bool isFull() const { return top == calls + kMostOpen; }
  uint32_t depth() const { return static_cast<uint32_t>(top - calls); }

  // An entry at `stack`: calls cut() for each call that was left, the innermost
  // first, which must take it from the list.
  template <class Cut> void cutLeft(uint64_t stack, Cut cut) {
    while (!isOpenAround(top->stack, stack))
      cut();
  }

  // An exit at `stack`, of the call for which isIts(call) is true: calls cut()
  // for the calls inside that one. Returns it; nullptr: it is not in the list.
  // Either its entry came before the attach, or it was lost, or it was on
  // another thread.
  template <class IsIts, class Cut>
  Call *cutInside(uint64_t stack, IsIts isIts, Cut cut) {
    Call *call = top;
    while (call > calls && !(call->stack == stack && isIts(*call)))
      --call;
    if (call == calls)
      return nullptr;
    while (top > call)
      cut();
    return call;
  }

  // Whether an exit at `stack` ends a call that is not in the list because too
  // many were open. Only the innermost ones are left out.
  bool wasLeftOut(uint64_t stack) const {
    return isFull() && stack < top->stack;
  }

  // Marks calls at `stack` as ended, in any thread's list: the caller runs at
  // that position, so no such call is under way. That thread must not take its
  // next call at this position for this one. The list's thread may add and
  // remove calls meanwhile, but none at `stack`. Most calls are elsewhere, so
  // the position is compared before the exchange, which is slow.
  void disown(uint64_t stack) {
    for (Call *call = __atomic_load_n(&top, __ATOMIC_ACQUIRE); call > calls;
         --call)
      if (uint64_t own = __atomic_load_n(&call->stack, __ATOMIC_RELAXED);
          own == stack)
        __atomic_compare_exchange_n(&call->stack, &own, 0, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
};

} // namespace tprt

#endif
