// A library's code is almost 2 GiB long. Nearby memory must have room for the stubs of its sites,
// and for the code that runs a redirected function's original.
//
// REQUIRES: x86_64-host
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fno-asynchronous-unwind-tables -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-opaque %t/lib.c \
// RUN:   %use_lld -Wl,--section-start=.text=0x100000 -Wl,--section-start=.high=0x7e900000 \
// RUN:   -Wl,--section-start=tp_sleds=0x3f000000 -o %t/lib.so
// RUN: %clang -O2 %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
//
// CHECK: low: it was done, returns 110
// CHECK-NEXT: high: it was done, returns 150
//--- lib.c
int low(void) { return 10; }
__attribute__((section(".high"))) int high(void) { return 50; }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>

static const tprt_site *entry;
static int keep(const tprt_site *site, void *data) { return entry = site, 0; }
static int replacement(void) { return 100 + ((int (*)(void))tprt_site_original(entry))(); }

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  const char *const names[] = {"low", "high"};
  for (int i = 0; i < 2; ++i) {
    tprt_selector selector = {.function = names[i], .module = "lib.so"};
    tprt_action action = {.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)replacement};
    tprt_probe *probe;
    tprt_site_visit(&selector, keep, NULL);
    tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
    printf("%s: %s, returns %d\n", names[i], tprt_status_string(status), ((int (*)(void))dlsym(library, names[i]))());
  }
}
