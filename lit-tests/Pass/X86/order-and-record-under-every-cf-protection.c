// If this fails, the sled or its record is at a wrong place in one of the modes, with
// or without a landing pad.
// DEFINE: %{mode} = none
// DEFINE: %{n} = 2
// DEFINE: %{check} = %clang -O2 -fcf-protection=%{mode} -fplugin-arg-tp-entry=%{n} -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// RUN: %{check} --check-prefixes=CHECK,SHORT
// REDEFINE: %{mode} = return
// RUN: %{check} --check-prefixes=CHECK,SHORT
// REDEFINE: %{mode} = branch
// RUN: %{check} --check-prefixes=CHECK,PAD,SHORT
// REDEFINE: %{mode} = full
// RUN: %{check} --check-prefixes=CHECK,PAD,SHORT
// REDEFINE: %{n} = 9,3
// RUN: %{check} --check-prefixes=CHECK,PAD,LONG
// REDEFINE: %{mode} = none
// RUN: %{check} --check-prefixes=CHECK,LONG
// CHECK-LABEL: {{^}}seen:
// CHECK-NEXT:  .Ltp_entry0:
// CHECK-NEXT:  .cfi_startproc
// CHECK-NEXT:  # %bb.0:
// PAD-NEXT:    endbr64
// SHORT-NEXT:  .ascii ""
// CHECK-NEXT:  .Ltp_sled0:
// SHORT-NEXT:  xchgw %ax, %ax
// LONG-NEXT:   .asciz "\017\037D\000"
// LONG-NEXT:   .byte 144
// CHECK:       .long .Ltp_sled0-
// CHECK:       .long .Ltp_entry0-
// SHORT-NEXT:  .byte 148
// SHORT-NEXT:  .byte 2
// SHORT-NEXT:  .byte 5
// LONG-NEXT:   .byte 164
// LONG-NEXT:   .byte 6
// LONG-NEXT:   .byte 0
// CHECK-NEXT:  .byte 0
// The static function's address is never taken, so the function needs no landing pad.
// CHECK-LABEL: {{^}}local:
// CHECK-NEXT:  .Ltp_entry1:
// CHECK-NEXT:  .cfi_startproc
// CHECK-NEXT:  # %bb.0:
// SHORT-NEXT:  .ascii ""
// CHECK-NEXT:  .Ltp_sled1:
// SHORT-NEXT:  xchgw %ax, %ax
// LONG-NEXT:   .asciz "\017\037D\000"
// LONG-NEXT:   .byte 144
// CHECK-NEXT:  leaq
static __attribute__((noinline)) long local(long X) { return 2 * X + 1; }
long seen(long X) { return local(X) + 1; }
