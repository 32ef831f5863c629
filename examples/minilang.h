/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A small language with expressions, variables, functions, if and while. It is
 * compiled to bytecode for a stack machine. It serves as a program of some size
 * to put sleds into. The demo uses it if the source of Lua is not available. It
 * has no state outside ml_program and the stack, so any number of threads may
 * run a program.
 *
 *     fn fib(n) { if n < 2 { return n; } return fib(n - 1) + fib(n - 2); }
 *     return fib(20);
 */
#ifndef MINILANG_H
#define MINILANG_H

#include <stddef.h>
#include <stdint.h>

typedef struct ml_program ml_program;

/* Compiles the text. On an error it returns NULL, and writes to `error` what is
 * wrong, with the line. */
ml_program *ml_compile(const char *text, char *error, size_t error_size);

/* Runs the program's top level and sets *result to what it returns. Returns 0,
 * or -1 with a message in error. */
int ml_run(const ml_program *program, int64_t *result, char *error,
           size_t error_size);

void ml_free(ml_program *program);

#endif
