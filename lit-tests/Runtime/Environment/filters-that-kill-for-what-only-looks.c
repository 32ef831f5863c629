// Seccomp filters kill the process for system calls by which attach and detach only read:
// statfs (of a mapping's file) and process_vm_readv (of another thread's frame). The
// runtime must detect the filter beforehand and work without these calls.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -lpthread -o %t
// RUN: %t statfs | FileCheck %s
// RUN: %t process_vm_readv | FileCheck %s
//
// CHECK: it was done, it was done, it was done, hits 1
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

__attribute__((noinline)) int f(int x) { __asm__ volatile("" : "+r"(x)); return x; }
__attribute__((noinline)) int g(int x) { __asm__ volatile("" : "+r"(x)); return x; }
static volatile int inside, leave, hits;
static void count(const tprt_event *e, const tprt_regs *r, void *data) { ++hits; }
static void stay(const tprt_event *e, const tprt_regs *r, void *data) {
  inside = 1;
  waitUntil(&leave);
}
__attribute__((tp_never)) static void *callG(void *data) { g(1); return NULL; }

__attribute__((tp_never)) int main(int argc, char **argv) {
  uint32_t number = strcmp(argv[1], "statfs") == 0 ? SYS_statfs : SYS_process_vm_readv;
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {4, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 1;
  tprt_probe *first, *second;
  pthread_t thread;
  tprt_status a = tprt_probe_attach(&(tprt_selector){.function = "g"}, &(tprt_action){.handler = stay}, &first, NULL);
  tprt_status b = tprt_probe_attach(&(tprt_selector){.function = "f"}, &(tprt_action){.handler = count}, &second, NULL);
  f(1);
  pthread_create(&thread, NULL, callG, NULL);
  waitUntil(&inside);
  tprt_status c = tprt_probe_detach(second, 1000);
  printf("%s, %s, %s, hits %d\n", tprt_status_string(a), tprt_status_string(b), tprt_status_string(c), hits);
  leave = 1;
  pthread_join(thread, NULL);
  return tprt_probe_detach(first, -1);
}
