// An assembler's label at the address of a function is a symbol without a type. If this
// fails, the label's name is shown, as the label is global and the function is not. The
// test tries the function at several offsets in its section.
//
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 %s -c -o %t.o
// RUN: llvm-objcopy --add-symbol=label0=of_work:0,global --add-symbol=label4=of_work:4,global --add-symbol=label8=of_work:8,global --add-symbol=label16=of_work:16,global %t.o
// RUN: %clang %t.o -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=label*" %t 2>&1 | FileCheck %s
//
// CHECK: 2 work
__attribute__((noinline, section("of_work"))) static int work(int X) { return X * 3; }

int main(int Count, char **Names) { return work(work(Count)) == 99; }
