// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=record=FILE:GLOB: begins a recording when the library is loaded.
// The file is made at once if a pattern finds something. Otherwise it is made
// when a module with something comes, so that the many programs that a script
// runs leave no empty recordings.
#include "options/record_option.h"
#include "options/option_start.h"
#include "options/option_values.h"
#include "options/output.h"
#include "record/file_name.h"
#include "record/recording.h"
#include "record/recording_calls.h"

namespace tprt {

// Whether one of the patterns finds a site now.
static bool findsAny() {
  bool found = false;
  for (size_t i = 0; i < options.recorded.count && !found; ++i) {
    tprt_selector selector = selectorOf(options.recorded, i);
    tprt_site_visit(
        &selector,
        [](const tprt_site *, void *data) {
          *static_cast<bool *>(data) = true;
          return 1;
        },
        &found);
  }
  return found;
}

void startRecording() {
  keepsFamilyFiles = true;
  Quiet quiet;
  bool found = findsAny();
  quiet.end();
  if (!found)
    awaitRecording(options.recording);
  else if (tprt_recording_start(&options.recording) != TPRT_STATUS_OK)
    return; // it has said why
  for (size_t i = 0; i < options.recorded.count; ++i) {
    tprt_selector selector = selectorOf(options.recorded, i);
    tprt_result result{};
    Quiet attaching;
    tprt_status status =
        addToRecording(&selector, {options.recordedValues, nullptr, 0}, result);
    attaching.end();
    sayHowItWent(options.recorded, i, status, result);
  }
}

} // namespace tprt
