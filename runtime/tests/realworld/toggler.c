/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A library that scripts/realworld.sh preloads into a real program, together with
 * libtprt. A thread attaches and detaches random probes every few milliseconds,
 * up to four at a time, until the program ends. At the end one line is
 * written to the file TP_TOGGLER_LOG: the number of probes that were
 * attached, the number of hits, and the errors. TP_TOGGLER_SEED makes the
 * choices repeatable. With TP_TOGGLER_CODE, the functions without sleds are
 * probed, too. With TP_TOGGLER_CHILDREN, a child of fork gets such a thread,
 * too.
 *
 * The handlers run on any thread and in signal handlers: they only count.
 */
#include "tprt/tprt.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kProbes = 4 };
static uint64_t state, attached, refused, faults, hits, counted;
static char firstFault[256];
static volatile int stop, started;
static pthread_t thread;
static pid_t owner; /* the process that has the thread; a child of fork has none */
static tprt_probe *probes[kProbes];

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* Uses vector registers, as any handler may. */
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
#if defined(__x86_64__)
  __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm1, %%xmm1\n\tpcmpeqd %%xmm7, %%xmm7\n\t"
                   "pcmpeqd %%xmm15, %%xmm15" ::: "xmm0", "xmm1", "xmm7", "xmm15");
#endif
}

static void fault(const char *what, tprt_status status) {
  if (!faults++)
    snprintf(firstFault, sizeof firstFault, ", first: %s: %s (%s)", what, tprt_status_string(status), tprt_error_string());
}

static tprt_probe *attach(void) {
  /* Selects all functions, those with one letter, or one in a few, so that there
   * are small and large batches. */
  char pattern[8] = "*";
  if (next() % 4)
    snprintf(pattern, sizeof pattern, "*%c*", "aeiostlrdgZ_TXF"[next() % 15]);
  tprt_selector selector = {.function = pattern, .kinds = next() % 4 ? TPRT_KIND_SET_ALL : 0};
  if (getenv("TP_TOGGLER_CODE"))
    selector.flags = TPRT_SELECT_CODE;
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  if (next() % 3)
    action = (tprt_action){.kind = TPRT_ACTION_CALL, .handler = onHit};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  /* A shell that runs the tests has no table. */
  if (status != TPRT_STATUS_OK && status != TPRT_STATUS_PARTIAL && status != TPRT_STATUS_NO_MATCH &&
      status != TPRT_STATUS_NO_TABLE)
    fault("attach", status);
  attached += probe != NULL;
  refused += result.refused;
  return probe;
}

static void detach(tprt_probe *probe) {
  counted += tprt_probe_count(probe);
  tprt_status status = tprt_probe_detach(probe, 10000);
  if (status != TPRT_STATUS_OK)
    fault("detach", status);
}

static void *run(void *unused) {
  (void)unused;
  while (!stop) {
    size_t which = next() % kProbes;
    if (probes[which]) {
      detach(probes[which]);
      probes[which] = NULL;
    } else {
      probes[which] = attach();
    }
    struct timespec pause = {0, (long)(next() % 4000000)};
    nanosleep(&pause, NULL);
  }
  for (size_t i = 0; i < kProbes; ++i)
    if (probes[i])
      detach(probes[i]);
  return NULL;
}

static void startThread(void) {
  sigset_t all, before;
  sigfillset(&all); /* the program's signals are for its own threads */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  owner = getpid();
  started = pthread_create(&thread, NULL, run, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The parent's probes are also attached here, and are never detached. */
static void startInChild(void) {
  memset(probes, 0, sizeof probes);
  attached = refused = faults = hits = counted = 0;
  state += (uint64_t)getpid();
  startThread();
}

__attribute__((constructor)) static void start(void) {
  const char *seed = getenv("TP_TOGGLER_SEED");
  state = (seed ? strtoull(seed, NULL, 10) : 1) * 0x9e3779b97f4a7c15u + (uint64_t)getpid();
  probes[0] = attach(); /* some programs end before the thread gets to run */
  startThread();
  if (getenv("TP_TOGGLER_CHILDREN"))
    pthread_atfork(NULL, NULL, startInChild);
}

__attribute__((destructor)) static void finish(void) {
  const char *path = getenv("TP_TOGGLER_LOG");
  if (!started || !path || getpid() != owner)
    return;
  stop = 1;
  pthread_join(thread, NULL);
  tprt_stats stats;
  tprt_stats_read(&stats);
  if (!stats.sites && !faults)
    return;
  char line[640];
  int length = snprintf(line, sizeof line, "%llu probes, %llu hits, %llu counted, %zu sites, %llu refused, %llu faults%s\n",
                        (unsigned long long)attached, (unsigned long long)hits, (unsigned long long)counted,
                        stats.sites, (unsigned long long)refused, (unsigned long long)faults, firstFault);
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0 || write(file, line, (size_t)length) != length)
    fprintf(stderr, "toggler: can't write %s\n", path);
  if (file >= 0)
    close(file);
}
