/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The program that the documents' commands compile and observe. It calls
 * parse_token a hundred times, parse_expression ten times and parse_statement
 * once:
 *
 *   tp-clang -O2 -ftp-entry=2,0 -ftp-exit app.c -o app
 *   TPRT_OPTIONS='count=parse_*' ./app
 */
#include <stdio.h>

__attribute__((noinline)) int parse_token(const char *text, int at) {
  __asm__ volatile("");
  return text[at];
}

__attribute__((noinline)) int parse_expression(const char *text, int at) {
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += parse_token(text, at + i);
  return sum;
}

__attribute__((noinline)) int parse_statement(const char *text) {
  int sum = 0;
  for (int i = 0; i < 100; i += 10)
    sum += parse_expression(text, i);
  return sum;
}

int main(void) {
  char text[101];
  for (int i = 0; i < 100; i++)
    text[i] = 'a';
  printf("%d\n", parse_statement(text));
  return 0;
}
