// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the data of a module's file that is not in memory: symbols, line
// tables, section headers. The file is read by pread into the runtime's own
// memory, because a mapped file that shrinks causes SIGBUS. Used under the
// lock, when the file is needed for the first time.
#ifndef TPRT_ELF_ELF_FILE_H
#define TPRT_ELF_ELF_FILE_H

#include "sites/site.h"

#include <elf.h>
#include <errno.h>

namespace tprt {

struct ModuleFacts;

// The location of a symbol table in a file, and of its names.
struct SymbolTable {
  uint64_t symbols, count; // the offset of the first symbol, and their number
  uint64_t strings, stringBytes;
};

class ElfFile {
public:
  // Opens the file and compares it with the module in memory. If the file
  // cannot be used, records that in the module (fileMissed).
  explicit ElfFile(const Module *module);
  // An object without a file. openDebugFileOf() opens one.
  ElfFile() : problem("it has no debug file") {}
  // Opens the file of a module whose facts have just been found.
  ElfFile(const ModuleFacts &facts, const char *path);
  ~ElfFile();
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;

  // Why a section is missing: the reason why this file cannot be used, or else
  // `otherwise`.
  const char *fault(const char *otherwise) const {
    return problem ? problem : otherwise;
  }
  // If the reason was a lack of descriptors or memory, so that another attempt
  // may succeed, returns the errno. Otherwise returns 0.
  int scarcity() const { return scarce; }
  const Array<Elf64_Shdr> &sections() const { return headers; }
  // The section of that name or, if the name is nullptr, of that type. Returns
  // nullptr if there is no such section, or if the file cannot be used.
  const Elf64_Shdr *find(const char *name, uint32_t type = SHT_NULL) const;
  // The table of type SHT_SYMTAB or SHT_DYNSYM. SHT_DYNSYM is found even
  // without section headers. Returns false if there is no such table.
  bool findSymbols(uint32_t type, SymbolTable &out) const;
  // Adds the bytes of the build-id. If there is no build-id, nothing is added.
  void readBuildId(Array<char> &out) const;
  // Opens the debug file of a module whose own file is `file`. The debug file
  // is found by its build-id below /usr/lib/debug, or by the name and checksum
  // in .gnu_debuglink, as in gdb (GDB manual, "Separate Debug Files"). Must be
  // called only once, on an object without a file. Returns false if there is no
  // such file.
  bool openDebugFileOf(const Module *module, const ElfFile &file);
  // Reads a section's bytes and adds one zero after them. Returns false if the
  // section is unreadable or absurdly large, or if there is no memory.
  bool read(const Elf64_Shdr &section, Array<char> &out) const;

  // Returns false if the file does not have all of these bytes.
  bool readAt(void *out, size_t bytes, uint64_t offset) const;

  // Reads any part of the file, and adds one zero after it.
  bool read(uint64_t offset, uint64_t bytes, Array<char> &out) const;

private:
  template <class T> bool resize(Array<T> &array, size_t count) const {
    bool memory = array.resize(count);
    if (!memory)
      scarce = ENOMEM;
    return memory;
  }
  const char *open(const char *path, bool program, Elf64_Ehdr &header);
  const char *openAndCheck(const ModuleFacts &facts, const char *path);
  bool readHeaders(const Elf64_Ehdr &header);
  bool isBuildOf(const ModuleFacts &facts) const;
  uint64_t offsetOf(uint64_t address) const;
  bool findDynamicSymbols(SymbolTable &out) const;
  bool countHashed(uint64_t table, uint64_t &count) const;
  bool tryDebugFile(const char *path, const Array<char> &buildId,
                    const uint32_t *sum);
  bool hasChecksum(uint32_t sum) const;
  void close();

  int descriptor = -1;
  uint64_t fileBytes = 0;
  const char *problem;
  mutable int scarce = 0;
  Array<Elf64_Phdr> segments;
  Array<Elf64_Shdr> headers; // empty if the file has none or cannot be used
  Array<char> names;
};

} // namespace tprt

#endif
