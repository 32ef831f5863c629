// A thread loads and unloads libraries all the time, while another one attaches to their functions and detaches. A
// library may be loaded after the attach has pinned the libraries to read. The new library must be read as well. If
// this fails, the attach reports that memory has run out.
//
// RUN: split-file %s %t.d
// RUN: gcc -O1 -shared -fPIC %t.d/library.c -o %t.so
// RUN: gcc -O1 -I %S %t.d/program.c %tprt_flags -pthread -ldl -o %t
// RUN: cp %t.so %t.2.so && cp %t.so %t.3.so && cp %t.so %t.4.so
// RUN: %t %t.so %t.2.so %t.3.so %t.4.so | FileCheck %s
//
// CHECK: 100 attaches, 0 failed
// CHECK-NEXT: libraries were loaded more than 10 times, 0 wrong results
//--- library.c
int triple(int x) {
  int product = 0;
  for (int i = 0; i < 3; ++i)
    product += x;
  return product;
}
//--- program.c
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <pthread.h>

enum { kLibraries = 4 };
static char **libraries;
static int stop, loads, wrong;

static void *load(void *unused) {
  for (; !__atomic_load_n(&stop, __ATOMIC_RELAXED); ++loads) {
    void *handles[kLibraries];
    for (int i = 0; i < kLibraries; ++i) {
      handles[i] = dlopen(libraries[i], RTLD_NOW);
      int (*triple)(int) = (int (*)(int))dlsym(handles[i], "triple");
      wrong += triple(5) != 15;
    }
    for (int i = 0; i < kLibraries; ++i)
      dlclose(handles[i]);
  }
  return unused;
}

int main(int count, char **arguments) {
  enum { kAttaches = 100 };
  int failed = 0;
  pthread_t thread;
  if (count != kLibraries + 1)
    return 1;
  libraries = arguments + 1;
  pthread_create(&thread, NULL, load, NULL);
  for (int i = 0; i < kAttaches; ++i) {
    tprt_selector selector = {.function = "triple", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
    tprt_probe *probe = NULL;
    // If the library is not loaded at that moment, no function matches yet.
    if (tprt_probe_attach(&selector, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, NULL) == TPRT_STATUS_NO_MEMORY && failed++ == 0)
      puts(tprt_error_string());
    tprt_probe_detach(probe, -1);
  }
  stop = 1;
  pthread_join(thread, NULL);
  printf("%d attaches, %d failed\n", kAttaches, failed);
  printf("libraries were loaded %s 10 times, %d wrong results\n", loads > 10 ? "more than" : "at most", wrong);
  return 0;
}
