// A program may replace its code by a copy, for example to have it in huge pages. Functions without sleds are
// probed there, whether the copy is made before the attach, while the probe is on, or before the detach. Code in
// a shared mapping is refused, and probes that were enabled there get no further hits.
//
// RUN: split-file %s %t.d
// RUN: gcc -O1 -shared -fPIC -I %S %t.d/lib.c -o %t.d/lib-mapped.so
// RUN: gcc -O1 -I %S %t.d/program.c %tprt_flags %t.d/lib-mapped.so -Wl,-rpath,%t.d -o %t
// RUN: %t | FileCheck %s
//
// CHECK: moved over, before the attach: 100 hits, 0 after the detach, results right
// CHECK-NEXT: moved over, while on: 100 hits, 0 after the detach, results right
// CHECK-NEXT: moved over, before the detach: 100 hits, 0 after the detach, results right
// CHECK-NEXT: copied back, before the attach: 100 hits, 0 after the detach, results right
// CHECK-NEXT: copied back, while on: 100 hits, 0 after the detach, results right
// CHECK-NEXT: copied back, before the detach: 100 hits, 0 after the detach, results right
// CHECK-NEXT: shared, before the detach: 100 hits, 0 after the detach, results right
// CHECK-NEXT: shared: the code there is a shared mapping

//--- lib.c
#include "Inputs/means.h"

//--- program.c
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <link.h>
#include <string.h>
#include <sys/mman.h>

long pun(long), hop(long), jump(long);
static char *code;
static size_t bytes;

static int findCode(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  if (!strstr(info->dlpi_name, "lib-mapped"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
      code = (char *)((info->dlpi_addr + segment->p_vaddr) & -4096ul);
      bytes = (segment->p_memsz + (segment->p_vaddr & 4095) + 4095) & -4096ul;
    }
  }
  return 1;
}

enum How { MOVED, COPIED, SHARED };
static const char *const kHow[] = {"moved over", "copied back", "shared"};

static void mapAnew(enum How how) {
  int flags = MAP_ANONYMOUS | (how == SHARED ? MAP_SHARED : MAP_PRIVATE);
  char *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  memcpy(copy, code, bytes);
  if (how == COPIED) {
    mmap(code, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0);
    memcpy(code, copy, bytes);
    mprotect(code, bytes, PROT_READ | PROT_EXEC);
    munmap(copy, bytes);
    return;
  }
  mprotect(copy, bytes, PROT_READ | PROT_EXEC);
  mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, code);
}

enum When { BEFORE_ATTACH, ON, BEFORE_DETACH };
static const char *const kWhen[] = {"before the attach", "while on", "before the detach"};

static int callAll(void) {
  int right = 1;
  for (long i = 0; i < 100; ++i)
    right &= hop(i) == i + 1 && pun(i) == i + 1 && jump(i) == i + 1;
  return right;
}

static void run(enum How how, enum When when) {
  int hits = 0;
  if (when == BEFORE_ATTACH)
    mapAnew(how);
  tprt_selector selector = {.function = "pun", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE, .module = "*/lib-mapped*"};
  tprt_action action = {.kind = TPRT_ACTION_CALL, .handler = countHit, .data = &hits};
  tprt_probe *probe = NULL;
  tprt_result result;
  if (tprt_probe_attach(&selector, &action, &probe, &result) != TPRT_STATUS_OK) {
    printf("%s: %s\n", kHow[how], tprt_refusal_string(result.first_refusal));
    return;
  }
  if (when == ON)
    mapAnew(how);
  int right = callAll(), before = hits;
  if (when == BEFORE_DETACH)
    mapAnew(how);
  tprt_probe_detach(probe, -1);
  right &= callAll();
  printf("%s, %s: %d hits, %d after the detach, results %s\n", kHow[how], kWhen[when], before, hits - before, right ? "right" : "wrong");
}

int main(void) {
  dl_iterate_phdr(findCode, NULL);
  for (int how = MOVED; how <= COPIED; ++how)
    for (int when = BEFORE_ATTACH; when <= BEFORE_DETACH; ++when)
      run(how, when);
  run(SHARED, BEFORE_DETACH);
  run(SHARED, BEFORE_ATTACH);
  return 0;
}
