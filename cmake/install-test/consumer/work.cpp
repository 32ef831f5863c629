// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __attribute__((noinline)) int work(int x) { return 2 * x; }
