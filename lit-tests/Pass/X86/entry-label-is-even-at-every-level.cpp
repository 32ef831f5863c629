// If this fails, a function has an odd address. In a pointer to a member
// function, bit 0 then means "virtual".
// DEFINE: %{n} = 2
// DEFINE: %{check} = %clangxx -fplugin-arg-tp-entry=%{n} -Os -c %s -o %t.o && \
// DEFINE:   llvm-nm %t.o | FileCheck %s && \
// DEFINE:   %clangxx -fplugin-arg-tp-entry=%{n} -Oz -fno-asynchronous-unwind-tables -c %s -o %t.o && \
// DEFINE:   llvm-nm %t.o | FileCheck %s
// RUN: %{check}
// REDEFINE: %{n} = 1
// RUN: %{check}
// REDEFINE: %{n} = 4,1
// RUN: %{check}
// REDEFINE: %{n} = 7,2
// RUN: %{check}
// CHECK-NOT: {{[13579bdf] T }}
int a(int X) { return X; }
int b(int X) { return X + 1; }
int c(int X) { return X * 3; }
int d(char X) { return X; }
