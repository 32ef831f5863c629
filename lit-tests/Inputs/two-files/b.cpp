#include "inline.h"
static int local(int X) { return X ^ 9; }
extern "C" int other(int X) { return inlined(X) + local(X); }
extern "C" int unused_b(int X) { return X + 78; }
