// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: files, standard error, and lines.
// os_memory.h says what the port is.
#ifndef TPRT_BASE_OS_FILE_H
#define TPRT_BASE_OS_FILE_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// --- files: os/linux/files.cpp, proc_self.cpp, output.cpp; any thread --------
// Callers: elf_file.cpp under the lock; status.cpp with or without the lock;
// the components that open files and sockets.

// Opens a module's file for reading if it is a regular file, and stores its
// size. `program` says that the file is the program's own, which may have been
// removed. Returns the descriptor, or a negated errno.
int openModuleFile(const char *path, bool program, uint64_t *bytes);
// Returns false if the file does not have all of these bytes.
bool readFileAt(int file, void *out, size_t bytes, uint64_t offset);
void closeFile(int file);
// Moves a descriptor that was just opened to a number above those that programs
// rely on, and returns the new number. If no higher number is free, returns the
// old number. If the program has closed the descriptor in the meantime, returns
// -1 with EBADF. Async-signal-safe.
int raiseDescriptor(int file);

// The descriptor for our messages and tables: the process's original standard
// error, or the program's replacement for it, if that is meant for text.
// Returns -1 if both are missing. If a data file or socket happened to get the
// descriptor's number, it is not used. Async-signal-safe.
int standardError();
// Called at the start: records which file standard error is.
void rememberStandardError();
// Keeps a descriptor of standard error's file from now on, because programs may
// close theirs before they end. Called once, by the components that print at
// the end of the process.
void keepStandardError();
// Writes all of the text. A failed write does not cause a signal in the
// program. If the reader reads nothing for a second, the rest is discarded
// (EAGAIN). Returns false, with errno, if some of the text was not written.
bool writeAll(int file, const char *text, size_t bytes);

// --- lines: os/linux/write_line.cpp, in hits ---------------------------------
// Caller: points/print_point.cpp.

// Writes the text by one system call, repeated only if a signal interrupts it.
// A failed write does not cause a signal in the program. Preserves errno, is
// not a cancellation point, and uses only general registers. Returns false if
// not all of the text was written.
bool writeOnce(int file, const char *text, size_t bytes);
// CLOCK_REALTIME in nanoseconds. Not called in hits.
uint64_t wallClock();
// Reads the time like wallClock() in hits, by a system call that preserves all
// registers. Returns 0 if this system call is not permitted.
uint64_t wallClockInHit();

} // namespace tprt

#endif
