; If this fails, an exit is reported although the function continues, or a real exit
; is not reported: XRay combines the conditional jump with its own sled.
; RUN: %llc -tp-exit -verify-machineinstrs %s -o - | FileCheck %s
; RUN: %llc %s -o - | FileCheck %s --check-prefix=WITHOUT
; WITHOUT:     jne .Ltmp
; WITHOUT:     .Lxray_sled_1:
; CHECK:       cmpl $3, %edi
; CHECK-NEXT:  jne [[REST:.LBB0_[0-9]+]]
; CHECK:       .Ltp_exit0:
; CHECK-NEXT:  .asciz "\017\037D\000"
; CHECK:       .Lxray_sled_1:
; CHECK:       jmp g@PLT
; CHECK-NEXT:  [[REST]]:
; CHECK:       .Ltp_exit1:
; CHECK:       .byte 34
target triple = "x86_64-unknown-linux-gnu"
declare void @g()
declare i32 @h(i32)
@p = external global i32
define void @f(i32 %x) minsize optsize "function-instrument"="xray-always" {
  %c = icmp eq i32 %x, 3
  br i1 %c, label %a, label %b
a:
  tail call void @g()
  ret void
b:
  %r = call i32 @h(i32 %x)
  store i32 %r, ptr @p
  ret void
}
