// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the reader of symbols and line tables. The input is a module's file.
// Every name that a site gets must be a string in the runtime's copy of the
// file. The size of program headers in the input is corrected: object files
// have no program headers, and a file without that size is not read further.
#include "elf/source_lines.h"
#include "elf/symbols.h"
#include "loader/module_list.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

static constexpr uint32_t kSites = 4;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  if (!tprt::initialise())
    abort();
  int file = memfd_create("fuzz", 0);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (write(file, data, bytes) != static_cast<ssize_t>(bytes))
    abort();
  constexpr uint16_t kEntry = sizeof(Elf64_Phdr);
  if (bytes >= sizeof(Elf64_Ehdr) &&
      pwrite(file, &kEntry, sizeof kEntry, offsetof(Elf64_Ehdr, e_phentsize)) !=
          sizeof kEntry)
    abort();
  tprt::Module module{};
  module.base = module.origin = 0x10000;
  tprt::moduleAt[1] = &module;
  module.path = path;
  module.siteCount = kSites;
  for (uint32_t i = 0; i < kSites; ++i) {
    tprt::sites[i] = {};
    tprt::sites[i].sledAt = tprt::sites[i].functionAt = 0x1000 * (i / 2);
    tprt::sites[i].moduleNumber = 1;
  }
  tprt::readSymbols(&module);
  for (uint32_t i = 0; i < kSites; ++i)
    if (const char *name = tprt::nameOf(tprt::sites[i]))
      if (name < module.strings.begin() ||
          name + strlen(name) >= module.strings.end())
        abort();
  tprt::Array<uint8_t> marks;
  if (marks.resize(kSites))
    tprt::markSource(&module, "*.c", marks);
  close(file);
  return 0;
}
