// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shortest decimal text of a number.
#ifndef TPRT_POINTS_SHORTEST_H
#define TPRT_POINTS_SHORTEST_H

#include "points/decimal.h"

namespace tprt {

// Stores the shortest digits that read back as this number. If there are
// several such texts, stores the closest to the number. The bits must be those
// of a finite double that is not 0. If `isFloat` is true, the number was a
// float, and is read back as a float.
void shorten(uint64_t bits, bool isFloat, Decimal &out);

} // namespace tprt

#endif
