// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cashiers serve customers. After every 20 customers (or the argument), a cashier counts the
// stock and keeps the till locked. So a few calls of serve() are slow, and make other calls
// wait.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t till = PTHREAD_MUTEX_INITIALIZER;
static long sold;

__attribute__((noinline)) static void count_stock(void) {
  pthread_mutex_lock(&till);
  usleep(2000);
  pthread_mutex_unlock(&till);
}
__attribute__((noinline)) static void sell(void) {
  pthread_mutex_lock(&till);
  ++sold;
  pthread_mutex_unlock(&till);
}
__attribute__((noinline)) static void serve(int customer, int every) {
  sell();
  if (customer % every == 0)
    count_stock();
}
static void *cashier(void *every) {
  for (int i = 1; i <= 200; ++i)
    serve(i, atoi(every));
  return NULL;
}
int main(int count, char **arguments) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, cashier, count > 1 ? arguments[1] : "20");
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  printf("%ld\n", sold);
}
