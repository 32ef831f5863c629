// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See stack_overflow.h. leaveOverflow() runs in signal handlers, on any thread,
// without a lock: async-signal-safe.
#include "text/stack_overflow.h"
#include "base/os_loader.h"
#include "base/os_memory.h"
#include "text/pc_map.h"

namespace tprt {

// Written before signals are translated, and always with the same values.
static UnwindTables tables;

// The vdso has a single segment, and no writable data.
static bool isTheLoader(const LoadedModule &module) {
  bool writes = false;
  for (uint32_t i = 0; i < module.headerCount; ++i)
    writes |=
        module.headers[i].p_type == PT_LOAD && module.headers[i].p_flags & PF_W;
  return writes;
}

static int readTable(const LoadedModule &module, void *wanted) {
  const auto &addresses = *static_cast<const uint64_t (*)[3]>(wanted);
  UnwindTable found = {UINT64_MAX, 0, 0};
  for (uint32_t i = 0; i < module.headerCount; ++i) {
    const Elf64_Phdr &header = module.headers[i];
    uint64_t start = module.base + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME)
      found.header = start;
    if (header.p_type != PT_LOAD)
      continue;
    found.start = start < found.start ? start : found.start;
    uint64_t end = start + header.p_memsz;
    found.end = end > found.end ? end : found.end;
  }
  if (!found.header)
    return 0;
  for (size_t i = 0; i < 3; ++i)
    if (addresses[i] >= found.start && addresses[i] < found.end)
      tables.all[i] = found;
  if (isSystemsOwn(module.base) && !isTheLoader(module))
    tables.all[3] = found;
  return 0;
}

void readUnwindTables() {
  uint64_t addresses[3];
  addressesToUnwind(addresses);
  walkLoader(readTable, addresses);
}

bool leaveOverflow(void *context, uint64_t fault) {
  LeftHit left;
  if (leaveHit(context, fault, tables, peek, left)) {
    giveUpHit(left.data, left.position);
    return true;
  }
  StubPlace at;
  const StubData *data;
  if (!findStub(programCounterIn(context), at) ||
      !leaveStub(context, fault, at.stub, at.inside, *at.site, peek, data))
    return false;
  if (data)
    giveUpHit(data, 0);
  else
    giveUpSecondHit(*at.site, at.stub == InnerStub::Counting);
  return true;
}

} // namespace tprt
