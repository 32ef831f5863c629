; If this fails, an exit is reported although the function continues, or the sled
; destroys flags that are still needed.
; RUN: %llc -tp-exit -verify-machineinstrs %s -o - | FileCheck %s
; RUN: %llc %s -o - | FileCheck %s --check-prefix=WITHOUT
; WITHOUT: je g@PLT # TAILCALL
; CHECK:       cmpl $3, %edi
; CHECK-NEXT:  jne [[REST:.LBB0_[0-9]+]]
; CHECK:       .Ltp_exit0:
; CHECK-NEXT:  .asciz "\017\037D\000"
; CHECK-NEXT:  jmp g@PLT
; CHECK-NEXT:  [[REST]]:
; CHECK:       .cfi_def_cfa_offset 16
; CHECK:       .Ltp_exit1:
; CHECK-NEXT:  retq
target triple = "x86_64-unknown-linux-gnu"
declare void @g()
declare i32 @h(i32)
@p = external global i32
define void @f(i32 %x) minsize optsize {
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
