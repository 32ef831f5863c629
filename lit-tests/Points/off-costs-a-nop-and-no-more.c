// If this fails, disabled statements cost more than their nops: another register is saved, a stack
// frame is created, or a loop has one more instruction.
//
// Known extra instructions of each compiler, beyond two moves outside of loops:
// - GCC saves a register for a call in an argument, because it does not save registers in the cold
//   block alone. In some loops it counts with one more variable.
// - Clang loads arguments that lie on the stack, if only the cold block needs them, at the
//   function's entry. It saves one register in nested_loop, where the sled needs registers that
//   are in use, and r11 too.
// - Clang 14 saves a register for a call in an argument as well, and widens small arguments first.
//
// RUN: %points_matrix %s -o %t --no-run --std c11,c++17 --flags="-O2 -fPIC -shared -nostdlib" --common="-fno-tree-vectorize -fno-unroll-loops" --compilers gcc-12 --then "%python -B %S/Inputs/hot-path.py {} call_in_argument=3 doubles=1 loop=1 nested_loop=1"
// RUN: %points_matrix %s -o %t --no-run --std c11,c++17 --flags="-O2 -fPIC -shared -nostdlib" --common="-fno-vectorize -fno-unroll-loops" --compilers clang-22,clang-19 --then "%python -B %S/Inputs/hot-path.py {} nested_loop=2 nine=2"
// RUN: %points_matrix %s -o %t --no-run --std c11,c++17 --flags="-O2 -fPIC -shared -nostdlib" --common="-fno-vectorize -fno-unroll-loops" --compilers clang-14 --then "%python -B %S/Inputs/hot-path.py {} call_in_argument=2 doubles=1 narrow=2 nested_loop=2 nine=2"
// RUN: %points_matrix %s -o %t --no-run --std c11,c++17 --flags="-O2 -fPIC -shared -nostdlib" --common="-fno-tree-vectorize -fno-unroll-loops" --compilers aarch64-gcc --then "%python -B %S/Inputs/hot-path.py {} call_in_argument=4 doubles=1 loop=1 nested_loop=1"
// RUN: %points_matrix %s -o %t --no-run --std c11,c++17 --flags="-O2 -fPIC -shared -nostdlib" --common="-fno-vectorize -fno-unroll-loops" --compilers aarch64-clang --then "%python -B %S/Inputs/hot-path.py {} nested_loop=1 nine=1"
#include <tprt/trace.h>
TPRT_POINT(point);
#ifdef __cplusplus
extern "C" {
#endif
struct node {
  struct node *next;
  long value;
};
extern int outside(int);
#define NAME(name) with_##name
#define T(...) TPRT_TRACE(point, __VA_ARGS__)
#include "functions.h"
#undef NAME
#undef T
#define NAME(name) without_##name
#define T(...)
#include "functions.h"
#ifdef __cplusplus
}
#endif
