// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// COUNTS and TIMES: what groups have counted and timed, page by page. On the
// work thread.
#include "control/probe_group.h"
#include "control/probe_groups.h"
#include "sites/arch.h"
#include "threads/lock.h"
#include "threads/thread_block.h"

namespace tprt {

using Group = ToolGroup;

// What COUNTS and TIMES begin with.
static Group *startReading(Request &request, Answer &answer,
                           tprt_control_read &asked, bool timed,
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
  if ((group->action == TPRT_CONTROL_ACTION_TIME) != timed) {
    status =
        refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "group %u does not %s",
               asked.group, timed ? "time calls" : "count hits");
    return nullptr;
  }
  tprt_control_read_answer none{};
  answer.put(none);
  return group;
}

static void finishReading(Answer &answer, size_t head,
                          tprt_control_read_answer &numbers) {
  numbers.ticks = readTicks();
  numbers.missed = sumMissed();
  memcpy(answer.at(head), &numbers, sizeof numbers);
}

namespace {
// A page of rows. Whether the process is about to end is found out before any
// row is read: if it begins to end meanwhile, the rows may lack its last calls.
struct Page {
  explicit Page(Answer &answer) : answer(answer) { numbers.flags = endFlags(); }
  Answer &answer;
  tprt_control_read_answer numbers = {};
  bool byCallers = false;
};
} // namespace

// The counts of a group whose threads share their counters.
static void putCounts(const Group &group, const tprt_control_read &asked,
                      Page &page) {
  Lock lock;
  tprt_control_read_answer &numbers = page.numbers;
  numbers.next = visitCounts(
      group, asked.from, nullptr, [&](uint32_t site, uint64_t count) {
        if (!count)
          return true;
        const bool fits = page.answer.put(tprt_control_count{site, 0, count});
        numbers.rows += fits;
        return fits;
      });
  if (numbers.next)
    numbers.flags |= TPRT_CONTROL_READ_MORE;
}

// Those of them that the group's owner has not been told. False: no memory.
static bool putChanged(Group &group, const tprt_control_read &asked,
                       Page &page) {
  Lock lock;
  tprt_control_read_answer &numbers = page.numbers;
  if (group.told.size() < siteCount && !group.told.resize(siteCount))
    return false;
  if (!asked.from && !group.blocks.begin(group))
    return false;
  numbers.next = visitCounts(
      group, asked.from, &group.blocks, [&](uint32_t site, uint64_t count) {
        uint64_t &told = group.told[site];
        if (count == told)
          return true;
        if (!page.answer.put(tprt_control_count{site, 0, count}))
          return false;
        told = count;
        ++numbers.rows;
        return true;
      });
  if (numbers.next)
    numbers.flags |= TPRT_CONTROL_READ_MORE;
  else
    group.blocks.finish();
  return true;
}

// Rows from the group's tallies. `put` returns false if the page is full.
static void putTallies(const Group &group, const tprt_control_read &asked,
                       bool (*put)(const TimedRow &row, void *page), Page &page,
                       Array<uint64_t> *told = nullptr) {
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

static bool putCount(const TimedRow &row, void *data) {
  auto &page = *static_cast<Page *>(data);
  if (!page.answer.put(
          tprt_control_count{row.site, row.thread, row.sums.calls}))
    return false;
  ++page.numbers.rows;
  return true;
}

tprt_status readCounts(Client &client, Request &request, Answer &answer) {
  tprt_control_read asked;
  tprt_status status;
  size_t head = answer.bytes();
  Group *group = startReading(request, answer, asked, false, status);
  if (!group)
    return status;
  if (!group->timed && asked.detail & TPRT_CONTROL_DETAIL_THREADS)
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "group %u counts all threads together", asked.group);
  tprt_module_refresh(); // for the sites of modules that came
  Page page(answer);
  const bool changed = asked.detail & TPRT_CONTROL_DETAIL_CHANGED &&
                       group->owner == client.number;
  if (group->timed) {
    asked.detail &= TPRT_CONTROL_DETAIL_THREADS;
    putTallies(*group, asked, putCount, page);
  } else if (!changed) {
    putCounts(*group, asked, page);
  } else if (!putChanged(*group, asked, page)) {
    return refuse(answer, TPRT_STATUS_NO_MEMORY,
                  "no memory for what the tool was told");
  }
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

// What the group's owner was told, if it asks for what has changed. False: no
// memory.
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
  Group *group = startReading(request, answer, asked, true, status);
  if (!group)
    return status;
  if (asked.detail & TPRT_CONTROL_DETAIL_CALLERS &&
      !(group->flags & TPRT_CONTROL_PER_CALLER))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "group %u does not keep callers apart", asked.group);
  tprt_module_refresh();
  Page page(answer);
  page.byCallers = asked.detail & TPRT_CONTROL_DETAIL_CALLERS;
  Array<uint64_t> *told = nullptr;
  if (!findTold(*group, client, asked, told))
    return refuse(answer, TPRT_STATUS_NO_MEMORY,
                  "no memory for what the tool was told");
  putTallies(*group, asked, putTime, page, told);
  finishReading(answer, head, page.numbers);
  return TPRT_STATUS_OK;
}

} // namespace tprt
