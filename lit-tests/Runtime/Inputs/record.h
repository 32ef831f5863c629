// Wrappers of the calls of tprt/record.h for the tests of Record/. If a call fails, the
// wrapper prints the reason and ends the program with 1. No function here has a sled.
#ifndef TP_LIT_TESTS_RUNTIME_RECORD_H
#define TP_LIT_TESTS_RUNTIME_RECORD_H

#include "harness.h"
#include "tprt/record.h"

NO_SLEDS void mustBeOk(tprt_status status) {
  if (status != TPRT_STATUS_OK) {
    puts(tprt_error_string());
    exit(1);
  }
}

// Begins a recording in this mode. `size` is in bytes; 0 means the default size.
NO_SLEDS void startRecording(const char *file, tprt_recording_mode mode, uint64_t size) {
  tprt_recording_options options = {.file = file, .size = size, .mode = mode};
  mustBeOk(tprt_recording_start(&options));
}

// Records entries and exits of the functions whose names match.
NO_SLEDS void recordFunctions(const char *function) {
  tprt_selector selector = {.function = function, .kinds = TPRT_KIND_SET_ALL};
  mustBeOk(tprt_recording_add(&selector, NULL, NULL));
}

#endif
