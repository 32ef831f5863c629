// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which copy of libtprt is in charge of the process; see takeCharge()
// in base/os_loader.h. Any thread calls it, without the runtime's lock.
//
// Copies find each other by a note in their modules. A symbol would not work,
// because it might be bound to any of the copies. Each copy has a word whose
// value is idle, claiming or in charge. A copy that wants to be in charge first
// stores "claiming" and then reads the other copies' words. The store and the
// reads are sequentially consistent, so of two copies at least one sees the
// other. If two copies claim at the same time, the copy at the lower address
// continues.
#include "base/os_loader.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// The structure to which the note points. If its layout changes, the note's
// type (now 1) must also change.
struct Copy {
  uint32_t state;
};

namespace {
enum : uint32_t { kIdle, kClaiming, kInCharge };

struct Search {
  // The highest state among the other copies, and the copy that has it.
  uint32_t worst = kIdle;
  const Copy *which = nullptr;
  // Whether the module of this copy can be unloaded.
  bool mayGo = false;
  char *path;
  size_t bytes;
};
} // namespace

extern "C" {
__attribute__((visibility("hidden"), used)) Copy __tprt_copy = {kIdle};
}

__asm__(".pushsection .note.tprt,\"aR\",%note\n"
        "  .p2align 2\n"
        "  .long 5, 8, 1\n"
        "  .asciz \"tprt\"\n"
        "  .p2align 2\n"
        "  .quad __tprt_copy - .\n"
        ".popsection");

namespace tprt {

static const Copy *copyIn(const LoadedModule &module, const Elf64_Phdr &notes) {
  static constexpr struct {
    Elf64_Nhdr header;
    char name[8];
  } kBegin = {{5, 8, 1}, "tprt"};
  const auto *at =
      reinterpret_cast<const uint8_t *>(module.base + notes.p_vaddr);
  const uint8_t *end = at + notes.p_memsz;
  for (int64_t distance; at + sizeof kBegin + sizeof distance <= end; at += 4) {
    if (memcmp(at, &kBegin, sizeof kBegin) != 0)
      continue;
    memcpy(&distance, at + sizeof kBegin, sizeof distance);
    uint64_t address =
        reinterpret_cast<uint64_t>(at + sizeof kBegin) + distance;
    for (uint32_t i = 0; i < module.headerCount; ++i) {
      const Elf64_Phdr &p = module.headers[i];
      if (p.p_type == PT_LOAD && p.p_flags & PF_W &&
          address - (module.base + p.p_vaddr) < p.p_memsz &&
          address % alignof(Copy) == 0)
        return reinterpret_cast<const Copy *>(address);
    }
  }
  return nullptr;
}

// Whether the module can be unloaded. The program itself and modules linked
// with -z nodelete cannot be unloaded.
static bool mayGo(const LoadedModule &module) {
  if (!module.name || !*module.name)
    return false;
  for (uint32_t i = 0; i < module.headerCount; ++i) {
    if (module.headers[i].p_type != PT_DYNAMIC)
      continue;
    const auto *entry = reinterpret_cast<const Elf64_Dyn *>(
        module.base + module.headers[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_FLAGS_1 && entry->d_un.d_val & DF_1_NODELETE)
        return false;
  }
  return true;
}

static int visit(const LoadedModule &module, void *data) {
  auto *search = static_cast<Search *>(data);
  for (uint32_t i = 0; i < module.headerCount; ++i) {
    const Copy *copy = module.headers[i].p_type == PT_NOTE
                           ? copyIn(module, module.headers[i])
                           : nullptr;
    if (copy == &__tprt_copy)
      search->mayGo = mayGo(module);
    uint32_t state = copy && copy != &__tprt_copy
                         ? __atomic_load_n(&copy->state, __ATOMIC_SEQ_CST)
                         : kIdle;
    if (state <= search->worst)
      continue;
    search->worst = state;
    search->which = copy;
    snprintf(search->path, search->bytes, "%s",
             module.name && *module.name ? module.name : "the program itself");
  }
  return 0;
}

// Stubs lead to this copy's code, so the library that contains it must stay
// loaded. This function waits for other threads' dlopen, so it is called only
// if the library could be unloaded.
static void keepLoaded() {
  Dl_info info;
  if (canUnload() && dladdr(&__tprt_copy, &info) && info.dli_fname)
    dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static bool change(uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(&__tprt_copy.state, &from, to, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool takeCharge(char *other, size_t bytes) {
  while (__atomic_load_n(&__tprt_copy.state, __ATOMIC_SEQ_CST) != kInCharge) {
    change(kIdle, kClaiming);
    Search search;
    search.path = other;
    search.bytes = bytes;
    walkLoader(visit, &search);
    if (search.worst == kIdle) {
      // The exchange fails if another thread of this copy has stepped back
      // meanwhile. Then the loop begins again.
      if (change(kClaiming, kInCharge) && search.mayGo)
        keepLoaded();
      continue;
    }
    if (search.worst == kInCharge || search.which < &__tprt_copy)
      change(kClaiming, kIdle);
    if (search.worst == kInCharge)
      return false;
    sched_yield();
  }
  return true;
}

} // namespace tprt
