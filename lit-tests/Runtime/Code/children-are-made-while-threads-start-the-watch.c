// Threads attach to and detach from their own functions while another thread forks. The children call the probed
// functions, and attach and detach as well. If this fails, a child waits for a lock that a thread of its parent holds,
// or has no thread that looks for uprobes, or has two such threads.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -pthread -o %t
// RUN: %t | FileCheck %s
//
// CHECK: children ended well, threads attached, 0 wrong results
#define _GNU_SOURCE
#include "Inputs/watch.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

static atomic_int stop;
static atomic_long wrong, attached;

static void *toggle(void *name) {
  for (; !stop; ++attached) {
    tprt_probe *probe = attachCode(name);
    wrong += number(1) != 2 || number_of_two(2) != 3;
    wrong += tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
  }
  return NULL;
}

static int watches(void) {
  int id, count = threads("tprt-watch", &id);
  return count;
}

int main(void) {
  pthread_t others[2];
  pthread_create(&others[0], NULL, toggle, "number");
  pthread_create(&others[1], NULL, toggle, "number_of_two");
  long children = 0, bad = 0;
  for (time_t end = time(NULL) + 2; time(NULL) < end || !children; ++children) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      int before = watches(); // this thread
      tprt_probe *probe = attachCode("number*");
      int bads = number(1) != 2 || number_of_two(2) != 3 || before != 1 || watches() != 2;
      bads |= tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
      _exit(bads || number(1) != 2);
    }
    int status = -1;
    waitpid(child, &status, 0);
    bad += status != 0;
  }
  stop = 1;
  pthread_join(others[0], NULL);
  pthread_join(others[1], NULL);
  printf("children ended %s, threads %s, %ld wrong results\n", bad ? "BADLY" : "well", attached ? "attached" : "did NOT attach", wrong);
  return 0;
}
