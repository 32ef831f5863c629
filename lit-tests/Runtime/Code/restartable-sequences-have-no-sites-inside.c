// The kernel restarts a sequence (rseq) only if it finds the thread between the sequence's first and last instruction,
// and not if the thread is in a stub. So no instruction of a sequence can be probed. Instructions around it can be
// probed, and so can the same code at an address that the kernel does not treat as a sequence.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: gcc -O1 -no-pie -DDATA='"a"' %s %tprt_flags -o %t.fixed
// RUN: %t.fixed | FileCheck %s
//
// CHECK: restarted: yes yes no no no no yes yes
// CHECK-NEXT: without_signature: yes yes yes yes yes yes yes yes
// CHECK-NEXT: of_another_version: yes yes yes yes yes yes yes yes
// CHECK-NEXT: empty: yes yes yes yes yes yes yes yes
#include "../Inputs/sequences.h"
