// If this fails, an argument in C gets a letter that does not fit its type, or its recorded word has a wrong value.
//
// RUN: %points_matrix %s -o %t --std c11,gnu17 --flags="-O0;-O2;-O2 -fPIC" --common="-Wall -Wextra -Werror -fsigned-char -Wno-format"
//
// OUT: point [%d %d %d %d %d] b:1 c:-1 a:-2 h:254 b:1
// OUT: point [%hd %hu %d %u] s:-3 t:65533 i:-4 j:4294967292
// OUT: point [%ld %lu %lld %llu %zu] l:-5 m:18446744073709551611 l:-6 m:18446744073709551610 m:16
// OUT: point [low %d] i:-1
// OUT: point [%u %u %u] j:1 t:8364 j:97
// OUT: point [%d %d %d] i:7 i:8 l:9
// OUT: point [%d %ld] i:-11 l:-12
// OUT: point [%d %d] i:3 i:-1
// OUT: point [twelve %d %d %d %d %d %d %d %d %d %d %d %d] i:1 i:2 i:3 i:4 i:5 i:6 l:7 a:8 d:9 z:10 p:b m:12
// OUT: point [%f %g] f:1.5 d:-0.25
// OUT: point [%p %p %p %p] p:10 p:0 p:20 p:30
// OUT: point [%s %s %s %s] z:literal z:array z:(null) z:constant
// OUT: point [%s %s] z:unsigned z:signed
// OUT: point [%.*s|] i:3 z:not terminated
// OUT: point [100%%]
// OUT: point [%d] i:-7
#include "open-points.h"
#include <stddef.h>
#include <tprt/trace.h>
#include <uchar.h>

TPRT_POINT(point);

enum colour { RED, GREEN };
enum small { LOW = -1 };
struct bits {
  unsigned wide : 3;
  int narrow : 5;
};
struct __attribute__((packed)) packed {
  char shift;
  int number;
  long large;
};
typedef short number;

static void integers(void) {
  _Bool yes = 1;
  char plain = -1;
  const signed char tiny = -2;
  volatile unsigned char byte = 254;
  TPRT_TRACE(point, "%d %d %d %d %d", yes, plain, tiny, byte, (_Bool)2);
  number small = -3;
  unsigned short other = 65533;
  TPRT_TRACE(point, "%hd %hu %d %u", small, other, -4, -4u);
  TPRT_TRACE(point, "%ld %lu %lld %llu %zu", -5l, -5ul, -6ll, -6ull, sizeof(long[2]));
  enum colour colour = GREEN;
  enum small low = LOW;
  TPRT_TRACE(point, "low %d", low);
  char16_t euro = 0x20ac;
  char32_t letter = U'a';
  TPRT_TRACE(point, "%u %u %u", colour, euro, letter);
  static const int constant = 7;
  const volatile int twice = 8;
  ptrdiff_t distance = 9;
  TPRT_TRACE(point, "%d %d %d", constant, twice, distance);
  struct packed packed = {0, -11, -12};
  TPRT_TRACE(point, "%d %ld", packed.number, packed.large);
  struct bits bits = {3, -1};
  TPRT_TRACE(point, "%d %d", (int)bits.wide, (int)bits.narrow);
  TPRT_TRACE(point, "twelve %d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7l, (signed char)8, 9.0, "10", (void *)11, 12ul);
}
static void others(void) {
  float single = 1.5f;
  TPRT_TRACE(point, "%f %g", single, -0.25);
  void (*function)(void) = (void (*)(void))0x20;
  TPRT_TRACE(point, "%p %p %p %p", (void *)16, NULL, function, (volatile const int *)0x30);
  char array[] = "array";
  char *null = NULL;
  const char *const constant = "constant";
  TPRT_TRACE(point, "%s %s %s %s", "literal", array, null, constant);
  unsigned char bytes[] = "unsigned";
  const signed char *chars = (const signed char *)"signed";
  TPRT_TRACE(point, "%s %s", bytes, chars);
  TPRT_TRACE(point, "%.*s|", 3, "not terminated");
}

int main(void) {
  integers();
  open_points();
  integers();
  others();
  TPRT_TRACE(point, "100%%");
  TPRT_TRACE(point, "%d", -7);
}
