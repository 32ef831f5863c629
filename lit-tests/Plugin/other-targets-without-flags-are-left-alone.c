// If this fails, a build that compiles some files for another target cannot load the
// plugin, or the plugin changes the code of these files.
// DEFINE: %{target} = i386-linux-gnu
// DEFINE: %{same} = %clang --target=%{target} -O2 -Werror -S %s -o %t.with && \
// DEFINE:           %plain_clang --target=%{target} -O2 -S %s -o %t.without && \
// DEFINE:           cmp %t.with %t.without
// RUN: %{same}
// REDEFINE: %{target} = x86_64-linux-gnux32
// RUN: %{same}
// REDEFINE: %{target} = bpf
// RUN: %{same}
// REDEFINE: %{target} = wasm32
// RUN: %{same}
// REDEFINE: %{target} = armv7-linux-gnueabihf
// RUN: %{same}
// REDEFINE: %{target} = riscv64-linux-gnu
// RUN: %{same}
// REDEFINE: %{target} = aarch64_be-linux-gnu
// RUN: %{same}
// REDEFINE: %{target} = x86_64-apple-macosx
// RUN: %{same}
// REDEFINE: %{target} = x86_64-pc-windows-msvc
// RUN: %{same}
// Flags that do not request a sled do not change the code, either.
// RUN: %clang --target=bpf -Werror -fplugin-arg-tp-names -fplugin-arg-tp-entry=2 -fplugin-arg-tp-entry=0 -c %s -o /dev/null
// A flag, a filter or an attribute that requests a sled is refused.
// DEFINE: %{refused} = FileCheck %s -DT=%{target} --check-prefix=REFUSED
// REDEFINE: %{target} = riscv64-unknown-linux-gnu
// RUN: not %clang --target=%{target} -fplugin-arg-tp-exit -c %s -o /dev/null 2>&1 | %{refused}
// RUN: echo "[always]" > %t.filter
// RUN: not %clang --target=%{target} -fplugin-arg-tp-filter=%t.filter -c %s -o /dev/null 2>&1 | %{refused}
// RUN: not %clang --target=%{target} -DMARK=tp_always -c %s -o /dev/null 2>&1 | %{refused}
// REFUSED: error: tp: no sleds for target '[[T]]': expected x86-64
#ifndef MARK
#define MARK tp_never
#endif
__attribute__((MARK)) int f(int X) { return X + 1; }
int g(int X) { return f(X); }
