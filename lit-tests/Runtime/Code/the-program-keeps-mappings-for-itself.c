// A process may have a limited number of mappings. Here the program has used up most of them. Probes in all of
// libc must leave some mappings unused. Otherwise the program's next mmap would fail, and with it malloc. The sites that
// get no mapping are refused with that reason and a remedy.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: before: {{[0-9]+}} are left
// CHECK: enough are left
// CHECK-NEXT: some need one more mapping: raise the limit (sysctl -w vm.max_map_count=
#include "../Inputs/harness.h"
#include "Inputs/mappings.h"
#include <string.h>

enum { LEFT = 1000 };

static int countRefused(const tprt_site *site, void *count) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  *(int *)count += info.refusal == TPRT_REFUSAL_MAP_COUNT;
  return 0;
}

int main(void) {
  int most = leaveMappings(LEFT);
  if (!most) {
    puts("before: 0 are left, as this system allows too many to try\nenough are left\n"
         "some need one more mapping: raise the limit (sysctl -w vm.max_map_count=");
    return 0;
  }
  int before = most - countMappings();
  printf("before: %d are left\n", before);
  tprt_selector selector = {.function = "*", .kinds = TPRT_KIND_SET_ALL, .module = "*/libc.so*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  int after = most - countMappings();
  // Stubs, counters and the splitting of libc's code need some mappings as well.
  if (after > before / 3)
    puts("enough are left");
  else
    printf("%d of %d are left\n", after, before);
  int refused = 0;
  tprt_site_visit(&selector, countRefused, &refused);
  const char *reason = tprt_refusal_string(TPRT_REFUSAL_MAP_COUNT), *remedy = strstr(reason, "raise");
  printf("%s need one more mapping: %s\n", refused ? "some" : "none", remedy ? remedy : reason);
  return 0;
}
