; If this fails, a handler may lose a result in a register that the usual code does not save, or every handler
; saves everything.
; RUN: %llc -O1 -mtriple=powerpc64le-linux-gnu -mcpu=pwr8 -tp-exit %s -o - | FileCheck %s
; The record's last byte.
; CHECK: .section tp_sleds
; CHECK: .long .Ltp_entry0-
; CHECK-COUNT-3: .byte
; CHECK-NEXT: .byte 0
; CHECK: .long .Ltp_entry1-
; CHECK-COUNT-3: .byte
; CHECK-NEXT: .byte 128
; CHECK: .long .Ltp_entry2-
; CHECK-COUNT-3: .byte
; CHECK-NEXT: .byte 160
define { double, double } @doubles() {
  ret { double, double } zeroinitializer
}
define <4 x i32> @vector(<4 x i32> %A) {
  ret <4 x i32> %A
}
define coldcc i64 @cold() {
  ret i64 0
}
