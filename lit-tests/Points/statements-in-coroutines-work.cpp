// If this fails, a statement in a coroutine does not compile, or reads an object other than the
// coroutine's.
//
// RUN: %points_matrix %s -o %t --std c++20 --flags="-O0;-O2" --common="-Wall -Wextra -Werror" --compilers gcc-12,clang-16,clang-19,clang-22,aarch64
//
// OUT: point [begun {} {}] i:0 v:a parameter that needs the heap
// OUT: point [after {} {}] i:0 v:a parameter that needs the heap
// OUT: point [after {} {}] i:1 v:a parameter that needs the heap
#include "open-points.h"
#include <coroutine>
#include <string>
#include <tprt/trace.h>

TPRT_POINT(point);
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
static Task work(int rounds, std::string text) {
  int i = 0;
  TPRT_TRACEF(point, "begun {} {}", i, text);
  for (; i < rounds; ++i) {
    co_await std::suspend_always();
    TPRT_TRACEF(point, "after {} {}", i, text);
  }
}
int main() {
  open_points();
  Task task = work(2, "a parameter that needs the heap");
  while (!task.handle.done())
    task.handle.resume();
  task.handle.destroy();
}
