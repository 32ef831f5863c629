// A pending counting probe cannot be attached to a later module. The probe must have none
// of that module's sites, because the hits counted there earlier belong to another probe.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/liblater.so
// RUN: %plain_clang %t/main.c %tprt_flags -Wl,-rpath,%t -o %t/main
// RUN: %t/main | FileCheck %s
//
// CHECK: first 5
// CHECK-NEXT: then: membarrier(PRIVATE_EXPEDITED_SYNC_CORE) failed (errno 1)
// CHECK-NEXT: counted 0 at 0 sites
//--- lib.c
void later(void) { __asm__ volatile(""); }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void forbidBarriers(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int onSite(const tprt_site *site, uint64_t count, void *data) { return ++*(int *)data, 0; }

int main() {
  tprt_selector selector = {.function = "later", .flags = TPRT_SELECT_AWAIT};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  void *library = dlopen("liblater.so", RTLD_NOW);
  tprt_probe_attach(&selector, &action, &probe, NULL);
  for (int i = 0; i < 5; ++i)
    ((void (*)(void))dlsym(library, "later"))();
  printf("first %llu\n", (unsigned long long)tprt_probe_count(probe));
  tprt_probe_detach(probe, -1);
  dlclose(library);

  tprt_probe_attach(&selector, &action, &probe, NULL);
  forbidBarriers();
  dlopen("liblater.so", RTLD_NOW);
  int sites = 0;
  printf("then: %s\n", tprt_error_string());
  tprt_probe_visit_counts(probe, onSite, &sites);
  printf("counted %llu at %d sites\n", (unsigned long long)tprt_probe_count(probe), sites);
}
