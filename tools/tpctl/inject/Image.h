// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules that the loader of another process has loaded, and the addresses
// of functions in them. Everything is read from the process's memory, so mount
// namespaces and replaced files make no difference.

#ifndef TPCTL_INJECT_IMAGE_H
#define TPCTL_INJECT_IMAGE_H

#include "llvm/Support/Error.h"
#include <link.h>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tpctl {

/// The memory of the program that the process now runs. After the process has
/// ended or has started another program, nothing is read or written any more.
class TargetMemory {
public:
  explicit TargetMemory(pid_t Pid);
  bool read(uint64_t Address, void *To, size_t Bytes) const;
  template <typename T> bool read(uint64_t Address, T &To) const {
    return read(Address, &To, sizeof To);
  }
  /// At most `Most` characters.
  std::string text(uint64_t Address, size_t Most = 4096) const;
  /// Can also write to memory that is read-only for the process. The process
  /// must be traced.
  bool write(uint64_t Address, const void *From, size_t Bytes) const;
  /// Whether the process has ended, or runs another program now.
  bool isGone() const;

  const pid_t Pid;

private:
  /// The descriptor of /proc/PID/mem, or -1 with the reason. The descriptor
  /// stays valid after the end of the thread whose number was used to open it.
  std::shared_ptr<const int> File;
  int Code = 0;
};

class Module {
public:
  /// The address of a function that the module exports, or 0 if it exports none
  /// of this name.
  uint64_t find(const TargetMemory &Memory, llvm::StringRef Name) const;
  /// Address and size of a variable.
  std::pair<uint64_t, uint64_t> findVariable(const TargetMemory &Memory,
                                             llvm::StringRef Name) const;
  /// Whether the module was loaded at this place. Something else may be mapped
  /// there now.
  bool contains(const TargetMemory &Memory, uint64_t Place) const;
  /// Whether the module exports this name, in any version.
  bool defines(const TargetMemory &Memory, llvm::StringRef Name) const;

  std::string Name; ///< its path
  std::string SharedName;
  uint64_t Bias = 0;

private:
  friend class Image;
  bool readDynamic(const TargetMemory &Memory, uint64_t Dynamic);
  bool isSymbol(const TargetMemory &Memory, uint32_t Index,
                llvm::StringRef Name, ElfW(Sym) & Symbol) const;
  bool findByOldHash(const TargetMemory &Memory, llvm::StringRef Name,
                     ElfW(Sym) & Symbol) const;
  bool findSymbol(const TargetMemory &Memory, llvm::StringRef Name,
                  ElfW(Sym) & Symbol) const;

  uint64_t Symbols = 0, Strings = 0, Hash = 0, OldHash = 0, Versions = 0;
};

enum class CLibrary { Glibc, Musl };

class Image {
public:
  /// The error says why the process has no loader that could load a library.
  /// Waits a bounded time until the loader is idle. In a program that is just
  /// starting, some modules are still missing.
  static llvm::Expected<Image> read(pid_t Pid);

  /// In the loader's order, the program first.
  std::vector<Module> Modules;
  const Module *Library = nullptr; ///< libc.so.6, or musl's libc.so
  const Module *Loader = nullptr;  ///< for musl, the same as the library
  CLibrary Kind = CLibrary::Glibc;
  /// Before glibc 2.34, these are parts of the C library: libpthread.so.0 and
  /// libdl.so.2, as far as they are loaded.
  std::vector<const Module *> Parts;

  /// Whether the C library is a glibc before 2.34.
  bool isSplit() const { return Split; }
  /// Whether the library of threads is loaded.
  bool hasThreads() const;
  /// The symbol that the loader would find for the program.
  uint64_t find(llvm::StringRef Name) const;
  /// Whether the loader is idle.
  bool isConsistent() const;
  /// Whether the loader still has the modules that were read, and no others.
  bool isCurrent() const;
  const TargetMemory &memory() const { return Memory; }

private:
  explicit Image(pid_t Pid) : Memory(Pid) {}
  static llvm::Expected<Image> readNow(pid_t Pid, bool &Starts);
  /// 0 if the program's first code has not run yet.
  llvm::Expected<uint64_t> findDebug();
  llvm::Error readModules();
  template <typename Function> bool visitModules(Function Visit) const;

  TargetMemory Memory;
  uint64_t Debug = 0; ///< the loader's struct r_debug
  bool Split = false;
  /// The biases of all modules that the loader had loaded.
  std::vector<uint64_t> Biases;
};

} // namespace tpctl

#endif
