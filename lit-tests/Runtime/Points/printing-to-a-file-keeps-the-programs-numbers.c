// If this fails, a program that closes the descriptors of low numbers, and then opens a file of its own,
// gets the lines that print= writes to output=FILE into that file.
//
// RUN: %plain_clang -O2 %s %tprt_flags -Wl,--no-as-needed -o %t
// RUN: rm -f %t.lines %t.data
// RUN: env TPRT_OPTIONS=print=number,output=%t.lines %t %t.data > %t.out
// RUN: FileCheck %s < %t.lines
// RUN: FileCheck --check-prefix=OUT %s < %t.out
//
// CHECK: number: 3
// OUT: bytes 0
#include "tprt/trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

TPRT_POINT(number);

int main(int argc, char **argv) {
  (void)argc;
  int file;
  for (int i = 3; i < 64; ++i)
    close(i);
  file = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0644);
  TPRT_TRACE(number, "%d", file);
  printf("bytes %d\n", (int)lseek(file, 0, SEEK_END));
  return 0;
}
