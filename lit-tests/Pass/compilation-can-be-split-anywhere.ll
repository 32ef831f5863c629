; If this fails, a sled is lost or doubled in a MIR file. llc stops after each pass near
; tp's passes in turn, and continues from the output. LLVM cannot start after an inserted
; pass, so llc starts after the pass that precedes the inserted one.
; DEFINE: %{target} = x86_64-linux-gnu
; DEFINE: %{stop} =
; DEFINE: %{start} = -start-after
; DEFINE: %{from} =
; DEFINE: %{show} = llvm-objdump -sr -j .text -j tp_sleds -
; DEFINE: %{whole} = %llc -mtriple=%{target} -tp-entry=2 -tp-exit -filetype=obj %s -o - | %{show} > %t.whole && FileCheck %s < %t.whole
; DEFINE: %{split} = %llc -mtriple=%{target} -tp-entry=2 -tp-exit -stop-after=%{stop} %s -o %t.mir && \
; DEFINE:   %llc -filetype=obj %{start}=%{from} %t.mir -o - | %{show} | diff %t.whole -
; CHECK: Contents of section tp_sleds
; RUN: %{whole}
; REDEFINE: %{stop} = finalize-isel
; REDEFINE: %{from} = finalize-isel
; RUN: %{split}
; REDEFINE: %{stop} = patchable-function
; REDEFINE: %{from} = patchable-function
; RUN: %{split}
; REDEFINE: %{stop} = tp-sleds
; RUN: %{split}
; REDEFINE: %{target} = aarch64-linux-gnu
; RUN: %{whole}
; RUN: %{split}
; REDEFINE: %{stop} = tp-exits
; REDEFINE: %{from} = funclet-layout
; RUN: %{split}
; REDEFINE: %{target} = powerpc64le-linux-gnu
; RUN: %{whole}
; RUN: %{split}
; REDEFINE: %{target} = x86_64-linux-gnu
; RUN: %{whole}
; RUN: %{split}
; REDEFINE: %{stop} = funclet-layout
; RUN: %{split}
; REDEFINE: %{stop} = tp-layout
; REDEFINE: %{start} = -start-before
; RUN: %{split}
; A split that omits one of tp's passes is an error.
; REDEFINE: %{start} = -start-after
; RUN: not %llc -start-after=funclet-layout %t.mir -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOST
; LOST: error: tp: the exit sled of 'f' was lost in code generation
; RUN: %llc -mtriple=x86_64-linux-gnu -tp-entry=2 -stop-after=tp-sleds %s -o %t.mir
; Before LLVM 21 a pipeline that begins there has none of tp's passes (llvm-pass/LlvmCompat.cpp).
; RUN: %if llvm-at-least-21 %{ not %llc -start-after=tp-sleds %t.mir -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE %}
; NONE: error: tp: no sled was made for 'f': the passes tp-sleds and tp-layout must run
define i32 @f(i32 %x) {
entry:
  %zero = icmp eq i32 %x, 0
  br i1 %zero, label %end, label %loop
loop:
  %i = phi i32 [ %x, %entry ], [ %next, %loop ]
  %next = call i32 @g(i32 %i)
  %more = icmp eq i32 %next, 0
  br i1 %more, label %loop, label %end
end:
  %last = tail call i32 @g(i32 %x)
  ret i32 %last
}
declare i32 @g(i32)
