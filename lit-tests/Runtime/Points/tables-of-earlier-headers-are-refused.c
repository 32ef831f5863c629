// If this fails, the points of a module that was compiled with an earlier tprt/trace.h are
// misread, or silently stay off, or also disable the module's sleds and the points of other
// modules.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DEARLIER %s -o %t.so
// RUN: %plain_clang -O2 -I %S/Inputs -DMAIN %s %tprt_flags -o %t
// RUN: %t %t.so 2>&1 | FileCheck %s
// RUN: %plain_clang -O2 -fPIC -shared -DEARLIER %s -o %t.no-sleds.so
// RUN: %t %t.no-sleds.so 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not %tpctl list -b %t.so 2>&1 | FileCheck %s --check-prefix=LIST
//
// CHECK: earlier: {{.*}}is not a point; a table was refused: {{.*}}.so: its tables of points are from an earlier tprt/trace.h; its points stay off
// CHECK: functions: it was done
// CHECK: own: it was done
// ALONE: earlier: {{.*}}no module that is loaded so far and has sites is called {{.*}}a table was refused: {{.*}}its tables of points are from an earlier tprt/trace.h
// ALONE: own: it was done
// LIST: its points were compiled with an earlier tprt/trace.h: compile it again
#ifdef EARLIER
// The data of that header for a statement: a gate in tp_gates, a sled in tp_points.
static const char descriptor[] __attribute__((aligned(8), used)) = "\1\0\0\0\7\0\0\0\2\0\1\0\2\0\0\0\0p\0\0f";
#define NOTE(type, section)                                                                   \
  ".weak __start_" section "\n.hidden __start_" section "\n"                                  \
  ".weak __stop_" section "\n.hidden __stop_" section "\n"                                    \
  ".pushsection .note.tp,\"aGR\",@note,__tp_note_v" type ",comdat\n.balign 4\n"               \
  ".long 3, 16, " type "\n.asciz \"tp\"\n.balign 4\n"                                         \
  ".quad __start_" section " - .\n.quad __stop_" section " - .\n.popsection\n"
__attribute__((noinline)) int answer(int x) {
  __asm__ volatile(".p2align 3\n.Lgate: .byte 0x0f, 0x1f, 0x44, 0, 0\njmp .Lend\n.p2align 3\n"
                   ".Lsled: .byte 0x0f, 0x1f, 0x44, 0, 0, 0x0f, 0x1f, 0x80\n.long descriptor - .\n.Lend:\n"
                   ".pushsection tp_gates,\"ao?\",@progbits,.Lgate\n.balign 4\n"
                   ".long .Lgate - ., .Lsled - ., descriptor - .\n.popsection\n"
                   ".pushsection tp_points,\"ao?\",@progbits,.Lgate\n.balign 4\n"
                   ".long .Lsled - .\n.popsection\n" NOTE("3", "tp_gates") NOTE("4", "tp_points"));
  return x + 1;
}
#else
#include "point.h"
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>
__attribute__((noinline)) void work(uint64_t x) { POINT(work, "%lu %lu", x, x); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}
static void attach(const char *what, const char *module, uint32_t kinds) {
  tprt_selector selector = {.module = module, .kinds = kinds};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  printf("%s: %s: %s\n", what, tprt_status_string(status), tprt_error_string());
}
int main(int count, char **words) {
  void *library = dlopen(words[1], RTLD_NOW);
  attach("earlier", words[1], TPRT_KIND_SET_POINT);
  attach("functions", words[1], 0);
  attach("own", NULL, TPRT_KIND_SET_POINT);
  ((int (*)(int))dlsym(library, "answer"))(1);
  work(1);
  return 0;
}
#endif
