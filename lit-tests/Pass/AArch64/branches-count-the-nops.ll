; If this fails, a branch over many nops does not reach and the object is broken.
; RUN: %llc -mtriple=aarch64-linux-gnu -tp-entry=8000 -filetype=obj %s -o %t.o
; RUN: llvm-objdump --no-show-raw-insn -d %t.o | FileCheck %s
; A loop back to the entry block goes to a block behind the sled; tbz reaches
; 32 KiB, the sled is 32,000 bytes.
; CHECK: <f>:
; CHECK: ret
define i32 @f(i32 %X, ptr %P) {
entry:
  br label %loop
loop:
  %V = load volatile i32, ptr %P
  %B = and i32 %V, 1
  %C = icmp eq i32 %B, 0
  br i1 %C, label %loop, label %done
done:
  ret i32 %V
}
