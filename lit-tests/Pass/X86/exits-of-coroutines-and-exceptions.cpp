// If this fails, a function with landing pads or a coroutine's part returns
// without a sled.
// RUN: %clangxx -std=c++20 -O2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}_Z6caughtv:
// CHECK:       .Ltp_exit{{[0-9]+}}:
// CHECK-NEXT:  retq
// CHECK-LABEL: {{^}}_Z9coroutinei:
// CHECK:       .Ltp_exit{{[0-9]+}}:
// CHECK-LABEL: {{^}}_Z9coroutinei.resume:
// CHECK:       .Ltp_exit{{[0-9]+}}:
// CHECK-LABEL: {{^}}_Z9coroutinei.destroy:
// CHECK:       .Ltp_exit{{[0-9]+}}:
#include <coroutine>
struct Task {
  struct promise_type;
  std::coroutine_handle<promise_type> Handle;
  struct promise_type {
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
void g();
int caught() {
  try {
    g();
  } catch (...) {
    return 1;
  }
  return 0;
}
Task coroutine(int) {
  g();
  co_return;
}
