// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites that the decoder of libtprt-code.so finds in the code of the test
// itself.
#ifndef TPRT_TESTS_OWNPROGRAM_H
#define TPRT_TESTS_OWNPROGRAM_H

#include "decode/reader.h"

#include <algorithm>
#include <link.h>
#include <vector>

namespace tprt {

struct OwnProgram {
  std::vector<Segment> Segments;
  CodeView View = {};
  Array<CodeSite> Sites;
  const char *Fault = nullptr;

  OwnProgram() {
    dl_iterate_phdr(
        [](dl_phdr_info *Info, size_t, void *Data) {
          auto &To = *static_cast<OwnProgram *>(Data);
          To.View.origin = UINT64_MAX;
          for (unsigned I = 0; I != Info->dlpi_phnum; ++I) {
            const auto &P = Info->dlpi_phdr[I];
            uint64_t Start = Info->dlpi_addr + P.p_vaddr;
            if (P.p_type == PT_GNU_EH_FRAME)
              To.View.frames = Start;
            if (P.p_type == PT_GNU_RELRO)
              To.View.relocated = {Start, Start + P.p_memsz};
            if (P.p_type != PT_LOAD)
              continue;
            To.Segments.push_back({Start, Start + P.p_memsz, P.p_flags});
            if (P.p_flags & PF_W)
              To.View.data = {Start, Start + P.p_filesz};
            To.View.origin = std::min(To.View.origin, Start);
          }
          return 1; // only the program
        },
        this);
    View.segments = Segments.data();
    View.segmentCount = Segments.size();
    Fault = readSites(View, Sites);
  }
  // The sites of a function, in order of address.
  std::vector<CodeSite> of(void (*Function)()) const {
    std::vector<CodeSite> Found;
    auto At = reinterpret_cast<uint64_t>(Function) - View.origin;
    for (const CodeSite &S : Sites)
      if (S.function == At)
        Found.push_back(S);
    return Found;
  }
};

} // namespace tprt

#endif
