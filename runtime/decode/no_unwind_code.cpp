// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow that is not visible in the functions' own code; see decoded.h.
//
// The problem: hand-written code may have no unwind entry. Such code does not
// count as a function, and has no sites. But it may jump to bytes that look
// like padding, or into an instruction, for example after its lock prefix. And
// a call at a function's end may return to padding before the next function.
//
// The solution: such code is read from beginning to end, as if it contained no
// data. Data may look like jumps, so the results never cause the refusal of a
// whole function: they exclude bytes from padding, and refuse single
// instructions.
#include "base/search.h"
#include "decode/decoded.h"

namespace tprt {

// Records the targets of the code between two offsets.
void DecodedCode::followOutside(uint32_t from, uint32_t end) {
  uint32_t bytes;
  for (uint32_t offset = from; offset < end; offset += bytes) {
    Instruction code = {};
    bytes = kBreakpointBytes; // the smallest size of an instruction
    if (!decodeAt(offset, end, code))
      continue;
    bytes = code.length;
    uint64_t to = offset + bytes + static_cast<uint64_t>(code.distance);
    if ((code.isDirect() || (code.fieldBytes && code.distance)) &&
        to <= UINT32_MAX)
      targets.set(static_cast<uint32_t>(to));
  }
}

// Functions whose code is not known to its end are read once more.
void DecodedCode::followAllOutside() {
  for (size_t k = 0; k < view.segmentCount; ++k) {
    const Segment &s = view.segments[k];
    if (!(s.flags & PF_X) || s.start < view.origin)
      continue;
    auto offset = static_cast<uint32_t>(s.start - view.origin);
    const auto last = static_cast<uint32_t>(s.end - view.origin);
    for (size_t i = partitionPoint(
             0, functions.size(),
             [&](size_t at) { return functions[at].end <= offset; });
         offset < last; ++i) {
      while (i < functions.size() && !(signs[i] & kDecoded))
        ++i;
      const bool any = i < functions.size() && functions[i].start < last;
      followOutside(offset, any ? functions[i].start : last);
      offset = any ? functions[i].end : last;
    }
  }
}

// Returns false if there is no memory.
bool DecodedCode::spareAfterCalls() {
  for (uint32_t i = 0; i < functions.size() && !endCalls.empty(); ++i)
    signs[parents[i]] |= signs[i] & kReturns;
  for (uint32_t index : endCalls) {
    const Function &f = functions[index];
    uint32_t at = f.end - 1;
    while (at > f.start && !startsAt(at))
      --at;
    Instruction code;
    if (!decodeAt(at, f.end, code) || !code.isDirect())
      continue;
    size_t to = functionAt(f.end + static_cast<uint32_t>(code.distance));
    if (to == functions.size() || functions[to].isSignalFrame)
      continue; // such as a table of imports
    if (signs[parents[to]] & kReturns && !labels.push(f.end))
      return false;
  }
  return true;
}

// A jump to a table of imports leads to a function of another module.
bool DecodedCode::isImport(uint32_t offset) const {
  Instruction code = {};
  auto end = offset + static_cast<uint32_t>(room(offset, kMostRead));
  bool any = decodeAt(offset, end, code);
  if (any && code.flow == Flow::LandingPad)
    any = decodeAt(offset + code.length, end, code);
  return any && code.flow == Flow::JumpMemory;
}

} // namespace tprt
