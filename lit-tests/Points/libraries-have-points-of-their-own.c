// If this fails, in a library loaded by dlopen, a statement does not run, or a point is confused
// with the program's point, or a reference keeps the library loaded.
//
// RUN: %points_matrix %s -o %t --shared %S/Inputs/library.c --link="-ldl -rdynamic" --std c11,c++17 --flags="-O0;-O2;-O2 -ffunction-sections -Wl,--gc-sections"
//
// OUT: point [in the library %d] i:1
// OUT: point [static inline %d] i:2
// OUT: point [in the program %d] i:3
#define _GNU_SOURCE
#include "open-points.h"
#include "shared.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void other_file(int number) { (void)number; }
static int load(const char *file) {
  void *library = dlopen(file, RTLD_NOW);
  if (!library)
    return printf("%s\n", dlerror()), 1;
  const void *(*work)(int, int);
  *(void **)&work = dlsym(library, "work");
  const void *its_point = work(1, 0);
  work(1, 1);
  // There are two objects, and the library is unloaded.
  return its_point == (const void *)&point || dlclose(library) || dlopen(file, RTLD_NOW | RTLD_NOLOAD);
}
int main(int argc, char **argv) {
  (void)argc;
  char file[4096];
  snprintf(file, sizeof file, "%.*s/lib.so", (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
  if (load(file))
    return 1;
  open_points();
  TPRT_TRACE(point, "in the program %d", 3);
}
