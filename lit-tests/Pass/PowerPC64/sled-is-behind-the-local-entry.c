// If this fails, threads that come through one of a function's two entries miss the sled, or the record points at
// the global entry. The first function uses the TOC, the second does not, and the third, on POWER10, addresses
// data relative to the program counter.
// DEFINE: %{with} = %clang --target=powerpc64le-linux-gnu -O2 -fplugin-arg-tp-entry=1 -c %s
// RUN: %{with} -mcpu=pwr8 -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefixes=TOC,CHECK
// RUN: llvm-readelf -s %t.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORDS
// RUN: %{with} -mcpu=pwr10 -o %t.10.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.10.o | FileCheck %s --check-prefixes=PCREL,CHECK
// TOC-LABEL:   <variable>:
// TOC-NEXT:    addis 2, 12, 0
// TOC-NEXT:    addi 2, 2, 0
// TOC-NEXT:    nop
// TOC-NEXT:    addis
// PCREL-LABEL: <variable>:
// PCREL-NEXT:  nop
// PCREL-NEXT:  pld
// CHECK-LABEL: <leaf>:
// CHECK-NEXT:  nop
// CHECK-NEXT:  addi 3, 3, 1
// llvm-readelf 22 shows the local entry as a number of bytes, older ones as the bits of st_other.
// SYMBOLS: {{0x60|local-entry: 8|.localentry: 8|<other: 0x60>}}{{.*}} variable
// The second record: 40 bytes after the sled of the first, with the function at the sled itself.
// RECORDS:      0000 00000000 00000000 c4040000
// RECORDS-SAME: 28000000
// RECORDS-NEXT: 0010 00000000 c4040080
extern int V;
int variable(int X) { return V + X; }
int leaf(int X) { return X + 1; }
