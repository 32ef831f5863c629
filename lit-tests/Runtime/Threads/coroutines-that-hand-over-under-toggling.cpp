// When one coroutine awaits a second one, it switches to the second by a tail call (symmetric
// transfer). This happens a hundred times in a row, and adds no frame to the stack. Probes at
// entries and tail calls that are toggled meanwhile must not disturb that.
//
// RUN: %clangxx -std=c++20 -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: sum 6000000, hits at entries and tail calls, 0 failures
#include "tprt/tprt.h"
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <thread>

struct Task {
  struct promise_type {
    std::coroutine_handle<> waiting = std::noop_coroutine();
    int value = 0;
    struct ToWaiting {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> me) noexcept { return me.promise().waiting; }
      void await_resume() noexcept {}
    };
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    ToWaiting final_suspend() noexcept { return {}; }
    void return_value(int x) { value = x; }
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) {
    handle.promise().waiting = waiting;
    return handle;
  }
  int await_resume() {
    int value = handle.promise().value;
    handle.destroy();
    return value;
  }
};
__attribute__((noinline)) Task leaf(int x) { co_return x + 1; }
__attribute__((noinline)) Task sum(int from) {
  int sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += co_await leaf(from + i);
  co_return sum;
}
static std::atomic<long> hits[3];
[[tp::never]] static void onHit(const tprt_event *event, const tprt_regs *, void *) { ++hits[event->kind]; }

int main() {
  std::atomic<bool> done{false};
  int failures = 0;
  std::thread toggler([&] {
    tprt_selector selector{};
    selector.kinds = TPRT_KIND_SET_ALL;
    tprt_action action{};
    action.handler = onHit;
    while (!failures && !done) {
      tprt_probe *probe = nullptr;
      failures += tprt_probe_attach(&selector, &action, &probe, nullptr) != TPRT_STATUS_OK;
      std::this_thread::yield();
      failures += probe && tprt_probe_detach(probe, 5000) != TPRT_STATUS_OK;
    }
  });
  long total = 0;
  auto one = [](int from) {
    Task task = sum(from);
    task.handle.resume();
    int value = task.handle.promise().value;
    task.handle.destroy();
    return value;
  };
  for (int i = 0; i < 1000; ++i)
    total += one(i % 20);
  while (!failures && (!hits[TPRT_KIND_ENTRY] || !hits[TPRT_KIND_TAIL_EXIT]))
    one(0);
  done = true;
  toggler.join();
  std::printf("sum %ld, hits at entries and tail calls, %d failures\n", total, failures);
}
