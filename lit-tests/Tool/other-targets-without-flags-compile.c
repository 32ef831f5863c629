// If this fails, the shim folder on PATH breaks builds for other targets.
// DEFINE: %{target} = --target=bpf
// DEFINE: %{same} = %tp_clang %{target} -O2 -Werror -c %s -o %t.tp && \
// DEFINE:           %shim/clang %{target} -O2 -Werror -c %s -o %t.shim && \
// DEFINE:           %plain_clang %{target} -O2 -c %s -o %t.plain && \
// DEFINE:           cmp %t.tp %t.plain && cmp %t.shim %t.plain
// RUN: %{same}
// REDEFINE: %{target} = -m32
// RUN: %{same}
// REDEFINE: %{target} = -mx32
// RUN: %{same}
// REDEFINE: %{target} = --target=wasm32
// RUN: %{same}
// RUN: not %tp_clang -m32 -ftp-entry=2 -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: tp: no sleds for target 'i386-pc-linux-gnu'
int f(int X) { return X + 1; }
