// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Perfetto's protobuf: a track for each process and thread, and a slice for
// each call. Names and source lines are interned. The fields are those of
// perfetto's trace_packet.proto and track_event.proto.

#include "Slices.h"
#include "shared/Output.h"
#include <cmath>
#include <protozero/pbf_builder.hpp>
#include <unordered_set>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

enum class Trace : protozero::pbf_tag_type { Packet = 1 };
enum class Packet : protozero::pbf_tag_type {
  Timestamp = 8,
  SequenceId = 10,
  TrackEvent = 11,
  InternedData = 12,
  SequenceFlags = 13,
  ClockId = 58,
  TrackDescriptor = 60,
};
enum class Event : protozero::pbf_tag_type {
  DebugAnnotations = 4,
  Type = 9,
  NameIid = 10,
  TrackUuid = 11,
  SourceLocationIid = 34,
};
enum class Annotation : protozero::pbf_tag_type {
  BoolValue = 2,
  UintValue = 3,
  IntValue = 4,
  StringValue = 6,
  Name = 10,
};
enum class Descriptor : protozero::pbf_tag_type {
  Uuid = 1,
  Name = 2,
  Process = 3,
  Thread = 4,
  ParentUuid = 5,
};
enum class ProcessField : protozero::pbf_tag_type { Pid = 1, Name = 6 };
enum class ThreadField : protozero::pbf_tag_type { Pid = 1, Tid = 2, Name = 5 };
enum class Interned : protozero::pbf_tag_type {
  EventNames = 2,
  SourceLocations = 4,
};
enum class SourceLocation : protozero::pbf_tag_type {
  Iid = 1,
  FileName = 2,
  LineNumber = 4,
};
enum class EventName : protozero::pbf_tag_type { Iid = 1, Name = 2 };

constexpr uint32_t StateCleared = 1, NeedsState = 2;
constexpr int Begin = 1, End = 2, Instant = 3;

template <class T> using Builder = protozero::pbf_builder<T>;

class Packets {
public:
  explicit Packets(ExportJob &Job) : Job(Job) {}

  template <class Fill> void packet(Fill Content) {
    std::string Bytes;
    {
      Builder<Trace> File(Bytes);
      Builder<Packet> P(File, Trace::Packet);
      // Names are interned separately for each recording.
      P.add_uint32(Packet::SequenceId, static_cast<uint32_t>(Job.Index + 1));
      // The first packet clears the state. The other packets refer to interned
      // names.
      P.add_uint32(Packet::SequenceFlags,
                   First ? StateCleared | NeedsState : NeedsState);
      Content(P);
    }
    First = false;
    Job.OS << Bytes;
  }
  /// `Process` names the code in the values of `Of`.
  void event(int Type, FunctionId F, uint64_t Track, uint64_t Time,
             const Computed *Of = nullptr, uint32_t Process = 0) {
    packet([&](Builder<Packet> &P) {
      double Nanoseconds = Job.timeOf(Time);
      P.add_uint64(Packet::Timestamp,
                   Nanoseconds < 0 ? 0 : std::llround(Nanoseconds));
      if (Type != End && Names.insert({F, true}).second)
        intern(P, F);
      Builder<Event> E(P, Packet::TrackEvent);
      E.add_enum(Event::Type, Type);
      E.add_uint64(Event::TrackUuid, Track);
      if (Type != End)
        E.add_uint64(Event::NameIid, uint64_t(F) + 1);
      if (Type != End && !Job.lineOf(F).File.empty())
        E.add_uint64(Event::SourceLocationIid, uint64_t(F) + 1);
      if (Of)
        annotate(E, F, Process, *Of);
    });
    Job.Written += Type != End;
  }
  void thread(const ThreadInfo &Info, uint64_t Track) {
    if (Processes.insert(Info.Process).second)
      process(Info);
    packet([&](Builder<Packet> &P) {
      Builder<Descriptor> D(P, Packet::TrackDescriptor);
      D.add_uint64(Descriptor::Uuid, Track);
      D.add_uint64(Descriptor::ParentUuid, processTrack(Info));
      Builder<ThreadField> T(D, Descriptor::Thread);
      T.add_int32(ThreadField::Pid, pid(Info.Pid));
      T.add_int32(ThreadField::Tid, pid(Info.Tid));
      if (!Info.Name.empty())
        T.add_string(ThreadField::Name, jsonText(Info.Name));
    });
  }

private:
  void annotate(Builder<Event> &E, FunctionId F, uint32_t Process,
                const Computed &Of) {
    visitComputed(
        Job.R.tables(), Of.Forms, Of.Words, Job.namerOf(Process, F),
        [&](const ComputedValue &Is, const tpctl::Value &V) {
          Builder<Annotation> A(E, Event::DebugAnnotations);
          A.add_string(Annotation::Name, jsonText(Is.Name));
          if (V.Form == TPRT_TRACE_FORM_NONE)
            A.add_string(Annotation::StringValue, "?");
          else if (V.Form == TPRT_TRACE_FORM_STACK)
            A.add_string(Annotation::StringValue,
                         jsonText(foldedStack(V.FrameNames)));
          else if (V.Form == TPRT_TRACE_FORM_STRING)
            A.add_string(Annotation::StringValue,
                         jsonText(V.Text + (V.Cut ? "..." : "")));
          else if (!V.Name.empty())
            A.add_string(Annotation::StringValue, jsonText(V.Name));
          else if (isSignedKind(Is.Kind))
            A.add_int64(Annotation::IntValue, static_cast<int64_t>(V.Word));
          else if (isUnsignedKind(Is.Kind))
            A.add_uint64(Annotation::UintValue, V.Word);
          else if (Is.Kind == TPRT_TRACE_VALUE_BOOL)
            A.add_bool(Annotation::BoolValue, V.Word != 0);
          else
            A.add_string(Annotation::StringValue, textOf(Is.Kind, V.Word));
        });
  }
  void intern(Builder<Packet> &P, FunctionId F) {
    Builder<Interned> I(P, Packet::InternedData);
    {
      Builder<EventName> N(I, Interned::EventNames);
      N.add_uint64(EventName::Iid, uint64_t(F) + 1);
      N.add_string(EventName::Name, jsonText(Job.R.tables().function(F).Name));
    }
    const SourceFrame &Line = Job.lineOf(F);
    if (Line.File.empty())
      return;
    Builder<SourceLocation> S(I, Interned::SourceLocations);
    S.add_uint64(SourceLocation::Iid, uint64_t(F) + 1);
    S.add_string(SourceLocation::FileName, jsonText(Line.File));
    if (Line.Line)
      S.add_uint32(SourceLocation::LineNumber, Line.Line);
  }
  int32_t pid(uint32_t Id) const { return static_cast<int32_t>(Job.apart(Id)); }
  uint64_t processTrack(const ThreadInfo &Info) const {
    return (uint64_t(1) << 63 | Info.Process) ^ uint64_t(Job.Index) << 48;
  }
  void process(const ThreadInfo &Info) {
    std::string Name = Job.processName(Info.Process, Info.Pid);
    packet([&](Builder<Packet> &P) {
      Builder<Descriptor> D(P, Packet::TrackDescriptor);
      D.add_uint64(Descriptor::Uuid, processTrack(Info));
      Builder<ProcessField> F(D, Descriptor::Process);
      F.add_int32(ProcessField::Pid, pid(Info.Pid));
      if (!Name.empty())
        F.add_string(ProcessField::Name, jsonText(Name));
    });
  }

  ExportJob &Job;
  bool First = true;
  DenseMap<uint32_t, bool> Names;
  std::unordered_set<uint32_t> Processes;
};

/// Writes the events of one thread.
class ThreadTrack {
public:
  ThreadTrack(ExportJob &Job, Packets &To, ThreadInfo &Info)
      : To(To), Info(Info), Track((uint64_t(Info.Process) << 32 | Info.Thread) ^
                                  uint64_t(Job.Index) << 48) {
    To.thread(Info, Track);
  }
  /// Readers sort the packets.
  static constexpr bool TakesLateCalls = true;
  void begin(FunctionId F, uint64_t Time, const Computed *Of) {
    To.event(Begin, F, Track, Time, Of, Info.Process);
  }
  void end(FunctionId F, uint64_t Time) { To.event(End, F, Track, Time); }
  void instant(FunctionId F, uint64_t Time, const Computed *Of) {
    To.event(Instant, F, Track, Time, Of, Info.Process);
  }
  void extension(uint64_t Word, ArrayRef<uint64_t> More, uint64_t) {
    if (!isExtension(Word, TPRT_TRACE_THREAD_NAME))
      return;
    Info.Name = tp::trace::textOf(More);
    To.thread(Info, Track);
  }

private:
  Packets &To;
  ThreadInfo &Info;
  uint64_t Track;
};

} // namespace

Expected<Totals> exportPerfetto(ExportJob &Job) {
  Packets To(Job);
  return readThreads<Slices<ThreadTrack>>(
      Job.R, Job.Filter, [&](ThreadInfo &T) {
        return Slices<ThreadTrack>(Job, ThreadTrack(Job, To, T));
      });
}

} // namespace tpctl
