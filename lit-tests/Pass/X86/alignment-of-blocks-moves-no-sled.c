// If this fails, an alignment of the first block puts padding between the entry label and
// the sled. The sled is then no longer within one word, or is too far from its slot.
// DEFINE: %{n} = 2
// DEFINE: %{check} = %clang -O2 -fcf-protection=full -mllvm -align-all-blocks=4 -fplugin-arg-tp-entry=%{n} \
// DEFINE:            -fplugin-arg-tp-exit -fPIC -shared -nostdlib %use_lld %s -o %t.so && \
// DEFINE:            %check_linked %t.so | FileCheck %s
// REQUIRES: lld
// RUN: %{check}
// REDEFINE: %{n} = 5
// RUN: %{check}
// CHECK: entry cold
// CHECK: entry loop
extern int V[64];
int g(int), w(int, int);
void e(int);
int loop(int N) {
  int S = 0;
  for (int I = 0; I < N; I++) {
    if (__builtin_expect(I == 77, 0))
      e(I);
    S += g(I);
  }
  return S;
}
int cold(int X) {
  if (__builtin_expect(X < 0, 0)) {
    e(1), e(2), e(3);
    return w(X, 1);
  }
  return g(X) + 1;
}
