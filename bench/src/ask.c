/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls a function with eight different keys, and prints what a call takes, the
 * loop included: the least of several rounds. With an argument, a handler of
 * ask_handler.c is attached. Without, tpctl may observe the function.
 */
#include "ask_handler.h"
#include "clock.h"
#include <stdio.h>
#include <string.h>

#define APART __attribute__((noinline))
APART long asked(long key, const char *text, long value) {
  __asm__ volatile("" : "+r"(key) : "r"(text), "r"(value));
  return key;
}

/* Ends what a call of asked() has started. */
APART long answered(long key) {
  __asm__ volatile("" : "+r"(key));
  return key;
}

static long pairs; /* how many are open at a time; 0: none */

/* The same for pairs of calls, with `pairs` of them open. */
static double round_of_pairs(long calls) {
  static long next;
  const double begin = tp_bench_cpu();
  for (const long end = next + calls; next < end; ++next) {
    asked(next * 16, "", next);
    answered((next - pairs) * 16);
  }
  return (tp_bench_cpu() - begin) * 1e9 / (double)calls;
}

static const char *text = "a text of 20 letters";

static double round_of(long calls) {
  if (pairs)
    return round_of_pairs(calls);
  const double begin = tp_bench_cpu();
  for (long i = 0; i < calls; ++i)
    asked(i & 7, text, i & 1023);
  return (tp_bench_cpu() - begin) * 1e9 / (double)calls;
}

/* The same below many frames of the stack. */
APART double round_below(long frames, long calls) {
  double taken = frames ? round_below(frames - 1, calls) : round_of(calls);
  __asm__ volatile("" ::: "memory"); /* no tail call */
  return taken;
}

/* usage: ask CALLS ROUNDS [empty | count | sum | heap | deep | pairs N]; heap: the
 * text is in allocated memory; deep: there are 64 frames around the calls; pairs:
 * each round is of pairs of calls, of which N are open at a time. */
int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const long calls = atol(argv[1]), rounds = atol(argv[2]);
  long frames = 0;
  if (argc > 3 && !strcmp(argv[3], "heap")) {
    text = strdup(text);
  } else if (argc > 4 && !strcmp(argv[3], "pairs")) {
    pairs = atol(argv[4]);
  } else if (argc > 3 && !strcmp(argv[3], "deep")) {
    frames = 64;
  } else if (argc > 3) {
    tprt_selector selector = {0};
    tprt_action action = {0};
    tprt_probe *probe;
    selector.function = "asked";
    action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
    action.handler = !strcmp(argv[3], "count") ? ask_count
                     : !strcmp(argv[3], "sum") ? ask_sum
                                               : ask_empty;
    if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
      return fprintf(stderr, "%s\n", tprt_error_string()), 1;
  }
  double least = round_below(frames, calls);
  for (long i = 1; i < rounds; ++i) {
    const double now = round_below(frames, calls);
    least = now < least ? now : least;
  }
  printf("ns %.3f\n", least);
  return 0;
}
