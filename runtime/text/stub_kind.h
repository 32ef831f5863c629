// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stubs are for, how they lie in memory, and where a jump from a site
// leads.
#ifndef TPRT_TEXT_STUB_KIND_H
#define TPRT_TEXT_STUB_KIND_H

#include <stdint.h>

namespace tprt {

// What a stub is for. A site has one general stub, and second stubs of the
// other kinds if they are needed.
enum StubKind : uint8_t {
  kGeneral,
  // For a site whose only action is to count. The sled leads to this stub,
  // which counts without a call. The stub's word determines whether the stub
  // may count (countWord()). If not, the stub continues at the general stub. So
  // a thread that is about to enter either stub always gets the right result.
  kCounting,
  // What tprt_site_original() returns. The word is 1 if the stub was requested.
  kOriginals,
  // The same as kCounting, for a site whose only action is the recorder's: the
  // stub records without a call. The stub's word is the word of the site's
  // events (record_hook.h), or 0.
  kRecording,
  // The same as kCounting, at a site in code without sleds. From the word, the
  // stub finds its thread's counters (wordOfFullCountStub()).
  kFullCounting,
  // A second general stub, for a site whose first copy continues with further
  // instructions (CodeSite::runsOn). After this stub, only the site's
  // instruction is copied, so threads meet a breakpoint at the next
  // instruction. A pun's islands for such breakpoints lead to this stub, and so
  // do all jumps other than puns.
  kShortCopy
};
constexpr uint8_t kStubKinds = kShortCopy + 1;

// How the pieces of code in a region lie: their size, and what precedes the
// first piece.
enum class StubLayout : uint8_t {
  General,
  // General stubs of sites in code without sleds: each stub is followed by the
  // copy of the displaced instruction, where a hit continues.
  WithCopy,
  // The same for instructions inside a function; see patch/overlap.h.
  InnerWithCopy,
  Counting,
  FullCounting,
  Recording,
  Original,
  // The return jumps of far stubs (StubRegion::wayBack()). The return jumps lie
  // in the region of these stubs.
  WaysBack
};

// Whether the pieces are general stubs, with or without copies.
constexpr bool isGeneral(StubLayout layout) {
  return layout <= StubLayout::InnerWithCopy;
}

// Where a jump from a site leads: to a stub of the site, or to the place in the
// program's own code to which an open static branch leads.
class Target {
public:
  Target() = default; // All bits zero are a general stub.
  constexpr Target(StubKind stub) : value(stub) {}
  static constexpr Target ofBranch() { return Target(kStubKinds); }

  constexpr bool isStub() const { return value < kStubKinds; }
  // The kind of the stub. Only if isStub() is true.
  constexpr StubKind stub() const { return static_cast<StubKind>(value); }
  friend constexpr bool operator==(Target a, Target b) {
    return a.value == b.value;
  }
  friend constexpr bool operator<(Target a, Target b) {
    return a.value < b.value;
  }

private:
  constexpr explicit Target(uint8_t value) : value(value) {}

  uint8_t value;
};

} // namespace tprt

#endif
