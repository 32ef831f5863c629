// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// COUNTS, TIMES and ROWS: the counts, times and rows of groups, page by page.
// On the work thread.
#include "control/read_group.h"
#include "aggregate/read_rows.h"
#include "control/ends.h"
#include "control/probe_group.h"
#include "control/probe_groups.h"
#include "sites/arch.h"
#include "threads/lock.h"
#include "threads/thread_block.h"

#include <stddef.h>

namespace tprt {

using Group = ToolGroup;

// The first step of COUNTS, TIMES and ROWS, which read groups of these actions.
// `wrong`: what another group does not do.
static Group *startReading(Request &request, Answer &answer,
                           tprt_control_read &asked,
                           bool (*isRight)(uint32_t action), const char *wrong,
                           tprt_status &status) {
  if (!request.take(asked)) {
    status =
        refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
    return nullptr;
  }
  Group *group = findGroup(asked.group);
  if (!group) {
    status = refuse(answer, TPRT_STATUS_NO_MATCH,
                    "there is no group %u: it was ended", asked.group);
    return nullptr;
  }
  if (!isRight(group->action)) {
    status = refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                    "group %u does not %s", asked.group, wrong);
    return nullptr;
  }
  return group;
}

static void finishReading(Answer &answer, size_t head,
                          tprt_control_read_answer &numbers) {
  if (!(numbers.flags & TPRT_CONTROL_READ_STOPPED))
    numbers.ticks = readTicks();
  numbers.missed = sumMissed();
  memcpy(answer.at(head), &numbers, sizeof numbers);
}

namespace {
// A page of rows. The page notes whether the process is ending before any row
// is read: if the process begins to end meanwhile, the rows may lack its last
// calls.
struct Page {
  explicit Page(Answer &answer) : answer(answer) { numbers.flags = endFlags(); }
  Answer &answer;
  tprt_control_read_answer numbers = {};
  bool byCallers = false;
};
} // namespace

// Puts the counts in some of the counters. With `blocks`, only those that the
// group's owner has not been told. False: the page is full, and the next one
// begins at `from`; or there is no memory, and `lacks` is true.
static bool putCounts(const Group &group, uint32_t &from, int32_t thread,
                      const CounterSet &of, HitBlocks *blocks, Page &page,
                      bool &lacks) {
  return visitCounts(
      group, from, of, blocks, [&](uint32_t site, uint64_t count) {
        uint64_t *told = blocks ? blocks->toldOf(site) : nullptr;
        lacks |= blocks && !told;
        if (lacks || count == (told ? *told : 0))
          return !lacks;
        if (!page.answer.put(tprt_control_count{site, thread, count}))
          return false;
        if (told)
          *told = count;
        ++page.numbers.rows;
        return true;
      });
}

// The counts of all threads together. False: no memory.
static bool putSums(Group &group, const tprt_control_read &asked, bool changed,
                    Page &page) {
  Lock lock;
  HitBlocks *blocks = changed ? &group.blocks : nullptr;
  if (blocks && !asked.from && !blocks->begin(group, {}))
    return false;
  uint32_t from = asked.from;
  bool lacks = false;
  if (!putCounts(group, from, 0, {}, blocks, page, lacks)) {
    page.numbers.flags |= TPRT_CONTROL_READ_MORE;
    page.numbers.next = from;
  } else if (blocks) {
    blocks->finish();
  }
  return !lacks;
}

// The counts of each thread, one thread after the other: `from_row` is a
// thread's place. False: no memory.
static bool putThreads(Group &group, const tprt_control_read &asked,
                       bool changed, Page &page) {
  Lock lock;
  ThreadReadings &threads = group.threads;
  const bool isFirst = !asked.from && !asked.from_row;
  if (isFirst && !threads.refresh())
    return false;
  auto visit = [&](uint32_t place, auto each) {
    for (; place < threads.size(); ++place)
      if (const CounterSet of = threads.counters(place);
          of.begin != of.end && !each(place, of))
        return false;
    return true;
  };
  if (isFirst && changed && !visit(0, [&](uint32_t place, CounterSet of) {
        return threads.blocks(place).begin(group, of);
      }))
    return false;
  uint32_t from = asked.from;
  bool lacks = false;
  const bool isWhole =
      visit(asked.from_row, [&](uint32_t place, CounterSet of) {
        HitBlocks *blocks = changed ? &threads.blocks(place) : nullptr;
        if (!putCounts(group, from, threads.number(place), of, blocks, page,
                       lacks)) {
          page.numbers.flags |= TPRT_CONTROL_READ_MORE;
          page.numbers.next = from;
          page.numbers.next_row = place;
          return false;
        }
        from = 0;
        return true;
      });
  if (isWhole && changed)
    visit(0, [&](uint32_t place, CounterSet) {
      threads.blocks(place).finish();
      return true;
    });
  return !lacks;
}

// Rows from the group's tallies. `put` returns false if the page is full.
static void putTallies(const Group &group, const tprt_control_read &asked,
                       bool (*put)(const TimedRow &row, void *page), Page &page,
                       Array<uint64_t> *told) {
  uint32_t detail =
      (asked.detail & TPRT_CONTROL_DETAIL_THREADS ? kTimedThreads : 0u) |
      (asked.detail & TPRT_CONTROL_DETAIL_HISTOGRAMS ? kTimedBuckets : 0u) |
      (asked.detail & TPRT_CONTROL_DETAIL_CALLERS ? kTimedCallers : 0u);
  TimedPlace place = {asked.from, asked.from_row};
  if (!visitTimed(group.timed, &place, detail, put, &page, told)) {
    page.numbers.flags |= TPRT_CONTROL_READ_MORE;
    page.numbers.next = place.site;
    page.numbers.next_row = place.row;
  }
  page.numbers.untimed = lostTimed(group.timed);
}

tprt_status readCounts(Client &client, Request &request, Answer &answer) {
  tprt_control_read asked;
  tprt_status status;
  size_t head = answer.bytes();
  Group *group = startReading(
      request, answer, asked,
      [](uint32_t action) {
        return action != TPRT_CONTROL_ACTION_TIME &&
               action != TPRT_CONTROL_ACTION_AGGREGATE &&
               action != TPRT_CONTROL_ACTION_SCOPE &&
               action != TPRT_CONTROL_ACTION_RUN;
      },
      "count hits", status);
  if (!group)
    return status;
  answer.put(tprt_control_read_answer{});
  const bool byThread = asked.detail & TPRT_CONTROL_DETAIL_THREADS;
  if (byThread && !group->countsByThread())
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "group %u does not count threads separately", asked.group);
  tprt_module_refresh(); // for the sites of new modules
  Page page(answer);
  const bool changed = asked.detail & TPRT_CONTROL_DETAIL_CHANGED &&
                       group->owner == client.number;
  if (!(byThread ? putThreads : putSums)(*group, asked, changed, page))
    return refuse(answer, TPRT_STATUS_NO_MEMORY,
                  "no memory for the counts already reported");
  finishReading(answer, head, page.numbers);
  return TPRT_STATUS_OK;
}

static bool putTime(const TimedRow &row, void *data) {
  auto &page = *static_cast<Page *>(data);
  const TimedSums &sums = row.sums;
  size_t before = page.answer.bytes();
  // A histogram has at most kBuckets words, so a row fits into an empty page.
  tprt_control_time out = {
      row.site,       row.thread,
      sums.calls,     sums.total,
      sums.self,      sums.longest,
      sums.unplaced,  sums.cut,
      sums.open,      sums.untimed * uint32_t{TPRT_CONTROL_TIME_NO_EXIT},
      row.bucketCount};
  if (!page.answer.put(out) ||
      (page.byCallers && !page.answer.put(row.returnAddress)) ||
      !page.answer.putBytes(row.buckets, row.bucketCount * sizeof(uint64_t))) {
    page.answer.cutTo(before);
    return false;
  }
  ++page.numbers.rows;
  return true;
}

// Finds the values that the group's owner has already got, if it asks for
// changes only. Returns false if there is no memory.
static bool findTold(Group &group, const Client &client,
                     const tprt_control_read &asked, Array<uint64_t> *&told) {
  if (!(asked.detail & TPRT_CONTROL_DETAIL_CHANGED) ||
      group.owner != client.number)
    return true;
  told = &group.toldTimes[(asked.detail & TPRT_CONTROL_DETAIL_HISTOGRAMS) != 0];
  Lock lock;
  return told->size() >= siteCount || told->resize(siteCount);
}

tprt_status readTimes(Client &client, Request &request, Answer &answer) {
  tprt_control_read asked;
  tprt_status status;
  size_t head = answer.bytes();
  Group *group = startReading(
      request, answer, asked,
      [](uint32_t action) { return action == TPRT_CONTROL_ACTION_TIME; },
      "time calls", status);
  if (!group)
    return status;
  answer.put(tprt_control_read_answer{});
  if (asked.detail & TPRT_CONTROL_DETAIL_CALLERS &&
      !(group->flags & TPRT_CONTROL_PER_CALLER))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "group %u does not time callers separately", asked.group);
  tprt_module_refresh();
  Page page(answer);
  page.byCallers = asked.detail & TPRT_CONTROL_DETAIL_CALLERS;
  Array<uint64_t> *told = nullptr;
  if (!findTold(*group, client, asked, told))
    return refuse(answer, TPRT_STATUS_NO_MEMORY,
                  "no memory for the values of the last reading");
  putTallies(*group, asked, putTime, page, told);
  finishReading(answer, head, page.numbers);
  return TPRT_STATUS_OK;
}

// Puts a row with its keys and buckets. A row has at most kBuckets words and
// kMostKeyBytes of keys, so it fits into an empty page.
static bool putRow(const AggregateRow &row, void *data) {
  auto &page = *static_cast<Page *>(data);
  const size_t before = page.answer.bytes();
  const uint64_t zeros = 0;
  const tprt_control_row out = {
      row.hits,
      row.sum,
      row.least,
      row.greatest,
      row.unknown,
      row.negative,
      row.unplaced,
      row.table,
      row.number,
      row.isOthers * uint32_t{TPRT_CONTROL_ROW_OTHERS} |
          row.hasSelf * uint32_t{TPRT_CONTROL_ROW_SELF},
      static_cast<uint16_t>(row.keyBytes),
      static_cast<uint16_t>(row.bucketCount)};
  if (!page.answer.put(out) || !page.answer.putBytes(row.keys, row.keyBytes) ||
      !page.answer.putBytes(&zeros, -row.keyBytes & 7) ||
      !page.answer.putBytes(row.buckets, row.bucketCount * sizeof(uint64_t)) ||
      (row.hasSelf && !page.answer.put(row.self))) {
    page.answer.cutTo(before);
    return false;
  }
  ++page.numbers.rows;
  return true;
}

tprt_status readRows(Client &client, Request &request, Answer &answer) {
  tprt_control_read asked;
  tprt_status status;
  const size_t head = answer.bytes();
  Group *group = startReading(
      request, answer, asked,
      [](uint32_t action) { return action == TPRT_CONTROL_ACTION_AGGREGATE; },
      "aggregate hits", status);
  if (!group)
    return status;
  answer.put(tprt_control_rows_answer{});
  const AggregateTotals totals = totalsOf(group->aggregated);
  if (asked.detail & TPRT_CONTROL_DETAIL_PAIRS)
    answer.put(tprt_control_pairs{totals.pairs.started, totals.pairs.ended,
                                  totals.pairs.unpaired, totals.pairs.replaced,
                                  totals.pairs.full});
  tprt_module_refresh();
  Page page(answer);
  // Before the rows are read. Their time is then when the last hit came.
  if (hasStopped(group->aggregated, &page.numbers.ticks))
    page.numbers.flags |= TPRT_CONTROL_READ_STOPPED;
  const bool changed = asked.detail & TPRT_CONTROL_DETAIL_CHANGED &&
                       group->owner == client.number;
  AggregatePlace place = {asked.from, asked.from_row};
  if (!visitAggregated(group->aggregated, &place, changed, putRow, &page)) {
    page.numbers.flags |= TPRT_CONTROL_READ_MORE;
    page.numbers.next = place.table;
    page.numbers.next_row = place.row;
  }
  page.numbers.untimed = totals.lost;
  finishReading(answer, head, page.numbers);
  memcpy(answer.at(head + offsetof(tprt_control_rows_answer, unread)),
         &totals.unread, sizeof totals.unread);
  memcpy(answer.at(head + offsetof(tprt_control_rows_answer, left)),
         &totals.left, sizeof totals.left);
  return TPRT_STATUS_OK;
}

} // namespace tprt
