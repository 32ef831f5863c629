// If code cannot be written after mprotect or through /proc/self/mem (here because of a
// seccomp filter), attach reports that and the program keeps running.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// Stubs can be written, but not sleds.
// RUN: %t stubs | FileCheck %s
//
// CHECK: the system does not let this process change its code
// CHECK-NEXT: 1 of 1 site refused, the first f ({{.*}}): the code there cannot be read or made writable
// CHECK-NEXT: still running
#include "tprt/tprt.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

static int describe(const tprt_site *site, void *data) {
  tprt_site_info info;
  return tprt_site_describe(site, &info) != TPRT_STATUS_OK;
}

#define REFUSE(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)

int main(int argc, char **argv) {
  // Refuses mprotect calls that make code writable, and writes to files.
  struct sock_filter writable[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), REFUSE(SYS_pwrite64),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      REFUSE(PROT_READ | PROT_WRITE | PROT_EXEC), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               REFUSE(SYS_mprotect), REFUSE(SYS_openat), REFUSE(SYS_pwrite64),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  if (argc > 1)
    filter = (struct sock_fprog){sizeof writable / sizeof *writable, writable};
  tprt_selector selector = {.function = "f"};
  // Names are read before the filter forbids to open files.
  tprt_site_visit(NULL, describe, NULL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  puts(tprt_status_string(tprt_probe_attach(&selector, &action, &probe, NULL)));
  puts(tprt_error_string());
  f();
  puts("still running");
}
