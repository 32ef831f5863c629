; If this fails, a record on POWER10 points at the padding that keeps an instruction of 8 bytes from crossing a
; 64-byte boundary. Here 15 nops and the sled's own word come before such an instruction.
; RUN: %llc -O2 -mtriple=powerpc64le-linux-gnu -mcpu=pwr10 -tp-entry=15 -tp-exit -filetype=obj %s -o %t.o
; RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s
; RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
; CHECK-LABEL:     <f>:
; CHECK-COUNT-16:  nop
; CHECK-NEXT:      40: {{ *}}{{pli 3,|paddi 3, 0,}} 1311768467
; CHECK:           48: {{ *}}nop
; CHECK-NEXT:      4c: {{ *}}blr
; RECORD: 0000 00000000 00000000 c43c0000 48000000
define i64 @f() {
  ret i64 1311768467
}
