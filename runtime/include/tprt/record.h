/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records calls and points into a file, with exact times. docs/reference/recording.md is
 * the guide, docs/reference/trace-format.md the format; tpctl(1) reads the file.
 *
 *   tprt_recording_options where = {.file = "run.tp"};
 *   tprt_selector which = {.function = "parse_*", .kinds = TPRT_KIND_SET_ALL};
 *   if (tprt_recording_start(&where) == TPRT_STATUS_OK)
 *     tprt_recording_add(&which, NULL, NULL);
 *
 * A process has one recording at a time. Except tprt_record_mark(), the functions
 * are thread-safe and not async-signal-safe. They must not be called from inside a
 * handler (TPRT_STATUS_IN_HANDLER), and they allocate from mmap alone. A failure
 * has a text in tprt_error_string(). The recording continues in children of fork(),
 * which write to the same file. A call of exec or the end of the process ends it.
 */
#ifndef TPRT_RECORD_H
#define TPRT_RECORD_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* this is C as well */
#endif

/* What happens when the recording's memory is used up. */
typedef enum tprt_recording_mode {
  /* The file grows, up to `size` if that is not 0. Nothing is lost as long as the
   * disk has space. */
  TPRT_RECORDING_MODE_ALL = 0,
  /* The newest `size` bytes are kept. */
  TPRT_RECORDING_MODE_NEWEST = 1,
  /* Recording stops when the file has `size` bytes. Later events are counted. */
  TPRT_RECORDING_MODE_UNTIL_FULL = 2
} tprt_recording_mode;

/* Where and how to record. Members that are 0 have their usual values. */
typedef struct tprt_recording_options {
  /* The file's path. In it %p stands for the process's number, %n for the program's
   * name and %% for %. An earlier recording of this name is replaced; a file that
   * is no recording is not touched (TPRT_STATUS_NO_FILE). Where the earlier
   * recording is still being written, or is this process's own from before exec,
   * the process's number is added to the name: FILE.PID. */
  const char *file;
  /* The size of the file in bytes, rounded up to blocks of 64 KiB. 0: 64 MiB, in mode
   * ALL as much as there is space for. */
  uint64_t size;
  tprt_recording_mode mode;
  /* 0. */
  uint32_t flags;
} tprt_recording_options;

/* What is recorded beside the event itself. All 0: nothing. An event with values
 * takes two words of 8 bytes, and one for each value. */
typedef struct tprt_recording_values {
  /* The number of arguments: at entries, the first integer arguments that are in
   * registers, at most 6 (AArch64: 8). Their types are not known. A function's table
   * may say that fewer registers hold arguments. */
  uint32_t arguments;
  /* 1: at exits by return, the integer result. Of a function that returns nothing it
   * has no meaning. */
  uint32_t results;
  /* A bit for each argument that is a string, bit 0 for the first: its characters are
   * recorded, up to 256, in place of its address. An address that cannot be read is
   * recorded as such. */
  uint32_t strings;
  /* 0. */
  uint32_t flags;
} tprt_recording_values;

/* How a recording goes. */
typedef struct tprt_recording_figures {
  /* Words of 8 bytes in blocks that were filled, and in those that are being filled.
   * An event without values is one word. In mode NEWEST those that were overwritten
   * count as well. */
  uint64_t words;
  /* Events that were lost. */
  uint64_t lost;
  /* Bytes of the file. */
  uint64_t bytes;
  /* 1: a recording is under way. */
  uint32_t active;
  /* 1: its space is used up, or the disk is full; events are only counted as lost. */
  uint32_t full;
} tprt_recording_figures;

/* tprt_recording_start() for a caller whose structure has `bytes` bytes. */
TPRT_API tprt_status tprt_recording_start_sized(const tprt_layout *layout, const tprt_recording_options *options, size_t bytes);

/* Makes the file and begins a recording, of nothing at first. OK, INVALID_ARGUMENT,
 * UNSUPPORTED (this process has a recording already), NO_FILE (the file cannot be
 * made, or has no space), NO_MEMORY, IN_HANDLER. */
static inline tprt_status tprt_recording_start(const tprt_recording_options *options) {
  return tprt_recording_start_sized(tprt_layout_here(), options, sizeof *options);
}

/* tprt_recording_add() for a caller whose structures have these sizes. */
TPRT_API tprt_status tprt_recording_add_sized(const tprt_layout *layout, const tprt_selector *selector, const tprt_recording_values *values, size_t bytes, tprt_result *result);

/* Records the sites that `selector` finds: entries, exits, tail exits and points,
 * as its `kinds` say. `values` may be NULL, and so may `result`. The statuses are
 * those of tprt_probe_attach(); UNSUPPORTED if there is no recording. Modules that
 * are loaded later are recorded, too, as tprt_probe_attach() says. The sites stay
 * until the recording stops. */
static inline tprt_status tprt_recording_add(const tprt_selector *selector, const tprt_recording_values *values, tprt_result *result) {
  return tprt_recording_add_sized(tprt_layout_here(), selector, values, sizeof *values, result);
}

/* Stores a number in the calling thread's recording: the id of a request, for
 * instance. Does nothing where there is no recording. Thread-safe,
 * async-signal-safe; keeps errno. */
TPRT_API void tprt_record_mark(uint64_t id);

/* Writes a copy of the recording as it is now to `file`, a name as in
 * tprt_recording_options, while recording continues. No thread is held up. OK,
 * UNSUPPORTED (there is no recording), NO_FILE, INVALID_ARGUMENT, IN_HANDLER,
 * NO_MEMORY. */
TPRT_API tprt_status tprt_recording_snapshot(const char *file);

/* Ends the recording: takes its sites off and closes the file. OK, UNSUPPORTED (there
 * is none), IN_HANDLER, and what tprt_probe_detach() returns where sites cannot be
 * taken off. Waits up to 10 s per selector for threads in the recorder; if one stays
 * there, the file is closed all the same, and no other recording can begin. Where
 * another process of the same recording runs, the file stays open until that
 * process ends. */
TPRT_API tprt_status tprt_recording_stop(void);

/* tprt_recording_read() for a caller whose structure has `bytes` bytes. */
TPRT_API tprt_status tprt_recording_read_sized(const tprt_layout *layout, tprt_recording_figures *figures, size_t bytes);

/* Fills *figures; all 0 where there is no recording. OK, INVALID_ARGUMENT or
 * UNSUPPORTED. May be called from inside a handler. */
static inline tprt_status tprt_recording_read(tprt_recording_figures *figures) {
  return tprt_recording_read_sized(tprt_layout_here(), figures, sizeof *figures);
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
