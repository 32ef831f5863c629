// If this fails, the sled or its record is at a wrong place in one of the modes, with
// or without a landing pad and signing of the return address.
// clang 16 has no -mbranch-protection=gcs.
// REQUIRES: llvm-at-least-17
// DEFINE: %{mode} = none
// DEFINE: %{check} = %clang --target=aarch64-linux-gnu -O2 -mbranch-protection=%{mode} -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
// RUN: %{check} --check-prefixes=CHECK,PLAIN
// REDEFINE: %{mode} = gcs
// RUN: %{check} --check-prefixes=CHECK,PLAIN
// REDEFINE: %{mode} = bti
// RUN: %{check} --check-prefixes=CHECK,BTI,PLAIN%if !llvm-at-least-22 %{,PAD%}
// REDEFINE: %{mode} = pac-ret
// RUN: %{check} --check-prefixes=CHECK,PAC
// REDEFINE: %{mode} = pac-ret+b-key
// RUN: %{check} --check-prefixes=CHECK,BKEY
// REDEFINE: %{mode} = pac-ret+pc
// RUN: %{check} --check-prefixes=CHECK,PC
// REDEFINE: %{mode} = pac-ret+leaf
// RUN: %{check} --check-prefixes=CHECK,PAC,LEAF
// REDEFINE: %{mode} = standard
// RUN: %{check} --check-prefixes=CHECK,BTI,PAC%if !llvm-at-least-22 %{,PAD%}
// REDEFINE: %{mode} = bti+pac-ret+leaf+gcs
// RUN: %{check} --check-prefixes=CHECK,BTI,PAC,LEAF%if !llvm-at-least-22 %{,PAD%}
// CHECK-LABEL: {{^}}seen:
// CHECK:       // %bb.0:
// BTI-NEXT:    hint #34
// CHECK-NEXT:  .Ltp_sled0:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence{{[0-9]+}}:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence{{[0-9]+}}:
// PLAIN-NEXT:  stp x29, x30
// PAC-NEXT:    hint #25
// BKEY-NEXT:   .cfi_b_key_frame
// BKEY-NEXT:   hint #27
// PC-NEXT:     hint #39
// CHECK:       .word .Ltp_sled0-
// CHECK:       .word .Ltp_entry0-
// CHECK-NEXT:  .byte 196
// CHECK-NEXT:  .byte 8
// CHECK-NEXT:  .byte 0
// CHECK-NEXT:  .byte 0
// The static function's address is never taken, so the function needs no landing pad. An
// older LLVM adds one.
// CHECK-LABEL: {{^}}local:
// CHECK:       // %bb.0:
// PAD-NEXT:    hint #34
// CHECK-NEXT:  .Ltp_sled1:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence{{[0-9]+}}:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence{{[0-9]+}}:
// LEAF-NEXT:   hint #25
static __attribute__((noinline)) int local(int X) { return 2 * X + 1; }
int seen(int X) { return local(X) + 1; }
