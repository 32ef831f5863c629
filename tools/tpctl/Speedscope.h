// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// speedscope's file format (its package has the JSON schema): calls in the
// order of time, a profile for each thread. For `tpctl export` and `tpctl
// view`.

#ifndef TPCTL_SPEEDSCOPE_H
#define TPCTL_SPEEDSCOPE_H

#include "CallSpool.h"
#include "Sources.h"
#include "Threads.h"
#include "llvm/Support/raw_ostream.h"

namespace tpctl {

/// The frames of a file, numbered in the order in which they are met.
class SpeedscopeFrames {
public:
  SpeedscopeFrames(tp::trace::Recording &R, const Sources &Code)
      : R(R), Code(Code) {}
  uint32_t operator[](tp::trace::FunctionId F);
  /// The member "shared" of a file.
  void write(llvm::raw_ostream &OS) const;

private:
  tp::trace::Recording &R;
  const Sources &Code;
  llvm::DenseMap<tp::trace::FunctionId, uint32_t> Known;
  std::vector<tp::trace::FunctionId> Order;
};

/// A frame of a file. Where the source is not known, the module is its file.
void writeSpeedscopeFrame(llvm::raw_ostream &OS, llvm::StringRef Name,
                          llvm::StringRef Module,
                          const tp::trace::SourceFrame &Source);

/// The beginning of a file, up to the first profile.
void beginSpeedscope(llvm::raw_ostream &OS, llvm::StringRef Name);

/// Collects the calls of all threads, and then writes them.
class SpeedscopeCalls {
public:
  /// speedscope draws by functions that call themselves, as deep as calls are.
  static constexpr size_t MostDepth = 2000;

  /// Says whether a call that has ended is written.
  using Taker = std::function<bool(const tp::trace::Frame &, uint64_t End)>;

  SpeedscopeCalls(tp::trace::Recording &R, const Sources &Code, Taker Takes)
      : R(R), Code(Code), Takes(std::move(Takes)) {}

  /// Reads what the filter's threads did.
  llvm::Expected<tp::trace::Totals> read(const tp::trace::CallFilter &Filter);
  /// Writes a file. Times before and behind the bounds are moved onto them.
  llvm::Error write(llvm::raw_ostream &OS, llvm::StringRef Name,
                    uint64_t From = 0, uint64_t To = UINT64_MAX);

  uint64_t calls() const { return Calls; }
  uint64_t tooDeep() const { return TooDeep; }

private:
  class Reader;
  /// One stack of a thread: its own, or that of a fiber.
  struct Stack {
    tp::trace::ThreadInfo *Thread;
    uint64_t Number;
    size_t Row;
    uint64_t Calls = 0;
  };
  std::string nameOf(const Stack &S) const;
  llvm::Error writeProfile(llvm::raw_ostream &OS, const Stack &S,
                           SpeedscopeFrames &Frames, uint64_t From,
                           uint64_t To);

  tp::trace::Recording &R;
  const Sources &Code;
  Taker Takes;
  CallSpool Spool;
  std::deque<tp::trace::ThreadInfo> Threads;
  std::deque<Stack> Stacks;
  uint64_t Calls = 0, TooDeep = 0;
  uint64_t First = UINT64_MAX, Last = 0; ///< of all calls that are written
};

} // namespace tpctl

#endif
