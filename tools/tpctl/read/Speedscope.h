// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// speedscope's file format (its package has the JSON schema): calls in time
// order, with a profile for each thread. For `tpctl export` and `tpctl view`.

#ifndef TPCTL_SPEEDSCOPE_H
#define TPCTL_SPEEDSCOPE_H

#include "CallSpool.h"
#include "Rows.h"
#include "Threads.h"
#include "shared/Sources.h"
#include "llvm/Support/raw_ostream.h"

namespace tpctl {

/// Other programs get the whole names of functions. The pages of `tpctl view`
/// get short names, and whole ones for what they show in detail.
enum class FrameNames { Whole, Short };

/// The contents of a file from the recordings so far.
struct SpeedscopeFile {
  FrameNames Names = FrameNames::Whole;
  size_t Profiles = 0;
  size_t Busiest = 0; ///< the profile with most calls, which is shown first
  uint64_t MostCalls = 0;
  uint32_t FrameCount = 0;
  std::string Frames; ///< written after all profiles
};

/// The frames of a recording, numbered in the order of their first use.
class SpeedscopeFrames {
public:
  SpeedscopeFrames(tp::trace::Recording &R, const Sources &Code, uint32_t First)
      : R(R), Code(Code), First(First) {}
  uint32_t operator[](tp::trace::FunctionId F);
  /// Adds the frames to those of the file.
  void addTo(SpeedscopeFile &File) const;

private:
  tp::trace::Recording &R;
  const Sources &Code;
  const uint32_t First;
  llvm::DenseMap<tp::trace::FunctionId, uint32_t> Known;
  std::vector<tp::trace::FunctionId> Order;
};

/// A function as a frame of a file. `Where` tells functions of one name apart.
/// If the source is not known, the module is used as the file. A page's table
/// of functions needs the numbers of `report`.
struct SpeedscopeFrame {
  llvm::StringRef Module, Name, Where;
  const tp::trace::SourceFrame &Source;
  const Row *Numbers = nullptr;
};
void writeSpeedscopeFrame(llvm::raw_ostream &OS, const SpeedscopeFrame &Frame,
                          FrameNames Names);

/// The beginning of a file, up to the first profile.
void beginSpeedscope(llvm::raw_ostream &OS, llvm::StringRef Name);
/// The end of a file, after the last profile.
void endSpeedscope(llvm::raw_ostream &OS, const SpeedscopeFile &File);

/// Collects the calls of all threads, and then writes them.
class SpeedscopeCalls {
public:
  /// speedscope draws recursively, as deep as the calls are nested.
  static constexpr size_t MostDepth = 2000;

  /// Decides whether a call that has ended is written.
  using Taker = std::function<bool(const tp::trace::Frame &, uint64_t End)>;

  SpeedscopeCalls(tp::trace::Recording &R, const Sources &Code, Taker Takes)
      : R(R), Code(Code), Takes(std::move(Takes)) {}

  /// Reads the events of the filter's threads.
  llvm::Expected<tp::trace::Totals> read(const tp::trace::CallFilter &Filter);
  /// Times outside these bounds are moved to the nearest bound.
  void setBounds(uint64_t From, uint64_t To) {
    this->From = From;
    this->To = To;
  }
  /// For a file of several recordings: how much later than the earliest one
  /// this recording began, and the prefix for the names of its profiles.
  using Namer = std::function<std::string(const tp::trace::ThreadInfo &)>;
  void setPlace(double Later, Namer ProcessName) {
    this->Later = Later;
    this->ProcessName = std::move(ProcessName);
  }
  /// Writes the profiles of this recording, and adds its frames to the file's.
  llvm::Error writeProfiles(llvm::raw_ostream &OS, SpeedscopeFile &File);
  /// Writes a file of this recording alone.
  llvm::Error write(llvm::raw_ostream &OS, llvm::StringRef Name,
                    FrameNames Names);

  uint64_t calls() const { return Calls; }
  /// When the first of the calls began, in nanoseconds.
  long long start() const { return timeOf(First); }
  /// Visits the profiles in the order of the file: a name, and the calls.
  void visitProfiles(
      llvm::function_ref<void(const std::string &, uint64_t)> Visit) const;
  uint64_t tooDeep() const { return TooDeep; }

private:
  class Reader;
  /// A call that is known only at its end.
  struct LateCall {
    tp::trace::FunctionId Function;
    uint64_t Start, End;
  };
  /// One stack of a thread: its own, or that of a fiber.
  struct Stack {
    tp::trace::ThreadInfo *Thread;
    uint64_t Number;
    size_t Row;
    uint64_t Calls = 0;
    std::vector<LateCall> Late{};
  };
  void count(Stack &On, uint64_t Start, uint64_t End);
  void placeLate(Stack &S);
  std::string nameOf(const Stack &S) const;
  /// The time in the file, in nanoseconds.
  long long timeOf(uint64_t Counter) const;
  llvm::Error writeProfile(llvm::raw_ostream &OS, const Stack &S,
                           SpeedscopeFrames &Frames);

  tp::trace::Recording &R;
  const Sources &Code;
  Taker Takes;
  CallSpool Spool;
  std::deque<tp::trace::ThreadInfo> Threads;
  std::deque<Stack> Stacks;
  uint64_t Calls = 0, TooDeep = 0;
  uint64_t From = 0, To = UINT64_MAX;
  double Later = 0;
  Namer ProcessName;
  uint64_t First = UINT64_MAX, Last = 0; ///< of all calls that are written
};

} // namespace tpctl

#endif
