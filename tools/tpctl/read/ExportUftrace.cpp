// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder like that of `uftrace record` in uftrace 0.13: `uftrace replay`,
// `report`, `graph` and `tui` read it with -d. Each module gets invented
// addresses, so that nothing depends on where the module was loaded.

#include "Readable.h"
#include "Slices.h"
#include "shared/Output.h"
#include "shared/Verb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <map>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

constexpr uint64_t ModuleSpan = uint64_t(1) << 32, FunctionSpan = 16;
constexpr unsigned MostDepth = 1023; // ten bits
constexpr const char *Session = "0000000000000001";

struct Header {
  char Magic[8] = "Ftrace!";
  uint32_t Version = 4;
  uint16_t Bytes = 40;
  uint8_t LittleEndian = 1, Class64 = 2;
  // Sessions; addresses relative to the module; a limit of the depth.
  uint64_t Features = 1 << 1 | 1 << 5 | 1 << 6;
  // Program, command line, system, threads.
  uint64_t Infos = 1 << 0 | 1 << 3 | 1 << 6 | 1 << 7;
  uint16_t MaxStack = MostDepth + 1, Unused[3] = {};
};
static_assert(sizeof(Header) == 40);

/// The words of a record.
struct Record {
  enum Type : uint64_t { Entry = 0, Exit = 1 };
  uint64_t Time, Rest;
  Record(Type What, unsigned Depth, uint64_t Address, uint64_t Time)
      : Time(Time),
        Rest(What | uint64_t(5) << 3 | uint64_t(Depth) << 6 | Address << 16) {}
};

struct Symbol {
  uint64_t Address;
  std::string Name;
};

/// The state of all recordings so far.
class Folder : public ExportState {
public:
  ~Folder() override {
    if (!Temporary.empty())
      sys::fs::remove_directories(Temporary);
  }
  Error begin(StringRef Path) {
    SmallString<128> Info(Path);
    sys::path::append(Info, "info");
    if (sys::fs::exists(Path) && !sys::fs::exists(Info))
      return createStringError(
          "'" + Path +
          "' exists and is not a uftrace folder: choose another name");
    std::string Part = (Path + ".part").str();
    sys::fs::remove_directories(Part);
    if (std::error_code Code = sys::fs::create_directory(Part))
      return createStringError("cannot write '" + Path +
                               "': " + Code.message());
    Temporary = Part;
    return Error::success();
  }
  uint64_t addressOf(const Function &F) {
    auto [At, New] = Addresses.try_emplace(
        F.ModulePath + '\0' + (F.Linked.empty() ? F.Name : F.Linked), 0);
    if (!New)
      return At->second;
    std::string Path =
        F.ModulePath.empty() ? "unknown" : printable(F.ModulePath);
    auto [M, NewModule] = Modules.try_emplace(Path);
    if (NewModule)
      M->second.Base = ModuleSpan * Modules.size();
    uint64_t Offset = FunctionSpan * (M->second.Symbols.size() + 1);
    // uftrace demangles.
    M->second.Symbols.push_back(
        {Offset, F.Linked.empty() ? F.Name : printable(F.Linked)});
    return At->second = M->second.Base + Offset;
  }
  std::unique_ptr<raw_fd_ostream> create(const Twine &Name,
                                         bool Append = false) {
    SmallString<128> Path(Temporary);
    sys::path::append(Path, Name);
    std::error_code Code;
    auto OS = std::make_unique<raw_fd_ostream>(
        Path, Code, Append ? sys::fs::OF_Append : sys::fs::OF_None);
    keep(Code);
    return OS;
  }
  void close(std::unique_ptr<raw_fd_ostream> OS) {
    OS->flush();
    keep(OS->error());
    OS->clear_error();
  }
  /// `Begin` is the time when the recording began. uftrace finds the symbols of
  /// an event in the latest session before the event, and threads come in any
  /// order.
  void task(uint64_t Begin, uint64_t Time, int64_t Pid, int64_t Tid,
            const Process *Of) {
    std::string When = timestamp(Time);
    if (Pids.insert({Pid, true}).second)
      Tasks += "SESS timestamp=" + timestamp(Begin) +
               " pid=" + std::to_string(Pid) + " sid=" + Session +
               " exename=\"" + (Of ? Of->Executable : std::string()) + "\"\n";
    Tasks += "TASK timestamp=" + When + " tid=" + std::to_string(Tid) +
             " pid=" + std::to_string(Pid) + "\n";
    Tids.push_back(std::to_string(Tid));
  }
  Error finish(StringRef Path, Recording &R) {
    writeInfo(R);
    writeModules();
    auto Task = create("task.txt");
    *Task << Tasks;
    close(std::move(Task));
    close(create("default.opts"));
    if (!Failure) {
      sys::fs::remove_directories(Path);
      keep(sys::fs::rename(Temporary, Path));
    }
    if (Failure)
      return createStringError("cannot write '" + Path +
                               "': " + Failure.message());
    Temporary.clear();
    return Error::success();
  }
  uint64_t TooDeep = 0;

private:
  struct ModuleFile {
    uint64_t Base = 0;
    std::vector<Symbol> Symbols;
  };
  static std::string timestamp(uint64_t Time) {
    std::string Text;
    raw_string_ostream(Text)
        << format("%llu.%09llu", Time / 1'000'000'000, Time % 1'000'000'000);
    return Text;
  }
  void keep(std::error_code Code) {
    if (!Failure)
      Failure = Code;
  }
  void writeInfo(Recording &R) {
    const Process *P =
        R.tables().processes().empty() ? nullptr : &R.tables().processes()[0];
    auto Info = create("info");
    Header H;
    Info->write(reinterpret_cast<const char *>(&H), sizeof H);
    *Info << "exename:" << (P ? P->Executable : "") << '\n'
          << "cmdline:" << (P ? P->CommandLine : "") << '\n'
          << "osinfo:lines=3\nosinfo:kernel=?\nosinfo:hostname="
          << R.header().host << "\nosinfo:distro=\"?\"\n"
          << "taskinfo:lines=2\ntaskinfo:nr_tid=" << Tids.size()
          << "\ntaskinfo:tids=" << join(Tids, ",") << '\n';
    close(std::move(Info));
  }
  void writeModules() {
    auto Map = create(Twine("sid-") + Session + ".map");
    std::map<std::string, unsigned> Names;
    for (const auto &[Path, M] : Modules) {
      // uftrace finds symbols only by the file's name.
      unsigned Before = Names[sys::path::filename(Path).str()]++;
      std::string Unique = Path + (Before ? "-" + std::to_string(Before) : "");
      uint64_t Size = FunctionSpan * (M.Symbols.size() + 2);
      Size = (Size + 4095) / 4096 * 4096;
      *Map << format("%012llx-%012llx r-xp 00000000 00:00 0  ", M.Base,
                     M.Base + Size)
           << Unique << '\n';
      auto Symbols = create(sys::path::filename(Unique) + ".sym");
      *Symbols << "# symbols: " << M.Symbols.size() + 1
               << "\n# path name: " << Unique << '\n';
      for (const Symbol &S : M.Symbols)
        *Symbols << format("%016llx T ", S.Address) << S.Name << '\n';
      *Symbols << format("%016llx ? __sym_end\n",
                         FunctionSpan * (M.Symbols.size() + 1));
      close(std::move(Symbols));
    }
    *Map << "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0  [stack]\n";
    close(std::move(Map));
  }

  std::string Temporary, Tasks;
  std::error_code Failure;
  std::map<std::string, uint64_t> Addresses;
  std::map<std::string, ModuleFile> Modules;
  DenseMap<int64_t, bool> Pids;
  std::vector<std::string> Tids;
};

/// Writes the records of one thread.
class TaskFile {
public:
  TaskFile(ExportJob &Job, ThreadInfo &Info)
      : Job(Job), To(Job.state<Folder>()) {
    int64_t Pid = Job.apart(Info.Pid), Tid = Job.apart(Info.Tid);
    To.task(time(Job.R.header().start.counter), time(Info.FirstTime), Pid, Tid,
            Job.R.tables().process(Info.Process));
    Name = std::to_string(Tid) + ".dat";
    To.close(To.create(Name));
  }
  TaskFile(TaskFile &&) = default;
  ~TaskFile() { flush(); }
  static constexpr bool TakesLateCalls = false;
  void begin(FunctionId F, uint64_t Time, const Computed *) {
    ++Job.Written;
    if (Depth++ > MostDepth)
      ++To.TooDeep;
    else
      write(Record::Entry, Depth - 1, F, Time);
  }
  void end(FunctionId F, uint64_t Time) {
    if (--Depth <= MostDepth)
      write(Record::Exit, Depth, F, Time);
  }
  void instant(FunctionId F, uint64_t Time, const Computed *) {
    begin(F, Time, nullptr);
    end(F, Time);
  }
  void extension(uint64_t, ArrayRef<uint64_t>, uint64_t) {}

private:
  /// uftrace treats 0 as a missing time.
  uint64_t time(uint64_t Counter) const {
    return static_cast<uint64_t>(
        std::max(1.0, std::round(Job.timeOf(Counter)) + 1e9));
  }
  void write(Record::Type What, unsigned At, FunctionId F, uint64_t Time) {
    if (F >= Addresses.size())
      Addresses.resize(Job.R.tables().functionCount());
    if (!Addresses[F])
      Addresses[F] = To.addressOf(Job.R.tables().function(F));
    Record R(What, At, Addresses[F], time(Time));
    Bytes.append(reinterpret_cast<const char *>(&R), sizeof R);
    if (Bytes.size() >= 65536)
      flush();
  }
  /// No file stays open, as there may be thousands of threads.
  void flush() {
    if (Bytes.empty())
      return;
    auto OS = To.create(Name, /*Append=*/true);
    *OS << Bytes;
    To.close(std::move(OS));
    Bytes.clear();
  }
  ExportJob &Job;
  Folder &To;
  std::string Name, Bytes;
  std::vector<uint64_t> Addresses;
  unsigned Depth = 0;
};

} // namespace

Expected<Totals> exportUftrace(ExportJob &Job) {
  auto &To = Job.state<Folder>();
  if (Job.first())
    if (Error E = To.begin(Job.Path))
      return E;
  auto Sum =
      readThreads<Slices<TaskFile>>(Job.R, Job.Filter, [&](ThreadInfo &T) {
        return Slices<TaskFile>(Job, TaskFile(Job, T));
      });
  if (!Sum)
    return Sum.takeError();
  if (To.TooDeep)
    note(countText(To.TooDeep, "call is", "calls are") + " deeper than the " +
         Twine(MostDepth + 1) + " levels that uftrace knows, and left out");
  To.TooDeep = 0;
  if (Job.last())
    if (Error E = To.finish(Job.Path, Job.R))
      return E;
  return Sum;
}

} // namespace tpctl
