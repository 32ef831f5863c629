// Code that the loader mapped with the BTI guard keeps the guard while a probe is attached
// and after it is detached. A call to a place without a landing pad must fault, as it does
// without probes.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -nostdlib -mbranch-protection=bti -fplugin-arg-tp-entry=1 %t/lib.c %use_lld -o %t/lib.so
// RUN: %plain_clang -O2 -I %S/../Inputs %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
//
// CHECK: before: guarded
// CHECK-NEXT: attached, 1 hit: guarded
// CHECK-NEXT: detached: guarded
//--- lib.c
void probed(void) { __asm__ volatile(""); }
__attribute__((tp_never, target("branch-protection=none"))) void noLandingPad(void) {}
//--- main.c
#include "harness.h"
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static int hits;
static void (*noLandingPad)(void);
static void onFault(int signal) { siglongjmp(back, 1); }

static const char *guard(void) {
  if (sigsetjmp(back, 1))
    return "guarded";
  noLandingPad();
  return "not guarded";
}

int main(int argc, char **argv) {
  signal(SIGILL, onFault);
  void *library = dlopen(argv[1], RTLD_NOW);
  noLandingPad = (void (*)(void))dlsym(library, "noLandingPad");
  void (*probed)(void) = (void (*)(void))dlsym(library, "probed");
  printf("before: %s\n", guard());
  tprt_probe *probe = attachHandler("probed", countHit, &hits);
  probed();
  printf("attached, %d hit: %s\n", hits, guard());
  tprt_probe_detach(probe, -1);
  printf("detached: %s\n", guard());
}
