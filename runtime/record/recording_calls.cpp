// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of tprt/record.h. A process has one recording at a time. What is
// here is used under the runtime's lock, but attaching and detaching take that
// lock themselves. So a call that attaches looks afterwards whether the
// recording is still the one that it began with.
#include "record/recording_calls.h"
#include "actions/probe.h"
#include "base/cancel.h"
#include "base/os_thread.h"
#include "base/small_alloc.h"
#include "hits/quiesce.h"
#include "loader/module_list.h"
#include "probes/api.h"
#include "programs/lasting_memory.h"
#include "record/block_handover.h"
#include "record/metadata.h"
#include "record/processes.h"
#include "record/record_hit.h"
#include "record/record_program.h"
#include "record/recorded_probe.h"
#include "record/recording.h"
#include "record/recording_file.h"
#include "record/site_numbers.h"
#include "record/stop_threads.h"
#include "sites/arch.h"
#include "stacks/stack_tables.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "timing/missing_exits.h"

#include <string.h>

namespace tprt {

namespace {
enum class State : uint8_t { None, Waiting, Running, Stopping };
} // namespace
static State state;
// The options of a recording that waits for its first site.
static tprt_recording_options awaited;
static RecordedProbe *probes;
static uint32_t probeCount;
static uint32_t generations;
// How many calls read the file's mapping.
static uint32_t holders;

// beginStacks() was called for the recording.
static bool usesStacks;

// A thread may still be in the recorder's handler for a recording that has
// ended. The memory that such a thread uses stays, and no other recording
// begins.
static bool someoneInside;

// How long a stop waits for threads in the recorder's handler: 10 s.
static constexpr int kDetachMs = 10'000;

// --- begin -------------------------------------------------------------------

// Sites go off one after another. Without this, calls would be recorded without
// their entries, or without the calls that they made.
static void setEnding(uint32_t ending) {
  __atomic_store_n(&recording.ending, ending, __ATOMIC_RELAXED);
  if (ending)
    sendAllToSlowPath();
}

static tprt_status begin(const tprt_recording_options &options) {
  tprt_status status = openRecording(options);
  if (status != TPRT_STATUS_OK)
    return status;
  recording.process = static_cast<uint32_t>(addShared(kProcesses, 1)) + 1;
  recording.givenProcess = 0;
  addShared(kLive, 1);
  forgetEnd();
  recording.begunIn = processGeneration;
  constexpr uint64_t kFirstPause = 1 << 20; // 0.4 ms at 2.5 GHz
  recording.nextClock = readTicks() + kFirstPause;
  forgetRecordBlock();
  forgetHandedBlocks();
  __atomic_store_n(&recording.processGeneration, processGeneration,
                   __ATOMIC_RELEASE);
  setEnding(0);
  state = State::Running;
  recordedLimit.reset();
  __atomic_store_n(&recording.generation, ++generations, __ATOMIC_RELEASE);
  writeProcess(TPRT_TRACE_ORIGIN_START);
  return TPRT_STATUS_OK;
}

bool beginWaiting() {
  if (state != State::Waiting)
    return false;
  state = State::None;
  return begin(awaited) == TPRT_STATUS_OK;
}

void awaitRecording(const tprt_recording_options &options) {
  Lock lock;
  if (state != State::None)
    return;
  awaited = options;
  state = State::Waiting;
}

// --- add ---------------------------------------------------------------------

static RecordedProbe *makeProbe(const RecordedValues &values, uint32_t kinds,
                                uint32_t &generation) {
  static_assert(sizeof(RecordedProbe) % alignof(Program) == 0);
  Lock lock;
  generation = generationNow();
  const size_t programBytes = values.program ? values.program->bytes() : 0;
  const size_t bytes = sizeof(RecordedProbe) + programBytes;
  auto *made = static_cast<RecordedProbe *>(allocateSmall(bytes));
  if (!made)
    return nullptr;
  made->bytes = bytes;
  made->values = values.plain;
  if (programBytes) {
    memcpy(made + 1, values.program, programBytes);
    made->program = reinterpret_cast<const Program *>(made + 1);
    made->list = values.list;
  }
  made->kinds = kinds ? kinds : uint32_t{TPRT_KIND_SET_ENTRY};
  made->number = probeCount < kMostProbes ? ++probeCount : kMostProbes;
  return made;
}

static void freeRecorded(RecordedProbe *probe) {
  Lock lock;
  freeSmall(probe, probe->bytes);
}

// False: the recording has ended meanwhile.
static bool link(RecordedProbe *probe, uint32_t generation) {
  Lock lock;
  bool same = state == State::Waiting ||
              (state == State::Running &&
               (!generation || generation == generationNow()));
  if (!same)
    return false;
  describeProbe(*probe);
  beginCode(*probe);
  probe->next = probes;
  probes = probe;
  return true;
}

tprt_status addToRecording(const tprt_selector *selector,
                           const RecordedValues &values, tprt_result &result) {
  const bool isAtEnd = values.program && values.program->isAtEnd();
  if (values.program || values.plain.strings)
    findLastingMemory();
  if (values.program && values.program->keepsModules() && !usesStacks &&
      !(usesStacks = beginStacks()))
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for tables of stacks");
  if (isAtEnd)
    tprt_ticks_to_ns(0); // hits convert ticks at the rate that is known
  uint32_t generation;
  RecordedProbe *made =
      makeProbe(values, selector ? selector->kinds : 0, generation);
  if (!made)
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for a recording's probe");
  tprt_action action{};
  action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  action.handler = recordHit;
  action.data = made;
  tprt_status status = attach(selector, &action, &made->probe, result, false,
                              Handler::KeepsVectors);
  if (!made->probe) {
    freeRecorded(made);
    return status;
  }
  if (link(made, generation))
    return status == TPRT_STATUS_OK && isAtEnd
               ? explainWithoutExits(made->probe, "are not recorded")
               : status;
  if (tprt_probe_detach(made->probe, kDetachMs) == TPRT_STATUS_OK)
    freeRecorded(made);
  return fail(TPRT_STATUS_UNSUPPORTED, "the recording has just been stopped");
}

// --- stop --------------------------------------------------------------------

bool holdRecording() {
  Lock lock;
  if (state != State::Running)
    return false;
  ++holders;
  return true;
}
void releaseRecording() {
  Lock lock;
  --holders;
}
void forgetOtherThreads() {
  holders = 0;
  // Nobody here continues with the stop, so this process may stop it itself.
  if (state == State::Stopping)
    state = State::Running;
}

static bool isHeld() {
  Lock lock;
  return holders;
}

// Frees probes that were detached, once no hit inside a handler reads them.
static void freeProbes(RecordedProbe *detached) {
  if (!waitForReaders(kDetachMs))
    someoneInside = true;
  Lock lock;
  while (RecordedProbe *probe = detached) {
    detached = probe->next;
    if (!someoneInside)
      freeSmall(probe, probe->bytes);
  }
}

static tprt_status detachAll(uint64_t caller) {
  RecordedProbe *detached = nullptr;
  for (;;) {
    RecordedProbe *probe;
    {
      Lock lock;
      if (!(probe = probes))
        break;
      // A stop that fork() has cut off may have detached the first one already.
      if (probe->probe)
        describeProbe(*probe); // names of modules that came later
    }
    tprt_status status = probe->probe ? detach(probe->probe, kDetachMs, caller,
                                               false, &probe->probe)
                                      : TPRT_STATUS_OK;
    if (status != TPRT_STATUS_OK && status != TPRT_STATUS_PENDING) {
      freeProbes(detached);
      return status; // the sites are still on
    }
    someoneInside |= status == TPRT_STATUS_PENDING;
    Lock lock;
    probes = probe->next;
    probe->next = detached;
    detached = probe;
  }
  freeProbes(detached);
  return TPRT_STATUS_OK;
}

// The length of the file when nobody else writes to it; 0: somebody does.
static uint64_t finalBytes() {
  uint64_t blocks = recording.header().blocks, taken = readShared(kTaken);
  if (readShared(kLive))
    return 0;
  if (taken < blocks && recording.mode == TPRT_TRACE_MODE_ALL)
    recording.header().blocks = blocks = taken;
  return (blocks + 1) * kRecordBlockBytes;
}

// No site is on any more. tprt_record_mark() may still be under way in a
// thread: what it stores now is lost.
static void closeNow() {
  Lock lock;
  enterProcess(); // so that no block of a parent is closed
  uint32_t ended =
      __atomic_exchange_n(&recording.generation, 0, __ATOMIC_SEQ_CST);
  leaveAllBlocks(ended);
  finishProcess(TPRT_TRACE_END_STOPPED);
  closeRecordBlock();
  closeRecording(finalBytes());
  if (!someoneInside)
    freeModuleRecords();
  probeCount = 0;
  state = State::None;
}

static tprt_status stop(uint64_t caller) {
  {
    Lock lock;
    if (state == State::Waiting)
      state = State::None;
    else if (state == State::Running)
      state = State::Stopping;
    else
      return fail(TPRT_STATUS_UNSUPPORTED, "there is no recording to stop");
    setEnding(state == State::Stopping);
  }
  tprt_status status = detachAll(caller);
  if (status != TPRT_STATUS_OK) {
    Lock lock;
    setEnding(0);
    state = generationNow() ? State::Running : State::Waiting;
    return status;
  }
  if (usesStacks && !someoneInside) {
    usesStacks = false;
    endStacks();
  }
  if (!generationNow())
    return TPRT_STATUS_OK; // it waited, and has no file
  while (isHeld())
    sleepFor(1'000'000);
  closeNow();
  return TPRT_STATUS_OK;
}

// --- the part ----------------------------------------------------------------

static constexpr Recorder kRecorder = {recordHit, wordOf, describe, unloaded,
                                       recordNested};

void startRecorder() {
  recorder = &kRecorder;
  startProcesses();
}

// What every call checks. `call` is its name.
static tprt_status mayCall(const char *call, bool inside) {
  if (inside)
    return fail(TPRT_STATUS_IN_HANDLER,
                "%s is not allowed from inside a handler", call);
  if (!initialise())
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for libtprt");
  return TPRT_STATUS_OK;
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_recording_start_sized(const tprt_layout *layout,
                                       const tprt_recording_options *options,
                                       size_t bytes) {
  tprt_status status = mayCall("tprt_recording_start", insideHandler());
  if (status == TPRT_STATUS_OK)
    status = refuseCaller(layout);
  if (status != TPRT_STATUS_OK)
    return status;
  Taken<tprt_recording_options> taken(options, bytes);
  if (!options || taken.get()->flags ||
      taken.get()->mode > TPRT_RECORDING_MODE_UNTIL_FULL)
    return fail(
        TPRT_STATUS_INVALID_ARGUMENT,
        "a recording needs options with a file, a known mode, and flags of 0");
  CancelDisabled uncancelled;
  Lock lock;
  if (!isUsable())
    return fail(TPRT_STATUS_UNSUPPORTED, "%s", kUnusable);
  if (someoneInside)
    return fail(TPRT_STATUS_UNSUPPORTED,
                "a thread is still inside the recording that was stopped: this "
                "process can't begin another one");
  if (state != State::None)
    return fail(TPRT_STATUS_UNSUPPORTED,
                "a recording is under way already%s%s; stop it first",
                generationNow() ? ": " : "",
                generationNow() ? recording.path : "");
  return begin(*taken.get());
}

tprt_status tprt_recording_add_sized(const tprt_layout *layout,
                                     const tprt_selector *selector,
                                     const tprt_recording_values *values,
                                     size_t bytes, tprt_result *result) {
  tprt_status status = mayCall("tprt_recording_add", insideHandler());
  if (status == TPRT_STATUS_OK)
    status = refuseCaller(layout);
  if (status != TPRT_STATUS_OK)
    return status;
  Taken<tprt_selector> which(selector, layout->selector);
  Taken<tprt_recording_values> what(values, bytes);
  tprt_recording_values asked{};
  if (values)
    asked = *what.get();
  if (!selector || asked.flags || asked.results > 1 ||
      asked.strings >> TPRT_ARGUMENT_REGISTERS)
    return fail(
        TPRT_STATUS_INVALID_ARGUMENT,
        "a recording needs a selector; `strings` may name only the first %d "
        "arguments, `results` must be 0 or 1, and `flags` must be 0",
        TPRT_ARGUMENT_REGISTERS);
  if (!generationNow())
    return fail(TPRT_STATUS_UNSUPPORTED,
                "there is no recording: call tprt_recording_start() first");
  CancelDisabled uncancelled;
  tprt_result out{};
  status = addToRecording(which.get(), {asked, nullptr, 0}, out);
  if (result)
    copyStructure(result, layout->result, &out, sizeof out);
  return status;
}

tprt_status tprt_recording_stop() {
  tprt_status status = mayCall("tprt_recording_stop", insideHandler());
  if (status != TPRT_STATUS_OK)
    return status;
  CancelDisabled uncancelled;
  return stop(reinterpret_cast<uint64_t>(__builtin_dwarf_cfa()));
}

tprt_status tprt_recording_read_sized(const tprt_layout *layout,
                                      tprt_recording_figures *figures,
                                      size_t bytes) {
  if (callerOf(layout) != Caller::Known)
    return TPRT_STATUS_UNSUPPORTED;
  if (!figures)
    return TPRT_STATUS_INVALID_ARGUMENT;
  tprt_recording_figures out;
  copyStructure(&out, sizeof out, nullptr, 0);
  if (generationNow()) {
    out.words = readShared(kWords) + countOpenWords();
    out.lost = readShared(kLost);
    out.bytes = (recording.header().blocks + 1) * kRecordBlockBytes;
    out.active = 1;
    out.full = readShared(kFull) != 0;
  }
  copyStructure(figures, bytes, &out, sizeof out);
  return TPRT_STATUS_OK;
}
