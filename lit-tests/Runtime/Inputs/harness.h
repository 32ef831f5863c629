// Most tests of the runtime attach to a function by its name, count hits, wait for another
// thread and print how a detach ended. The functions here do this work, so that a test shows only
// its own subject. A test of one of these calls, its status or its arguments makes the call itself.
//
// The file is for C and C++, with the plugin or with a plain compiler. No function here has a
// sled.
#ifndef TP_LIT_TESTS_RUNTIME_HARNESS_H
#define TP_LIT_TESTS_RUNTIME_HARNESS_H

#include "tprt/tprt.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Only the plugin knows the attribute that keeps sleds out of a function.
#if __has_attribute(tp_never)
#define NO_SLEDS __attribute__((tp_never)) static inline
#else
#define NO_SLEDS static inline
#endif

// This handler adds one to the int at `data`. It must not run in several threads at once.
NO_SLEDS void countHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs;
  ++*(int *)data;
}

// This handler does nothing.
NO_SLEDS void ignoreHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
}

// Attaches `action` to the sites that `selector` selects. If not all of these
// sites could be attached, prints the reason and ends the program with 1.
NO_SLEDS tprt_probe *attachSelected(tprt_selector selector, tprt_action action) {
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK) {
    puts(tprt_error_string());
    exit(1);
  }
  return probe;
}

// Attaches `action` to the given events of the functions whose names
// match. On failure, ends the program as attachSelected() does.
NO_SLEDS tprt_probe *attach(const char *function, uint32_t events, tprt_action action) {
  tprt_selector selector = {.function = function, .kinds = events};
  return attachSelected(selector, action);
}

// Attaches a handler to the entries of the functions whose names
// match. On failure, ends the program as attachSelected() does.
NO_SLEDS tprt_probe *attachHandler(const char *function, tprt_handler handler, void *data) {
  tprt_action action = {.kind = TPRT_ACTION_CALL, .handler = handler, .data = data};
  return attach(function, TPRT_KIND_SET_ENTRY, action);
}

// Counts the hits at the entries of the functions whose names
// match. On failure, ends the program as attachSelected() does.
NO_SLEDS tprt_probe *attachCounter(const char *function) {
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  return attach(function, TPRT_KIND_SET_ENTRY, action);
}

// Detaches the probe, and returns the message about the result.
NO_SLEDS const char *detach(tprt_probe *probe, int timeoutMs) {
  return tprt_status_string(tprt_probe_detach(probe, timeoutMs));
}

// Waits until another thread, or a signal handler, has set `condition`. After a
// minute, reports that the condition was never set, and ends the program with 1.
NO_SLEDS void waitUntil(const volatile int *condition) {
  for (int i = 0; i < 60000 && !__atomic_load_n(condition, __ATOMIC_SEQ_CST); ++i)
    usleep(1000);
  if (!__atomic_load_n(condition, __ATOMIC_SEQ_CST)) {
    puts("waited for a minute in vain");
    fflush(stdout);
    _exit(1); // exit() might wait for the thread that is stuck
  }
}

// *thread is a thread's id, which another thread stores. Waits until that thread sleeps, as in
// a waiting detach. Then waits a moment longer, because the thread may sleep for a lock first.
NO_SLEDS void waitUntilAsleep(const int *thread) {
  int asleep = 0;
  for (int i = 0; i < 60000 && !asleep; ++i) {
    char name[64], state = 0;
    int id = __atomic_load_n(thread, __ATOMIC_SEQ_CST);
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", id);
    FILE *file = id ? fopen(name, "r") : NULL;
    if (file) {
      asleep = fscanf(file, "%*d (%*[^)]) %c", &state) == 1 && state == 'S';
      fclose(file);
    }
    usleep(1000);
  }
  waitUntil(&asleep);
}

// Returns libtprt's figures about itself.
NO_SLEDS tprt_stats readStats(void) {
  tprt_stats stats;
  tprt_stats_read(&stats);
  return stats;
}

// The number of sites of the C library that stay on after traps were
// requested in code without sleds (docs/reference/runtime-limits.md).
enum { sitesThatKeepSigtrap = 2 };

// Returns the runtime's data about a site.
NO_SLEDS tprt_site_info describe(const tprt_site *site) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  return info;
}

#endif
