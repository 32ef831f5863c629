// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See recording_requests.h. A process has one recording at a time, no matter
// who starts it. This file keeps the connection that has started it, and the
// selections to which it refers.
#include "control/recording_requests.h"
#include "base/cancel.h"
#include "base/small_alloc.h"
#include "control/read_program.h"
#include "control/selection.h"
#include "programs/program_check.h"
#include "record/metadata.h"
#include "record/record_program.h"
#include "record/recording.h"
#include "record/recording_calls.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "tprt/record.h"

namespace tprt {

// The connection that has started the recording; 0 if there is no recording, or
// if none of the present connections has started it.
static uint32_t owner;
static bool kept, started;
static Selection *selections;
static GlobalArray<RaisedSemaphore> semaphores;

RaisedSemaphores *semaphoresOfRecording() {
  return generationNow() ? &*semaphores : nullptr;
}

static void forget() {
  lower(*semaphores);
  owner = 0;
  started = kept = false;
  while (Selection *selection = selections) {
    selections = selection->next;
    freeSelection(selection);
  }
}

static tprt_status start(Client &client, const tprt_control_record &asked,
                         Request &request, Answer &answer) {
  const char *file = request.string();
  if (!file || *file != '/' || asked.mode > TPRT_RECORDING_MODE_UNTIL_FULL)
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "a recording needs the absolute path of a file, and a mode "
                  "that this libtprt knows");
  tprt_recording_options options{};
  options.file = file;
  options.size = asked.size;
  options.mode = static_cast<tprt_recording_mode>(asked.mode);
  tprt_status status = tprt_recording_start(&options);
  if (status != TPRT_STATUS_OK)
    return refuse(answer, status, "%s", tprt_error_string());
  forget();
  owner = client.number;
  started = true;
  kept = asked.flags & TPRT_CONTROL_KEEP;
  answer.putText(recording.path);
  return status;
}

namespace {
// A program of a recording, and what its values are.
struct AskedProgram {
  ~AskedProgram() {
    Lock lock;
    if (list)
      freeSmall(list, bytes);
  }
  // Returns nullptr, or the fault.
  const char *read(Request &request, uint32_t client);
  // Writes the list into the recording. 0: there are no values, or no room.
  uint32_t describe() const {
    const uint32_t rows = program.get()->keys;
    return rows ? writeValueList(rows, list, bytes) : 0;
  }

  ProgramOf program;
  void *list = nullptr;
  uint32_t bytes = 0;
};
} // namespace

const char *AskedProgram::read(Request &request, uint32_t client) {
  tprt_control_record_program asked;
  if (!request.take(asked))
    return "the request is short";
  if (const char *fault = program.read(request, asked.program,
                                       TPRT_PROGRAM_MOST_VALUES, client))
    return fault;
  if (program.get()->isOfPairs())
    return "a recording has no pairs";
  if (asked.values > TPRT_CONTROL_MOST_VALUE_BYTES ||
      asked.values < program.get()->keys * sizeof(tprt_trace_value))
    return "the description of the values has a wrong length";
  bytes = asked.values;
  if (!bytes)
    return nullptr;
  {
    Lock lock;
    list = allocateSmall(bytes);
  }
  if (!list)
    return "no memory for a program";
  return request.takeBytes(list, bytes) ? nullptr : "the request is short";
}

// Begins a recording that waits, as the tool has found sites for it.
static void beginFor(const Selection &selection) {
  if (!selection.siteCount)
    return;
  Lock lock;
  beginWaiting();
}

static tprt_status addOne(const tprt_selector &selector,
                          const RecordedValues &values, tprt_result &result) {
  if (!values.program)
    return tprt_recording_add(&selector, &values.plain, &result);
  if (!generationNow())
    return fail(TPRT_STATUS_UNSUPPORTED, "there is no recording");
  CancelDisabled uncancelled;
  tprt_selector which = selector;
  if (which.kinds != TPRT_KIND_SET_INSTRUCTION &&
      which.kinds != TPRT_KIND_SET_POINT)
    which.kinds = TPRT_KIND_SET_ALL;
  return addToRecording(&which, values, result);
}

// Returns nullptr, or why a program of a recording cannot run there.
static const char *faultOfPlaces(const Selection &selection,
                                 const Program &program) {
  for (uint32_t i = 0; i < selectorsOf(selection); ++i) {
    SelectorOf of(selection, i);
    Place place;
    if (const char *fault = placeFault(program, of.selector.kinds, place))
      return fault;
  }
  return nullptr;
}

// Reads the program of a request for `selection`, and describes its values in
// the recording. Returns nullptr, or the fault.
static const char *takeProgram(Request &request, uint32_t client,
                               const Selection &selection, AskedProgram &to,
                               RecordedValues &values) {
  if (values.plain.arguments || values.plain.results || values.plain.strings)
    return "a recording with a program records no other values";
  if (const char *fault = to.read(request, client))
    return fault;
  if (const char *fault = faultOfPlaces(selection, *to.program.get()))
    return fault;
  beginFor(selection);
  if (!generationNow())
    return "there is no recording";
  values.program = to.program.get();
  values.list = to.describe();
  return nullptr;
}

static tprt_status add(Client &client, const tprt_control_record &asked,
                       Request &request, Answer &answer) {
  tprt_status status = TPRT_STATUS_OK;
  Selection *selection =
      readSelection(asked.selection, request, answer, status);
  if (!selection)
    return status;
  RecordedValues values{};
  values.plain.arguments = asked.arguments;
  values.plain.results = asked.results;
  values.plain.strings = asked.strings;
  AskedProgram program;
  if (asked.what == TPRT_CONTROL_RECORD_ADD_PROGRAM) {
    if (const char *fault =
            takeProgram(request, client.number, *selection, program, values)) {
      freeSelection(selection);
      return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "%s", fault);
    }
  } else {
    beginFor(*selection);
  }
  tprt_control_attach_answer sums{};
  char why[512] = "";
  bool any = false;
  readAhead(*selection);
  for (uint32_t i = 0; i < selectorsOf(*selection); ++i) {
    SelectorOf of(*selection, i);
    tprt_result result{};
    tprt_status one = addOne(of.selector, values, result);
    sums.matched += static_cast<uint32_t>(result.matched);
    sums.enabled += static_cast<uint32_t>(result.enabled);
    sums.refused += static_cast<uint32_t>(result.refused);
    if (of.isOfEarlier(one))
      continue;
    any |= one == TPRT_STATUS_OK || one == TPRT_STATUS_PARTIAL;
    if (one != TPRT_STATUS_OK && status == TPRT_STATUS_OK) {
      status = one;
      strncpy(why, tprt_error_string(), sizeof why - 1);
    }
  }
  // Pending probes of the recording refer to it until the recording stops.
  selection->next = selections;
  selections = selection;
  if (!any && status != TPRT_STATUS_OK)
    return refuse(answer, status, "%s", why);
  answer.put(sums);
  answer.putText(why);
  return sums.refused ? TPRT_STATUS_PARTIAL : TPRT_STATUS_OK;
}

static tprt_status stop(Answer &answer) {
  lower(*semaphores); // while the probes still hold the modules
  tprt_status status = tprt_recording_stop();
  if (status != TPRT_STATUS_OK)
    return refuse(answer, status, "%s", tprt_error_string());
  forget();
  return status;
}

tprt_status controlRecording(Client &client, Request &request, Answer &answer) {
  tprt_control_record asked;
  if (!request.take(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
  switch (asked.what) {
  case TPRT_CONTROL_RECORD_START:
    return start(client, asked, request, answer);
  case TPRT_CONTROL_RECORD_ADD:
  case TPRT_CONTROL_RECORD_ADD_PROGRAM:
    return add(client, asked, request, answer);
  case TPRT_CONTROL_RECORD_STOP:
    return stop(answer);
  default:
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "this libtprt does not know the request for a recording");
  }
}

tprt_status takeSnapshot(Client &, Request &request, Answer &answer) {
  const char *file = request.string();
  if (!file || *file != '/')
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "a snapshot needs the absolute path of a file");
  tprt_status status = tprt_recording_snapshot(file);
  if (status != TPRT_STATUS_OK)
    return refuse(answer, status, "%s", tprt_error_string());
  return status;
}

tprt_status readFigures(Client &, Request &, Answer &answer) {
  tprt_stats stats;
  tprt_recording_figures figures;
  tprt_stats_read(&stats);
  tprt_recording_read(&figures);
  answer.put(tprt_control_figures_answer{
      stats.modules, stats.sites, stats.enabled, stats.bad_modules,
      stats.missed, stats.stub_bytes, figures.words, figures.lost,
      figures.bytes,
      figures.active && recordedLimit.isDone()
          ? uint32_t{TPRT_CONTROL_RECORDING_STOPPED}
          : figures.active,
      figures.full});
  return TPRT_STATUS_OK;
}

void endRecordingOf(uint32_t client) {
  if (!started || (client && (owner != client || kept)))
    return;
  lower(*semaphores);
  tprt_recording_stop();
  forget();
}

// Probes that were copied into the child refer to the selections.
void disownRecording() {
  owner = 0;
  started = kept = false;
}

} // namespace tprt
