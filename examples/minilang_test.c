/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs small programs in the small language and checks results and messages. */
#include "minilang.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(const char *text, int64_t expected) {
  char error[128] = "";
  int64_t result = 0;
  ml_program *program = ml_compile(text, error, sizeof error);
  if (!program || ml_run(program, &result, error, sizeof error) || result != expected) {
    fprintf(stderr, "%s\n  gives %lld %s, not %lld\n", text, (long long)result, error,
            (long long)expected);
    failures++;
  }
  if (program)
    ml_free(program);
}

static void expect_error(const char *text, const char *expected) {
  char error[128] = "";
  int64_t result;
  ml_program *program = ml_compile(text, error, sizeof error);
  if (program) {
    ml_run(program, &result, error, sizeof error);
    ml_free(program);
  }
  if (strcmp(error, expected)) {
    fprintf(stderr, "%s\n  says '%s', not '%s'\n", text, error, expected);
    failures++;
  }
}

int main(void) {
  expect("return 2 + 3 * (4 - 1) % 5;", 6);
  expect("let a = 0; let i = 0; while i < 10 { a = a + i; i = i + 1; } return a;", 45);
  expect("fn fib(n) { if n < 2 { return n; } return fib(n - 1) + fib(n - 2); }\n"
         "return fib(20); # comment",
         6765);
  expect("fn f(a, b) { let c = a; if a == b { c = 7; } else { c = 8; } return c; }"
         "return f(1, 1) * 10 + f(1, 2);",
         78);
  expect("let x = 1;", 0);
  expect_error("return 1 / 0;", "division by zero");
  expect_error("fn f(n) { return f(n + 1); } return f(0);", "stack overflow");
  expect_error("\nreturn x;", "line 2: no variable 'x'");
  expect_error("fn f(a) { return a; } return f();", "line 1: 'f' takes 1 arguments, not 0");
  expect_error("return 99999999999999999999;", "line 1: number too large");
  expect_error("if 1 {", "line 1: expected '}'");
  if (!failures)
    puts("minilang: all programs gave what they should");
  return failures != 0;
}
