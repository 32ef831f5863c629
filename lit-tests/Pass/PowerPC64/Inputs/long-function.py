#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long-function.py N: IR of a function that returns early, or else after N stores."""
import sys

print("define void @f(ptr %p, i64 %x) {\n  %c = icmp eq i64 %x, 0\n"
      "  br i1 %c, label %return, label %work\nreturn:\n  ret void\nwork:")
for i in range(int(sys.argv[1])):
    print(f"  store volatile i64 {i % 3}, ptr %p")
print("  ret void\n}")
