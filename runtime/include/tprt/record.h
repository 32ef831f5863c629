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
 * handler (TPRT_STATUS_IN_HANDLER), and they allocate only from mmap. After a
 * failure tprt_error_string() returns its description. The recording continues in
 * children of fork(), which write to the same file. The recording ends with a call
 * of exec or with the end of the process.
 */
#ifndef TPRT_RECORD_H
#define TPRT_RECORD_H

#include "tprt/tprt.h"

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* this is C as well */
#endif

/* What happens when the space of the recording is used up. */
typedef enum tprt_recording_mode {
  /* The file grows, up to `size` if `size` is not 0. Nothing is lost as long as
   * the disk has space. */
  TPRT_RECORDING_MODE_ALL = 0,
  /* The newest `size` bytes are kept. */
  TPRT_RECORDING_MODE_NEWEST = 1,
  /* Recording stops when the file has `size` bytes. Later events are counted as
   * lost. */
  TPRT_RECORDING_MODE_UNTIL_FULL = 2
} tprt_recording_mode;

/* Where and how to record. Members that are 0 mean the defaults. */
typedef struct tprt_recording_options {
  /* The file's path. In the path, %p means the process's id, %n the program's name
   * and %% a %. An earlier recording of this name is replaced. A file that is not a
   * recording is left unchanged (TPRT_STATUS_NO_FILE). If the earlier recording is
   * still being written, or is this process's own from before exec, the process's
   * id is appended to the name: FILE.PID. */
  const char *file;
  /* The size of the file in bytes, rounded up to blocks of 64 KiB. 0 means 64 MiB,
   * and in mode ALL no limit except the space on the disk. */
  uint64_t size;
  tprt_recording_mode mode;
  /* 0. */
  uint32_t flags;
} tprt_recording_options;

/* What is recorded in addition to the event itself. If all members are 0,
 * nothing is added. An event with values needs two words of 8 bytes, and one
 * more word for each value. */
typedef struct tprt_recording_values {
  /* The number of recorded arguments: at entries, the first integer arguments that
   * are in registers, at most 6 (AArch64: 8). Their types are unknown. A function's
   * table may state that fewer registers hold arguments. */
  uint32_t arguments;
  /* 1 means that the integer result is recorded at exits by return. If the function
   * returns nothing, the recorded result has no meaning. */
  uint32_t results;
  /* A bit for each argument that is a string, bit 0 for the first. Up to 256 of its
   * characters are recorded in place of its address. An address that cannot be read
   * is recorded as unreadable. */
  uint32_t strings;
  /* 0. */
  uint32_t flags;
} tprt_recording_values;

/* The progress of a recording. */
typedef struct tprt_recording_figures {
  /* Words of 8 bytes in full blocks and in blocks that are being filled. An event
   * without values is one word. In mode NEWEST, overwritten words are included. */
  uint64_t words;
  /* Events that were lost. */
  uint64_t lost;
  /* Bytes of the file. */
  uint64_t bytes;
  /* 1 while a recording is active. */
  uint32_t active;
  /* 1 if the recording's space is used up or the disk is full. Further events are
   * only counted as lost. */
  uint32_t full;
} tprt_recording_figures;

/* tprt_recording_start() for a caller whose structure has `bytes` bytes. */
TPRT_API tprt_status tprt_recording_start_sized(const tprt_layout *layout, const tprt_recording_options *options, size_t bytes);

/* Creates the file and begins a recording, which at first contains no sites.
 * Returns OK, INVALID_ARGUMENT, UNSUPPORTED (this process already has a recording),
 * NO_FILE (the file cannot be created, or has no space), NO_MEMORY, IN_HANDLER. */
static inline tprt_status tprt_recording_start(const tprt_recording_options *options) {
  return tprt_recording_start_sized(tprt_layout_here(), options, sizeof *options);
}

/* tprt_recording_add() for a caller whose structures have the sizes given in
 * the layout. */
TPRT_API tprt_status tprt_recording_add_sized(const tprt_layout *layout, const tprt_selector *selector, const tprt_recording_values *values, size_t bytes, tprt_result *result);

/* Records the sites that match `selector`: entries, exits, tail exits and points,
 * according to its `kinds`. `values` may be NULL, and so may `result`. The
 * statuses are the same as for tprt_probe_attach(), and UNSUPPORTED if there is no
 * recording. Modules that are loaded later are recorded, too, under the rules of
 * tprt_probe_attach(). The sites remain attached until the recording stops. */
static inline tprt_status tprt_recording_add(const tprt_selector *selector, const tprt_recording_values *values, tprt_result *result) {
  return tprt_recording_add_sized(tprt_layout_here(), selector, values, sizeof *values, result);
}

/* Stores a number in the calling thread's recording, for instance the id of a
 * request. If there is no recording, the call does nothing. Thread-safe,
 * async-signal-safe; keeps errno. */
TPRT_API void tprt_record_mark(uint64_t id);

/* Writes a copy of the current recording to `file`, a name as in
 * tprt_recording_options, while recording continues. No thread has to wait.
 * Returns OK, UNSUPPORTED (there is no recording), NO_FILE, INVALID_ARGUMENT,
 * IN_HANDLER, NO_MEMORY. */
TPRT_API tprt_status tprt_recording_snapshot(const char *file);

/* Ends the recording: detaches its sites and closes the file. Returns OK, UNSUPPORTED
 * (there is no recording), IN_HANDLER, and the result of tprt_probe_detach() if sites
 * cannot be detached. Waits up to 10 s per selector for threads in the recorder. If a
 * thread remains in the recorder, the file is still closed, but no other recording
 * can begin. If another process of the same recording is running, the file remains
 * open until that process ends. */
TPRT_API tprt_status tprt_recording_stop(void);

/* tprt_recording_read() for a caller whose structure has `bytes` bytes. */
TPRT_API tprt_status tprt_recording_read_sized(const tprt_layout *layout, tprt_recording_figures *figures, size_t bytes);

/* Fills *figures. If there is no recording, all members are 0. Returns OK,
 * INVALID_ARGUMENT or UNSUPPORTED. May be called from inside a handler. */
static inline tprt_status tprt_recording_read(tprt_recording_figures *figures) {
  return tprt_recording_read_sized(tprt_layout_here(), figures, sizeof *figures);
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
