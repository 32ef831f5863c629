// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes single functions from a group: DETACH_SITES of tprt/control_wire.h. A
// tool does this to functions that are called too often. On the work thread.
#include "control/detach_sites.h"
#include "actions/probe.h"
#include "base/cancel.h"
#include "base/search.h"
#include "base/small_alloc.h"
#include "base/sort.h"
#include "control/probe_group.h"
#include "control/probe_groups.h"
#include "probes/detach.h"
#include "sites/site.h"
#include "threads/status.h"

namespace tprt {

namespace {
// One number for each function, in ascending order (functionOf()). The entry
// and the exits of a function have the same number.
struct Functions {
  Array<uint64_t> numbers;
};
} // namespace

static uint64_t functionOf(const tprt_site &site) {
  return uint64_t{site.moduleNumber} << 32 | site.functionAt;
}

static bool isAmong(const tprt_site &site, void *data) {
  const Array<uint64_t> &numbers = static_cast<Functions *>(data)->numbers;
  uint64_t wanted = functionOf(site);
  size_t i = partitionPoint(0, numbers.size(),
                            [&](size_t at) { return numbers[at] < wanted; });
  return i < numbers.size() && numbers[i] == wanted;
}

// Returns nullptr, or the fault.
static const char *readFunctions(uint32_t count, Request &request,
                                 Functions &to) {
  if (count > TPRT_CONTROL_MOST_BYTES / sizeof(uint32_t))
    return "a request cannot hold so many sites";
  if (!count)
    return "the list of sites is empty";
  if (!to.numbers.reserve(count))
    return "no memory for a list of sites";
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t index = 0;
    if (!request.take(index))
      return "the list of sites is shorter than its stated number";
    if (index < kMaxSites && isSite(&sites[index]) &&
        sites[index].isOfFunction())
      to.numbers.push(functionOf(sites[index])); // reserved
  }
  heapSort(to.numbers.begin(), to.numbers.size(),
           [](uint64_t a, uint64_t b) { return a < b; });
  return nullptr;
}

static tprt_status drop(const ToolGroup &group, Functions &functions,
                        size_t &count) {
  if (group.timed)
    return dropTimed(group.timed, isAmong, &functions, &count);
  if (group.aggregated)
    return dropAggregated(group.aggregated, isAmong, &functions, &count);
  tprt_status status = TPRT_STATUS_OK;
  visitProbes(group, [&](tprt_probe *probe) {
    if (status == TPRT_STATUS_OK)
      status = detachSites(probe, isAmong, &functions, &count);
  });
  return status;
}

tprt_status detachSitesOf(Client &client, Request &request, Answer &answer) {
  tprt_control_detach_sites asked;
  if (!request.take(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
  ToolGroup *group = findGroup(asked.group);
  if (!group || group->owner != client.number)
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "this tool has no group %u", asked.group);
  Functions functions;
  if (const char *fault = readFunctions(asked.sites, request, functions))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "%s", fault);
  size_t count = 0;
  group->blocks.forget();
  group->threads.forget();
  tprt_status status = drop(*group, functions, count);
  if (status != TPRT_STATUS_OK)
    return refuse(answer, status, "%s", tprt_error_string());
  answer.put(tprt_control_detach_sites_answer{static_cast<uint32_t>(count), 0});
  return TPRT_STATUS_OK;
}

} // namespace tprt
