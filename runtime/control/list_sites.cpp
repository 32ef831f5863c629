// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See list_sites.h. The sites of a list are found once, when its first page is
// asked for; the connection keeps their numbers. A page describes as many sites
// as fit into a message. If a module is unloaded between two pages, its sites
// are left out.
#include "control/list_sites.h"
#include "control/selection.h"
#include "modules/module.h"
#include "probes/api.h"
#include "threads/lock.h"
#include "threads/thread_block.h"

namespace tprt {

static tprt_status find(Client &client, const Selection &selection) {
  client.listed.clear();
  readAhead(selection);
  tprt_status worst = TPRT_STATUS_NO_MATCH;
  for (uint32_t i = 0; i < selectorsOf(selection); ++i) {
    SelectorOf of(selection, i);
    tprt_status status = tprt_site_visit(
        &of.selector,
        [](const tprt_site *site, void *data) {
          return !static_cast<Array<uint32_t> *>(data)->push(indexOf(site)) * 1;
        },
        &client.listed);
    if (status != TPRT_STATUS_OK && status != TPRT_STATUS_NO_MATCH)
      worst = status;
  }
  return client.listed.empty() ? worst : TPRT_STATUS_OK;
}

namespace {
// The rows of a page grow from its beginning. Their strings are collected in
// separate memory, because they follow the last row.
class Page {
public:
  // `flags` is an enum tprt_select_flags.
  Page(Answer &answer, uint32_t flags) : answer(answer), flags(flags) {
    strings[used++] = 0;
  }

  // False: the page is full, and the site is not in it.
  bool add(uint32_t index) {
    tprt_control_site row{};
    size_t before = used;
    if (!describe(index, row))
      return true; // its module was unloaded
    if (full || answer.room() < sizeof row + used) {
      used = before;
      return false;
    }
    answer.put(row);
    ++rows;
    return true;
  }

  void end(size_t head, uint32_t total, uint32_t next) {
    tprt_control_list_answer numbers = {total, rows, next,
                                        static_cast<uint32_t>(used)};
    memcpy(answer.at(head), &numbers, sizeof numbers);
    answer.putBytes(strings, used);
  }

private:
  bool describe(uint32_t index, tprt_control_site &row);
  uint32_t put(const char *text);

  Answer &answer;
  const uint32_t flags;
  uint32_t rows = 0;
  size_t used = 0;
  bool full = false;
  // The module of the previous row, which is mostly also that of the next row.
  const Module *lastModule = nullptr;
  uint32_t lastPath = 0;
  static char strings[TPRT_CONTROL_MOST_BYTES];
};
char Page::strings[TPRT_CONTROL_MOST_BYTES];
} // namespace

// The longest string of a row. A longer one is cut.
static constexpr size_t kMostText = 8192;

uint32_t Page::put(const char *text) {
  if (!text || !*text)
    return 0;
  size_t length = strnlen(text, kMostText);
  if (used + length + 1 > sizeof strings) {
    full = true;
    return 0;
  }
  auto place = static_cast<uint32_t>(used);
  memcpy(strings + used, text, length);
  used += length;
  strings[used++] = 0;
  return place;
}

// What a probe would do to a site in code without a sled, whether or not there
// is a probe. A probe without traps would be refused at a site that needs one.
// Under the lock.
static void describeCode(const CodeSite &code, bool mayTrap,
                         tprt_control_site &row) {
  static_assert(uint8_t(Means::Jump) == TPRT_CONTROL_MEANS_JUMP &&
                uint8_t(Means::Trap) == TPRT_CONTROL_MEANS_TRAP);
  static_assert(sizeof row.instruction >= kMostInstructionBytes);
  row.means = static_cast<uint8_t>(code.means);
  row.instruction_bytes = code.length;
  memcpy(row.instruction, code.code, code.length);
  if (!row.refusal)
    row.refusal = code.refusal;
  if (!row.refusal && row.state == TPRT_SITE_STATE_OFF && !mayTrap &&
      code.means == Means::Trap)
    row.refusal = TPRT_REFUSAL_ROOM;
}

static void describePoint(const tprt_site_info &point, tprt_control_site &row) {
  static_assert(sizeof row.instruction >= TPRT_MOST_ARGUMENTS);
  row.means = point.style;
  row.instruction_bytes =
      static_cast<uint8_t>(strnlen(point.types, sizeof row.instruction));
  memcpy(row.instruction, point.types, row.instruction_bytes);
}

bool Page::describe(uint32_t index, tprt_control_site &row) {
  const tprt_site &site = sites[index];
  if (!isSite(&site))
    return false;
  uint64_t adopted;
  const Module *module;
  {
    Lock lock;
    module = site.module();
    adopted = module->adopted;
  }
  tprt_site_info info{};
  if (describeSite(&site, info, stackOfCaller()) != TPRT_STATUS_OK)
    return false;
  // The strings belong to the module, so the module must not be replaced while
  // they are copied.
  Lock lock;
  if (!module->loaded || module->adopted != adopted)
    return false;
  row.sled = reinterpret_cast<uint64_t>(info.sled);
  row.function = reinterpret_cast<uint64_t>(info.function);
  row.base = module->base;
  row.site = index;
  row.kind = info.kind;
  row.shape = info.shape;
  row.state = info.state;
  row.refusal = static_cast<uint8_t>(info.refusal);
  row.line = info.line;
  if (module->isCode)
    describeCode(codeOf(site), flags & TPRT_SELECT_TRAPS, row);
  else if (info.types)
    describePoint(info, row);
  if (row.refusal)
    row.why = put(tprt_refusal_string(tprt_refusal(row.refusal)));
  row.name = put(info.name);
  if (module != lastModule) {
    lastModule = module;
    lastPath = put(module->path);
  }
  row.module = lastPath;
  row.file = put(info.file);
  row.format = put(info.format);
  return true;
}

tprt_status listSites(Client &client, Request &request, Answer &answer) {
  tprt_control_list asked;
  if (!request.take(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
  tprt_status status;
  Selection *selection =
      readSelection(asked.selection, request, answer, status);
  if (!selection)
    return status;
  if (!asked.from)
    status = find(client, *selection);
  freeSelection(selection);
  auto total = static_cast<uint32_t>(client.listed.size());
  if (!asked.from && status != TPRT_STATUS_OK)
    return refuse(answer, status, "%s", tprt_error_string());
  size_t head = answer.bytes();
  answer.put(tprt_control_list_answer{});
  Page page(answer, asked.selection.flags);
  uint32_t i = asked.from;
  while (i < total && page.add(client.listed[i]))
    ++i;
  page.end(head, total, i < total ? i : 0);
  return TPRT_STATUS_OK;
}

} // namespace tprt
