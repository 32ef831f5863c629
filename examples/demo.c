/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs an interpreter that was compiled with sleds. At first all sleds are off.
 * Then a worker thread keeps interpreting, while handlers are attached to all
 * functions of the interpreter and detached again, over and over. The demo
 * checks that the script's result never changes and that handlers are
 * called when they should be, and prints the cost of each step. If a check
 * fails, the demo exits with 1.
 *
 * usage: demo SCRIPT [SECONDS of toggling, default 3] */
#include "demo_handlers.h"
#include "workload.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RESULT_SIZE = 512, TIMED_RUNS = 9, TOP = 10 };

static const char *script;
static char expected[RESULT_SIZE];
static int failures;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(int holds, const char *what) {
  if (holds)
    return;
  printf("FAILED: %s\n", what);
  failures++;
}

/* Runs the script once; the result must equal that of the first run. */
static int run_and_compare(const char *when) {
  char result[RESULT_SIZE];
  int failed = workload_run(script, result, sizeof result);
  if (!failed && strcmp(result, expected) == 0)
    return 1;
  printf("FAILED: %s the script gives\n  %s\n  and not\n  %s\n", when, result, expected);
  return 0;
}

static double time_run(const char *when) {
  double begin = now();
  failures += !run_and_compare(when);
  return now() - begin;
}

static double shorter(double a, double b) { return a < b ? a : b; }

/* ---- attaching ---- */

static tprt_selector everything(void) {
  return (tprt_selector){.function = workload_pattern};
}

static tprt_probe *attach(tprt_action action, tprt_result *result) {
  tprt_selector selector = everything();
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, result);
  if (status == TPRT_STATUS_OK)
    return probe;
  printf("FAILED: attach: %s (%s); %zu sites of %zu refused, the first because: %s\n",
         tprt_status_string(status), tprt_error_string(), result->refused, result->matched,
         tprt_refusal_string(result->first_refusal));
  exit(1);
}

static void detach(tprt_probe *probe) {
  tprt_status status = tprt_probe_detach(probe, 10000);
  if (status == TPRT_STATUS_OK)
    return;
  printf("FAILED: detach: %s (%s)\n", tprt_status_string(status), tprt_error_string());
  exit(1);
}

static tprt_action call(tprt_handler handler, void *data) {
  return (tprt_action){.kind = TPRT_ACTION_CALL,
                       .flags = TPRT_HANDLER_GENERAL_REGS_ONLY,
                       .handler = handler,
                       .data = data};
}

/* ---- toggling while a thread is busy ---- */

static struct {
  int stop;
  long runs;
  long bad;
} worker;

static void *work(void *unused) {
  (void)unused;
  while (!__atomic_load_n(&worker.stop, __ATOMIC_ACQUIRE)) {
    worker.bad += !run_and_compare("while sleds are toggled,");
    worker.runs++;
  }
  return NULL;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare_doubles);
  return values[count / 2];
}

static void pause_for(double seconds) {
  struct timespec t = {0, (long)(seconds * 1e9)};
  nanosleep(&t, NULL);
}

static void toggle_for(double seconds) {
  enum { MAX_ROUNDS = 100000 };
  static double on[MAX_ROUNDS], off[MAX_ROUNDS];
  size_t rounds = 0, sites = 0, rounds_hit = 0;
  uint64_t hits = 0;
  pthread_t thread;

  if (pthread_create(&thread, NULL, work, NULL)) {
    printf("FAILED: cannot make a thread\n");
    exit(1);
  }
  double begin = now(), reported = begin;
  while (now() - begin < seconds && rounds < MAX_ROUNDS) {
    tprt_result result;
    uint64_t hits_before = hits;
    double t0 = now();
    tprt_probe *probe = attach(call(demo_add, &hits), &result);
    double t1 = now();
    /* The thread may be waiting for a CPU. */
    for (int i = 0; i < 500; ++i) {
      pause_for(0.002);
      if (__atomic_load_n(&hits, __ATOMIC_RELAXED) > hits_before)
        break;
    }
    double t2 = now();
    detach(probe);
    double t3 = now();
    on[rounds] = t1 - t0;
    off[rounds] = t3 - t2;
    rounds++;
    sites = result.enabled;
    rounds_hit += hits > hits_before; /* detached: no thread writes it now */
    pause_for(0.001);
    if (t3 - reported > 1) {
      printf("  ... %zu rounds, %" PRIu64 " hits\n", rounds, hits);
      fflush(stdout);
      reported = t3;
    }
  }
  __atomic_store_n(&worker.stop, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);

  double first = on[0] * 1e6;
  printf("toggled while a thread ran: %zu rounds of on and off, %zu sleds flipped in each\n",
         rounds, sites);
  printf("  time to flip all on: %.0f us the first time, then %.0f us (median); off: %.0f us\n",
         first, median(on, rounds) * 1e6, median(off, rounds) * 1e6);
  printf("  meanwhile the script ran %ld times, each with the right result; %" PRIu64 " hits\n",
         worker.runs, hits);
  check(worker.bad == 0, "a result differed while sleds were toggled");
  check(worker.runs > 0, "the worker never finished a run");
  check(rounds_hit == rounds, "sleds were on for a second without a hit");

  uint64_t hits_after = hits;
  failures += !run_and_compare("after the last detach");
  check(hits == hits_after, "hits were delivered after the last detach");
}

/* ---- counting ---- */

typedef struct count_row {
  const char *name;
  uint64_t count;
} count_row;

typedef struct count_table {
  count_row *rows;
  size_t used, room;
} count_table;

static int add_row(const tprt_site *site, uint64_t count, void *data) {
  count_table *table = data;
  tprt_site_info info;
  if (count == 0 || tprt_site_describe(site, &info) != TPRT_STATUS_OK)
    return 0;
  if (table->used == table->room) {
    table->room = table->room ? 2 * table->room : 64;
    table->rows = realloc(table->rows, table->room * sizeof *table->rows);
    if (!table->rows)
      abort();
  }
  table->rows[table->used++] = (count_row){info.name ? info.name : "?", count};
  return 0;
}

static int compare_rows(const void *a, const void *b) {
  const count_row *x = a, *y = b;
  return (x->count < y->count) - (x->count > y->count);
}

/* Counts one run; returns the number of all hits. */
static uint64_t count_calls(void) {
  count_table table = {0};
  tprt_result result;
  tprt_probe *probe = attach((tprt_action){.kind = TPRT_ACTION_COUNT}, &result);
  failures += !run_and_compare("while calls are counted,");
  uint64_t total = tprt_probe_count(probe);
  tprt_probe_visit_counts(probe, add_row, &table);
  detach(probe);

  qsort(table.rows, table.used, sizeof *table.rows, compare_rows);
  uint64_t sum = 0;
  for (size_t i = 0; i < table.used; i++)
    sum += table.rows[i].count;
  printf("calls in one run of the script: %" PRIu64 " of %zu functions; the top ten:\n", total,
         table.used);
  for (size_t i = 0; i < table.used && i < TOP; i++)
    printf("  %12" PRIu64 "  %s\n", table.rows[i].count, table.rows[i].name);
  check(total > 0, "no call was counted");
  check(sum == total, "the functions' counts do not add up to the total");
  free(table.rows);
  return total;
}

/* ---- cost ---- */

/* Measures in interleaved runs, and uses the shortest run of each kind,
 * because the shortest run was disturbed least. */
static void measure(uint64_t hits) {
  double off = 1e9, counted = 1e9, called = 1e9;
  tprt_result result;
  for (int i = 0; i < TIMED_RUNS; i++) {
    off = shorter(off, time_run("with all sleds off"));
    tprt_probe *probe = attach((tprt_action){.kind = TPRT_ACTION_COUNT}, &result);
    counted = shorter(counted, time_run("while calls are counted,"));
    detach(probe);
    probe = attach(call(demo_empty, NULL), &result);
    called = shorter(called, time_run("with an empty handler"));
    detach(probe);
  }
  printf("time per run: off %.1f ms, counting %.1f ms, empty handler %.1f ms\n", off * 1e3,
         counted * 1e3, called * 1e3);
  printf("time per hit: counting %.2f ns, empty handler %.2f ns\n",
         (counted - off) * 1e9 / (double)hits, (called - off) * 1e9 / (double)hits);
}

static int count_site(const tprt_site *site, void *data) {
  (void)site;
  ++*(size_t *)data;
  return 0;
}

static void report_sites(void) {
  size_t matching = 0;
  tprt_selector selector = everything();
  tprt_status status = tprt_site_visit(&selector, count_site, &matching);
  if (status != TPRT_STATUS_OK) {
    printf("FAILED: no sites: %s (%s)\n", tprt_status_string(status), tprt_error_string());
    exit(1);
  }
  tprt_stats stats;
  tprt_stats_read(&stats);
  printf("sites found: %zu in %zu module%s, %zu of them in functions '%s'; flipped: %zu\n",
         stats.sites, stats.modules, stats.modules == 1 ? "" : "s", matching, workload_pattern,
         stats.enabled);
  check(stats.enabled == 0, "sleds are on before any was asked for");
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: %s SCRIPT [SECONDS]\n", argv[0]);
    return 2;
  }
  script = argv[1];
  double seconds = argc > 2 ? atof(argv[2]) : 3;
  printf("%s with libtprt %s\n", workload_name, tprt_version_string());
  if (workload_run(script, expected, sizeof expected)) {
    printf("FAILED: %s: %s\n", script, expected);
    return 1;
  }
  printf("result with all sleds off: %s\n", expected);
  report_sites();
  toggle_for(seconds);
  uint64_t hits = count_calls();
  measure(hits);

  tprt_stats stats;
  tprt_stats_read(&stats);
  check(stats.enabled == 0, "sleds are still on at the end");
  failures += !run_and_compare("at the end");
  printf(failures ? "%d checks FAILED\n" : "result at the end: unchanged; all checks hold\n",
         failures);
  return failures != 0;
}
