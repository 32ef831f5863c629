// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Readings.h.

#include "Readings.h"

#include "Connection.h"
#include "shared/Progress.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;

namespace tpctl {

/// Whether the next page begins after the current one. The numbers of sites,
/// and of tables and their rows, ascend. Rows of one site descend; 0 is the
/// beginning of its rows.
static bool isAfter(tprt_control_type Type,
                    const tprt_control_read_answer &Next,
                    const tprt_control_read &Asked) {
  if (Next.next != Asked.from)
    return Next.next > Asked.from;
  if (Type == TPRT_CONTROL_ROWS)
    return Next.next_row > Asked.from_row;
  return Next.next_row && (!Asked.from_row || Next.next_row < Asked.from_row);
}

/// Requests all pages of COUNTS, TIMES or ROWS. `Rows(R, N)` reads N rows of a
/// page, and returns whether they were complete.
template <class ReadRows>
static Error readPages(Connection &C, tprt_control_type Type, uint32_t Group,
                       uint32_t Detail, Reading &To, ReadRows Rows) {
  tprt_control_read Asked = {Group, Detail, 0, 0};
  // Otherwise a process could make tpctl ask for ever.
  constexpr unsigned MostEmpty = 1000;
  unsigned Empty = 0;
  std::optional<uint64_t> First;
  Progress Shown("functions of " + C.name() + ", numbers read:", 0);
  uint64_t Read = 0;
  for (;;) {
    auto Answer = C.ask(Type, Body().put(Asked));
    if (!Answer)
      return Answer.takeError();
    Reader R(*Answer);
    auto Head = R.take<tprt_control_read_answer>();
    if (!Head || !Rows(R, Head->rows))
      return C.tooShort();
    Shown.at(Read += Head->rows);
    First = First.value_or(Head->ticks);
    To.Ticks = *First + (Head->ticks - *First) / 2;
    To.Missed = Head->missed;
    To.Untimed = Head->untimed;
    // If a process begins to end between two pages, it may have had hits after
    // the first page. So all pages are read again.
    if (!Asked.from && !Asked.from_row) {
      To.Ending = Head->flags & TPRT_CONTROL_READ_ENDING;
      To.Stopped = Head->flags & TPRT_CONTROL_READ_STOPPED;
      C.noteEnd(Head->flags);
    }
    if (!(Head->flags & TPRT_CONTROL_READ_MORE))
      return Error::success();
    if (!isAfter(Type, *Head, Asked))
      return createStringError(C.name() + " sent its pages in the wrong order");
    if (!Head->rows && ++Empty > MostEmpty)
      return createStringError(C.name() + " answers with empty pages");
    Asked.from = Head->next;
    Asked.from_row = Head->next_row;
  }
}

Expected<Counts> readCounts(Connection &C, uint32_t Group, uint32_t Detail) {
  Counts To;
  std::set<uint32_t> Known;
  auto Rows = [&](Reader &R, uint32_t N) {
    for (; N; --N) {
      auto Row = R.take<tprt_control_count>();
      if (!Row)
        return false;
      if (Detail & TPRT_CONTROL_DETAIL_THREADS ||
          Known.insert(Row->site).second)
        To.Rows.push_back(*Row);
    }
    return true;
  };
  if (Error E = readPages(C, TPRT_CONTROL_COUNTS, Group, Detail, To, Rows))
    return E;
  return To;
}

/// Reads a word of a bucket and its count.
static bool readBuckets(Reader &R, size_t N,
                        std::vector<std::pair<uint32_t, uint64_t>> &To) {
  for (; N; --N) {
    auto Word = R.take<uint64_t>();
    if (!Word)
      return false;
    To.push_back({static_cast<uint32_t>(*Word >> 48),
                  *Word & ((uint64_t(1) << 48) - 1)});
  }
  return true;
}

Expected<Times> readTimes(Connection &C, uint32_t Group, uint32_t Detail) {
  Times To;
  auto Rows = [&](Reader &R, uint32_t N) {
    for (; N; --N) {
      auto Sums = R.take<tprt_control_time>();
      if (!Sums || Sums->buckets > R.rest().size())
        return false;
      TimeRow Row{*Sums, {}, 0};
      if (Detail & TPRT_CONTROL_DETAIL_CALLERS) {
        auto Address = R.take<uint64_t>();
        if (!Address)
          return false;
        Row.ReturnAddress = *Address;
      }
      if (!readBuckets(R, Sums->buckets, Row.Buckets))
        return false;
      To.Rows.push_back(std::move(Row));
    }
    return true;
  };
  if (Error E = readPages(C, TPRT_CONTROL_TIMES, Group, Detail, To, Rows))
    return E;
  return To;
}

Expected<KeyedRows> readRows(Connection &C, uint32_t Group, bool OfPairs) {
  KeyedRows To;
  auto Rows = [&](Reader &R, uint32_t N) {
    auto Unread = R.take<uint64_t>();
    auto Left = R.take<uint64_t>();
    if (!Unread || !Left)
      return false;
    To.Unread = *Unread;
    To.Left = *Left;
    if (OfPairs) {
      auto Pairs = R.take<tprt_control_pairs>();
      if (!Pairs)
        return false;
      To.Pairs = *Pairs;
    }
    for (; N; --N) {
      auto Sums = R.take<tprt_control_row>();
      if (!Sums)
        return false;
      KeyedRow Row{*Sums, {}, {}};
      auto Keys = R.block(alignTo(Sums->key_bytes, 8));
      if (!Keys)
        return false;
      Row.Keys = Keys->take_front(Sums->key_bytes).str();
      if (!readBuckets(R, Sums->buckets, Row.Buckets))
        return false;
      if (Sums->flags & TPRT_CONTROL_ROW_SELF) {
        auto Self = R.take<uint64_t>();
        if (!Self)
          return false;
        Row.Self = *Self;
      }
      To.Rows.push_back(std::move(Row));
    }
    return true;
  };
  const uint32_t Detail = TPRT_CONTROL_DETAIL_CHANGED |
                          (OfPairs ? uint32_t{TPRT_CONTROL_DETAIL_PAIRS} : 0);
  if (Error E = readPages(C, TPRT_CONTROL_ROWS, Group, Detail, To, Rows))
    return E;
  return To;
}

Expected<tprt_control_figures_answer> readFigures(Connection &C) {
  auto Answer = C.ask(TPRT_CONTROL_FIGURES);
  if (!Answer)
    return Answer.takeError();
  auto Figures = Reader(*Answer).take<tprt_control_figures_answer>();
  if (!Figures)
    return C.tooShort();
  return *Figures;
}

} // namespace tpctl
