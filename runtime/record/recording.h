// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording of this process, and what each thread has of it. The file is
// described in docs/reference/trace-format.md. All functions here that hits
// call are async-signal-safe: they take no lock, and call neither malloc nor
// functions that use vector registers (memcpy, memset).
#ifndef TPRT_RECORD_RECORDING_H
#define TPRT_RECORD_RECORDING_H

#include "actions/record_hook.h"
#include "modules/module.h"
#include "points/line_buffer.h"
#include "threads/component.h"
#include "tprt/record.h"
#include "tprt/trace_file.h"

namespace tprt {

using Block = tprt_trace_block;

// Numbers in the header's private words, which all processes of a recording
// share. Each is changed by atomic additions.
enum SharedWord : unsigned {
  kSequence,  // the last sequence number given
  kTaken,     // blocks taken that were never used before
  kThreads,   // the last thread's number
  kProcesses, // the last process's number
  kModules,   // the last module's number
  kSites,     // the first site number that is free
  kPoints,    // the first point number that is free
  kLive,      // processes that have not ended
  kFull,    // a tprt_trace_end: why no block can be taken any more; 0: they can
  kHand,    // where the search for a block to use again continues
  kWords,   // words in blocks that were left
  kZeroes,  // 1: the file system has no fallocate, so zeros are written
  kRecords, // blocks with records
  kLost,    // events lost, by all threads
};

// A file that is mapped.
struct Recording {
  // Grows with each recording; 0: there is none. Hits read it without a lock.
  uint32_t generation;
  // 1: a stop is under way, and threads store nothing more. Hits read it, too.
  uint32_t ending;
  uint32_t mode; // enum tprt_trace_mode
  int file;
  uint64_t device, inode; // of the file
  // The header's address, which is a multiple of a block's size. The first
  // block is kRecordBlockBytes after it.
  uint64_t memory;
  uint64_t room; // Blocks that there are addresses for.
  // This process's number in the file, and processGeneration when it got it.
  uint32_t process, processGeneration;
  // processGeneration when the recording began.
  uint32_t begunIn;
  // The number that this process, a child of fork(), got from its parent and
  // takes at its first event. 0: none.
  uint32_t givenProcess;
  uint64_t began;     // The counter.
  uint64_t nextClock; // When to store a moment again, as readTicks() tells.
  char path[1024];

  tprt_trace_header &header() const {
    return *reinterpret_cast<tprt_trace_header *>(memory);
  }
  uint64_t &shared(SharedWord word) const {
    return header().private_words[word];
  }
  Block *block(uint64_t number) const {
    return reinterpret_cast<Block *>(memory + (number + 1) * kRecordBlockBytes);
  }
};
extern Recording recording TPRT_HIDDEN;

inline uint64_t addShared(SharedWord word, uint64_t count) {
  return __atomic_fetch_add(&recording.shared(word), count, __ATOMIC_RELAXED);
}
inline uint64_t readShared(SharedWord word) {
  return __atomic_load_n(&recording.shared(word), __ATOMIC_RELAXED);
}
inline uint32_t generationNow() {
  return __atomic_load_n(&recording.generation, __ATOMIC_ACQUIRE);
}

// --- recording_file.cpp ------------------------------------------------------

// Makes the file and maps it; fills in `recording` except the generation.
tprt_status openRecording(const tprt_recording_options &options);
// Puts memory in place of the file's mapping and closes the file, which gets
// this length unless it is 0.
void closeRecording(uint64_t bytes);
// Makes sure that block `number` has space. In hits. False: it has none.
bool makeSpace(uint64_t number);
// Expands %p, %n and %%. False: the name is too long.
bool expandName(const char *name, char *out, size_t room);
// The three clocks. In hits.
void readMoment(tprt_trace_moment &out);

// --- blocks.cpp, in hits -----------------------------------------------------

constexpr uint64_t kBlockWords = (kRecordBlockBytes - kRecordHeaderBytes) / 8;

// Takes a block and fills in its header except the members that say whose it
// is. nullptr: there is none. It counts from openBlock() on.
Block *takeBlock(uint16_t kind, uint64_t counter);
void openBlock(Block *block, uint16_t kind);
// Nothing more is written to the block after `used` bytes.
void leaveBlock(Block *block, uint64_t used);
// Whether code that claimed some of the block's first `used` bytes has yet to
// store to them.
bool isPending(const Block *block, uint64_t used);
// Says once why nothing more is recorded.
void sayFull();

inline uint64_t startOf(const Block *block) {
  return reinterpret_cast<uint64_t>(block) + kRecordHeaderBytes;
}
inline Block *blockAt(uint64_t next) {
  return reinterpret_cast<Block *>(next & ~(kRecordBlockBytes - 1));
}
// The bytes in front of `next`; all of the block where `next` leads elsewhere.
inline uint64_t usedOf(const Block *block, uint64_t next) {
  uint64_t used = next - startOf(block);
  return used < kBlockWords * 8 ? used : kBlockWords * 8;
}
// The bytes from `next` to the end of its block. It does not ask which block
// the thread has, as a signal handler may be left by longjmp between two steps.
constexpr uint64_t roomAt(uint64_t next) {
  return hasRoom(next) ? kRecordBlockBytes - next % kRecordBlockBytes : 0;
}

// --- block_handover.cpp, in hits ---------------------------------------------

// A thread that ends hands its block on, from `next`. False: too many have.
bool handOn(uint64_t next);
// Takes a block that was handed on. Returns its next word's address; 0: none.
uint64_t takeHandedOn();
// These blocks are this process's no more.
void forgetHandedBlocks();
void leaveHandedBlocks();
uint64_t countHandedWords();

// --- thread_cursor.cpp, in hits ----------------------------------------------

constexpr unsigned kKeptWords = 32;
constexpr unsigned kHeldBlocks = 4;
constexpr unsigned kStringBytes = 256;
constexpr unsigned kMostForks = 4;

// The number that the child of a fork under way will have.
struct ChildNumber {
  uint32_t generation; // Recording::generation
  uint32_t process;    // 0: none.
};

// What a thread has of the recording. A page, which stays with the thread's
// block (threads/thread_block.h).
struct ThreadRecord {
  // The thread's cursor; nullptr once the thread has ended.
  RecordCursor *cursor;
  uint32_t visitors; // How many threads use it now. The thread's end waits.
  // The recording and the process that the members below belong to.
  uint32_t generation, process;
  uint32_t number, tid, order; // in the file
  // The block that the cursor leads to, or the one that was left last.
  Block *block;
  bool shared;   // The block's header is another thread's.
  bool left;     // The block is not open any more.
  bool named;    // `name` was stored.
  uint64_t lost; // This thread's losses, as its blocks say.
  uint64_t name[2];
  OwnWork busy; // The thread is in the slow path.
  // Events of signal handlers in the slow path, which stores them at its end.
  uint64_t keptCount;
  uint64_t kept[kKeptWords];
  // Blocks with words that interrupted code has yet to store to.
  Block *held[kHeldBlocks];
  uint64_t heldUsed[kHeldBlocks];
  // So many events are lost before the thread looks for a block again. For a
  // ring all of whose blocks are open.
  uint32_t pause;
  // How many forks of this thread are under way. One is inside of another where
  // a handler of pthread_atfork() or a signal handler forks. Children of forks
  // that are further inside than kMostForks get no number from their parents.
  uint32_t forks;
  ChildNumber children[kMostForks];
  // Strings of the event that is being recorded.
  char strings[TPRT_ARGUMENT_REGISTERS][kStringBytes];
};
static_assert(sizeof(ThreadRecord) <= 4096);

struct ThreadRecordState {
  ThreadRecord *record;
};
void startRecorder();
void beginThreadRecord(void *state); // thread_end.cpp
void endThreadRecord(void *state);
inline constexpr Component recordComponent{
    .start = startRecorder,
    .stateAt = linesComponent.stateAt + linesComponent.stateBytes,
    .stateBytes = sizeof(ThreadRecordState),
    .beginThread = beginThreadRecord,
    .endThread = endThreadRecord};

// The calling thread's record. nullptr: no memory.
ThreadRecord *currentRecord();
void loseEvent(ThreadRecord *thread);
// Stores events of several words in the order that the format asks for.
void storeEvent(uint64_t *to, const uint64_t *words, unsigned count);
// Whether words may be claimed at `next` for an event at `now`; and one step
// towards that, under SignalsHeld. False: the event is lost.
bool isReady(const ThreadRecord &thread, uint64_t next, uint64_t now,
             unsigned count);
bool makeReady(ThreadRecord &thread, uint64_t next, uint64_t now,
               unsigned count);
// Lets the cursor lead to `next`. Returns where it led at that moment.
uint64_t moveCursor(uint64_t next);
// Stores the thread's name if it is not known yet, or has changed.
void storeName(ThreadRecord &thread);

constexpr uint64_t extensionWord(unsigned type, uint64_t count, uint64_t high) {
  return high << TPRT_TRACE_TIME_SHIFT | count << TPRT_TRACE_COUNT_SHIFT |
         type << TPRT_TRACE_TYPE_SHIFT;
}

// A thread's record, which it may not have yet: nullptr.
ThreadRecord *&recordIn(Thread *thread);
// Whether the record is of this recording and process. False also in a child of
// fork() before its first event: what the thread has is its parent's.
bool isOfNow(const ThreadRecord &thread);
// Forgets what signal handlers kept.
void forgetKept(ThreadRecord &thread);
// Leaves the blocks that the thread holds, if nothing is to be stored to them
// any more. `all`: in any case.
void leaveHeld(ThreadRecord &thread, bool all);

// --- stop_threads.cpp --------------------------------------------------------

// All threads' next hits take the slow path, where they find `ending`. Under
// the lock.
void sendAllToSlowPath();
// All threads' cursors are sent to the slow path, and their blocks of this
// recording are left. Under the lock, when no site is on any more and the
// generation is 0.
void leaveAllBlocks(uint32_t generation);
// Words in the blocks that are being filled. Any thread, without the lock.
uint64_t countOpenWords();
// --- append.cpp, in hits -----------------------------------------------------

// Holds the signals of the calling thread back, except those that an
// instruction itself may raise: while a block is exchanged, a signal handler's
// events could not be stored.
class SignalsHeld {
public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld &) = delete;
  SignalsHeld &operator=(const SignalsHeld &) = delete;

private:
  uint64_t before;
};

// The slow path, as long as an object of this type lives. At its end it stores
// what signal handlers kept meanwhile. False: this interrupts the slow path,
// and only appendNested() may be called.
class SlowPath {
public:
  [[gnu::always_inline]] explicit SlowPath(ThreadRecord &thread)
      : thread(thread), begun(thread.busy.begin(reinterpret_cast<uint64_t>(
                            __builtin_frame_address(0)))) {}
  ~SlowPath();
  SlowPath(const SlowPath &) = delete;
  SlowPath &operator=(const SlowPath &) = delete;
  explicit operator bool() const { return begun; }

private:
  ThreadRecord &thread;
  bool begun;
};

// Appends an event of these words, in the slow path or inside of it. False:
// there is no room for it inside of the slow path.
bool append(ThreadRecord &thread, uint64_t now, const uint64_t *words,
            unsigned count);
// The two halves, where an event's words are not known before:
// In the slow path. Reserves `count` words for an event at `now`: no other code
// of this thread gets them. Before that, stores what signal handlers kept
// because there was no room. nullptr: the event is lost, and was counted.
uint64_t *claimWords(ThreadRecord &thread, uint64_t now, unsigned count);
// For an event that interrupts the slow path: stores it at once, or keeps it
// for the slow path's end. False: there is no room.
bool appendNested(ThreadRecord &thread, uint64_t now, const uint64_t *words,
                  unsigned count);

// --- record_hit.cpp, in hits -------------------------------------------------

// A probe of the recording, which is the handler's data.
struct RecordedProbe {
  tprt_recording_values values;
  uint32_t kinds;
  // A site that several probes found is recorded by the one that came first.
  // From 1; the last number is that of all further probes.
  uint32_t number;
  bool attached; // Which exits were refused is known.
  tprt_probe *probe;
  RecordedProbe *next;
};
void recordHit(const tprt_event *event, const tprt_regs *regs, void *data);
// The thread's calls inside of a function have ended without an exit:
// TPRT_TRACE_UNWOUND. The function continues with its stack at `stack`. What
// nonlocal_exits.cpp calls. Async-signal-safe.
void recordUnwound(uint64_t function, uint64_t stack);
void recordNested(const tprt_event *event, const tprt_regs *regs, void *data);

// --- event_values.cpp, in hits -----------------------------------------------

// Records an event with arguments or result, or a point. The point's number is
// in the lower half of `numbers`, and its site's number in the upper half.
void recordValues(ThreadRecord &thread, uint64_t now, uint64_t word,
                  const tprt_event *event, const tprt_regs *regs,
                  const RecordedProbe &probe);
// The same for an event at `next`, where the thread's cursor led. False: only
// recordValues() or recordPoint() can store it, because there is a string, or
// there is no room. Makes no system call.
bool recordNumbers(uint64_t next, uint64_t word, const tprt_event *event,
                   const tprt_regs *regs, const RecordedProbe &probe);
void recordPoint(ThreadRecord &thread, uint64_t now, uint64_t numbers,
                 const tprt_event *event, const tprt_regs *regs);

// --- site_numbers.cpp --------------------------------------------------------

// The numbers of one load of a module. It is made at the first question, also
// in hits, and freed when the recording ends.
struct ModuleRecord {
  uint64_t adopted; // The module's epoch.
  size_t bytes;     // Of this memory.
  uint32_t number, firstSite, firstPoint;
  bool described; // The MODULE record and the points are written.
  // One for each site. It combines the enum tprt_trace_what of the site's
  // events (0: not known yet), kDescribed, and the number of the probe that
  // records it (kNoProbe: none does).
  uint8_t sites[];
};
constexpr uint8_t kWhatBits = 3, kDescribed = 4;
constexpr unsigned kProbeShift = 3, kNoProbe = 0, kMostProbes = 31;

// nullptr: no memory. In hits.
ModuleRecord *recordOf(const tprt_site &site);
// nullptr: recordOf() has to make it.
ModuleRecord *knownRecordOf(const tprt_site &site);
// What an event of the site says; 0: another probe records the site, nobody
// does yet, or nobody does at all. In hits.
unsigned whatOf(ModuleRecord &module, const tprt_site &site,
                const RecordedProbe &probe);
// The three functions of actions/record_hook.h. Under the lock.
uint32_t wordOf(const tprt_site &site, void *data);
void describe(const Module *module, const uint32_t *sites, size_t count,
              void *data);
void unloaded(const Module *module);
// Describes what is not described yet of a probe's sites. Under the lock.
void describeProbe(const RecordedProbe &probe);
// Lets the recording of functions without sleds begin. Under the lock, after
// the attach.
void beginCode(RecordedProbe &probe);
void freeModuleRecords();

// --- metadata.cpp ------------------------------------------------------------

// Appends a record. Returns room for `bytes` bytes, the head filled in, and
// nullptr if there is none; publishRecord() comes then. In hits.
struct RecordRoom {
  Block *block;
  uint8_t *at;
  bool own; // A block for this record alone.
};
RecordRoom beginRecord(uint32_t bytes, tprt_trace_record_type type);
void publishRecord(const RecordRoom &room, uint32_t bytes);
// The largest record.
constexpr uint32_t kMostRecord = kRecordBlockBytes - kRecordHeaderBytes;
void forgetRecordBlock();
void closeRecordBlock();
void writeProcess(uint32_t origin);
void writeClock();

// --- processes.cpp -----------------------------------------------------------

// This process becomes one of the recording, if it is not yet. In hits. False:
// another thread is about to do so.
bool enterProcess();
// This process ends for the recording. In hits. Async-signal-safe.
void endProcess(tprt_trace_end reason);
// The same for a caller that has already set the generation to 0.
void finishProcess(tprt_trace_end reason);
// A new recording begins.
void forgetEnd();
void startProcesses();
// What exit_exec.cpp calls. `path` is nullptr where only a descriptor is known.
void recordLeave();
void recordExec(const char *path);
void recordExecFailed();

// --- recording_calls.cpp -----------------------------------------------------

// Begins a recording when the first site is found (TPRT_OPTIONS). The name has
// to stay valid.
void awaitRecording(const tprt_recording_options &options);
// Makes the file of a recording that waits. False: there is none. Under the
// lock.
bool beginWaiting();
// tprt_recording_add(), also for a recording that waits.
tprt_status addToRecording(const tprt_selector *selector,
                           const tprt_recording_values &values,
                           tprt_result &result);
// While it lasts, the recording is not closed. False: there is none.
bool holdRecording();
void releaseRecording();
// In the child of a fork, which has one thread.
void forgetOtherThreads();

} // namespace tprt

#endif
