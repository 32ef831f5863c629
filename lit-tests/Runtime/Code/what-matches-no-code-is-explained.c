// If this fails, a pattern that finds no function without a sled gets no explanation, or a wrong one.
//
// REQUIRES: tpctl
// RUN: gcc -O1 %s -o %t.app && strip -o %t.bare %t.app && gcc -O1 -Wl,--no-eh-frame-hdr %s -o %t.no-table
// RUN: not %tpctl list --code '*.app!puts' -- %t.app 2>&1 | FileCheck %s --check-prefix=IMPORT
// RUN: not %tpctl list --code '*.app!nobody+4' -- %t.app 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: not %tpctl list --code 'what-matches-no-code-is-explained.c.tmp.app+0x1040' -- %t.app 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not %tpctl list --code '*.bare!work' -- %t.bare 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: not %tpctl list --code '*.no-table!work' -- %t.no-table 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %tpctl list --code 'ld-linux*!*' -- %t.app 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %tpctl list --code @what-matches-no-code-is-explained.c:0 -- %t.app 2>&1 | FileCheck %s --check-prefix=LINE
//
// IMPORT: none of the {{[0-9]+}} sites of *.app matches puts so far ({{.*}}another module's
// OFFSET: none of the {{[1-9][0-9]*}} sites of *.app matches nobody so far
// FILE: .app is a file, but offsets count from the beginning of a function: select the address 0x
// BARE: matches work so far: no function of {{.*}}.bare has a name; was the file stripped, or removed or replaced since it was loaded? Select by address or by module
// NONE: no module that is loaded so far and has sites is called {{.*}} ({{.*}}files without .eh_frame_hdr, the dynamic loader
// LINE: in the source file what-matches-no-code-is-explained.c:0 {{.*}}a line is a number from 1 on
#include <stdio.h>

__attribute__((noipa)) int work(int x) { return x + 1; }
int main(void) { return work(puts("x")) == 0; }
