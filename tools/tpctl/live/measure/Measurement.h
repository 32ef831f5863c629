// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What verbs that measure running processes have in common: they attach one
// group to each process, read it until the process or the time ends, and follow
// processes that become or start other programs. What is read differs by verb.

#ifndef TPCTL_LIVE_MEASURE_MEASUREMENT_H
#define TPCTL_LIVE_MEASURE_MEASUREMENT_H

#include "live/targets/Matches.h"
#include "live/targets/Target.h"

namespace tpctl {

class Budget;
class CalleesOf;

/// The steps of a verb before it attaches to something: reads its options,
/// starts the command if there is one, and connects. The patterns are prepared.
/// `Kinds` are the kinds of sites that the verb attaches to, and `Result` is
/// the file that it will write.
llvm::Error prepareToMeasure(Target &At, Patterns &P, uint32_t Kinds,
                             const CalleesOf &Callees, Budget &Limits,
                             llvm::StringRef Result);

/// A message about calls without an end.
std::string describeLeft(uint64_t Calls);

class Measurement {
public:
  using Clock = Target::Clock;

  Measurement(Target &At, const Patterns &P) : At(At), P(P) {}
  virtual ~Measurement() = default;
  Measurement(const Measurement &) = delete;

  /// Call this before attach(), if selectsSeveral() will be called.
  void askForSeveral() { AsksForSeveral = true; }
  /// Whether more than one function of a process is selected.
  bool selectsSeveral() const { return Several; }
  /// Attaches to all processes of the target.
  llvm::Error attach();
  /// Reads until the verb ends. Calls Show(false) after each interval, and
  /// Show(true) at the end, when the processes have been read, and the names
  /// are known.
  llvm::Error watch(llvm::function_ref<llvm::Error(bool Last)> Show);

  /// The steps of watch(), for a verb that does other things between them.
  /// Reads all processes, for a table or between two tables. If a process has
  /// become another program, or started one, that program is measured as well.
  llvm::Error read(bool ForTable);
  /// When the next reading between two tables is due.
  Clock::time_point due() const { return nextReading(Looked, Took); }
  /// Requests the names that the values read so far need, until the time. There
  /// may be so many that it takes seconds.
  llvm::Error learnAllNames(Clock::time_point Until);
  /// The processes that have ended, without those that became other programs
  /// and are still watched. With --children, they are named together.
  llvm::ArrayRef<std::string> ended() const { return Ended; }
  /// Whether there is nothing more to read.
  bool allEnded() const { return !At.isWatching(); }
  /// The time from the end of attach() until the last reading, in seconds, by
  /// the processes' own clocks.
  double seconds() const { return (latest() - begun()) / 1e9; }
  uint64_t sites() const { return sums().Sites; }
  /// The age of the oldest last reading of a process that ended abruptly.
  std::optional<Clock::duration> age() const;
  /// When the first process's sites were on, and the latest reading.
  double begun() const;
  double latest() const;

protected:
  /// What is known of one process. A process that has ended keeps its last
  /// values.
  struct Process {
    Process(Connection &C, Following On)
        : C(&C), Pid(C.pid()), Name(C.name()), On(std::move(On)),
          Read(Clock::now()) {}
    virtual ~Process() = default;
    Connection *C; ///< nullptr: the process has ended
    pid_t Pid;
    std::string Name;
    Following On;
    uint32_t Group = 0, Sites = 0;
    bool Matched = false;
    std::string Why; ///< the first refusal, or why nothing matches
    uint64_t Missed = 0;
    /// The times when the last site had been turned on, and of the last
    /// reading, by the process's own clock.
    double Begin = 0, Latest = 0;
    Clock::time_point Read; ///< when it was last read
    /// The age of that reading at the process's end, unless the process waited
    /// for the reading.
    std::optional<Clock::duration> Age;
    bool Told = false; ///< at the last reading, that it is about to end
    /// Whether the last reading was of all values, and not only of some that
    /// are needed between two tables.
    bool IsWhole = true;
  };

  /// What is needed in a process before make().
  virtual llvm::Error beforeAttach(Connection &C) {
    return llvm::Error::success();
  }
  /// Describes a process to which nothing is attached yet.
  virtual std::unique_ptr<Process> make(Connection &C) = 0;
  /// enum tprt_control_attach_flags.
  virtual uint32_t attachFlags() const { return 0; }
  /// Before anything is attached, and before the group of a process is.
  virtual llvm::Error checkFirst() { return llvm::Error::success(); }
  virtual llvm::Error attachFirst(Process &Of) {
    return llvm::Error::success();
  }
  /// The process's group is attached; `Of.Group` is its number.
  virtual void attached(Process &Of) {}
  /// The sites are on: while they were turned on, some functions were measured
  /// and others not yet. So rates are computed from this reading on.
  virtual llvm::Error beginWindow(Process &Of) = 0;
  /// Reads the process. Returns whether the process is about to end: then all
  /// values are read, as these are the last ones.
  virtual llvm::Expected<bool> readProcess(Process &Of) = 0;
  /// Whether the current reading is for a table.
  bool isForTable() const { return ForTable; }
  /// Requests names that the values read so far need, until the time.
  virtual llvm::Error learnNames(Process &Of, Clock::time_point Until) = 0;
  /// The process has ended. Its connection is gone.
  virtual void ended(Process &Of) {}
  /// All processes have been read, for example those of the next programs.
  virtual void haveRead() {}
  /// When the next reading is due, if the last one ended at `Looked` and took
  /// `Took`.
  virtual Clock::time_point nextReading(Clock::time_point Looked,
                                        Clock::duration Took) const;

  /// The sums over all processes, for messages.
  struct Sums {
    uint64_t Sites = 0, Missed = 0;
    bool Matched = false;
    std::string Why; ///< of the last program, if there are several
  };
  Sums sums() const;

  Target &At;
  const Patterns &P;
  std::vector<std::unique_ptr<Process>> Processes;

private:
  bool AsksForSeveral = false, Several = false, ForTable = false;
  Clock::time_point Looked; ///< the end of the last reading or table
  Clock::duration Took{0};  ///< the duration of the last reading
  llvm::Error attachTo(Connection &C);
  std::vector<std::string> Ended;
  llvm::Error readOne(Process &Of);
  void beginNext();
};

} // namespace tpctl

#endif
