// The thread that looks for uprobes runs if a site that needs its first byte is on. The attach starts the thread, which
// ends a second after the detach. If this fails, a uprobe that is set and removed crashes programs, or programs keep a
// useless thread.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=uprobes=0 %t | FileCheck %s --check-prefix=NONE
// RUN: not env TPRT_OPTIONS=uprobes=1 %t | FileCheck %s --check-prefix=REFUSED
//
// CHECK: 1 thread before
// CHECK-NEXT: 1 thread where no site needs it
// CHECK-NEXT: 2 threads with number, the watch among them
// CHECK-NEXT: child: 1 thread at first
// CHECK-NEXT: child: 2 threads after an attach, the watch among them
// CHECK-NEXT: child: 1 thread after the detaches
// CHECK-NEXT: child ended with 0
// CHECK-NEXT: child: 2 threads after the detach of one of two
// CHECK-NEXT: child ended with 0
// CHECK-NEXT: child of vfork: status 0, 1 thread
// CHECK-NEXT: 2 threads until the last detach
// CHECK-NEXT: 1 thread at the end
// CHECK-NEXT: 2 threads again
//
// With uprobes=0 there is no such thread.
// NONE: 1 thread before
// NONE-NEXT: 1 thread where no site needs it
// NONE-NEXT: 1 thread with number
// NONE-NEXT: child: 1 thread at first
// NONE-NEXT: child: 1 thread after an attach
// NONE: 1 thread until the last detach
// NONE-NEXT: 1 thread at the end
// NONE-NEXT: 1 thread again
//
// With uprobes=1 no site needs the thread: such sites are refused.
// REFUSED: 1 thread where no site needs it
// REFUSED-NEXT: 1 of 1 site refused, the first number
#define _GNU_SOURCE
#include "Inputs/watch.h"
#include <sys/syscall.h>
#include <sys/wait.h>

__asm__(".text\n" NUMBER_FUNCTION("kept", "leaq 1(%rdi), %rax\nret\n.byte 0x0f, 0x1f, 0x40, 0"));
long kept(long);

static void say(const char *when) {
  int id, count = threads("tprt-watch", &id);
  printf("%d thread%s %s", count, count == 1 ? "" : "s", when);
  if (count > 1)
    printf("%s", awaitWatch(1) ? ", the watch among them" : ", but NOT the watch");
  printf("\n");
}

static void endChild(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  printf("child ended with %d\n", status);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  say("before");
  tprt_probe *other = attachCode("kept");
  say("where no site needs it");
  tprt_probe *probe = attachCode("number");
  say("with number");
  pid_t child = fork();
  if (child == 0) {
    printf("child: "), say("at first");
    tprt_probe *more = attachCode("number_of_two");
    printf("child: "), say("after an attach");
    tprt_probe_detach(more, -1);
    tprt_probe_detach(probe, -1);
    awaitWatch(0);
    printf("child: "), say("after the detaches");
    _exit(number(1) != 2);
  }
  endChild(child);
  child = fork();
  if (child == 0) {
    tprt_probe_detach(other, -1);
    int id;
    printf("child: %d threads after the detach of one of two\n", threads("tprt-watch", &id));
    _exit(0);
  }
  endChild(child);
  // A child of vfork() attaches and detaches on its parent's memory. The thread would belong to the child.
  static int status, there, id;
  tprt_probe_detach(probe, -1);
  awaitWatch(0);
  child = vfork();
  if (child == 0) {
    probe = attachCode("number");
    there = threads("tprt-watch", &id);
    _exit(0);
  }
  waitpid(child, &status, 0);
  printf("child of vfork: status %d, %d thread\n", status, there);
  other = attachCode("kept");
  say("until the last detach");
  tprt_probe_detach(probe, -1);
  awaitWatch(0);
  say("at the end");
  probe = attachCode("number");
  say("again");
  return number(5) != 6 || tprt_probe_count(probe) != 1;
}
