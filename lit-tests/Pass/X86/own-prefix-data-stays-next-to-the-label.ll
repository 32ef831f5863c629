; If this fails, a language that keeps data before its functions (GHC) reads
; our slot instead.
; RUN: %llc -tp-entry=2 %s -o - | FileCheck %s
; CHECK:      .p2align 3
; CHECK:      .zero 5,204
; CHECK-NEXT: .long 1234
; CHECK:      f:
; CHECK:      xchgw %ax, %ax
; CHECK:      .byte 148
; CHECK-NEXT: .byte 2
; CHECK-NEXT: .byte 9
target triple = "x86_64-unknown-linux-gnu"
define void @f() prefix i32 1234 {
  ret void
}
