// Code in a shared mapping must also be refused in two hard cases. In one, the list of
// mappings cannot be read, as all descriptors are used. In the other, a process has its
// parent's id in a separate namespace, and the inherited open file is the parent's.
//
// REQUIRES: root
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t descriptors | FileCheck %s
// RUN: %t namespace | FileCheck %s
//
// CHECK: every matching site was refused, 0 bytes changed
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { Page = 65536 };
#define CODE(part) __attribute__((noinline, section(".text." part), aligned(Page)))
CODE("1") int f1(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
CODE("2") int f2(int x) { __asm__ volatile("" : "+r"(x)); return x + 2; }
CODE("3") __attribute__((tp_never)) void last(void) {}
static void ignore(const tprt_event *e, const tprt_regs *r, void *data) {}
static tprt_status attach(const char *name) {
  tprt_probe *probe;
  return tprt_probe_attach(&(tprt_selector){.function = name}, &(tprt_action){.handler = ignore}, &probe, NULL);
}
static void inNewNamespace(void) {
  if (unshare(CLONE_NEWPID) != 0)
    exit(1);
  pid_t child = fork();
  if (child) {
    waitpid(child, NULL, 0);
    exit(0);
  }
}
__attribute__((tp_never)) int main(int argc, char **argv) {
  int namespaces = strcmp(argv[1], "namespace") == 0;
  if (namespaces)
    inNewNamespace();
  if (attach("f2") != TPRT_STATUS_OK)
    return 1;
  if (namespaces)
    inNewNamespace(); // number 1 in both
  int file = memfd_create("code", 0);
  if (write(file, (void *)f1, Page) != Page ||
      mmap((void *)f1, Page, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
    return 1;
  unsigned char *others = mmap(NULL, Page, PROT_READ, MAP_SHARED, file, 0), *before = malloc(Page);
  memcpy(before, others, Page);
  if (!namespaces) {
    close_range(3, ~0u, 0);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0});
  }
  tprt_status status = attach("f1");
  int changed = 0;
  for (int i = 0; i < Page; ++i)
    changed += before[i] != others[i];
  printf("%s, %d bytes changed\n", tprt_status_string(status), changed);
}
