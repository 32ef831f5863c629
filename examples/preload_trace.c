/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A library with a handler that is preloaded into any program with sleds.
 * The program needs no change. docs/howto/preload-handlers.md explains this
 * library. Built with
 *     tp-clang -O2 -shared -fPIC preload_trace.c -o preload_trace.so
 * and used by
 *     TRACE='parse_*' LD_PRELOAD=./preload_trace.so ./app
 * The library writes a line for each call of a matching function: the
 * thread, the name, and the first two integer arguments.
 *
 * The constructor and the destructor run on the program's main thread. The
 * handler runs on every thread that calls such a function. */
#include <tprt/tprt.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static tprt_probe *probe;
/* A copy of standard error: some programs close standard error before they
 * end. */
static int output = 2;

/* Writes each line with a single write(), so that lines of several threads do
 * not mix. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (length >= (int)sizeof line)
    length = sizeof line - 1;
  if (length > 0 && write(output, line, (size_t)length) < 0)
    return; /* there is nobody to tell */
}

static void on_entry(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)data;
  tprt_site_info info;
  if (tprt_site_describe(event->site, &info) != TPRT_STATUS_OK || !info.name)
    return;
  say("[%ld] %s(%#lx, %#lx)\n", (long)syscall(SYS_gettid), info.name,
      (unsigned long)tprt_regs_argument(regs, 0), (unsigned long)tprt_regs_argument(regs, 1));
}

/* A module's names are read from its file when they are first needed. A
 * pattern of names needs them, but `*` does not. A handler must not cause
 * that read. */
static int read_name(const tprt_site *site, void *data) {
  (void)data;
  tprt_site_info info;
  tprt_site_describe(site, &info);
  return 0;
}

__attribute__((constructor)) static void attach(void) {
  const char *pattern = getenv("TRACE");
  if (!pattern)
    return;
  int copy = dup(2);
  if (copy >= 0)
    output = copy;
  /* AWAIT: a library that the program opens later may have the functions. */
  tprt_selector selector = {.function = pattern, .flags = TPRT_SELECT_AWAIT};
  tprt_action action = {.handler = on_entry};
  tprt_site_visit(&selector, read_name, NULL);
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  if (status != TPRT_STATUS_OK)
    say("preload_trace: %s (%s)\n", tprt_status_string(status), tprt_error_string());
}

__attribute__((destructor)) static void detach(void) {
  if (probe)
    tprt_probe_detach(probe, 1000);
}
