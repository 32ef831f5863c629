// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See demangle.h.
#include "demangle/demangle.h"
#include "demangle/legacy_rust.h"
#include "demangle/parser.h"
#include "demangle/rust.h"

namespace tprt::names {

bool demangle(const char *linked, Memory &memory, char *out, size_t size,
              Parts &parts, bool withHash) {
  if (!mayBeMangled(linked))
    return false;
  if (linked[1] == 'R')
    return demangleRust(linked, out, size, parts);
  Parser parser(linked, linked + strlen(linked), memory);
  Ref root = parser.mangledName();
  if (!root || !print(memory.nodes, root, out, size, parts))
    return false;
  fromOldRust(out, parts, withHash);
  return true;
}

} // namespace tprt::names
