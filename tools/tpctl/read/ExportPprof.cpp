// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pprof's profile.proto, compressed by gzip: a sample for each path of calls
// of each thread, with its number of calls and its self time. Host, process and
// thread are labels.

#include "CallTree.h"
#include "Export.h"
#include "shared/Output.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <protozero/pbf_builder.hpp>
#include <zlib.h>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

enum class ProfileField : protozero::pbf_tag_type {
  SampleType = 1,
  Sample = 2,
  Mapping = 3,
  Location = 4,
  Function = 5,
  StringTable = 6,
  TimeNanos = 9,
  DurationNanos = 10,
  DefaultSampleType = 14,
};
enum class ValueType : protozero::pbf_tag_type { Type = 1, Unit = 2 };
enum class Sample : protozero::pbf_tag_type {
  LocationId = 1,
  Value = 2,
  Label = 3,
};
enum class Label : protozero::pbf_tag_type { Key = 1, Str = 2, Num = 3 };
enum class Mapping : protozero::pbf_tag_type {
  Id = 1,
  Filename = 5,
  BuildId = 6,
  HasFunctions = 7,
  HasFilenames = 8,
  HasLineNumbers = 9,
};
enum class Location : protozero::pbf_tag_type {
  Id = 1,
  MappingId = 2,
  Line = 4,
};
enum class Line : protozero::pbf_tag_type { FunctionId = 1, Number = 2 };
enum class FunctionField : protozero::pbf_tag_type {
  Id = 1,
  Name = 2,
  SystemName = 3,
  Filename = 4,
  StartLine = 5,
};

template <class T> using Builder = protozero::pbf_builder<T>;

/// Compresses consecutive fields into one gzip stream.
class Gzip {
public:
  Gzip() {
    // 15 bits of window; 16 asks for gzip's header.
    deflateInit2(&Z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                 Z_DEFAULT_STRATEGY);
  }
  ~Gzip() { deflateEnd(&Z); }
  void write(StringRef Bytes, bool Last, raw_ostream &OS) {
    Z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Bytes.data()));
    Z.avail_in = static_cast<uInt>(Bytes.size());
    char Room[65536];
    do {
      Z.next_out = reinterpret_cast<Bytef *>(Room);
      Z.avail_out = sizeof Room;
      deflate(&Z, Last ? Z_FINISH : Z_NO_FLUSH);
      OS.write(Room, sizeof Room - Z.avail_out);
    } while (!Z.avail_out);
  }

private:
  z_stream Z{};
};

/// The numbers of strings, modules and functions continue from one recording to
/// the next.
struct PprofState : ExportState {
  Gzip Packed;
  StringMap<int64_t> Strings;
  uint64_t Functions = 0, Mappings = 0;
};

class ProfileWriter {
public:
  explicit ProfileWriter(ExportJob &Job)
      : Job(Job), S(Job.state<PprofState>()), Base(S.Functions) {}

  void header() {
    field([&](Builder<ProfileField> &P) {
      P.add_string(ProfileField::StringTable, "");
    });
    S.Strings[""] = 0;
    for (auto [Type, Unit] :
         {std::pair("calls", "count"), std::pair("self", "nanoseconds")}) {
      int64_t T = string(Type), U = string(Unit);
      field([&](Builder<ProfileField> &P) {
        Builder<ValueType> V(P, ProfileField::SampleType);
        V.add_int64(ValueType::Type, T);
        V.add_int64(ValueType::Unit, U);
      });
    }
    int64_t Self = string("self");
    field([&](Builder<ProfileField> &P) {
      P.add_int64(ProfileField::DefaultSampleType, Self);
      P.add_int64(ProfileField::TimeNanos,
                  static_cast<int64_t>(Job.R.header().start.realtime));
    });
  }
  void tree(const CallTree &Tree, const ThreadInfo &Of) {
    ArrayRef<CallTree::Node> Nodes = Tree.nodes();
    for (const CallTree::Node &N : drop_begin(Nodes)) {
      if (!N.Calls && !N.Self)
        continue;
      std::vector<uint64_t> Path;
      for (const CallTree::Node *At = &N; At != &Nodes.front();
           At = &Nodes[At->Parent])
        Path.push_back(location(At->Function));
      sample(Path, N, Of);
      ++Job.Written;
    }
  }
  void end() {
    S.Functions = Base + Job.R.tables().functionCount() + 1;
    S.Packed.write("", Job.last(), Job.OS);
  }

private:
  template <class Fill> void field(Fill Content) {
    std::string Bytes;
    Builder<ProfileField> P(Bytes);
    Content(P);
    S.Packed.write(Bytes, /*Last=*/false, Job.OS);
  }
  int64_t string(StringRef Text) {
    auto [At, New] = S.Strings.try_emplace(Text, S.Strings.size());
    if (New)
      field([&](Builder<ProfileField> &P) {
        P.add_string(ProfileField::StringTable, jsonText(Text));
      });
    return At->second;
  }
  /// `HasLines` says that the function of this mapping has a line. With this
  /// flag, pprof does not search for lines itself.
  uint64_t mapping(const Function &F, bool HasLines) {
    if (F.ModulePath.empty())
      return 0;
    auto [At, New] = Modules.try_emplace(F.ModulePath, S.Mappings + 1);
    if (!New)
      return At->second;
    ++S.Mappings;
    const Module *M = find_if(Job.R.tables().modules(), [&](const Module &M) {
      return M.Path == F.ModulePath;
    });
    bool Known = M != Job.R.tables().modules().end();
    int64_t Path = string(F.ModulePath);
    int64_t BuildId = string(Known ? M->BuildId : std::string());
    field([&](Builder<ProfileField> &P) {
      Builder<Mapping> B(P, ProfileField::Mapping);
      B.add_uint64(Mapping::Id, At->second);
      B.add_int64(Mapping::Filename, Path);
      B.add_int64(Mapping::BuildId, BuildId);
      B.add_bool(Mapping::HasFunctions, true);
      if (HasLines) {
        B.add_bool(Mapping::HasFilenames, true);
        B.add_bool(Mapping::HasLineNumbers, true);
      }
    });
    return At->second;
  }
  /// The number of a function's location. The function itself has the same
  /// number.
  uint64_t location(FunctionId Id) {
    static const Function Others{"", 0, "", "(further paths)", 0};
    bool Further = Id == CallTree::Others;
    uint64_t Number =
        Base + 1 + (Further ? Job.R.tables().functionCount() : Id);
    if (!Seen.insert({Number, true}).second)
      return Number;
    const Function &F = Further ? Others : Job.R.tables().function(Id);
    static const SourceFrame None;
    const SourceFrame &Source = Further ? None : Job.lineOf(Id);
    bool HasLine = !Source.File.empty();
    uint64_t M = mapping(F, HasLine);
    int64_t Name = string(F.Name), Linked = string(F.Linked),
            File = string(Source.File);
    field([&](Builder<ProfileField> &P) {
      {
        Builder<FunctionField> B(P, ProfileField::Function);
        B.add_uint64(FunctionField::Id, Number);
        B.add_int64(FunctionField::Name, Name);
        B.add_int64(FunctionField::SystemName, Linked);
        if (HasLine) {
          B.add_int64(FunctionField::Filename, File);
          B.add_int64(FunctionField::StartLine, Source.Line);
        }
      }
      Builder<Location> B(P, ProfileField::Location);
      B.add_uint64(Location::Id, Number);
      if (M)
        B.add_uint64(Location::MappingId, M);
      Builder<Line> L(B, Location::Line);
      L.add_uint64(Line::FunctionId, Number);
      if (HasLine)
        L.add_int64(Line::Number, Source.Line);
    });
    return Number;
  }
  void sample(ArrayRef<uint64_t> Path, const CallTree::Node &N,
              const ThreadInfo &Of) {
    int64_t Keys[] = {string("host"), string("pid"), string("tid"),
                      string("thread")};
    int64_t Host = string(Job.R.header().host), Thread = string(Of.Name);
    auto Self = std::llround(Job.R.clock().durationOf(N.Self));
    int64_t Values[] = {static_cast<int64_t>(N.Calls), Self};
    field([&](Builder<ProfileField> &P) {
      Builder<Sample> B(P, ProfileField::Sample);
      B.add_packed_uint64(Sample::LocationId, Path.begin(), Path.end());
      B.add_packed_int64(Sample::Value, std::begin(Values), std::end(Values));
      text(B, Keys[0], Host);
      number(B, Keys[1], Of.Pid);
      number(B, Keys[2], Of.Tid);
      if (Thread)
        text(B, Keys[3], Thread);
    });
  }
  static void text(Builder<Sample> &To, int64_t Key, int64_t Text) {
    Builder<Label> L(To, Sample::Label);
    L.add_int64(Label::Key, Key);
    L.add_int64(Label::Str, Text);
  }
  static void number(Builder<Sample> &To, int64_t Key, int64_t Number) {
    Builder<Label> L(To, Sample::Label);
    L.add_int64(Label::Key, Key);
    L.add_int64(Label::Num, Number);
  }

  ExportJob &Job;
  PprofState &S;
  const uint64_t Base;
  StringMap<uint64_t> Modules;
  DenseMap<uint64_t, bool> Seen;
};

} // namespace

Expected<Totals> exportPprof(ExportJob &Job) {
  auto Trees = readCallTrees(Job.R, Job.Filter, /*ByThread=*/true,
                             [&](FunctionId F) { return Job.wants(F); });
  if (!Trees)
    return Trees.takeError();
  ProfileWriter W(Job);
  if (Job.first())
    W.header();
  for (size_t I = 0; I != Trees->Trees.size(); ++I)
    W.tree(Trees->Trees[I].cut(ExportJob::MostDepth, Job.R.findings()),
           Trees->Threads[I]);
  W.end();
  return Totals{Trees->Events, Trees->Lost};
}

} // namespace tpctl
