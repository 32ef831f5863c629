// Two threads call functions of all kinds, two other threads attach to them and detach, and uprobes are set and removed at
// the functions' entries. With TPRT_OPTIONS=uprobes=1 each uprobe is removed at once. With uprobes=0 each uprobe is removed
// after libtprt has restored the instruction under the uprobe, as an attach or a detach does, or after the probe is off.
// Without the option, a uprobe is removed at once if no jump needs its first byte. TP_UPROBE_SECONDS makes each run longer.
//
// REQUIRES: uprobes
// RUN: gcc -O2 %s %tprt_flags -pthread -o %t
// RUN: env TPRT_VERBOSE=0 TPRT_OPTIONS=uprobes=1 %t | FileCheck %s
// RUN: env TPRT_VERBOSE=0 TPRT_OPTIONS=uprobes=0 %t waits | FileCheck %s
// RUN: env TPRT_VERBOSE=0 %t few | FileCheck %s --check-prefixes=FEW,CHECK
//
// FEW: uprobes at {{1[12]}} functions
// CHECK: both kinds of threads ran, 0 wrong results
#include "../Inputs/harness.h"
#include "../Inputs/uprobe.h"
#include "Inputs/means.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_long calls, wrong, toggles;
static atomic_int stop;

static struct {
  const char *name;
  long (*function)(long), (*call)(long);
} all[] = {{"jump", jump, jump},
           {"hop", hop, hop},
           {"hop_odd", hop_odd, hop_odd},
           {"bare_jump", bare_jump, bare_jump},
           {"bare_hop", bare_hop, bare_hop},
           {"pun", pun, pun},
           {"short_hop", short_hop, short_hop},
           {"short_pun", short_pun, short_pun},
           {"landing_pad", landing_pad, landing_pad},
           {"branch", branch, call_branch},
           {"relative", relative, relative},
           {"tail", tail, tail}};
enum { kFunctions = sizeof all / sizeof *all };

static void *call(void *unused) {
  long made = 0, bad = 0;
  for (; !stop; ++made)
    bad += all[made % kFunctions].call(made) != made + 1;
  calls += made, wrong += bad;
  return unused;
}

static tprt_probe *attachTo(const char *name) {
  tprt_selector selector = {.kinds = TPRT_KIND_SET_ALL,
                            .function = name,
                            .module = "*/uprobes-come-and-go*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL); // refused while a uprobe is there
  return probe;
}

// Whether a jump at the function's entry needs its first byte.
static int needsFirstByte(int index) {
  const unsigned char *code = (const void *)all[index].function;
  unsigned char before[5];
  memcpy(before, code, sizeof before);
  tprt_probe *probe = attachTo(all[index].name);
  int needs = code[0] != before[0] && memcmp(code + 1, before + 1, 4) != 0;
  tprt_probe_detach(probe, -1);
  return needs;
}

static void *toggle(void *unused) {
  unsigned seed = 7;
  for (; !stop; ++toggles) {
    tprt_probe *probe = attachTo(all[rand_r(&seed) % kFunctions].name);
    if (rand_r(&seed) % 2 == 0)
      usleep(rand_r(&seed) % 50000);
    if (probe)
      wrong += tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
  }
  return unused;
}

// Waits until the uprobe is set and the bytes after it are the original ones. A uprobe
// that is set while code is written may be lost (docs/reference/runtime-limits.md).
static void awaitBytes(const void *at, const unsigned char *before) {
  const volatile unsigned char *now = at;
  for (int turn = 0, same = 0; !same && (now[0] == 0xcc || turn < 200); ++turn) {
    usleep(10000);
    same = now[0] == 0xcc;
    for (int i = 1; i < 5; ++i)
      same &= now[i] == before[i];
  }
}

int main(int count, char **arguments) {
  const int waits = count > 1 && strcmp(arguments[1], "waits") == 0, few = count > 1 && !waits;
  const char *asked = getenv("TP_UPROBE_SECONDS");
  unsigned char before[kFunctions][8];
  for (int i = 0; i < kFunctions; ++i)
    memcpy(before[i], (const void *)all[i].function, sizeof before[i]);
  int safe[kFunctions], safes = 0;
  for (int i = 0; i < kFunctions; ++i)
    if (!few || !needsFirstByte(i))
      safe[safes++] = i;
  if (few)
    printf("uprobes at %d functions\n", safes);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, i < 2 ? call : toggle, NULL);
  unsigned seed = 3;
  for (time_t end = time(NULL) + (asked ? atoi(asked) : 2); time(NULL) < end;) {
    int i = safe[rand_r(&seed) % safes];
    int event = openUprobe((const void *)all[i].function);
    usleep(rand_r(&seed) % 5000);
    if (waits)
      awaitBytes((const void *)all[i].function, before[i]);
    close(event);
  }
  stop = 1;
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  printf("%s ran, %ld wrong results\n", calls && toggles ? "both kinds of threads" : "some threads never", wrong);
  return 0;
}
