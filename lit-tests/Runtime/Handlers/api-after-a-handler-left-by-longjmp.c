// For the API, too, a handler that was left by longjmp has ended. The target of the longjmp may
// attach and detach at once, without another hit before. The same must hold for libtprt.a, where
// more calls lie between the API function and the check.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %run %t %t.tptrace | FileCheck %s
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -I %tprt_include %s %{libdir}/libtprt.a -o %t.static
// RUN: %run %t.static %t.static.tptrace | FileCheck %s
//
// CHECK: inside: this call is not allowed from inside a handler
// CHECK-NEXT: visit: it was done
// CHECK-NEXT: describe: it was done
// CHECK-NEXT: statistics: it was done, {{[1-9][0-9]*}} sites
// CHECK-NEXT: durations: it was done, it was done
// CHECK-NEXT: recording: it was done, it was done, it was done
// CHECK-NEXT: attach: it was done
// CHECK-NEXT: count: 1
// CHECK-NEXT: refresh: it was done
// CHECK-NEXT: detach: it was done
#include "tprt/duration.h"
#include "tprt/record.h"
#include "tprt/tprt.h"
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static tprt_selector other = {.function = "g"};
static const tprt_site *site;
static int stop(const tprt_site *one, void *data) {
  site = one;
  return 1;
}
static void onDuration(const tprt_duration *duration, void *data) {}
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  printf("inside: %s\n", tprt_status_string(tprt_site_visit(&other, stop, NULL)));
  longjmp(back, 1);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }

int main(int argc, char **argv) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit}, count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe, *counter;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  if (!setjmp(back))
    f();
  tprt_status visit = tprt_site_visit(&other, stop, NULL);
  tprt_site_info info;
  tprt_stats stats;
  tprt_status describe = tprt_site_describe(site, &info), read = tprt_stats_read(&stats);
  tprt_duration_probe *durations;
  tprt_status time = tprt_duration_probe_attach(&other, onDuration, NULL, 0, &durations, NULL);
  tprt_status timed = tprt_duration_probe_detach(durations, 1000);
  tprt_recording_options where = {.file = argv[1]};
  tprt_status start = tprt_recording_start(&where), add = tprt_recording_add(&other, NULL, NULL);
  tprt_status stopped = tprt_recording_stop();
  tprt_status attach = tprt_probe_attach(&other, &count, &counter, NULL);
  __attribute__((noinline)) void (*volatile call)(void) = g;
  call();
  unsigned long counted = attach ? 0 : tprt_probe_count(counter);
  tprt_status refresh = tprt_module_refresh(), detach = tprt_probe_detach(probe, 1000);
#define TEXT(status) tprt_status_string(status)
  printf("visit: %s\ndescribe: %s\nstatistics: %s, %zu sites\n", TEXT(visit), TEXT(describe), TEXT(read), stats.sites);
  printf("durations: %s, %s\nrecording: %s, %s, %s\n", TEXT(time), TEXT(timed), TEXT(start), TEXT(add), TEXT(stopped));
  printf("attach: %s\ncount: %lu\nrefresh: %s\ndetach: %s\n", TEXT(attach), counted, TEXT(refresh), TEXT(detach));
}
