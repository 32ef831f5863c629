// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See code_sites.h.
#include "loader/code_sites.h"
#include "base/page_memo.h"
#include "sites/arch.h"
#include "sites/code_site.h"
#include "tprt/table.h"

#include <string.h>

namespace tprt {

// Whether the pushes before an entry are unchanged since they were read. `at`
// is the entry's address.
TPRT_CODE_ACCESS static bool hasPushesOf(const CodeSite &code, uint64_t at,
                                         PageMemo &memo) {
  const uint64_t from = at - code.pushBytes;
  return !memo.has(from) || memcmp(reinterpret_cast<const void *>(from),
                                   code.pushes, code.pushBytes) == 0;
}

// The bytes differ at enabled sites, and at sites where a call of a profiler is
// skipped.
static bool isChanged(const tprt_site &site, const CodeSite &code) {
  return site.enabled || site.isSkipped() || code.use & kInUse;
}

static bool isAnyChanged(const Module *module) {
  bool any = false;
  for (uint32_t i = 0; i < module->siteCount && !any; ++i)
    any = isChanged(sites[module->firstSite + i], module->code[i]);
  return any;
}

TPRT_CODE_ACCESS static bool hasCodeOf(const Module *module,
                                       bool comparesPushes) {
  PageMemo memo;
  for (uint32_t i = 0; i < module->siteCount; ++i) {
    const CodeSite &code = module->code[i];
    uint64_t from = module->origin + code.at, last = from + code.length - 1;
    if (!isChanged(sites[module->firstSite + i], code) && memo.has(from) &&
        memo.has(last) &&
        (memcmp(reinterpret_cast<const void *>(from), code.code, code.length) ||
         (comparesPushes && !hasPushesOf(code, from, memo))))
      return false;
  }
  return true;
}

// A library may be closed and replaced by another build that differs only in a
// few instructions. The segments are then equal. The notes are also equal if
// the linker writes no build ID (clang's default). A push before an entry may
// be an enabled site of an inner module; then it is not compared.
bool hasSameCode(const Module *module) {
  bool same = true, comparesPushes = true;
  for (const Module *m = modules; m && same; m = m->next)
    if (m->loaded && m->isInner && m->outer == module) {
      same = hasCodeOf(m, false);
      comparesPushes = comparesPushes && !isAnyChanged(m);
    }
  return same && hasCodeOf(module, comparesPushes);
}

void fillCode(Module *module, tprt_site *out) {
  for (const CodeSite &code : module->code) {
    out->sledAt = code.at;
    out->functionAt = code.function;
    out->moduleNumber = module->number;
    // The traits have no bits for kind TPRT_KIND_INSTRUCTION.
    unsigned kind = code.kind == TPRT_KIND_INSTRUCTION ? 0u : code.kind;
    out->traits = TPRT_RECORD_TRAITS(kind, TPRT_SHAPE_CODE);
    out->size = code.length;
    // The registers that the program uses are unknown.
    out->needs = TPRT_NEEDS_VEC256 | TPRT_NEEDS_VEC512 | TPRT_NEEDS_SCALABLE |
                 TPRT_NEEDS_OTHER;
    out->event = {out, code.kind, TPRT_EVENT_VECTORS};
    module->kinds |= static_cast<uint8_t>(1 << code.kind);
    module->hasCallsInside |= code.isInside;
    ++out;
  }
}

} // namespace tprt
