// If this fails, lambdas or the parts of a coroutine cannot be probed.
// RUN: %clangxx -std=c++20 -O1 -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
namespace std {
template <class R, class...> struct coroutine_traits { using promise_type = typename R::promise_type; };
template <class = void> struct coroutine_handle {
  static coroutine_handle from_address(void *) { return {}; }
  coroutine_handle() = default;
  template <class P> coroutine_handle(coroutine_handle<P>) {}
};
struct suspend_always {
  bool await_ready() noexcept { return false; }
  void await_suspend(coroutine_handle<>) noexcept {}
  void await_resume() noexcept {}
};
}
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
void step(int (*)());
// CHECK-DAG: {{^}}_Z9coroutinev:
// CHECK-DAG: {{^}}_Z9coroutinev.resume:
// CHECK-DAG: {{^}}_Z9coroutinev.destroy:
// CHECK-DAG: _ZZ9coroutinevEN{{.*}}__invokeEv:
// CHECK-DAG: xchgw
Task coroutine() { step([] { return 7; }); co_return; }
