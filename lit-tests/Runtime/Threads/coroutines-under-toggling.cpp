// C++20 coroutines suspend and resume through probed parts on two threads, while
// a third attaches and detaches: no frame of libtprt outlives a call, so nothing
// is lost when a coroutine continues on another thread.
//
// RUN: %clangxx -std=c++20 -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clangxx -std=c++20 -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t.exits
// RUN: %t.exits | FileCheck %s
//
// CHECK: sum 79600000, hits, 0 failures
#include "tprt/tprt.h"
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <thread>

struct Generator {
  struct promise_type {
    long value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long v) { return value = v, std::suspend_always(); }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
__attribute__((noinline)) Generator count(long end) {
  for (long i = 0; i < end; ++i)
    co_yield i;
}
__attribute__((noinline)) Generator twice(Generator &inner) {
  for (inner.handle.resume(); !inner.handle.done(); inner.handle.resume())
    co_yield 2 * inner.handle.promise().value;
  inner.handle.destroy();
}
static long sumOf(int rounds) {
  long sum = 0;
  for (int i = 0; i < rounds; ++i) {
    Generator inner = count(200), outer = twice(inner);
    for (outer.handle.resume(); !outer.handle.done(); outer.handle.resume())
      sum += outer.handle.promise().value;
    outer.handle.destroy();
  }
  return sum;
}
static std::atomic<long> hits;
static void onHit(const tprt_event *, const tprt_regs *, void *) { ++hits; }
int main() {
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  std::thread toggler([&] {
    tprt_selector selector{};
    selector.kinds = TPRT_KIND_SET_ALL;
    tprt_action action{};
    action.handler = onHit;
    while (!failures && (!done || !hits)) {
      tprt_probe *probe = nullptr;
      failures += tprt_probe_attach(&selector, &action, &probe, nullptr) != TPRT_STATUS_OK;
      std::this_thread::yield();
      failures += tprt_probe_detach(probe, 5000) != TPRT_STATUS_OK;
    }
  });
  long second = 0;
  std::thread other([&] { second = sumOf(1000); });
  long first = sumOf(1000);
  other.join();
  done = true;
  while (!hits && !failures)
    sumOf(1);
  toggler.join();
  std::printf("sum %ld, %s, %d failures\n", first + second, hits ? "hits" : "no hits", int(failures));
}
