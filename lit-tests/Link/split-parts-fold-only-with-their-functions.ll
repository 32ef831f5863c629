; If this fails, an exit from the cold part of a function is reported as another function's. The
; cold parts of both functions have the same bytes, and lld drops one of the records when it folds
; these parts.
; REQUIRES: lld
; RUN: split-file %s %t
; RUN: cat %t/f.ll %t/k.ll %t/profile.ll > %t/differ.ll
; RUN: sed 's/mul/add/' %t/differ.ll > %t/same.ll
; DEFINE: %{name} = differ
; DEFINE: %{link} = %llc -relocation-model=pic -function-sections -split-machine-functions -tp-entry=2 -tp-exit %t/%{name}.ll -filetype=obj -o %t/a.o && \
; DEFINE:   ld.lld --icf=all -e f %t/a.o --defsym=g=f -o %t/a && %check_linked %t/a | FileCheck %s
; RUN: %{link} --check-prefix=DIFFER
; REDEFINE: %{name} = same
; RUN: %{link} --check-prefix=SAME
; DIFFER:      {{^}}8 records
; DIFFER-COUNT-2: {{^}}exit f
; DIFFER-COUNT-2: {{^}}exit k
; SAME:        {{^}}4 records
; SAME-NEXT:   entry f=g=k
;--- f.ll
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
;--- k.ll
define i32 @k(i32 %x) !prof !1 {
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
  %d = mul i32 %b, %x
  ret i32 %d
}
;--- profile.ll
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
