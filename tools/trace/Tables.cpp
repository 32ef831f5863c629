// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Tables.h. Every size and offset in a record is checked before it is used.

#include "Tables.h"

#include "Readable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cstring>

using namespace llvm;

namespace tp::trace {
namespace {

/// How many sites without a row get a separate function. Further sites without
/// a row share one function.
constexpr uint32_t MostUnknown = 65536;
constexpr uint32_t NarrowSites = uint32_t(1) << TPRT_TRACE_SITE_BITS;

template <class T> bool take(ArrayRef<uint8_t> Bytes, T &To) {
  if (Bytes.size() < sizeof To)
    return false;
  memcpy(&To, Bytes.data(), sizeof To);
  return true;
}

/// The string at an offset; empty if the offset is outside or the string has no
/// end.
StringRef stringAt(ArrayRef<uint8_t> Strings, uint64_t Offset) {
  if (Offset >= Strings.size())
    return {};
  const char *Start = reinterpret_cast<const char *>(Strings.data()) + Offset;
  size_t Room = Strings.size() - Offset, Length = strnlen(Start, Room);
  return Length == Room ? StringRef() : StringRef(Start, Length);
}

} // namespace

void Tables::read(const Block &B, Clock &Time) {
  ArrayRef<uint8_t> Rest = B.Content;
  while (!Rest.empty()) {
    tprt_trace_record R;
    if (!take(Rest, R) || R.bytes < sizeof R || R.bytes > Rest.size() ||
        R.bytes % sizeof(uint64_t)) {
      Found.add(Finding::RecordBad);
      return;
    }
    if (!readRecord(R.type, Rest.take_front(R.bytes), Time))
      Found.add(Finding::RecordBad);
    Rest = Rest.drop_front(R.bytes);
  }
}

bool Tables::readRecord(uint16_t Type, ArrayRef<uint8_t> Bytes, Clock &Time) {
  switch (Type) {
  case TPRT_TRACE_RECORD_PROCESS:
    return readProcess(Bytes);
  case TPRT_TRACE_RECORD_MODULE:
    return readModule(Bytes);
  case TPRT_TRACE_RECORD_SITES:
    return readSites(Bytes);
  case TPRT_TRACE_RECORD_POINTS:
    return readPoints(Bytes);
  case TPRT_TRACE_RECORD_VALUES:
    return readValues(Bytes);
  case TPRT_TRACE_RECORD_UNLOADED:
    return readUnloaded(Bytes);
  case TPRT_TRACE_RECORD_PROCESS_END:
    return readEnd(Bytes);
  case TPRT_TRACE_RECORD_CLOCK: {
    tprt_trace_clock_record R;
    if (take(Bytes, R))
      Time.add(R.moment);
    return Bytes.size() >= sizeof R;
  }
  case TPRT_TRACE_RECORD_NOTE:
    Notes.push_back(printable(stringAt(Bytes, sizeof(tprt_trace_record))));
    return true;
  default:
    Found.add(Finding::RecordUnknown);
    return true;
  }
}

bool Tables::readProcess(ArrayRef<uint8_t> Bytes) {
  tprt_trace_process R;
  if (!take(Bytes, R))
    return false;
  StringRef Executable = stringAt(Bytes, sizeof R);
  StringRef Command = stringAt(Bytes, sizeof R + Executable.size() + 1);
  ProcessAt[R.process] = Processes.size();
  Processes.push_back({R.process, R.pid, R.parent_pid, R.origin, R.counter,
                       printable(Executable), printable(Command), 0, false});
  return true;
}

bool Tables::readEnd(ArrayRef<uint8_t> Bytes) {
  tprt_trace_process_end R;
  if (!take(Bytes, R))
    return false;
  if (auto At = ProcessAt.find(R.process); At != ProcessAt.end()) {
    Processes[At->second].EndReason = R.reason;
    Processes[At->second].Ended = true;
  }
  return true;
}

bool Tables::readModule(ArrayRef<uint8_t> Bytes) {
  tprt_trace_module R;
  if (!take(Bytes, R) || R.build_id_bytes > sizeof R.build_id)
    return false;
  ModuleAt[R.module] = Modules.size();
  Modules.push_back(
      {R.module, R.process, R.counter, R.base, R.bytes, 0,
       stringAt(Bytes, sizeof R).str(),
       toHex(ArrayRef(R.build_id, R.build_id_bytes), /*LowerCase=*/true)});
  return true;
}

bool Tables::readUnloaded(ArrayRef<uint8_t> Bytes) {
  tprt_trace_unloaded R;
  if (!take(Bytes, R))
    return false;
  if (auto At = ModuleAt.find(R.module); At != ModuleAt.end())
    Modules[At->second].Unloaded = R.counter;
  return true;
}

bool Tables::readSites(ArrayRef<uint8_t> Bytes) {
  tprt_trace_sites R;
  if (!take(Bytes, R))
    return false;
  uint64_t RowBytes = uint64_t(R.rows) * sizeof(tprt_trace_site);
  if (RowBytes + R.string_bytes > Bytes.size() - sizeof R)
    return false;
  ArrayRef<uint8_t> Rows = Bytes.slice(sizeof R, RowBytes);
  ArrayRef<uint8_t> Strings = Bytes.slice(sizeof R + RowBytes, R.string_bytes);
  auto At = ModuleAt.find(R.module);
  Module Unknown;
  Unknown.Path = "?";
  const Module &M = At == ModuleAt.end() ? Unknown : Modules[At->second];
  FunctionId Last = NoFunction;
  tprt_trace_site Before{};
  for (uint32_t I = 0; I != R.rows; ++I) {
    tprt_trace_site Row;
    take(Rows.drop_front(I * sizeof Row), Row);
    if (Row.kind == TPRT_TRACE_SITE_POINT) {
      PointSites[uint64_t(R.first) + I] = {R.module, R.base + Row.sled};
      StringRef Name = stringAt(Strings, Row.name);
      if (!Name.empty() && uint64_t(R.first) + I <= UINT32_MAX)
        setSite(R.first + I, addPoint(M, R.base + Row.sled, Name), Row.kind);
      continue;
    }
    if (Row.kind == TPRT_TRACE_SITE_INSTRUCTION) {
      FunctionId F =
          addInstruction(M, R.base, Row, stringAt(Strings, Row.name));
      if (uint64_t(R.first) + I <= UINT32_MAX)
        setSite(R.first + I, F, Row.kind);
      continue;
    }
    if (Last == NoFunction || Row.function != Before.function ||
        Row.name != Before.name)
      Last = addFunction(M, R.base + Row.function, stringAt(Strings, Row.name));
    Before = Row;
    Extent &E = Extents.back();
    E.LastSled = std::max(E.LastSled, M.Base + R.base + Row.sled);
    if (uint64_t(R.first) + I <= UINT32_MAX)
      setSite(R.first + I, Last, Row.kind);
  }
  Described = Functions.size();
  return true;
}

/// An instruction is shown like a function, by its function's name and its
/// offset in the function.
FunctionId Tables::addInstruction(const Module &M, uint64_t Base,
                                  const tprt_trace_site &Row,
                                  StringRef Linked) {
  FunctionId F = intern(M, Base + Row.sled, "");
  Functions[F].IsPlace = true;
  bool InFront = Row.sled < Row.function;
  uint32_t Distance =
      InFront ? Row.function - Row.sled : Row.sled - Row.function;
  if (!Linked.empty())
    Functions[F].Name = (Twine(readableName(Linked)) +
                         (InFront ? "-0x" : "+0x") + Twine::utohexstr(Distance))
                            .str();
  return F;
}

/// A point is shown like a function, by its name. All statements of one name in
/// a module are one.
FunctionId Tables::addPoint(const Module &M, uint64_t Address, StringRef Name) {
  constexpr StringRef Zero("\0", 1);
  std::string Key =
      (Twine(M.Path) + Zero + M.BuildId + Zero + "point:" + Name).str();
  auto [At, New] = Known.try_emplace(Key, Functions.size());
  if (New)
    Functions.push_back(
        {M.Path, Address, "", printable(Name), M.Number, /*IsPlace=*/true});
  return At->second;
}

FunctionId Tables::addFunction(const Module &M, uint64_t Address,
                               StringRef Linked) {
  FunctionId F = intern(M, Address, Linked);
  Extents.push_back({M.Base + Address, M.Base + Address, F});
  return F;
}

SmallVector<FunctionId, 1> Tables::functionsAt(uint64_t Address) {
  std::call_once(ExtentsSorted, [this] {
    sort(Extents, [](const Extent &A, const Extent &B) {
      return std::tie(A.Begin, A.Function) < std::tie(B.Begin, B.Function);
    });
  });
  constexpr uint64_t Inside = uint64_t(1) << TPRT_TRACE_INSIDE_BIT;
  uint64_t At = Address & ~Inside;
  auto End = upper_bound(
      Extents, At, [](uint64_t At, const Extent &E) { return At < E.Begin; });
  SmallVector<FunctionId, 1> Result;
  for (auto I = End;
       I != Extents.begin() && (I - 1)->Begin == (End - 1)->Begin;)
    if (--I; Address & Inside ? At <= I->LastSled : At == I->Begin)
      Result.push_back(I->Function);
  return Result;
}

void Tables::setSite(uint32_t Site, FunctionId F, uint32_t Kind) {
  if (Kind == TPRT_TRACE_SITE_TAIL_EXIT)
    TailExits[Site] = true;
  if (Site >= NarrowSites) {
    WideSites[Site] = F;
    return;
  }
  if (Site >= SiteFunctions.size())
    SiteFunctions.resize(std::max<size_t>(Site + 1, SiteFunctions.size() * 2),
                         NoFunction);
  SiteFunctions[Site] = F;
}

bool Tables::readPoints(ArrayRef<uint8_t> Bytes) {
  tprt_trace_points R;
  if (!take(Bytes, R))
    return false;
  uint64_t RowBytes = uint64_t(R.rows) * sizeof(tprt_trace_point);
  if (RowBytes + R.string_bytes > Bytes.size() - sizeof R)
    return false;
  ArrayRef<uint8_t> Rows = Bytes.slice(sizeof R, RowBytes);
  ArrayRef<uint8_t> Strings = Bytes.slice(sizeof R + RowBytes, R.string_bytes);
  auto text = [&](uint32_t Offset) { return stringAt(Strings, Offset).str(); };
  for (uint32_t I = 0; I != R.rows; ++I) {
    tprt_trace_point Row;
    take(Rows.drop_front(I * sizeof Row), Row);
    Points[uint64_t(R.first) + I] = {text(Row.name),     text(Row.format),
                                     text(Row.forms),    text(Row.file),
                                     text(Row.function), Row.line};
  }
  return true;
}

/// The names of values, as in `-1=Error 0=Ok`. What is no such pair is left
/// out.
static std::map<uint64_t, std::string> namesOfValues(StringRef Text) {
  std::map<uint64_t, std::string> Names;
  SmallVector<StringRef> Pairs;
  Text.split(Pairs, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Pair : Pairs) {
    auto [Value, Name] = Pair.split('=');
    int64_t Signed = 0;
    uint64_t Word = 0;
    const bool IsNumber = Value.starts_with("-")
                              ? !Value.getAsInteger(10, Signed)
                              : !Value.getAsInteger(10, Word);
    if (IsNumber && !Name.empty())
      Names.try_emplace(Signed ? static_cast<uint64_t>(Signed) : Word,
                        printable(Name));
  }
  return Names;
}

bool Tables::readValues(ArrayRef<uint8_t> Bytes) {
  tprt_trace_values R;
  if (!take(Bytes, R))
    return false;
  uint64_t RowBytes = uint64_t(R.rows) * sizeof(tprt_trace_value);
  if (RowBytes + R.string_bytes > Bytes.size() - sizeof R)
    return false;
  ArrayRef<uint8_t> Rows = Bytes.slice(sizeof R, RowBytes);
  ArrayRef<uint8_t> Strings = Bytes.slice(sizeof R + RowBytes, R.string_bytes);
  std::vector<ComputedValue> &List = Values[R.number];
  List.clear();
  for (uint32_t I = 0; I != R.rows; ++I) {
    tprt_trace_value Row;
    take(Rows.drop_front(I * sizeof Row), Row);
    StringRef Name = stringAt(Strings, Row.name);
    List.push_back({printable(Name), Row.kind});
    if (Row.kind == TPRT_TRACE_VALUE_NAMED_SIGNED ||
        Row.kind == TPRT_TRACE_VALUE_NAMED_UNSIGNED)
      List.back().Names = namesOfValues(
          stringAt(Strings, uint64_t(Row.name) + Name.size() + 1));
  }
  return true;
}

FunctionId Tables::intern(const Module &M, uint64_t Address, StringRef Linked) {
  constexpr StringRef Zero("\0", 1);
  std::string Key =
      (Twine(M.Path) + Zero + M.BuildId + Zero + Twine::utohexstr(Address))
          .str();
  auto [At, New] = Known.try_emplace(Key, Functions.size());
  if (New) {
    std::string Name = (printable(sys::path::filename(M.Path)) + "+0x" +
                        Twine::utohexstr(Address))
                           .str();
    Functions.push_back({M.Path, Address, "", std::move(Name), M.Number});
  }
  if (Functions[At->second].Linked.empty() && !Linked.empty())
    setLinked(At->second, Linked);
  return At->second;
}

void Tables::setLinked(FunctionId Id, StringRef Linked) {
  Functions[Id].Linked = Linked.str();
  Functions[Id].Name = readableName(Linked);
}

FunctionId Tables::unusualSite(uint32_t Site) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (auto At = WideSites.find(Site); At != WideSites.end())
    return At->second;
  Found.add(Finding::SitesUnknown);
  bool Own = Functions.size() < Described + MostUnknown;
  std::string Name = Own ? ("site " + Twine(Site)).str() : "other sites";
  auto [At, New] = Known.try_emplace(Name, Functions.size());
  if (New)
    Functions.push_back({"", Site, "", Name, 0});
  return At->second;
}

const Function &Tables::function(FunctionId Id) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Functions[Id];
}

size_t Tables::functionCount() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Functions.size();
}

const Process *Tables::process(uint32_t Number) const {
  auto At = ProcessAt.find(Number);
  return At == ProcessAt.end() ? nullptr : &Processes[At->second];
}

const Module *Tables::module(uint32_t Number) const {
  auto At = ModuleAt.find(Number);
  return At == ModuleAt.end() ? nullptr : &Modules[At->second];
}

const Point *Tables::point(uint32_t Number) const {
  auto At = Points.find(Number);
  return At == Points.end() ? nullptr : &At->second;
}

ArrayRef<ComputedValue> Tables::values(uint64_t Number) const {
  auto At = Values.find(Number);
  if (At == Values.end())
    return {};
  return At->second;
}

const CodePlace *Tables::pointSite(uint32_t Site) const {
  auto At = PointSites.find(Site);
  return At == PointSites.end() ? nullptr : &At->second;
}

} // namespace tp::trace
