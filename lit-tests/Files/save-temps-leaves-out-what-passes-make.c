// With -save-temps, or for IR, the decision pass runs again after passes that create
// functions (sanitizers, profiling). If this fails, these functions get sleds.
// DEFINE: %{kind} = -fsanitize=address -fsanitize-coverage=trace-pc-guard
// DEFINE: %{with} = %clang -O1 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-names %{kind} -c
// DEFINE: %{names} = llvm-readelf -p tp_names %t.o | sed -n 's/^.*\] *//p' | FileCheck %s --match-full-lines --implicit-check-not='{{.+}}'
// DEFINE: %{check} = %{with} %s -o %t.o && %{names} && %{with} -save-temps=obj %s -o %t.o && %{names} && \
// DEFINE:   %plain_clang -O1 %{kind} -emit-llvm -c %s -o %t.bc && %{with} %t.bc -o %t.o && %{names}
// RUN: %{check}
// REDEFINE: %{kind} = -fmemory-profile
// RUN: %{check}
// REDEFINE: %{kind} = -fprofile-arcs -ftest-coverage
// RUN: %{check}
// CHECK: f
int f(int X) { return X + 1; }
