// TPRT_OPTIONS=time prints the durations of functions, without any code in the program. A recursive
// function's time counts once. A function's own time excludes its timed callees. The times of
// threads are added up.
//
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit %s -lpthread -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="time=* format=csv output=%t.csv" %t
// RUN: %python -c "if True: \
// RUN:   import csv; rows = {r['function']: r for r in csv.DictReader(open('%t.csv'))}; \
// RUN:   get = lambda f, k: int(rows[f][k]); ms = 1000000; \
// RUN:   print([get(f, 'calls') for f in ('nap', 'down', 'tail', 'work', 'main')]); \
// RUN:   print(get('nap', 'total_ns') >= 45 * ms, get('nap', 'self_ns') == get('nap', 'total_ns')); \
// RUN:   print(5 * ms <= get('down', 'total_ns') <= get('main', 'total_ns'), get('down', 'self_ns') < get('down', 'total_ns')); \
// RUN:   print(get('down', 'max_ns') == get('down', 'total_ns'), abs(get('down', 'average_ns') - get('down', 'total_ns') // 5) < 100); \
// RUN:   print(get('nap', 'max_ns') >= 10 * ms)" | FileCheck %s
//
// The output is also a table, with the longest times first.
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="time=*" %t 2>&1 | FileCheck %s --check-prefix=TABLE
//
// CHECK: [9, 5, 1, 4, 1]
// CHECK-NEXT: True True
// CHECK-NEXT: True True
// CHECK-NEXT: True True
// CHECK-NEXT: True
// TABLE: tprt: 20 calls of 5 functions took {{[0-9.]+}} ms (5 watched) in
// TABLE-NEXT: calls total self average max function
// TABLE: 9 {{[0-9.]+ [mun]?s +[0-9.]+ [mun]?s +[0-9.]+ [mun]?s +[0-9.]+ [mun]?s}} nap (time
#include <pthread.h>
#include <time.h>
__attribute__((noinline)) void nap(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, 0); }
__attribute__((noinline)) int down(int n) {
  nap(1);
  int below = n ? down(n - 1) : 0;
  __asm__ volatile("" : "+r"(below));
  return below + 1;
}
__attribute__((noinline)) int tail(int n) { return down(n); }
void *work(void *unused) {
  nap(10);
  return unused;
}
int main() {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], 0);
  return tail(4) - 5;
}
