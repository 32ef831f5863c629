// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module's file, for what is not in memory: symbols, line tables, section
// headers. Read with pread into memory of our own: a mapped file that shrinks
// would end in SIGBUS. Under the lock, on the first question that needs it.
#ifndef TPRT_CORE_ELFFILE_H
#define TPRT_CORE_ELFFILE_H

#include "core/plain/site.h"

#include <elf.h>
#include <errno.h>

namespace tprt {

class ElfFile {
public:
  // Opens the file and holds it against the module in memory.
  explicit ElfFile(const Module *module);
  ~ElfFile();
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;

  // Why a section is not there: this file can't be used, or as given.
  const char *fault(const char *otherwise) const {
    return problem ? problem : otherwise;
  }
  // The errno of what was missing, descriptors or memory, so that another time
  // it may be there; else 0.
  int scarcity() const { return scarce; }
  const Array<Elf64_Shdr> &sections() const { return headers; }
  // The section of that name or, where it is nullptr, of that type; nullptr if
  // there is none, as in a file that can't be used.
  const Elf64_Shdr *find(const char *name, uint32_t type = SHT_NULL) const;
  // A section's bytes and, behind them, one zero. False: unreadable, absurdly
  // large, or no memory.
  bool read(const Elf64_Shdr &section, Array<char> &out) const;

  // False: not all of it is there.
  bool readAt(void *out, size_t bytes, uint64_t offset) const;

private:
  bool read(uint64_t offset, uint64_t bytes, Array<char> &out) const;
  template <class T> bool resize(Array<T> &array, size_t count) const {
    bool memory = array.resize(count);
    if (!memory)
      scarce = ENOMEM;
    return memory;
  }
  const char *openAndCheck(const Module *module);
  bool isBuildOf(const Module *module, const Elf64_Ehdr &header) const;

  int descriptor = -1;
  uint64_t fileBytes = 0;
  const char *problem;
  mutable int scarce = 0;
  Array<Elf64_Shdr> headers;
  Array<char> names;
};

} // namespace tprt

#endif
