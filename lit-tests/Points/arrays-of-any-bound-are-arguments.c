// If this fails, some arrays cannot be traced: arrays of unknown bound, such as a version string in
// another file, or arrays that are const, volatile, or multidimensional.
//
// RUN: %points_matrix %s -o %t --std c11,c++17,c++20 --flags="-O0;-O2" --common="-Wall -Wextra -Werror -Wno-format -Wno-missing-variable-declarations"
//
// OUT: point [%s %s %s] z:version z:text z:unsigned
#include "open-points.h"
#include <tprt/trace.h>
TPRT_POINT(point);
TPRT_POINT(address);
#ifdef __cplusplus
extern "C" {
#endif
extern const char banner[];
extern char text[];
extern const unsigned char bytes[];
extern const int table[];
extern const volatile int registers[];
#ifdef __cplusplus
}
#endif
static volatile char dma[16];
static const volatile short fixed[4] = {1, 2, 3, 4};
static int grid[2][3];
static const int *const pointers[2] = {0, 0};

static void trace(void) { TPRT_TRACE(point, "%s %s %s", banner, text, bytes); }
void addresses(void);
void addresses(void) {
  TPRT_TRACE(address, "%p %p", table, registers);
  TPRT_TRACE(address, "%p %p %p %p", dma, fixed, grid, pointers);
}
const char banner[] = "version";
char text[] = "text";
const unsigned char bytes[] = "unsigned";
const int table[] = {1};
const volatile int registers[] = {1};

int main(void) {
  open_points();
  trace();
  return 0;
}
