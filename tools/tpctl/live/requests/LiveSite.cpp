// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of sites. See Requests.h.

#include "Readable.h"
#include "Requests.h"
#include "tprt/tprt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tpctl {

std::string LiveSite::readable() const {
  if (Of)
    return Of->text();
  if (!Name.empty())
    return tp::trace::readableName(Name);
  return (sys::path::filename(Module) + "+0x" +
          Twine::utohexstr((Function ? Function : Sled) - Base))
      .str();
}

std::string LiveSite::place() const {
  if (Of || Kind == TPRT_KIND_ENTRY || Kind == TPRT_KIND_POINT)
    return readable();
  bool InFront = Sled < Function;
  uint64_t Distance = InFront ? Function - Sled : Sled - Function;
  return readable() + (InFront ? "-0x" : "+0x") +
         utohexstr(Distance, /*LowerCase=*/true);
}

} // namespace tpctl
