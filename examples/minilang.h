/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A small language with expressions, variables, functions, if and while.
 * The language is compiled to bytecode for a stack machine. The interpreter
 * is an example of a larger program with sleds. The demo uses the
 * interpreter if the source of Lua is not available. There is no state
 * outside ml_program and the stack, so any number of threads may run a
 * program.
 *
 *     fn fib(n) { if n < 2 { return n; } return fib(n - 1) + fib(n - 2); }
 *     return fib(20);
 */
#ifndef MINILANG_H
#define MINILANG_H

#include <stddef.h>
#include <stdint.h>

typedef struct ml_program ml_program;

/* Compiles the text. On an error, returns NULL and writes a message with
 * the line to `error`. */
ml_program *ml_compile(const char *text, char *error, size_t error_size);

/* Runs the program's top level and sets *result to the returned value.
 * Returns 0, or -1 with a message in error. */
int ml_run(const ml_program *program, int64_t *result, char *error,
           size_t error_size);

void ml_free(ml_program *program);

#endif
