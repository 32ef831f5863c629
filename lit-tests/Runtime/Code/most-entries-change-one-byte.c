// Probes at all entries of the C library, turned on in one batch, need the first byte of at most one instruction in
// eight. At the others a uprobe may be set and removed, because only the first byte changes, or the first byte does
// not change. If this fails, libtprt has not used puns where another jump would work. With uprobes=0, libtprt uses
// no such puns, and half of the instructions need their first byte. So the numbers show the difference.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s --check-prefixes=CHECK,MOST
// RUN: env TPRT_OPTIONS=uprobes=0 %t | FileCheck %s --check-prefixes=CHECK,HALF
//
// CHECK: 19 of 20 entries are on
// MOST-NEXT: at most an eighth needs its first byte
// HALF-NEXT: more than a quarter needs its first byte
#include "../Inputs/harness.h"
#include <string.h>

static struct {
  const unsigned char *at;
  unsigned char before[5];
} all[10000];
static size_t count;

static int add(const tprt_site *site, void *unused) {
  tprt_site_info info = {0};
  tprt_site_describe(site, &info);
  all[count].at = info.sled;
  memcpy(all[count].before, info.sled, sizeof all[count].before);
  return (void)unused, ++count == sizeof all / sizeof *all;
}

int main(void) {
  tprt_selector selector = {.kinds = TPRT_KIND_SET_ENTRY, .module = "*/libc.so.6", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *probe = NULL;
  size_t on = 0, need = 0;
  tprt_site_visit(&selector, add, NULL);
  tprt_probe_attach(&selector, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, NULL);
  for (size_t i = 0; i < count; ++i) {
    int first = all[i].at[0] != all[i].before[0], others = memcmp(all[i].at + 1, all[i].before + 1, 4) != 0;
    on += first || others;
    need += first && others;
  }
  tprt_probe_detach(probe, -1);
  printf("%s of 20 entries are on\n", on * 20 >= count * 19 ? "19" : "fewer");
  printf("%s needs its first byte\n",
         need * 8 <= on ? "at most an eighth" : need * 4 > on ? "more than a quarter" : "some part");
  return 0;
}
