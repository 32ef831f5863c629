; If this fails, an exit in the cold part of a function is lost, or the exit's
; record stays with the wrong section when a linker drops or orders sections.
; RUN: %llc -function-sections -split-machine-functions -tp-entry=2 -tp-exit %s -filetype=obj -o %t.o
; RUN: llvm-readelf -SW %t.o | FileCheck %s
; RUN: %llc -mtriple=aarch64-linux-gnu -function-sections -split-machine-functions -tp-entry=2 -tp-exit %s -filetype=obj -o %t.arm.o
; RUN: llvm-readelf -SW %t.arm.o | FileCheck %s
; CHECK: [[#%u,HOT:]]] .text.hot.f
; CHECK: [[#%u,COLD:]]] .text.split.f
; CHECK: tp_sleds PROGBITS {{.*}} 000018 00 AL [[#HOT]] 0 4
; CHECK: tp_sleds PROGBITS {{.*}} 000018 00 AL [[#COLD]] 0 4
; RUN: %llc -function-sections -split-machine-functions -tp-entry=2 -tp-exit %s -o - | FileCheck %s --check-prefix=ASM
; ASM-LABEL: {{^}}f:
; ASM:       .Ltp_exit0:
; ASM-NEXT:  retq
; ASM-LABEL: {{^}}f.cold:
; ASM:       .Ltp_exit1:
; ASM-NEXT:  retq
; ASM:       .Ltp_exit2:
; ASM-NEXT:  .asciz "\017\037D\000"
; ASM-NEXT:  jmp g
target triple = "x86_64-unknown-linux-gnu"
declare i32 @g(i32)
define i32 @f(i32 %x) !prof !1 {
  %c = icmp sgt i32 %x, 100
  br i1 %c, label %rare, label %usual, !prof !2
rare:
  %a = call i32 @g(i32 1)
  %s = icmp eq i32 %a, 0
  br i1 %s, label %one, label %two
one:
  %r = tail call i32 @g(i32 %a)
  ret i32 %r
two:
  %t = call i32 @g(i32 2)
  %u = add i32 %t, 1
  ret i32 %u
usual:
  %b = call i32 @g(i32 2)
  %d = add i32 %b, %x
  ret i32 %d
}
!llvm.module.flags = !{!3}
!1 = !{!"function_entry_count", i64 7000}
!2 = !{!"branch_weights", i32 0, i32 7000}
!3 = !{i32 1, !"ProfileSummary", !4}
!4 = !{!5, !6, !7, !8, !9, !10, !11, !12}
!5 = !{!"ProfileFormat", !"InstrProf"}
!6 = !{!"TotalCount", i64 10000}
!7 = !{!"MaxCount", i64 10}
!8 = !{!"MaxInternalCount", i64 1}
!9 = !{!"MaxFunctionCount", i64 1000}
!10 = !{!"NumCounts", i64 3}
!11 = !{!"NumFunctions", i64 5}
!12 = !{!"DetailedSummary", !13}
!13 = !{!14, !15, !16}
!14 = !{i32 10000, i64 100, i32 1}
!15 = !{i32 999900, i64 100, i32 1}
!16 = !{i32 999999, i64 1, i32 2}
