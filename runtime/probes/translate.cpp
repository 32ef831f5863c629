// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of the interface that translate addresses in stubs to addresses of
// the program.
#include "base/os_loader.h"
#include "hits/quiesce.h"
#include "loader/module_list.h"
#include "modules/module.h"
#include "probes/init.h"
#include "text/pc_map.h"
#include "text/stack_overflow.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "tprt/tprt.h"

using namespace tprt;

const void *tprt_address_original(const void *address) {
  uint64_t original = originalPcOf(reinterpret_cast<uint64_t>(address));
  return original ? reinterpret_cast<const void *>(original) : address;
}

tprt_status tprt_signal_translate() {
  if (insideHandler())
    return fail(TPRT_STATUS_IN_HANDLER,
                "signals can't be translated from inside a handler");
  requireStart();
  bool initialised = initialise();
  char other[256];
  if (!takeCharge(other, sizeof other))
    return fail(TPRT_STATUS_OTHER_COPY,
                "another copy of libtprt, in %s, is in charge of this process",
                other);
  if (!initialised)
    return fail(TPRT_STATUS_NO_MEMORY, "no memory to start libtprt");
  readUnwindTables();
  Lock lock;
  if (showOriginalPcs())
    return TPRT_STATUS_OK;
  return fail(TPRT_STATUS_UNSUPPORTED,
              "the system does not say which handlers signals have; a seccomp "
              "filter?");
}
