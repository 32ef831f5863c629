// If this fails, two files that declare one point have two objects, or a function or a variable of
// a point's name in another file clashes with the point, or the object lacks its names.
//
// RUN: %points_matrix %s %S/Inputs/same-names.c -o %t --std c11,c++17 --flags="-O0;-O2 -fPIC" --common="-Wall -Wextra -Werror"
//
// OUT: point [from here]
// OUT: point [from there]
#include "open-points.h"
#include "same-names.h"
#include <string.h>

#define NAME_63 a234567890b234567890c234567890d234567890e234567890f234567890_63
#define PROVIDER_27 p234567890q234567890r234_27
#define DECLARE(provider, name) TPRT_POINT_USDT(provider, name)
TPRT_POINT(function_there);
TPRT_POINT(variable_there);
DECLARE(PROVIDER_27, NAME_63);
#define TEXT(name) TEXT_AGAIN(name)
#define TEXT_AGAIN(name) #name

int main(void) {
  if (point_there() != &point || usdt_there() != &usdt_point)
    return 1;
  if (strcmp(point.name, "point") || *point.provider || point.version != 1 || point.semaphore)
    return 2;
  if (strcmp(usdt_point.point.name, "usdt_point") || strcmp(usdt_point.point.provider, "provider") || usdt_point.point.version != 1)
    return 3;
  if (strcmp(NAME_63.point.name, TEXT(NAME_63)) || strcmp(NAME_63.point.provider, TEXT(PROVIDER_27)))
    return 4;
  if (sizeof(struct tprt_point) != 96 || (const void *)&point.semaphore != (const void *)&point)
    return 5;
  if (strcmp(function_there.name, "function_there") || strcmp(variable_there.name, "variable_there"))
    return 6;
  open_points();
  TPRT_TRACE(point, "from here");
  from_there();
}
