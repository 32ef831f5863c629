// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the function that executes a message. Everything here runs on the work
// thread, and accepts any bytes (runtime/tests/fuzz/fuzz_control.cpp).
#include "control/dispatch.h"
#include "base/os_loader.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "control/detach_sites.h"
#include "control/ends.h"
#include "control/list_groups.h"
#include "control/list_sites.h"
#include "control/message.h"
#include "control/probe_groups.h"
#include "control/read_group.h"
#include "control/recording_requests.h"
#include "control/run_requests.h"
#include "control/semaphores.h"
#include "control/server_start.h"
#include "sites/arch.h"
#include "stacks/stack_tables.h"
#include "threads/status.h"

namespace tprt {

uint64_t controlInstance;

static tprt_status greet(Client &client, Request &request, Answer &answer) {
  tprt_control_hello asked;
  if (!request.take(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
  if (asked.version != TPRT_CONTROL_VERSION)
    return refuse(answer, TPRT_STATUS_UNSUPPORTED,
                  "this process's libtprt %s has version %d of the control's "
                  "messages, and the tool has version %u; use the tpctl of "
                  "libtprt %s",
                  tprt_version_string(), TPRT_CONTROL_VERSION, asked.version,
                  tprt_version_string());
  constexpr uint32_t kKnown = TPRT_CONTROL_AWAIT_AT_END | TPRT_CONTROL_SIGNALS;
  if (asked.flags & ~kKnown)
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "this libtprt does not know one of the flags");
  if (asked.flags & TPRT_CONTROL_SIGNALS)
    if (tprt_status status = tprt_signal_translate(); status != TPRT_STATUS_OK)
      return refuse(answer, status, "%s", tprt_error_string());
  client.greeted = true;
  if (asked.flags & TPRT_CONTROL_AWAIT_AT_END)
    beginAwaiting(client);
  constexpr uint64_t kTicks = uint64_t{1} << 30;
  uint64_t ns = tprt_ticks_to_ns(kTicks);
  answer.put(tprt_control_hello_answer{
      TPRT_CONTROL_VERSION, processId(), controlInstance, readTicks(),
      nanoseconds(), ns ? kTicks * 1'000'000'000 / ns : 0});
  answer.putText(tprt_version_string());
  char path[4096];
  programPath(path, sizeof path);
  answer.putText(path);
  return TPRT_STATUS_OK;
}

static tprt_status go(Client &client, Request &, Answer &answer) {
  noteGone(client);
  answer.put(tprt_control_go_answer{!releaseStart()});
  return TPRT_STATUS_OK;
}

namespace {
struct Handler {
  tprt_control_type type;
  tprt_status (*call)(Client &, Request &, Answer &);
};
} // namespace

static constexpr Handler kHandlers[] = {
    {TPRT_CONTROL_HELLO, greet},
    {TPRT_CONTROL_LIST, listSites},
    {TPRT_CONTROL_ATTACH, attachGroup},
    {TPRT_CONTROL_DETACH, detachGroups},
    {TPRT_CONTROL_GROUPS, listGroups},
    {TPRT_CONTROL_COUNTS, readCounts},
    {TPRT_CONTROL_TIMES, readTimes},
    {TPRT_CONTROL_RECORD, controlRecording},
    {TPRT_CONTROL_SNAPSHOT, takeSnapshot},
    {TPRT_CONTROL_FIGURES, readFigures},
    {TPRT_CONTROL_GO, go},
    {TPRT_CONTROL_DETACH_SITES, detachSitesOf},
    {TPRT_CONTROL_ROWS, readRows},
    {TPRT_CONTROL_RUN_LOAD, loadRun},
    {TPRT_CONTROL_RUN_LINES, readRunLines},
    {TPRT_CONTROL_RUN_MEMORY, readRunMemory},
    {TPRT_CONTROL_SEMAPHORES, raiseSemaphores},
};

static tprt_status carryOut(Client &client, const tprt_control_head &head,
                            size_t bytes, Request &request, Answer &answer) {
  if (head.bytes != bytes)
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "the message states a wrong length");
  if (!client.greeted && head.type != TPRT_CONTROL_HELLO)
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "the first request of a connection must be HELLO");
  for (const Handler &handler : kHandlers)
    if (handler.type == head.type)
      return handler.call(client, request, answer);
  return refuse(answer, TPRT_STATUS_UNSUPPORTED,
                "this libtprt does not know requests of type %u", head.type);
}

size_t answerRequest(Client &client, const char *bytes, size_t count,
                     char *out) {
  Request request(bytes, count);
  tprt_control_head head{};
  request.take(head);
  Answer answer(out);
  tprt_control_head back = {0, TPRT_CONTROL_VERSION, head.type, head.id, 0};
  answer.put(back);
  back.status = carryOut(client, head, count, request, answer);
  refreshStacks(); // tools ask all the time
  back.bytes = static_cast<uint32_t>(answer.bytes());
  memcpy(out, &back, sizeof back);
  return answer.bytes();
}

void endClient(Client &client) {
  endAwaiting(client);
  endGroupsOf(client.number);
  endRunsOf(client.number);
  endRecordingOf(client.number);
  client.listed.reset();
}

bool tidy() {
  const bool left = tidyGroups();
  tidyRuns();
  return left;
}

bool endAll() {
  endGroupsOf(0);
  endRunsOf(0);
  endRecordingOf(0);
  const bool isOver = !tidyGroups();
  tidyRuns();
  return isOver;
}

void startRequests() {
  disownGroups();
  disownRuns();
  disownRecording();
}

} // namespace tprt
