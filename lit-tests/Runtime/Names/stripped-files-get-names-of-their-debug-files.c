// Distributions strip programs, and put the symbols into debug files. gdb finds a debug file by the
// name in .gnu_debuglink, next to the program or in a folder .debug. If this fails, a pattern finds
// nothing in the program, or names are those of another build.
//
// RUN: rm -rf %t && mkdir -p %t/.debug
// RUN: %clang -O1 -g -fplugin-arg-tp-entry=2,0 %s -Wl,--build-id=none -o %t/app
// RUN: cd %t && llvm-objcopy --only-keep-debug app app.debug && cp app.debug kept && llvm-strip app
// RUN: llvm-objcopy --add-gnu-debuglink=app.debug app
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work ./app 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=@stripped-files-get-names-of-their-debug-files.c ./app 2>&1 | FileCheck %s
// RUN: mv app.debug .debug/
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work ./app 2>&1 | FileCheck %s
//
// CHECK: 2 work
//
// The checksum shows that the file is of another build.
// RUN: cat app >> .debug/app.debug
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work ./app 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: rm .debug/app.debug
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=work ./app 2>&1 | FileCheck %s --check-prefix=OTHER
//
// OTHER-NOT: 2 work
// OTHER: no function with sleds of {{.*}}app has a name; was it stripped?
__attribute__((noinline)) static int work(int X) { return X * 3; }

int main(int Count, char **Names) { return work(work(Count)) == 99; }
