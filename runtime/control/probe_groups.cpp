// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See probe_groups.h and probe_group.h. Probes by pattern also probe the sites
// of modules loaded later.
#include "control/probe_groups.h"
#include "actions/probe.h"
#include "base/os_file.h"
#include "base/small_alloc.h"
#include "control/probe_group.h"
#include "control/read_program.h"
#include "control/refused_sites.h"
#include "control/run_requests.h"
#include "probes/api.h"
#include "record/recording.h"
#include "threads/lock.h"
#include "threads/thread_block.h"
#include "tprt/point.h"

#include <errno.h>

namespace tprt {

using Group = ToolGroup;

static Group *groups;
static uint32_t lastNumber;
// The output for points' lines.
static tprt_point_output lines = TPRT_POINT_OUTPUT(-1);

ToolGroup *newestGroup() { return groups; }

ToolGroup *findGroup(uint32_t number) {
  for (Group *g = groups; g; g = g->next)
    if (g->number == number && !g->ending)
      return g;
  return nullptr;
}

// Groups are added at the head of the list.
const Scope *scopeOf(uint32_t client, uint32_t number) {
  uint32_t after = 0;
  for (Group *g = groups; g; g = g->next)
    after += g->owner == client && g->scope && !g->ending;
  for (Group *g = groups; g; g = g->next)
    if (g->owner == client && g->scope && !g->ending && --after == number)
      return g->scope;
  return nullptr;
}

// --- end ---------------------------------------------------------------------

// How long one attempt to detach waits. Requests wait meanwhile.
static constexpr int kDetachMs = 50;

static bool isOver(tprt_status status) { return status != TPRT_STATUS_PENDING; }

// Whether a probe of this group is over. The code of a file's handlers is
// unmapped afterwards, so it is not over if the detach has failed: the probe is
// then still attached, and is detached again.
static bool isOver(const Group &group, tprt_status status) {
  return group.run ? status == TPRT_STATUS_OK ||
                         status == TPRT_STATUS_INVALID_ARGUMENT
                   : isOver(status);
}

// False: a thread is still in a handler of the group.
static bool endProbes(Group &group) {
  bool left = false;
  lower(group.semaphores);
  auto caller = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa());
  visitProbes(group, [&](tprt_probe *&probe) {
    if (isOver(group, detach(probe, kDetachMs, caller, false, &probe)))
      probe = nullptr;
    else
      left = true;
  });
  if (group.timed && isOver(endTimed(group.timed, kDetachMs)))
    group.timed = nullptr;
  if (group.aggregated && isOver(endAggregation(group.aggregated, kDetachMs)))
    group.aggregated = nullptr;
  if (group.scope && isOver(endScope(group.scope, kDetachMs)))
    group.scope = nullptr;
  return !left && !group.timed && !group.aggregated && !group.scope;
}

static void freeGroup(Group *group) {
  while (Selection *selection = group->selections) {
    group->selections = selection->next;
    freeSelection(selection);
  }
  Lock lock;
  if (group->run)
    --group->run->groups;
  group->blocks.reset();
  group->threads.reset();
  group->semaphores.reset();
  for (Array<uint64_t> &times : group->toldTimes)
    times.reset();
  freeSmall(group, sizeof *group);
}

static void link(Group *group) {
  Lock lock;
  group->next = groups;
  groups = group;
  if (group->countsByThread())
    countApart();
}

static void unlink(Group *&at) {
  Lock lock;
  if (at->countsByThread())
    stopCountingApart();
  at = at->next;
}

static void append(Group &group, Selection *selection) {
  Lock lock;
  Selection **end = &group.selections;
  while (*end)
    end = &(*end)->next;
  *end = selection;
}

bool tidyGroups() {
  bool left = false;
  for (Group **at = &groups; *at;) {
    Group *group = *at;
    if (!group->ending || !endProbes(*group)) {
      left |= group->ending;
      at = &group->next;
      continue;
    }
    unlink(*at);
    freeGroup(group);
  }
  return left;
}

void endGroupsOf(uint32_t client) {
  for (Group *g = groups; g; g = g->next) {
    bool own = g->owner == client;
    if (own)
      g->owner = 0;
    g->ending |= !client || (own && !(g->flags & TPRT_CONTROL_KEEP));
  }
  tidyGroups();
}

void disownGroups() {
  for (Group *g = groups; g; g = g->next) {
    g->owner = 0;
    // A recording goes on in the child, with its programs.
    g->ending |=
        !(g->flags & TPRT_CONTROL_KEEP) && !(g->scope && generationNow());
  }
  tidyGroups();
}

// --- attach ------------------------------------------------------------------

static Group *makeGroup(const tprt_control_attach &asked,
                        const Client &client) {
  Group *made;
  {
    Lock lock;
    made = static_cast<Group *>(allocateSmall(sizeof(Group)));
  }
  if (!made)
    return nullptr;
  made->action = asked.action;
  made->flags = asked.flags;
  made->owner = client.number;
  made->ownerPid = client.pid;
  made->begun = nanoseconds();
  made->number = ++lastNumber;
  link(made);
  bool isWhole = true;
  if (asked.action == TPRT_CONTROL_ACTION_TIME)
    isWhole = asked.flags & TPRT_CONTROL_PER_CALLER
                  ? makeTimedByCallers(made->timed)
                  : makeTimed(made->timed);
  else if (asked.action == TPRT_CONTROL_ACTION_AGGREGATE)
    isWhole = makeAggregation(made->aggregated);
  else if (asked.action == TPRT_CONTROL_ACTION_SCOPE)
    isWhole = makeScope(made->scope);
  if (isWhole)
    return made;
  unlink(groups);
  freeGroup(made);
  return nullptr;
}

namespace {
// What a group does, apart from its action.
struct Doing {
  const Program *program;
  const tprt_action *handler; // of a group that calls handlers of a file
};
} // namespace

static tprt_status attachOne(Group &group, const tprt_selector &selector,
                             const Doing &does, tprt_probe *&probe,
                             tprt_result &result) {
  if (group.timed)
    return addTimed(group.timed, &selector, result);
  if (group.aggregated)
    return addAggregated(group.aggregated, &selector, *does.program, result);
  if (group.scope)
    return addScoped(group.scope, &selector, result);
  if (group.run)
    return tprt_probe_attach(&selector, does.handler, &probe, &result);
  tprt_action action{};
  if (group.action == TPRT_CONTROL_ACTION_COUNT) {
    action.kind = TPRT_ACTION_COUNT;
    return attach(&selector, &action, &probe, result, insideHandler(),
                  group.countsByThread() ? Handler::CountsByThread
                                         : Handler::OfProgram);
  } else if (group.action == TPRT_CONTROL_ACTION_SKIP) {
    action.kind = TPRT_ACTION_SKIP;
  } else {
    keepStandardError();
    lines.fd = standardError();
    action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
    action.handler = tprt_point_print;
    action.data = &lines;
  }
  return tprt_probe_attach(&selector, &action, &probe, &result);
}

namespace {
// How the probes of a selection were attached.
struct Attached {
  tprt_control_attach_answer sums;
  uint32_t waiting;   // probes without a site so far
  tprt_status status; // of the first that was not OK
  char why[512];      // its text
};
} // namespace

static void attachAll(Group &group, const Selection &selection,
                      const Doing &does, Attached &to) {
  readAhead(selection);
  for (uint32_t i = 0; i < selectorsOf(selection); ++i) {
    SelectorOf of(selection, i);
    tprt_result result{};
    tprt_status status =
        attachOne(group, of.selector, does, selection.probes[i], result);
    to.sums.matched += static_cast<uint32_t>(result.matched);
    to.sums.enabled += static_cast<uint32_t>(result.enabled);
    to.sums.refused += static_cast<uint32_t>(result.refused);
    if (status == TPRT_STATUS_OK || to.status != TPRT_STATUS_OK ||
        of.isOfEarlier(status))
      continue;
    to.status = status;
    strncpy(to.why, tprt_error_string(), sizeof to.why - 1);
  }
}

static bool isEmpty(const Group &group) {
  bool any = (group.timed && sitesOfTimed(group.timed)) ||
             (group.aggregated && sitesOfAggregation(group.aggregated)) ||
             (group.scope && sitesOfScope(group.scope));
  visitProbes(group, [&](const tprt_probe *) { any = true; });
  return !any;
}

// Whether the selection will also probe sites of modules loaded later.
static bool waits(const Selection &selection, tprt_status status) {
  return selection.flags & TPRT_SELECT_AWAIT && !selection.siteCount &&
         (status == TPRT_STATUS_NO_MATCH || status == TPRT_STATUS_NO_TABLE);
}

static const char *attachFault(const tprt_control_attach &asked) {
  if (asked.action > TPRT_CONTROL_ACTION_RUN)
    return "this libtprt does not know the action";
  constexpr uint32_t kKnown = TPRT_CONTROL_KEEP | TPRT_CONTROL_PER_THREAD |
                              TPRT_CONTROL_PER_CALLER | TPRT_CONTROL_NAMES_ONLY;
  if (asked.flags & ~kKnown)
    return "this libtprt does not know one of the flags";
  if (asked.flags & TPRT_CONTROL_PER_THREAD &&
      asked.action != TPRT_CONTROL_ACTION_COUNT)
    return "TPRT_CONTROL_PER_THREAD needs a group that counts hits";
  if (asked.flags & TPRT_CONTROL_PER_CALLER &&
      asked.action != TPRT_CONTROL_ACTION_TIME)
    return "TPRT_CONTROL_PER_CALLER needs a group that times calls";
  if (asked.flags & TPRT_CONTROL_NAMES_ONLY &&
      (asked.group || asked.selection.sites))
    return "TPRT_CONTROL_NAMES_ONLY needs a new group of patterns";
  if (asked.action == TPRT_CONTROL_ACTION_RUN &&
      asked.flags & TPRT_CONTROL_KEEP)
    return "a group that calls handlers of a file cannot be kept";
  const bool hasProgram = (asked.action == TPRT_CONTROL_ACTION_AGGREGATE ||
                           asked.action == TPRT_CONTROL_ACTION_RUN) &&
                          !(asked.flags & TPRT_CONTROL_NAMES_ONLY);
  if (hasProgram != (asked.program != 0))
    return hasProgram ? "the action needs a program"
                      : "only the actions AGGREGATE and RUN have a program";
  return nullptr;
}

tprt_status attachGroup(Client &client, Request &request, Answer &answer) {
  tprt_control_attach asked;
  if (!request.take(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
  if (const char *fault = attachFault(asked))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "%s", fault);
  Group *group = asked.group ? findGroup(asked.group) : nullptr;
  if (asked.group && (!group || group->owner != client.number ||
                      group->action != asked.action))
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "this tool has no group %u with that action", asked.group);
  tprt_status status;
  Selection *selection =
      readSelection(asked.selection, request, answer, status);
  if (!selection)
    return status;
  ProgramOf program;
  RunHandler handler{};
  const bool isRun = asked.action == TPRT_CONTROL_ACTION_RUN;
  if (const char *fault =
          !asked.program ? nullptr
          : isRun ? readRunHandler(client, request, asked.program, handler)
                  : program.read(request, asked.program, TPRT_PROGRAM_MOST_KEYS,
                                 client.number)) {
    freeSelection(selection);
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "%s", fault);
  }
  if (group && group->aggregated && program.get() &&
      !agreesWith(group->aggregated, *program.get())) {
    freeSelection(selection);
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "the values of group %u are %s", group->number,
                  program.get()->hasFloatValue()
                      ? "no doubles, and those of the program are"
                      : "doubles, and those of the program are not");
  }
  if (group && group->aggregated && program.get() &&
      !hasPairsOf(group->aggregated, *program.get())) {
    freeSelection(selection);
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "the programs of group %u and this one are not all of pairs",
                  group->number);
  }
  if (group && group->run && handler.object != group->run) {
    freeSelection(selection);
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                  "the handlers of group %u are in another file",
                  group->number);
  }
  if (!group && !(group = makeGroup(asked, client))) {
    freeSelection(selection);
    return refuse(
        answer, TPRT_STATUS_NO_MEMORY, "%s",
        asked.action == TPRT_CONTROL_ACTION_TIME
            ? "no memory, or 16 groups time calls already: end one"
        : asked.action == TPRT_CONTROL_ACTION_AGGREGATE
            ? "no memory, or 8 commands with expressions already watch "
              "this process: end one of them"
        : asked.action == TPRT_CONTROL_ACTION_SCOPE
            ? "no memory, or 8 commands with --in or depth already watch this "
              "process: end one of them"
            : "no memory for a group of probes");
  }
  append(*group, selection);
  if (handler.object && !group->run) {
    Lock lock;
    group->run = handler.object;
    ++handler.object->groups;
  }
  Attached done{};
  const bool namesOnly = asked.flags & TPRT_CONTROL_NAMES_ONLY;
  if (!namesOnly)
    attachAll(*group, *selection, {program.get(), &handler.action}, done);
  group->blocks.forget();
  group->threads.forget();
  done.sums.group = group->number;
  // An existing group stays, even if it is still empty.
  if (!asked.group && !namesOnly && isEmpty(*group) &&
      !((group->timed || group->aggregated || group->scope) &&
        waits(*selection, done.status))) {
    group->ending = true;
    tidyGroups();
    return refuse(answer, done.status, "%s", done.why);
  }
  answer.put(done.sums);
  answer.putText(done.why);
  RefusedSites refused;
  if (done.sums.refused)
    findRefused(*selection, refused);
  for (uint32_t i = 0; i < refused.count; ++i)
    answer.put(refused.numbers[i]);
  return done.sums.refused ? TPRT_STATUS_PARTIAL : TPRT_STATUS_OK;
}

// --- detach ------------------------------------------------------------------

static bool hasPattern(const Group &group, const char *pattern) {
  for (const Selection *s = group.selections; s; s = s->next)
    for (uint32_t i = 0; i < s->count; ++i)
      if (strcmp(s->takes[i], pattern) == 0)
        return true;
  return false;
}

tprt_status detachGroups(Client &, Request &request, Answer &answer) {
  tprt_control_detach asked;
  if (!request.take(asked) || asked.patterns > TPRT_CONTROL_MOST_PATTERNS)
    return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "the request is short");
  if (asked.group && !findGroup(asked.group))
    return refuse(answer, TPRT_STATUS_NO_MATCH,
                  "there is no group %u: it was ended already", asked.group);
  tprt_control_detach_answer done{};
  auto end = [&](Group &group) {
    done.groups += !group.ending;
    group.ending = true;
  };
  for (Group *g = groups; g && !asked.patterns; g = g->next)
    if (!asked.group || g->number == asked.group)
      end(*g);
  for (uint32_t i = 0; i < asked.patterns; ++i) {
    const char *pattern = request.string();
    if (!pattern)
      return refuse(answer, TPRT_STATUS_INVALID_ARGUMENT,
                    "a pattern has no terminating zero");
    for (Group *g = groups; g; g = g->next)
      if ((!asked.group || g->number == asked.group) && hasPattern(*g, pattern))
        end(*g);
  }
  bool left = tidyGroups();
  answer.put(done);
  return left ? TPRT_STATUS_PENDING : TPRT_STATUS_OK;
}

} // namespace tprt
