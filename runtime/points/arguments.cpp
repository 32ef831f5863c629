// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exported functions by which handlers read a point's arguments and text;
// see tprt/point.h. Runs in hits: async-signal-safe, general registers only.
#include "points/arguments.h"

namespace tprt {

HitWords::HitWords(const tprt_descriptor &descriptor, const tprt_regs *regs) {
  for (unsigned i = 0; i < descriptor.argument_count; ++i) {
    words[i] = wordOf(descriptor, regs, i);
    keepLoop();
  }
}

size_t formatInto(char *out, size_t room, const tprt_descriptor &descriptor,
                  const Values &values) {
  Text text(out, room ? room - 1 : 0);
  formatValues(text, descriptor.style, formatOf(descriptor), values);
  if (room)
    out[text.stored()] = 0;
  return text.size();
}

} // namespace tprt

using namespace tprt;

size_t tprt_point_argument_count(const tprt_event *event) {
  const tprt_descriptor *descriptor = descriptorOf(event);
  return descriptor ? descriptor->argument_count : 0;
}

int tprt_point_argument(const tprt_event *event, const tprt_regs *regs,
                        unsigned index, tprt_argument *out) {
  out->type = 0;
  out->length = 0;
  out->value.u = 0;
  const tprt_descriptor *descriptor = descriptorOf(event);
  if (!descriptor || index >= descriptor->argument_count)
    return 0;
  HitWords hit(*descriptor, regs);
  out->type = typesOf(*descriptor)[index];
  out->value.u = hit.words[index];
  if (detail::isStringType(out->type)) {
    StringBound bound = boundOf(descriptor->style, formatOf(*descriptor),
                                valuesOf(*descriptor, hit.words), index);
    Characters read = readCharacters(out->type, hit.words[index], bound);
    out->value.s = read.begin;
    out->length = read.size;
  }
  return 1;
}

size_t tprt_point_format(const tprt_event *event, const tprt_regs *regs,
                         char *out, size_t room) {
  const tprt_descriptor *descriptor = descriptorOf(event);
  if (!descriptor) {
    if (room)
      *out = 0;
    return 0;
  }
  HitWords hit(*descriptor, regs);
  return formatInto(out, room, *descriptor, valuesOf(*descriptor, hit.words));
}
