/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls one function in another source file ten times, and nothing of libtprt. */
#include <stdio.h>

int work(int x);

int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += work(i);
  printf("sum %d, counted 10\n", sum);
  return 0;
}
