// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the reader of unwind tables. The input is the memory of a module of
// two segments, with an unreadable page between them. It consists of two bytes
// with the length of the first segment, the first segment, and the second
// segment, which begins with .eh_frame_hdr. An entry refers to a common entry
// before itself. So a common entry at the end of the first segment reveals
// reads beyond its end. The functions found must lie in the second segment, in
// order.
#include "decode/unwind_entries.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <sys/mman.h>

static constexpr size_t kPage = 4096;

static uint8_t *mapMemory() {
  void *memory = mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED ||
      mprotect(static_cast<uint8_t *>(memory) + kPage, kPage, PROT_NONE) != 0 ||
      mprotect(static_cast<uint8_t *>(memory) + 3 * kPage, kPage, PROT_NONE) !=
          0)
    abort();
  return static_cast<uint8_t *>(memory);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static uint8_t *const memory = mapMemory();
  uint16_t first;
  if (bytes < sizeof first)
    return -1;
  memcpy(&first, data, sizeof first);
  data += sizeof first;
  bytes -= sizeof first;
  if (first > bytes || first > kPage || bytes - first > kPage)
    return -1;
  auto start = reinterpret_cast<uint64_t>(memory);
  uint64_t second = start + 2 * kPage;
  memcpy(memory + kPage - first, data, first);
  memcpy(memory + 2 * kPage, data + first, bytes - first);
  const tprt::Segment segments[] = {
      {start + kPage - first, start + kPage, PF_R},
      {second, second + bytes - first, PF_R | PF_X}};
  tprt::CodeView view = {};
  view.segments = segments;
  view.segmentCount = 2;
  view.origin = start;
  view.frames = second;
  tprt::Array<tprt::Function> found;
  tprt::findFunctions(view, found);
  uint64_t end = second;
  for (const tprt::Function &function : found) {
    if (start + function.start < end || function.end <= function.start ||
        start + function.end > segments[1].end)
      abort();
    end = start + function.end;
  }
  return 0;
}
