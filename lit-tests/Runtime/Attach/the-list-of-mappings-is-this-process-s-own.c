// libtprt keeps a descriptor of the kernel's list of mappings. A program may close that
// descriptor and use its number for another file, which libtprt must leave alone. After a
// fork, a child must read its own mappings, not its parent's.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done, 1 hit
// CHECK-NEXT: number closed: it was done, 1 hit
// CHECK-NEXT: number taken: it was done, 1 hit, the file is the program's
// CHECK-NEXT: child: every matching site was refused: the code there is a shared mapping
// CHECK-NEXT: parent: it was done, 1 hit
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { Page = 65536 };
__attribute__((noinline, section(".text.1"), aligned(Page))) void f(void) { __asm__ volatile(""); }
__attribute__((section(".text.2"), aligned(Page), tp_never)) void behind(void) {}
static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }

static tprt_status hitOnce(tprt_refusal *refusal) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  *refusal = result.first_refusal;
  hits = 0;
  f();
  if (probe)
    tprt_probe_detach(probe, -1);
  return status;
}
static void tell(const char *when) {
  tprt_refusal refusal;
  tprt_status status = hitOnce(&refusal);
  printf("%s%s, %d hit", when, tprt_status_string(status), hits);
}
// -1 if the kernel has no such list, as before Linux 6.11.
static int numberOfMaps(void) {
  for (int number = 3; number < 1024; ++number) {
    char link[64], target[64] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", number);
    if (readlink(link, target, sizeof target - 1) > 0 && strstr(target, "/maps"))
      return number;
  }
  return -1;
}

int main() {
  tell("");
  int number = numberOfMaps();
  if (number >= 0)
    close(number);
  tell("\nnumber closed: ");
  number = numberOfMaps();
  int null = open("/dev/null", O_WRONLY);
  if (number >= 0)
    dup2(null, number);
  tell("\nnumber taken: ");
  puts(number < 0 || write(number, "x", 1) == 1 ? ", the file is the program's" : ", its file is gone");
  fflush(stdout);
  if (fork() == 0) {
    char *start = (char *)((uintptr_t)f & ~(uintptr_t)(Page - 1)) - 4096;
    int file = memfd_create("text", 0);
    if (write(file, start, 8192) != 8192 ||
        mmap(start, 8192, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
      return 1;
    tprt_refusal refusal;
    tprt_status status = hitOnce(&refusal);
    printf("child: %s: %s\n", tprt_status_string(status), tprt_refusal_string(refusal));
    return 0;
  }
  wait(NULL);
  tell("parent: ");
  puts("");
}
