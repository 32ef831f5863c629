// A program that calls a probed function through another function. The including file's
// onHit examines the stack.
#include "harness.h"

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data);
__attribute__((noinline)) int traced(int x) { return x * 2; }
__attribute__((noinline)) int caller(int x) { return traced(x) + 1; }

int main() {
  attachHandler("traced", onHit, NULL);
  return caller(1) != 3;
}
