// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readable form of a linked name; see tprt/names.h. May be called on any
// thread, but not in hits.
#include "base/array.h"
#include "demangle/demangle.h"
#include "tprt/names.h"

#include <string.h>

using namespace tprt;

namespace {
struct Room {
  names::Memory memory;
  char text[names::kMostBytes];
};
} // namespace

char *tprt_name_demangle(const char *linked, char *out, size_t size) {
  if (!size)
    return out;
  Array<Room> room;
  names::Parts parts;
  const char *name = linked;
  if (names::mayBeMangled(linked) && room.resize(1) &&
      names::demangle(linked, room[0].memory, room[0].text, sizeof room[0].text,
                      parts))
    name = room[0].text;
  size_t length = strnlen(name, size - 1);
  memcpy(out, name, length);
  out[length] = 0;
  return out;
}
