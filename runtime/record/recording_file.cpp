// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording's file: its header, its mapping, and space on the disk. A store
// to a page that has no space on the disk would end the program by SIGBUS. So
// space is allocated before the first store to a page, by fallocate(2) or by
// writing zeros.
//
// The whole range of addresses is mapped at once, beyond the file's end: the
// pages there can be used as soon as the file reaches them, without another
// mmap. makeSpace() is called in hits: async-signal-safe. The calls there are
// bare system calls, because the C library's functions of these names end a
// thread that was cancelled.
#include "record/recording_file.h"
#include "base/os_file.h"
#include "base/os_thread.h"
#include "record/file_name.h"
#include "record/recording.h"
#include "sites/arch.h"
#include "threads/status.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace tprt {

Recording recording;

static constexpr uint64_t kUsualBytes = uint64_t{64} << 20;
// The range of addresses of a file that grows without limit: 64 GiB.
static constexpr uint64_t kMostBlocks = uint64_t{1} << 20;
static constexpr uint64_t kLeastBlocks = 16;
// Blocks of 1 MiB, which a file that grows gets at once.
static constexpr uint64_t kChunkBlocks = 16;

static uint64_t offsetOf(uint64_t number) {
  return (number + 1) * kRecordBlockBytes;
}

void readMoment(tprt_trace_moment &out) {
  out.counter = readTicks();
  out.monotonic = nanoseconds();
  out.realtime = wallClock();
}

// --- space -------------------------------------------------------------------

static bool isOurs(int file) {
  struct stat status;
  return file >= 0 && fstat(file, &status) == 0 &&
         status.st_dev == recording.device && status.st_ino == recording.inode;
}

// A program may close our descriptor, and another file may get its number.
static int openAgain() {
  if (isOurs(recording.file))
    return recording.file;
  auto file = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, recording.path, O_RDWR | O_CLOEXEC));
  if (isOurs(file))
    return recording.file = file;
  if (file >= 0)
    syscall(SYS_close, file);
  errno = EBADF;
  return -1;
}

// A file beyond this limit would get the program a SIGXFSZ.
static bool isWithinLimit(uint64_t end) {
  rlimit most;
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && end > most.rlim_cur) {
    errno = EFBIG;
    return false;
  }
  return true;
}

// The block is the caller's alone, so no other thread's words are overwritten.
static bool writeZeroes(int file, uint64_t offset, uint64_t bytes) {
  static const char kZeroPage[4096] = {};
  for (uint64_t end = offset + bytes; offset < end; offset += sizeof kZeroPage)
    if (syscall(SYS_pwrite64, file, kZeroPage, sizeof kZeroPage, offset) !=
        long{sizeof kZeroPage}) {
      errno = errno ? errno : ENOSPC;
      return false;
    }
  return true;
}

static bool allocate(int file, uint64_t offset, uint64_t bytes) {
  long result;
  do
    result = systemCall(SYS_fallocate, file, 0, static_cast<long>(offset),
                        static_cast<long>(bytes));
  while (result == -EINTR);
  if (result)
    errno = static_cast<int>(-result);
  return !result;
}

static void raiseBlocks(uint64_t wanted) {
  uint64_t &blocks = recording.header().blocks;
  uint64_t now = __atomic_load_n(&blocks, __ATOMIC_RELAXED);
  while (now < wanted &&
         !__atomic_compare_exchange_n(&blocks, &now, wanted, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

static bool growFile(uint64_t number, uint64_t known) {
  int file = generationNow() ? openAgain() : -1;
  if (file < 0)
    return false;
  if (readShared(kZeroes)) {
    if (!isWithinLimit(offsetOf(number + 1)) ||
        !writeZeroes(file, offsetOf(number), kRecordBlockBytes))
      return false;
    raiseBlocks(number + 1);
    return true;
  }
  // Everything from the known end on: so no block below the new end is without
  // space, whatever other threads are about to allocate.
  uint64_t wanted = (number / kChunkBlocks + 1) * kChunkBlocks;
  if (wanted > recording.room)
    wanted = recording.room;
  const uint64_t ends[] = {wanted, number + 1};
  for (uint64_t end : ends) {
    if (!isWithinLimit(offsetOf(end)) ||
        !allocate(file, offsetOf(known), offsetOf(end) - offsetOf(known)))
      continue;
    raiseBlocks(end);
    return true;
  }
  return false;
}

// Every block's pages are made present by one call, which fails where a store
// would end the program. Kernels before 5.14 do not know the call.
static bool populate(uint64_t number) {
  constexpr int kPopulateWrite = 23; // MADV_POPULATE_WRITE
  auto block = reinterpret_cast<long>(recording.block(number));
  long result =
      systemCall(SYS_madvise, block, kRecordBlockBytes, kPopulateWrite);
  if (result != -EFAULT && result != -EHWPOISON && result != -ENOMEM)
    return true;
  errno = static_cast<int>(-result);
  return false;
}

bool makeSpace(uint64_t number) {
  if (number >= recording.room)
    return false;
  uint64_t known =
      __atomic_load_n(&recording.header().blocks, __ATOMIC_ACQUIRE);
  if ((number >= known || readShared(kZeroes)) &&
      recording.mode == TPRT_TRACE_MODE_ALL && !growFile(number, known))
    return false;
  return populate(number);
}

// The first space of a file, whose header block is not mapped yet.
static bool makeFirstSpace(int file, uint64_t blocks, bool &zeroes) {
  uint64_t bytes = offsetOf(blocks);
  if (!isWithinLimit(bytes))
    return false;
  zeroes = false;
  if (allocate(file, 0, bytes))
    return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS)
    return false;
  zeroes = true;
  return writeZeroes(file, 0, bytes);
}

// --- addresses ---------------------------------------------------------------

// Reserves addresses far from all modules, if possible. The kernel would choose
// those right below the libraries. There most probes in code without sleds need
// pages of their own (text/pun_islands.h).
static void *reserveFar(uint64_t bytes) {
  constexpr uint64_t kFar = uint64_t{1} << 40;
  constexpr unsigned kTries = 8;
  auto reserve = [bytes](uint64_t wish) {
    return mmap(reinterpret_cast<void *>(wish), bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  void *range = reserve(0);
  auto wish = reinterpret_cast<uint64_t>(range);
  for (unsigned i = 0; i < kTries && range != MAP_FAILED && wish > 2 * kFar;
       ++i) {
    wish -= kFar;
    munmap(range, bytes);
    range = reserve(wish);
    if (range == reinterpret_cast<void *>(wish))
      break;
  }
  return range;
}

// Maps the file at a multiple of a block's size. False: there are no such
// addresses.
static bool mapFile(int file, uint64_t blocks) {
  uint64_t bytes = offsetOf(blocks);
  void *range = reserveFar(bytes + kRecordBlockBytes);
  if (range == MAP_FAILED)
    return false;
  auto start = reinterpret_cast<uint64_t>(range);
  uint64_t memory = (start + kRecordBlockBytes - 1) & ~(kRecordBlockBytes - 1);
  void *mapped = mmap(reinterpret_cast<void *>(memory), bytes,
                      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  if (mapped == MAP_FAILED) {
    munmap(range, bytes + kRecordBlockBytes);
    return false;
  }
  uint64_t end = memory + bytes, last = start + bytes + kRecordBlockBytes;
  if (memory > start)
    munmap(range, memory - start);
  if (last > end)
    munmap(reinterpret_cast<void *>(end), last - end);
  recording.memory = memory;
  recording.room = blocks;
  return true;
}

// Limits on addresses (RLIMIT_AS) may leave room for less.
static bool mapWhatFits(int file, uint64_t blocks, uint64_t least) {
  for (; blocks >= least; blocks /= 2)
    if (mapFile(file, blocks))
      return true;
  return false;
}

// --- the header --------------------------------------------------------------

static void readLine(const char *path, char *out, size_t room) {
  int file = raiseDescriptor(open(path, O_RDONLY | O_CLOEXEC));
  ssize_t got = file < 0 ? 0 : read(file, out, room - 1);
  if (file >= 0)
    close(file);
  size_t length = got > 0 ? static_cast<size_t>(got) : 0;
  if (length && out[length - 1] == '\n')
    --length;
  out[length] = 0;
}

static void copyText(char *out, size_t room, const char *text) {
  size_t length = strlen(text);
  if (length >= room)
    length = room - 1;
  memcpy(out, text, length);
  out[length] = 0;
}

static void fillClock(tprt_trace_header &header) {
#if defined(__x86_64__)
  header.clock = TPRT_TRACE_CLOCK_TSC;
  header.machine = EM_X86_64;
#else
  header.clock = TPRT_TRACE_CLOCK_CNTVCT;
  header.machine = EM_AARCH64;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(header.clock_hz));
#endif
  readMoment(header.start);
}

static void fillHeader(uint64_t blocks, bool zeroes) {
  tprt_trace_header &header = recording.header();
  header.byte_order = TPRT_TRACE_BYTE_ORDER;
  header.major = TPRT_TRACE_MAJOR;
  header.minor = TPRT_TRACE_MINOR;
  header.block_bytes = kRecordBlockBytes;
  header.mode = recording.mode;
  header.first_block = kRecordBlockBytes;
  header.blocks = blocks;
  header.state = TPRT_TRACE_STATE_OPEN;
  header.pid = static_cast<uint32_t>(getpid());
  header.parent_pid = static_cast<uint32_t>(getppid());
  readLine("/proc/sys/kernel/random/boot_id", header.boot_id,
           sizeof header.boot_id);
  utsname system;
  if (uname(&system) == 0)
    copyText(header.host, sizeof header.host, system.nodename);
  copyText(header.producer, sizeof header.producer, "libtprt ");
  copyText(header.producer + 8, sizeof header.producer - 8,
           tprt_version_string());
  fillClock(header);
  header.private_words[kZeroes] = zeroes;
  // The file counts from here on.
  uint64_t magic;
  memcpy(&magic, TPRT_TRACE_MAGIC, sizeof magic);
  __atomic_store_n(reinterpret_cast<uint64_t *>(header.magic), magic,
                   __ATOMIC_RELEASE);
}

// --- open and close ----------------------------------------------------------

static uint64_t blocksOf(uint64_t bytes) {
  uint64_t blocks = (bytes + kRecordBlockBytes - 1) / kRecordBlockBytes;
  return blocks < kLeastBlocks ? kLeastBlocks : blocks;
}

static tprt_status failSpace(uint64_t blocks) {
  int error = errno;
  if (error == EFBIG)
    return fail(TPRT_STATUS_NO_FILE,
                "%s: RLIMIT_FSIZE (ulimit -f) is less than the %llu MiB that "
                "the recording needs",
                recording.path,
                static_cast<unsigned long long>(offsetOf(blocks) >> 20));
  return fail(TPRT_STATUS_NO_FILE,
              "%s: no space for the recording's %llu MiB: %s; choose another "
              "disk or a smaller size",
              recording.path,
              static_cast<unsigned long long>(offsetOf(blocks) >> 20),
              error == ENOSPC ? "the disk is full" : strerror(error));
}

tprt_status openRecording(const tprt_recording_options &options) {
  bool grows = options.mode == TPRT_RECORDING_MODE_ALL;
  uint64_t wanted = options.size ? blocksOf(options.size)
                    : grows      ? kMostBlocks
                                 : blocksOf(kUsualBytes);
  uint64_t first = grows ? kLeastBlocks : wanted;
  recording.mode = grows ? TPRT_TRACE_MODE_ALL
                   : options.mode == TPRT_RECORDING_MODE_NEWEST
                       ? TPRT_TRACE_MODE_NEWEST
                       : TPRT_TRACE_MODE_UNTIL_FULL;
  int file = -1;
  tprt_status status = createRecording(options.file, recording.path, file);
  if (status != TPRT_STATUS_OK)
    return status;
  bool zeroes;
  struct stat made;
  if (!makeFirstSpace(file, first, zeroes) || fstat(file, &made) != 0) {
    status = failSpace(first);
  } else if (!mapWhatFits(file, wanted, first)) {
    int error = errno;
    status = fail(error == ENOMEM || error == EAGAIN ? TPRT_STATUS_NO_MEMORY
                                                     : TPRT_STATUS_NO_FILE,
                  "%s: the %llu MiB of the recording can't be mapped: %s",
                  recording.path,
                  static_cast<unsigned long long>(offsetOf(first) >> 20),
                  error == ENOMEM ? "no memory or addresses (ulimit -v?)"
                                  : strerror(error));
  } else {
    recording.device = made.st_dev;
    recording.inode = made.st_ino;
    recording.file = file;
    fillHeader(first, zeroes);
    return TPRT_STATUS_OK;
  }
  close(file);
  unlink(recording.path);
  return status;
}

// A thread that was interrupted between claiming a word and storing to it will
// still store there, maybe much later. So these addresses stay ours for ever,
// with memory that nobody reads.
void closeRecording(uint64_t bytes) {
  uint64_t used = offsetOf(recording.header().blocks);
  uint64_t all = offsetOf(recording.room);
  bool replaced = mmap(reinterpret_cast<void *>(recording.memory), used,
                       PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
                       -1, 0) != MAP_FAILED;
  if (all > used)
    munmap(reinterpret_cast<void *>(recording.memory + used), all - used);
  int file = openAgain();
  recording.file = -1;
  if (file < 0)
    return;
  if (bytes && replaced && ftruncate(file, static_cast<off_t>(bytes)) != 0)
    say(2, "%s: the file was not cut to its length", recording.path);
  close(file);
}

} // namespace tprt
