// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See semaphores.h. A module with sites that are on is pinned, so its
// semaphores can be written until these sites are off: a group lowers its
// semaphores before it detaches.
#include "control/semaphores.h"
#include "control/probe_group.h"
#include "control/probe_groups.h"
#include "control/recording_requests.h"
#include "loader/module_refs.h"
#include "modules/module.h"
#include "modules/sled_table.h"
#include "threads/lock.h"

#include <elf.h>

namespace tprt {

static bool isIn(const Extent &extent, uint64_t at) {
  return at >= extent.start && at < extent.end;
}

static bool mayWrite(const Module *module, uint64_t at) {
  return module->loaded &&
         inSegment(module->segments, at, sizeof(uint16_t), PF_W) &&
         !isIn(module->relocated, at) &&
         !isIn(module->relocated, at + sizeof(uint16_t) - 1);
}

// The module that has the semaphore. A file may have several modules, and its
// memory is the same in each.
static const Module *moduleOf(uint64_t at) {
  const Module *found = nullptr;
  bool stays = false;
  for (const Module *m = modules; m; m = m->next) {
    if (!mayWrite(m, at))
      continue;
    found = m;
    stays |= m->holders || !mayGo(m);
  }
  return stays ? found : nullptr;
}

bool raise(RaisedSemaphores &list, uint64_t address) {
  if (address % sizeof(uint16_t))
    return false;
  Lock lock;
  const Module *module = moduleOf(address);
  if (!module || !list.push({address, module->base, module->adopted}))
    return false;
  __atomic_fetch_add(reinterpret_cast<uint16_t *>(address), uint16_t{1},
                     __ATOMIC_RELAXED);
  return true;
}

void lower(RaisedSemaphores &list) {
  Lock lock;
  for (const RaisedSemaphore &each : list)
    for (const Module *m = modules; m; m = m->next) {
      if (m->base != each.base || m->adopted != each.adopted ||
          !mayWrite(m, each.address))
        continue;
      auto *word = reinterpret_cast<uint16_t *>(each.address);
      // The program may have set it to 0 itself.
      uint16_t now = __atomic_load_n(word, __ATOMIC_RELAXED);
      while (now && !__atomic_compare_exchange_n(
                        word, &now, static_cast<uint16_t>(now - 1), true,
                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      }
      break;
    }
  list.reset();
}

tprt_status raiseSemaphores(Client &client, Request &request, Answer &answer) {
  tprt_control_semaphores asked;
  if (!request.take(asked) || asked.count > TPRT_CONTROL_MOST_SEMAPHORES)
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "the request is short, or has more than 1024 semaphores");
  ToolGroup *group = asked.group ? findGroup(asked.group) : nullptr;
  if (asked.group && (!group || group->owner != client.number))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "this tool has no group %u", asked.group);
  RaisedSemaphores *list = group ? &group->semaphores : semaphoresOfRecording();
  if (!list)
    return refuse(answer, TPRT_STATUS_UNSUPPORTED, "there is no recording");
  tprt_control_semaphores_answer done{};
  for (uint32_t i = 0; i < asked.count; ++i) {
    uint64_t address;
    if (!request.take(address))
      return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                    "the list of semaphores is shorter than its stated number");
    ++(raise(*list, address) ? done.raised : done.refused);
  }
  answer.put(done);
  return TPRT_STATUS_OK;
}

} // namespace tprt
