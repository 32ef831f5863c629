// Functions of the C library have no sleds and mostly no debug information. tpctl knows the arguments of many of them
// by name and type. If this fails, names are refused, or values have the wrong type.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -O1 -fno-builtin %s -o %t
//
// RUN: %tpctl count --code 'libc*!malloc' --if 'size > 100000' --of size -o - --format csv -- %t | FileCheck %s --check-prefix=SIZE
// SIZE: seconds,function,hits,sum,min,max,unknown
// SIZE-NEXT: ,malloc,3,600003,200000,200002,0
//
// The result of open is an int: -1 is negative. What the C library calls the function differs between versions.
// RUN: %tpctl count --code 'libc*!{open,open64,__open,__open64,__libc_open,__libc_open64}' --if 'result < 0' --by 'str(path), errno' -o - --format csv -- %t | FileCheck %s --check-prefix=FAILED
// FAILED: seconds,str(path),errno,hits
// FAILED-NEXT: ,/no/such/file,2,7
// FAILED-NOT: {{.}}
//
// RUN: %tpctl hist --code 'libc*!{read,__read,__libc_read}' --of result --by count -o - --sort name -- %t | FileCheck %s --check-prefix=READ
// READ: {{^}}count = 10{{$}}
// READ-NEXT: {{^}}  5 calls, total 50, avg 10, min 10, p50 10, p99 10, max 10{{$}}
// READ: {{^}}count = 20{{$}}
// READ-NEXT: {{^}}  5 calls, total 100, avg 20, min 20
//
// Functions without this argument are left out, and named.
// RUN: %tpctl count --code 'libc*!{malloc,getppid}' --by 'size' -o - --format csv -- %t 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: note: 1 of 2 functions left out, because the expressions do not fit; the first is {{[A-Z_]*}}getppid: --by: 'size' is {{.*}}
// SOME: ,200002,1{{$}}
//
// RUN: not %tpctl count --code 'libc*!malloc' --if 'sise > 3' -- %t 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --if: 'sise' is no argument of malloc(size_t size); did you mean 'size'?
// NAME-NEXT: {{^}}    sise > 3{{$}}
// NAME-NEXT: {{^}}    ^~~~{{$}}
//
// RUN: %tpctl list --args --code 'libc*!malloc' 'libc*!open' 'libc*!getppid' -- %t | FileCheck %s --check-prefix=LIST
// LIST-DAG: {{(open|open64)  open(64)?\(const char \*path, int flags, \.\.\.\)}}
// LIST-DAG: {{malloc  malloc\(size_t size\)}}
// LIST-DAG: {{getppid(  [A-Za-z_]*getppid\((void)?\))?$}}
// RUN: %tpctl list --args --code 'libc*!malloc' --format csv -- %t | FileCheck %s --check-prefix=LISTCSV
// LISTCSV: {{,signature$}}
// LISTCSV: {{,malloc\(size_t size\)$}}
// RUN: %tpctl list --args --code 'libc*!malloc' --format json -- %t | FileCheck %s --check-prefix=LISTJSON
// LISTJSON: "signature": "malloc(size_t size)"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  char bytes[64];
  for (int i = 0; i < 3; ++i)
    free(malloc(200000 + i));
  for (int i = 0; i < 7; ++i)
    open("/no/such/file", O_RDONLY);
  getppid();
  int file = open("/dev/zero", O_RDONLY);
  for (int i = 0; i < 10; ++i)
    if (read(file, bytes, i % 2 ? 10 : 20) < 0)
      return 1;
  return 0;
}
