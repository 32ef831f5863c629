// The address of an IFUNC's symbol is that of its resolver, which the loader calls once. A probe there would
// count nothing, without an explanation. So libtprt does not give that name to the resolver, and refuses the
// probe with a message. The functions among which the resolver chooses have their own names.
//
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 42
// CHECK: chosen: none of the {{.*}} matches chosen so far {{.*}}inlined, or an IFUNC?
// CHECK: chosen_plain: 10 calls
// CHECK: resolve: 0 calls
#include "../Inputs/harness.h"

static volatile int turns;
__attribute__((noinline)) static int chosen_plain(void) {
  ++turns;
  return 42;
}
static int (*resolve(void))(void) { return chosen_plain; }
int chosen(void) __attribute__((ifunc("resolve")));

static void count(const char *name) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .module = "*/ifuncs-have-no*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED | TPRT_SELECT_TRAPS};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK) {
    printf("%s: %s\n", name, tprt_error_string());
    return;
  }
  for (int i = 0; i < 10; ++i)
    chosen();
  printf("%s: %d calls\n", name, (int)tprt_probe_count(probe));
}

int main(void) {
  printf("%d\n", chosen());
  count("chosen");
  count("chosen_plain");
  count("resolve");
  return 0;
}
