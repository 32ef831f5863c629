// Some programs close standard error before they end (GNU programs do so in an atexit
// handler), or open another file under its number. If this fails, the program's table is
// lost, or is written into the middle of such a file.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=main %t %t.data 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=DATA --input-file=%t.data --implicit-check-not=tprt
//
// If standard error is a file, the table is written even after all descriptors were closed.
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=main %t %t.data all 2>%t.all
// RUN: FileCheck %s --input-file=%t.all
//
// CHECK: tprt: 1 call of 1 function (1 watched) in
// CHECK: 1 main
// DATA: data
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static const char *path;
static int all;
static void bye(void) {
  for (int i = all ? 1023 : 2; i >= 2; --i)
    close(i);
  if (open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) != 2 || write(2, "data\n", 5) != 5)
    _exit(1);
}
int main(int argc, char **argv) {
  path = argv[1];
  all = argc > 2;
  return atexit(bye);
}
