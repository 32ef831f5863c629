// A file that is not a recording is never overwritten, and an unusable name is reported. The
// program continues without a recording. An earlier recording of the same name is replaced.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: echo precious >%t.text
// RUN: env TPRT_OPTIONS="record=%t.text:step" %t 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: FileCheck %s --input-file=%t.text --check-prefix=LEFT
// RUN: env TPRT_OPTIONS="record=/nonexistent/file:step" %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env TPRT_OPTIONS="record=/dev/null:step" %t 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: env TPRT_OPTIONS="record=%t.%%q:step" %t 2>&1 | FileCheck %s --check-prefix=PERCENT
// RUN: env TPRT_OPTIONS="record=" %t 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: env TPRT_OPTIONS="record=a:x,record=b:y" %t 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: env TPRT_OPTIONS="record=a:step,mode=some,size=many,strings=9x,args=99" %t 2>&1 | FileCheck %s --check-prefix=VALUES
//
// RUN: rm -f %t.rec %t.*.rec && env TPRT_OPTIONS="record=%t.rec:step" %t && env TPRT_OPTIONS="record=%t.rec:step" %t
// RUN: %tpctl report %t.rec | FileCheck %s --check-prefix=AGAIN
// RUN: env TPRT_OPTIONS="record=%t.%%n.rec:step" %t && ls %t.*.tmp.rec | FileCheck %s --check-prefix=NAMED
//
// TEXT: is there already and is not a recording, so it is left as it is; choose another name
// TEXT: {{^}}done
// LEFT: precious
// NONE: /nonexistent/file: the recording can't be made: No such file or directory
// NONE: {{^}}done
// PERCENT: is not a name for a recording: %p is the process, %n the program, %% a percent sign
// PERCENT: {{^}}done
// FILE: record needs a file, as in record=FILE:GLOB
// TWO: record=b: only one recording is possible, and its file is a
// VALUES-DAG: 'some' is not a value for mode
// VALUES-DAG: 'many' is not a size: write it as in size=256M
// VALUES-DAG: '9x' is not a list of arguments
// VALUES-DAG: '99' is not a value for args
// AGAIN: 1 {{.*}}step
// NAMED: files-that-are-no
#include <stdio.h>
__attribute__((noinline)) void step(void) { __asm__ volatile(""); }
int main(void) {
  step();
  puts("done");
}
