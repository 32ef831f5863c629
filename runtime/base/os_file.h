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
// the parts that open files and sockets.

// Opens a module's file for reading if it is a regular file, and stores its
// size. `program`: the file is the program's own, which may have been removed.
// Returns the descriptor, or a negated errno.
int openModuleFile(const char *path, bool program, uint64_t *bytes);
// False: the file does not have all of these bytes.
bool readFileAt(int file, void *out, size_t bytes, uint64_t offset);
void closeFile(int file);
// Gives a descriptor that we just opened a number above those that programs
// count on, and returns the number: the same if there is no higher one; -1,
// with EBADF, if the program closed the descriptor meanwhile.
// Async-signal-safe.
int raiseDescriptor(int file);

// The descriptor for our messages and tables: the standard error that the
// process began with, or what the program put in its place for text. -1: there
// is neither. A data file or socket that happened to get the descriptor's
// number is not used. Async-signal-safe.
int standardError();
// At the start: notes which file standard error is.
void rememberStandardError();
// Keeps a descriptor of standard error's file from now on, because programs may
// close theirs before they end. Called once, by the parts that print at the end
// of the process.
void keepStandardError();
// Writes all of the text. A write that fails sends the program no signal.
// False, with errno: some of the text is missing. If the reader takes nothing
// for a second, the rest is given up (EAGAIN).
bool writeAll(int file, const char *text, size_t bytes);

// --- lines: os/linux/write_line.cpp, in hits ---------------------------------
// Caller: points/print_point.cpp.

// Writes the text by one system call, again only where a signal interrupted it.
// A write that fails sends the program no signal. Keeps errno, is no
// cancellation point, and uses general registers only. False: not all of the
// text was written.
bool writeOnce(int file, const char *text, size_t bytes);
// CLOCK_REALTIME in nanoseconds. Not called in hits.
uint64_t wallClock();
// The same for hits: a system call, which keeps all registers. 0 where this
// call may not be made.
uint64_t wallClockInHit();

} // namespace tprt

#endif
