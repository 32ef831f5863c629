// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the file of a recording or of a snapshot. A recording never takes the
// place of one that is still being written, of the one that this process wrote
// before exec, or of one that the same command's other programs wrote: then the
// process's number is added to the name. Any thread; not in hits.
#include "record/file_name.h"
#include "base/os_file.h"
#include "base/os_loader.h"
#include "base/os_thread.h"
#include "record/family.h"
#include "threads/status.h"
#include "tprt/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tprt {

namespace {
// A path that is being put together. `used` may pass the room.
struct Path {
  char (&text)[kMostPath];
  size_t used = 0;

  void put(char c) {
    if (used < kMostPath - 1) {
      text[used] = c;
      text[used + 1] = 0;
    }
    ++used;
  }
  void put(const char *more) {
    for (; *more; ++more)
      put(*more);
  }
  void put(uint64_t number) {
    char digits[21];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do
      digits[--at] = static_cast<char>('0' + number % 10);
    while (number /= 10);
    put(digits + at);
  }
  bool fits() const { return used < kMostPath; }
};

// What is under the name now. Unknown: errno says why that is so.
enum class There { Nothing, Earlier, Taken, Foreign, Unknown };
} // namespace

static void putProgram(Path &path) {
  char program[kMostPath];
  programPath(program, sizeof program);
  const char *slash = strrchr(program, '/');
  path.put(slash ? slash + 1 : program);
}

// The program may change its folder before the file is opened once more.
static void putFolder(Path &path) {
  char folder[kMostPath];
  if (getcwd(folder, sizeof folder)) {
    path.put(folder);
    path.put('/');
  }
}

static bool expand(const char *name, Path &path) {
  if (*name != '/')
    putFolder(path);
  for (; *name; ++name) {
    if (*name != '%') {
      path.put(*name);
      continue;
    }
    switch (*++name) {
    case 'p':
      path.put(static_cast<uint64_t>(getpid()));
      break;
    case 'n':
      putProgram(path);
      break;
    case '%':
      path.put('%');
      break;
    default:
      return false;
    }
  }
  return true;
}

// When this program first made a file: all of its recordings began later. 0: it
// has made none. Set once, by whichever thread is first.
static uint64_t firstMade;

static void noteFirst() {
  uint64_t none = 0;
  __atomic_compare_exchange_n(&firstMade, &none, nanoseconds(), false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// Whether this process made the recording before exec: the file has our number,
// is no snapshot, and began before this program made its first file.
static bool isFromBeforeExec(const tprt_trace_header &header) {
  return header.pid == static_cast<uint32_t>(getpid()) &&
         header.end_reason != TPRT_TRACE_END_SNAPSHOT &&
         header.start.monotonic < __atomic_load_n(&firstMade, __ATOMIC_RELAXED);
}

bool keepsFamilyFiles;

// Whether another process of this process's family has made the recording.
static bool isOfFamily(const tprt_trace_header &header, uint64_t began) {
  return began && header.pid != static_cast<uint32_t>(getpid()) &&
         header.start.monotonic >= began;
}

// A recording that is being written is locked: the lock goes with the last
// process that writes it.
static There whatIsThere(const char *path, uint64_t family) {
  int file =
      raiseDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file < 0)
    return errno == ENOENT  ? There::Nothing
           : errno == ENXIO ? There::Foreign // a socket
                            : There::Unknown;
  struct stat status;
  tprt_trace_header header;
  There result = There::Foreign;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    if (status.st_size == 0)
      result = There::Earlier;
    else if (readFileAt(file, &header, sizeof header, 0) &&
             memcmp(header.magic, TPRT_TRACE_MAGIC, sizeof header.magic) == 0)
      result = isFromBeforeExec(header) || isOfFamily(header, family) ||
                       flock(file, LOCK_SH | LOCK_NB) != 0
                   ? There::Taken
                   : There::Earlier;
  }
  close(file);
  return result;
}

static tprt_status make(const char *path, int &file) {
  file = raiseDescriptor(
      open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file < 0)
    return fail(TPRT_STATUS_NO_FILE, "%s: the recording can't be made: %s",
                path, strerror(errno));
  flock(file, LOCK_EX | LOCK_NB);
  return TPRT_STATUS_OK;
}

tprt_status createRecording(const char *name, char (&path)[kMostPath],
                            int &file) {
  Path whole{path};
  path[0] = 0;
  if (!name || !*name || !expand(name, whole))
    return fail(
        TPRT_STATUS_INVALID_ARGUMENT,
        "'%s' is not a name for a recording: %%p is the process, %%n the "
        "program, %%%% a percent sign",
        name ? name : "");
  noteFirst();
  const uint64_t family = keepsFamilyFiles ? familyBegan() : 0;
  size_t first = whole.used;
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    if (!whole.fits())
      return fail(TPRT_STATUS_INVALID_ARGUMENT,
                  "the recording's name is longer than %zu bytes",
                  kMostPath - 1);
    switch (whatIsThere(path, family)) {
    case There::Foreign:
      return fail(
          TPRT_STATUS_NO_FILE,
          "%s is there already and is not a recording, so it is left as "
          "it is; choose another name",
          path);
    case There::Unknown:
      return fail(TPRT_STATUS_NO_FILE,
                  "%s: the recording can't be made: %s; choose another name",
                  path, strerror(errno));
    case There::Earlier:
      unlink(path);
      [[fallthrough]];
    case There::Nothing:
      return make(path, file);
    case There::Taken:
      break;
    }
    whole.used = first;
    whole.put('.');
    whole.put(static_cast<uint64_t>(getpid()));
    if (attempt) {
      whole.put('.');
      whole.put(uint64_t{attempt});
    }
  }
  return fail(TPRT_STATUS_NO_FILE, "%s: too many recordings of this name",
              path);
}

} // namespace tprt
