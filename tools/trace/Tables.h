// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The content of a recording's records: processes, modules, the functions of
// sites, and points. One thread fills the tables from one or more files;
// afterwards any thread may read them.

#ifndef TP_TRACE_TABLES_H
#define TP_TRACE_TABLES_H

#include "BlockFile.h"
#include "Clock.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tp::trace {

struct Process {
  uint32_t Number = 0, Pid = 0, ParentPid = 0, Origin = 0;
  uint64_t Counter = 0;
  std::string Executable, CommandLine; ///< printable
  uint32_t EndReason = 0;
  bool Ended = false;
};

struct Module {
  uint32_t Number = 0, Process = 0;
  uint64_t Counter = 0, Base = 0, Bytes = 0;
  uint64_t Unloaded = 0; ///< the counter, or 0
  std::string Path, BuildId;
};

/// A function of a module. If a module is loaded again, or in another process,
/// its functions keep their Function, unless the build-id differs.
struct Function {
  std::string ModulePath; ///< empty: not known
  uint64_t Address = 0;   ///< in the module's file
  std::string Linked;     ///< empty: no name
  std::string Name;       ///< readable, or made of what is known
  uint32_t Module = 0;    ///< number of its first load; 0 if not known
  bool IsPlace = false;   ///< a single instruction or a point, without an end
};

struct Point {
  std::string Name, Format, Forms, File, Function;
  uint32_t Line = 0;
};

/// A value that programs have computed at calls.
struct ComputedValue {
  std::string Name;  ///< the expression; printable
  uint32_t Kind = 0; ///< enum tprt_trace_value_kind
  /// The names of values, of TPRT_TRACE_VALUE_NAMED_SIGNED and _UNSIGNED.
  std::map<uint64_t, std::string> Names = {};
};

/// A place in the code of a module.
struct CodePlace {
  uint32_t Module;  ///< number of the load
  uint64_t Address; ///< in the module's file
};

/// A function's number: the index for Tables::function.
using FunctionId = uint32_t;
constexpr FunctionId NoFunction = UINT32_MAX;

class Tables {
public:
  explicit Tables(Findings &Found) : Found(Found) {}
  Tables(const Tables &) = delete;
  Tables &operator=(const Tables &) = delete;

  /// Reads one block of records, and adds its moments to the clock.
  void read(const Block &B, Clock &Time);

  /// The function of a site. Thread-safe.
  FunctionId functionOf(uint32_t Site) {
    if (Site < SiteFunctions.size() && SiteFunctions[Site] != NoFunction)
      return SiteFunctions[Site];
    return unusualSite(Site);
  }
  /// The same for sites that are not in siteFunctions().
  FunctionId unusualSite(uint32_t Site);
  bool isTailExit(uint32_t Site) const { return TailExits.count(Site); }
  /// The functions to which an address of TPRT_TRACE_UNWOUND may belong: one
  /// for each module that was loaded at that address. Thread-safe.
  llvm::SmallVector<FunctionId, 1> functionsAt(uint64_t Address);
  /// Functions are never removed, and their addresses do not change.
  /// Thread-safe.
  const Function &function(FunctionId Id) const;
  size_t functionCount() const;
  /// The number of functions that the records name.
  size_t describedCount() const { return Described; }

  /// Sets a linked name that does not come from the recording. Not thread-safe.
  void setLinked(FunctionId Id, llvm::StringRef Linked);

  const Process *process(uint32_t Number) const;
  const Module *module(uint32_t Number) const;
  const Point *point(uint32_t Number) const;
  /// The values of COMPUTED words with this number; empty if not known.
  llvm::ArrayRef<ComputedValue> values(uint64_t Number) const;
  /// The source location of a point's statement.
  const CodePlace *pointSite(uint32_t Site) const;
  llvm::ArrayRef<Process> processes() const { return Processes; }
  llvm::ArrayRef<Module> modules() const { return Modules; }
  llvm::ArrayRef<std::string> notes() const { return Notes; }
  /// By the site's number; NoFunction if the site has no row.
  llvm::ArrayRef<FunctionId> siteFunctions() const { return SiteFunctions; }

private:
  bool readRecord(uint16_t Type, llvm::ArrayRef<uint8_t> Bytes, Clock &Time);
  bool readProcess(llvm::ArrayRef<uint8_t> Bytes);
  bool readModule(llvm::ArrayRef<uint8_t> Bytes);
  bool readSites(llvm::ArrayRef<uint8_t> Bytes);
  bool readPoints(llvm::ArrayRef<uint8_t> Bytes);
  bool readValues(llvm::ArrayRef<uint8_t> Bytes);
  bool readEnd(llvm::ArrayRef<uint8_t> Bytes);
  bool readUnloaded(llvm::ArrayRef<uint8_t> Bytes);
  FunctionId intern(const Module &M, uint64_t Address, llvm::StringRef Linked);
  FunctionId addFunction(const Module &M, uint64_t Address,
                         llvm::StringRef Linked);
  FunctionId addInstruction(const Module &M, uint64_t Base,
                            const tprt_trace_site &Row, llvm::StringRef Linked);
  FunctionId addPoint(const Module &M, uint64_t Address, llvm::StringRef Name);
  void setSite(uint32_t Site, FunctionId F, uint32_t Kind);

  Findings &Found;
  std::vector<Process> Processes;
  std::vector<Module> Modules;
  // A DenseMap reserves the two largest numbers for its own marks.
  std::unordered_map<uint32_t, size_t> ModuleAt, ProcessAt;
  llvm::DenseMap<uint64_t, Point> Points;
  std::unordered_map<uint64_t, std::vector<ComputedValue>> Values;
  llvm::DenseMap<uint64_t, CodePlace> PointSites;
  std::vector<std::string> Notes;
  size_t Described = 0;

  std::vector<FunctionId> SiteFunctions; ///< of numbers below 2^22
  llvm::DenseMap<uint64_t, FunctionId> WideSites;
  llvm::DenseMap<uint64_t, bool> TailExits;

  /// The addresses of a function in memory, from its beginning to its last
  /// sled.
  struct Extent {
    uint64_t Begin, LastSled;
    FunctionId Function;
  };
  std::vector<Extent> Extents; ///< sorted at the first question
  std::once_flag ExtentsSorted;

  mutable std::mutex Mutex; ///< for what workers may add
  std::deque<Function> Functions;
  llvm::StringMap<FunctionId> Known;
};

} // namespace tp::trace

#endif
