// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 calls of profilers while they are off: executed, or skipped. A call is
// skipped by changing one byte, which turns it into an instruction of the same
// length that only sets flags. Flags have no meaning after a call (psABI,
// 3.2.1). A jump to a profiler becomes a ret, which has the same effect as the
// ret at the profiler's end.
//
//   made           skipped
//   e8 rel32       a9 rel32       test $rel32, %eax
//   67 e8 rel32    67 a9 rel32    the same
//   ff 15 rel32    85 15 rel32    test %edx, rel32(%rip), a word of the GOT
//   e9, eb, ff 25  c3             ret
//   nop            nop
//
// When a uprobe or a breakpoint is removed, either the byte that it replaced or
// the file's first byte is restored. The result is one of these forms. Called
// under the lock.
#include "code_patch.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

static constexpr uint8_t kCall = 0xe8, kAddressSize = 0x67, kGroup5 = 0xff,
                         kCallWord = 0x15, kTestEax = 0xa9, kTestMemory = 0x85;

uint64_t skipBitsOf(const CodeSite &code) {
  if (code.profiler == Profiler::None)
    return 0;
  const uint8_t *bytes = code.code;
  auto differ = [](unsigned was, unsigned is) { return uint64_t{was ^ is}; };
  if (bytes[0] == kCall)
    return differ(kCall, kTestEax);
  if (bytes[0] == kAddressSize && bytes[1] == kCall)
    return differ(kCall, kTestEax) << 8;
  if (bytes[0] == kGroup5 && bytes[1] == kCallWord)
    return differ(kGroup5, kTestMemory);
  return endsFunction(code) ? differ(bytes[0], kRet) : 0;
}

// Whether one byte can skip the call. This is impossible if the call crosses a
// word right after its prefix: in that case a jump changes only the prefix, and
// the jump's distance contains the byte that would skip the call.
static bool canSkip(const CodeSite &code) {
  return skipBitsOf(code) >> changedBytes(code) * 8 == 0;
}

bool isCallOff(const CodeSite &code, const uint8_t *sled, bool skipped) {
  uint8_t bytes[sizeof code.code];
  memcpy(bytes, code.code, sizeof bytes);
  uint64_t bits = skipped ? skipBitsOf(code) : 0;
  bytes[0] ^= static_cast<uint8_t>(bits);
  bytes[1] ^= static_cast<uint8_t>(bits >> 8);
  return memcmp(sled, bytes, code.length) == 0;
}

uint8_t firstByteOff(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  uint64_t bits = site.isSkipped() ? skipBitsOf(code) : 0;
  return static_cast<uint8_t>(code.code[0] ^ bits);
}

// One byte is enough as long as the site does not contain a jump. So a call can
// be skipped at any address, even if code is written by single bytes.
tprt_refusal planCallOff(const tprt_site &site, uint64_t origin,
                         const Ways &ways, Toggle *toggle) {
  const CodeSite &code = codeOf(site);
  if (code.refusal != TPRT_REFUSAL_NONE)
    return static_cast<tprt_refusal>(code.refusal);
  if (site.isSkipped() && !canSkip(code))
    return TPRT_REFUSAL_ROOM;
  const uint8_t *sled = site.sled();
  bool isMade = isCallOff(code, sled, false);
  if (isMade || isCallOff(code, sled, true)) {
    unsigned at = skipBitsOf(code) > 0xff ? 1 : 0;
    auto bits = static_cast<uint8_t>(skipBitsOf(code) >> at * 8);
    uint8_t wanted = code.code[at] ^ (site.isSkipped() ? bits : uint8_t{0});
    *toggle = {origin + code.at + at, wanted, wanted, 1,
               sled[at] == wanted ? SledForm::Off : SledForm::OffElse};
    return TPRT_REFUSAL_NONE;
  }
  return planCode(site, origin, ways, toggle);
}

} // namespace tprt
