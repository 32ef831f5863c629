// If this fails, a profiler's call is before the sled. Then the profiler call's return
// address is mistaken for the caller's, or a replaced function is not profiled.
// REQUIRES: x86_64-host
// RUN: %clang -O2 -pg -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefixes=CHECK,PG
// RUN: %clang -O2 -pg -mfentry -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefixes=CHECK,FENTRY
// RUN: %clang -O2 -finstrument-functions -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefixes=CHECK,CYG
// CHECK-LABEL: {{^}}f:
// CHECK:       xchgw %ax, %ax
// PG:          callq mcount
// FENTRY-NEXT: callq __fentry__
// CYG:         callq __cyg_profile_func_enter
// CYG:         callq __cyg_profile_func_exit
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  retq
// CHECK-NEXT:  .ascii "\314\314\314\314"
int f(int X) { return X + 1; }
// RUN: %observed -pg && %run %t
// RUN: %observed -pg -mfentry && %run %t
// RUN: %observed -finstrument-functions && %run %t
