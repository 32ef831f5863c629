// If this fails, libtprt calls the program's allocator while libtprt is loaded. The allocator may
// not be ready then, and each program with a preloaded libtprt must allocate the first block of its
// heap.
//
// RUN: %plain_clang -O1 -fno-builtin -rdynamic %s -o %t
// RUN: env -u TPRT_OPTIONS LD_PRELOAD=%{libdir}/libtprt.so %t | FileCheck %s
//
// CHECK: taken before main: 0 bytes
#include <stddef.h>
#include <stdio.h>
#include <string.h>
static size_t taken;
static _Alignas(16) char pool[1 << 20];
void *malloc(size_t bytes) {
  char *block = pool + taken;
  taken += (bytes + 15) & ~(size_t)15;
  return block;
}
void *calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void *realloc(void *block, size_t bytes) { return block ? memcpy(malloc(bytes), block, bytes) : malloc(bytes); }
void free(void *block) { (void)block; }
int main() {
  size_t before = taken;
  printf("taken before main: %zu bytes\n", before);
}
