// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an injection puts into the target: code, and a block of data that the
// code and tpctl share. The code is position-independent, refers to nothing but
// the block, and is the same in every target.
//
// If both sides use a word of the block, only one side writes it.

#ifndef TPCTL_INJECT_PAYLOAD_H
#define TPCTL_INJECT_PAYLOAD_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>

namespace tpctl {

/// The progress of the new thread.
enum class Stage : uint32_t {
  None,
  FileMade, ///< tpctl fills the file, and then sets Block::Filled.
  Failed,   ///< Block::Failure and Block::Text say why.
  Started   ///< The control runs.
};

enum class InjectFailure : uint32_t {
  None,
  NoFile,    ///< memfd_create; Block::Code is errno.
  NotFilled, ///< tpctl did not continue in time.
  NotLoaded, ///< Block::Text is that of dlerror().
  NoStart,   ///< The library has no tprt_control_start.
  NotStarted ///< Block::Code is its status, Block::Text the reason.
};

struct InjectBlock {
  // Functions of the target.
  uint64_t PthreadCreate, PthreadSelf, PthreadDetach, ErrnoLocation;
  uint64_t Dlopen, Dlsym, Dlerror, Munmap;
  uint64_t ControlStart; ///< 0: the library has to be loaded.
  uint64_t ErrorString;
  // The memory that the new thread unmaps at its end: code, block and stack.
  uint64_t Begin, Bytes;
  uint64_t ThreadEntry, Thread;
  // Written by the target.
  uint32_t CreateError; ///< of pthread_create, or ELIBACC: the libraries below
  int32_t ThreadId;     ///< of the new thread, in the target's namespace
  Stage Reached;
  InjectFailure Failure;
  int32_t File, Code;
  // Written by tpctl.
  uint32_t Filled, Seen;
  uint32_t HasPath;  ///< Path is a file that tpctl has made; else the target
                     ///< makes a memory file.
  uint32_t Restored; ///< The stopped thread has left the code.
  /// Before glibc 2.34: the functions of libc.so.6 that load the libraries of
  /// threads and of the loader's functions. Else 0.
  uint64_t LibcOpen, LibcSymbol;
  char ThreadsName[16];   ///< libpthread.so.0
  char FunctionsName[16]; ///< libdl.so.2
  /// The functions that these libraries have.
  char CreateName[16], DetachName[16], OpenName[8], SymbolName[8],
      OpenErrorName[8];
  char FileName[16];  ///< of the memory file
  char Folder[24];    ///< /proc/thread-self/fd/./
  char LinkName[20];  ///< of the library in the loader's list; no longer than
                      ///< Folder
  char StartName[32]; ///< tprt_control_start
  char ErrorName[32]; ///< tprt_error_string
  char Path[64]; ///< Unless HasPath, the target makes it of Folder and File.
  // Written by the target.
  char Text[512];
};

/// The number of the system call at which tpctl takes control of the thread
/// again.
constexpr uint64_t EndOfCall = 15;

llvm::StringRef payloadCode();
/// Offsets in the code. callEntry() is for a thread of the target that tpctl
/// has stopped: it calls pthread_create and keeps errno. The new thread begins
/// at threadEntry().
uint64_t callEntry();
uint64_t threadEntry();

} // namespace tpctl

#endif
