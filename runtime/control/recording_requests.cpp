// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See recording_requests.h. A process has one recording at a time, no matter
// who starts it. This file keeps the connection that has started it, and the
// selections to which it refers.
#include "control/recording_requests.h"
#include "control/selection.h"
#include "record/recording.h"
#include "record/recording_calls.h"
#include "threads/lock.h"
#include "tprt/record.h"

namespace tprt {

// The connection that has started the recording; 0 if there is no recording, or
// if none of the present connections has started it.
static uint32_t owner;
static bool kept, started;
static Selection *selections;

static void forget() {
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

static tprt_status add(const tprt_control_record &asked, Request &request,
                       Answer &answer) {
  tprt_status status = TPRT_STATUS_OK;
  Selection *selection =
      readSelection(asked.selection, request, answer, status);
  if (!selection)
    return status;
  tprt_recording_values values{};
  values.arguments = asked.arguments;
  values.results = asked.results;
  values.strings = asked.strings;
  if (selection->siteCount) {
    Lock lock;
    beginWaiting();
  }
  tprt_control_attach_answer sums{};
  char why[512] = "";
  bool any = false;
  for (uint32_t i = 0; i < selectorsOf(*selection); ++i) {
    SelectorOf of(*selection, i);
    tprt_result result{};
    tprt_status one = tprt_recording_add(&of.selector, &values, &result);
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
    return add(asked, request, answer);
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
      figures.bytes, figures.active, figures.full});
  return TPRT_STATUS_OK;
}

void endRecordingOf(uint32_t client) {
  if (!started || (client && (owner != client || kept)))
    return;
  tprt_recording_stop();
  forget();
}

// Probes that were copied into the child refer to the selections.
void disownRecording() {
  owner = 0;
  started = kept = false;
}

} // namespace tprt
