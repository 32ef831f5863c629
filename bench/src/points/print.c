/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares tprt_point_print() with fprintf() of the same format, to the file
 * that argument 1 names. One run has no buffer, as with stderr, so each
 * line is one system call. The other run has a buffer. Prints "name value"
 * lines.
 */
#define _GNU_SOURCE
#include "clock.h"
#include "points/hit.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { LINES = 5000, ROUNDS = 21 };

static FILE *stream;

static void print_by_stdio(unsigned id, const char *path) {
  fprintf(stream, "id=%u path=%s\n", id, path);
}

static double loop(void (*print)(unsigned, const char *)) {
  double start = tp_bench_cpu();
  for (unsigned id = 0; id < LINES; ++id)
    print(id, "/index.html");
  return (tp_bench_cpu() - start) * 1e9 / LINES;
}

static double by_stdio(const char *path, int mode) {
  stream = fopen(path, "we");
  if (!stream)
    exit(1);
  setvbuf(stream, 0, mode, BUFSIZ);
  double ns = loop(print_by_stdio);
  fclose(stream);
  return ns;
}

static double by_point(const char *path) {
  tprt_point_output output =
      TPRT_POINT_OUTPUT(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  tprt_selector selector = {.function = "a_line", .kinds = TPRT_KIND_SET_POINT};
  tprt_action action = {
      .flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = tprt_point_print, .data = &output};
  tprt_probe *probe = 0;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, 0);
  double ns = loop(print_target);
  if (status != TPRT_STATUS_OK || output.lost) {
    fprintf(stderr, "attach: %s, lost %llu\n", tprt_status_string(status),
            (unsigned long long)output.lost);
    exit(1);
  }
  tprt_probe_detach(probe, -1);
  close(output.fd);
  return ns;
}

int main(int argc, char **argv) {
  static double point[ROUNDS], line[ROUNDS], buffered[ROUNDS];
  const char *path = argc > 1 ? argv[1] : "/dev/null";
  for (int i = 0; i < ROUNDS; ++i) {
    line[i] = by_stdio(path, _IONBF);
    buffered[i] = by_stdio(path, _IOFBF);
    point[i] = by_point(path);
  }
  printf("point_print_ns %.1f\n", tp_bench_median(point, ROUNDS));
  printf("fprintf_ns %.1f\n", tp_bench_median(line, ROUNDS));
  printf("fprintf_buffered_ns %.1f\n", tp_bench_median(buffered, ROUNDS));
  return 0;
}
