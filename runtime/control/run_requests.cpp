// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See run_requests.h. As with groups (probe_group.h), all pointers change under
// the runtime's lock.
#include "control/run_requests.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "control/ends.h"
#include "run/load_image.h"
#include "run/run_calls.h"
#include "run/run_lines.h"
#include "sites/arch.h"
#include "threads/lock.h"
#include "threads/thread_block.h"

namespace tprt {

static RunObject *objects;
static uint32_t lastRun;
static constexpr unsigned kMostRuns = 16;

static RunObject *findRun(const Client &client, uint32_t number) {
  for (RunObject *each = objects; each; each = each->next)
    if (each->number == number && each->owner == client.number)
      return each;
  return nullptr;
}

// --- the end -----------------------------------------------------------------

static void dropFile(RunObject &object) {
  if (object.file)
    freePages(object.file, roundToPages(object.fileBytes));
  object.file = nullptr;
}

// Under the lock.
static void freeRun(RunObject *object) {
  dropFile(*object);
  freeRunImage(object->image);
  freeRunLines(object->lines);
  freeSmall(object, sizeof *object);
}

void tidyRuns() {
  Lock lock;
  for (RunObject **at = &objects; *at;) {
    RunObject *object = *at;
    if (object->owner || object->groups) {
      at = &object->next;
      continue;
    }
    *at = object->next;
    freeRun(object);
  }
}

void endRunsOf(uint32_t client) {
  for (RunObject *each = objects; each; each = each->next)
    if (!client || each->owner == client)
      each->owner = 0;
  tidyRuns();
}

void disownRuns() { endRunsOf(0); }

// --- load --------------------------------------------------------------------

static RunObject *makeRun(const Client &client, uint64_t bytes) {
  unsigned count = 0;
  for (RunObject *each = objects; each; each = each->next)
    ++count;
  if (count == kMostRuns)
    return nullptr;
  Lock lock;
  auto *made = static_cast<RunObject *>(allocateSmall(sizeof(RunObject)));
  if (!made)
    return nullptr;
  prepareRunApi(*made);
  made->file = static_cast<char *>(allocatePages(roundToPages(bytes)));
  made->fileBytes = bytes;
  made->lines = makeRunLines();
  if (!made->file || !made->lines) {
    freeRun(made);
    return nullptr;
  }
  made->owner = client.number;
  made->number = ++lastRun;
  made->next = objects;
  objects = made;
  return made;
}

static const char *partFault(const tprt_control_run_load &asked) {
  if (!asked.total || asked.total > kMostRunFile)
    return "a file of handlers has at most 16 MiB";
  if (asked.bytes > TPRT_CONTROL_MOST_RUN_BYTES || asked.at > asked.total ||
      asked.bytes > asked.total - asked.at)
    return "the part is not in the file";
  return nullptr;
}

// The object is of no use any more.
static void abandon(RunObject &object) {
  object.owner = 0;
  tidyRuns();
}

static const char *finishRun(RunObject &object) {
  Lock lock;
  const char *fault = loadRunImage(object.file, object.fileBytes, object.image);
  dropFile(object);
  return fault;
}

tprt_status loadRun(Client &client, Request &request, Answer &answer) {
  tprt_control_run_load asked;
  if (!request.take(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
  if (asked.version != TPRT_RUN_VERSION)
    return refuse(answer, TPRT_STATUS_UNSUPPORTED,
                  "the handlers were compiled with version %u of tprt/run.h, "
                  "and this process's libtprt %s has version %d: use the tpctl "
                  "of that libtprt",
                  asked.version, tprt_version_string(), TPRT_RUN_VERSION);
  if (const char *fault = partFault(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "%s", fault);
  RunObject *object =
      asked.run ? findRun(client, asked.run) : makeRun(client, asked.total);
  if (!object)
    return asked.run
               ? refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                        "this tool has no file of handlers %u", asked.run)
               : refuse(answer, TPRT_STATUS_NO_MEMORY,
                        "no memory for the handlers, or 16 files of handlers "
                        "are loaded already");
  if (!object->file || object->fileBytes != asked.total ||
      object->arrived != asked.at ||
      !request.takeBytes(object->file + asked.at, asked.bytes)) {
    abandon(*object);
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "the parts of the file are not in order");
  }
  object->arrived += asked.bytes;
  if (object->arrived == asked.total)
    if (const char *fault = finishRun(*object)) {
      abandon(*object);
      return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                    "the file of handlers cannot be loaded: %s", fault);
    }
  answer.put(tprt_control_run_load_answer{
      object->number, object->image.isLoaded(), object->image.start});
  return TPRT_STATUS_OK;
}

const char *readRunHandler(const Client &client, Request &request,
                           uint32_t bytes, RunHandler &to) {
  tprt_control_run_handler asked;
  if (bytes != sizeof asked || !request.take(asked))
    return "the request is short";
  RunObject *object = findRun(client, asked.run);
  if (!object || !object->image.isLoaded())
    return "this tool has loaded no such file of handlers";
  if (!object->image.hasCode(asked.handler))
    return "the handler is not in the file's code";
  to.object = object;
  to.action = {};
  to.action.kind = TPRT_ACTION_CALL;
  if (!(asked.flags & TPRT_RUN_VECTORS))
    to.action.flags |= TPRT_HANDLER_GENERAL_REGS_ONLY;
  if (asked.flags & TP_RUN_CHANGES)
    to.action.flags |= TPRT_HANDLER_CHANGES_REGS;
  to.action.handler =
      reinterpret_cast<tprt_handler>(object->image.start + asked.handler);
  to.action.data = &object->api;
  return nullptr;
}

// --- read --------------------------------------------------------------------

tprt_status readRunLines(Client &client, Request &request, Answer &answer) {
  tprt_control_run_lines asked;
  if (!request.take(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
  RunObject *object = findRun(client, asked.run);
  if (!object)
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "this tool has no file of handlers %u", asked.run);
  tprt_module_refresh(); // for the sites of new modules
  // Before the lines are read: what comes afterwards is read next time.
  tprt_control_run_lines_answer numbers{};
  numbers.flags = endFlags();
  const size_t head = answer.bytes();
  answer.put(numbers);
  readRunLines(*object->lines, [&](const char *text, uint32_t bytes) {
    if (answer.room() < sizeof bytes + bytes) {
      numbers.flags |= TPRT_CONTROL_READ_MORE;
      return false;
    }
    answer.put(bytes);
    answer.putBytes(text, bytes);
    ++numbers.lines;
    return true;
  });
  numbers.ticks = readTicks();
  numbers.lost = __atomic_load_n(&object->lines->lost, __ATOMIC_RELAXED);
  numbers.missed = sumMissed();
  numbers.groups = object->groups;
  memcpy(answer.at(head), &numbers, sizeof numbers);
  return TPRT_STATUS_OK;
}

tprt_status readRunMemory(Client &client, Request &request, Answer &answer) {
  tprt_control_run_memory asked;
  if (!request.take(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
  const RunObject *object = findRun(client, asked.run);
  if (!object || !object->image.isLoaded() ||
      asked.bytes > TPRT_CONTROL_MOST_RUN_BYTES ||
      !object->image.has(asked.at, asked.bytes))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "this is no memory of a file of handlers");
  answer.putBytes(
      reinterpret_cast<const void *>(object->image.start + asked.at),
      asked.bytes);
  return TPRT_STATUS_OK;
}

} // namespace tprt
