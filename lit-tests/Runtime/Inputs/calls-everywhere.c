// A program that probes entries and exits of a library's functions low, near, middle, far
// and high, calls them, detaches, counts at all of them, and then probes only middle.
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }

static tprt_result result;
static tprt_probe *attach(const char *function, uint32_t events) {
  tprt_selector selector = {.function = function, .module = "lib.so", .kinds = events};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s: %zu of %zu\n", tprt_status_string(status), result.enabled, result.matched);
  return probe;
}

int main(int argc, char **argv) {
  static const char *const names[] = {"low", "near", "middle", "far", "high"};
  int (*functions[5])(void);
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    return puts(dlerror()), 1;
  tprt_probe *probe = attach("*", TPRT_KIND_SET_ALL);
  if (result.first_refused) {
    tprt_site_info info;
    tprt_site_describe(result.first_refused, &info);
    printf("%s: %s\n", info.name, tprt_refusal_string(info.refusal));
  }
  for (int i = 0; i < 5; ++i) {
    functions[i] = (int (*)(void))dlsym(library, names[i]);
    hits = 0;
    int value = functions[i]();
    printf("%s returns %d, %d hits\n", names[i], value, hits);
  }
  tprt_probe_detach(probe, -1);
  hits = 0;
  for (int i = 0; i < 5; ++i)
    functions[i]();
  printf("off: %d hits\n", hits);
  tprt_selector all = {.module = "lib.so", .kinds = TPRT_KIND_SET_ALL};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe_attach(&all, &count, &probe, &result);
  for (int i = 0; i < 5; ++i)
    functions[i]();
  printf("%zu of %zu counted %lu\n", result.enabled, result.matched, (unsigned long)tprt_probe_count(probe));
  attach("middle", 0);
}
