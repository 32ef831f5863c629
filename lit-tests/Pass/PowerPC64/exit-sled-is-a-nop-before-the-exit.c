// If this fails, an exit on PowerPC64 has no sled, the sled is not right before the exit, or a sled is where LLVM
// keeps the comment of a tail call.
// DEFINE: %{with} = %clang --target=powerpc64le-linux-gnu -O2 -fplugin-arg-tp-exit -c %s
// RUN: %{with} -mcpu=pwr10 -o %t.o
// RUN: llvm-objdump -dr --no-show-raw-insn %t.o | FileCheck %s --check-prefixes=CHECK,PCREL
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RUN: %{with} -mcpu=pwr8 -o %t.8.o
// RUN: llvm-objdump -dr --no-show-raw-insn %t.8.o | FileCheck %s --check-prefixes=CHECK,TOC
// CHECK-LABEL: <f>:
// CHECK:       addi 3, 3, 1
// CHECK-NEXT:  extsw 3, 3
// CHECK-NEXT:  nop
// CHECK-NEXT:  blr
// CHECK-LABEL: <direct>:
// PCREL:       nop
// PCREL-NEXT:  b
// PCREL-NEXT:  R_PPC64_REL24_NOTOC g
// PCREL-NEXT:  {{[.]}}..
// Zeros, which objdump prints as ..., follow the jump: LLVM's traceback table.
// With a TOC, a call of another module's function is no tail call.
// TOC:         bl
// TOC:         mtlr 0
// TOC-NEXT:    nop
// TOC-NEXT:    blr
// CHECK-LABEL: <local>:
// CHECK:       nop
// CHECK-NEXT:  b
// CHECK-NEXT:  R_PPC64_REL24{{(_NOTOC)?}} {{inner|.text}}
// CHECK-NEXT:  {{[.]}}..
// CHECK-LABEL: <indirect>:
// PCREL:       mr 12, 4
// PCREL-NEXT:  nop
// PCREL-NEXT:  bctr
// PCREL-NEXT:  {{[.]}}..
// One record for each exit: f, direct, local, inner, indirect.
// RECORD:      0000 00000000 00000000 c5040000 20000000
// RECORD-NEXT: 0010 f8ffffff 42040080 28000000 f0ffffff
// RECORD-NEXT: 0020 42040080 38000000 e8ffffff c5040080
// RECORD-NEXT: 0030 20000000 f8ffffff 42040080
// RECORD-NOT:  0040
extern int V;
int g(int);
int f(int X) { return X + 1; }
int direct(int X) { return g(X + 1); }
__attribute__((noinline)) static int inner(int X) { return V += X; }
int local(int X) { V = 2; return inner(X); }
int indirect(int X, int (*F)(int)) { return F(X); }
