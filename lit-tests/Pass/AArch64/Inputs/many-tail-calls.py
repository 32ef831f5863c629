# Prints a function in which a test-and-branch (tbz) jumps over the given number of
# tail calls. Each tail call takes 8 bytes, or 12 bytes with a sled. tbz reaches 32 KiB.
import sys

count = int(sys.argv[1])
print("declare i32 @g(i32, i32)")
print("define i32 @f(i32 %x, i32 %y) {")
print("  %b = trunc i32 %x to i1")
print("  br i1 %b, label %far, label %near")
print("near:")
cases = " ".join(f"i32 {i}, label %b{i}" for i in range(count))
print(f"  switch i32 %y, label %far [ {cases} ]")
for i in range(count):
    print(f"b{i}:\n  %r{i} = musttail call i32 @g(i32 {i}, i32 %y)\n  ret i32 %r{i}")
print("far:\n  ret i32 3\n}")
