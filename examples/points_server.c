/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The server: a line per request, a line per answer.
 *
 *   PUT key value     GET key     DEL key     QUIT
 *   PRINT pattern     COUNT pattern     COUNTS     OFF      (points_admin.c)
 *
 * Any C compiler works, without a flag for points:
 *     cc -O2 points_server.c points_admin.c points_main.c -ltprt -lpthread
 * A request passes ten points. While a point is off, it costs one nop. */
#include "points_server.h"
#include "tprt/trace.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

TPRT_POINT(connection_opened);
TPRT_POINT(connection_closed);
TPRT_POINT(request_read);
TPRT_POINT(request_refused);
TPRT_POINT(key_found);
TPRT_POINT(key_missing);
TPRT_POINT(value_stored);
TPRT_POINT(value_evicted);
TPRT_POINT(key_deleted);
/* This point is also a USDT probe: bpftrace, perf and gdb find it. */
TPRT_POINT_USDT(points_server, request_done);

enum { kSlots = 64, kLongest = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  char key[kLongest], value[kLongest];
} slots[kSlots];

static unsigned slot_of(const char *key) {
  unsigned hash = 5381;
  for (; *key; ++key)
    hash = hash * 33 + (unsigned char)*key;
  return hash % kSlots;
}

/* The three functions below run under the lock. */
static void put(const char *key, const char *value, FILE *out) {
  unsigned slot = slot_of(key);
  if (slots[slot].key[0] && strcmp(slots[slot].key, key) != 0)
    TPRT_TRACE(value_evicted, "slot=%u key=%s for=%s", slot, slots[slot].key, key);
  snprintf(slots[slot].key, kLongest, "%s", key);
  snprintf(slots[slot].value, kLongest, "%s", value);
  TPRT_TRACE(value_stored, "slot=%u key=%s bytes=%zu", slot, key, strlen(value));
  fprintf(out, "OK\n");
}

static void get(const char *key, FILE *out) {
  unsigned slot = slot_of(key);
  if (strcmp(slots[slot].key, key) == 0) {
    TPRT_TRACE(key_found, "slot=%u key=%s value=%.16s", slot, key, slots[slot].value);
    fprintf(out, "VALUE %s\n", slots[slot].value);
  } else {
    TPRT_TRACE(key_missing, "slot=%u key=%s", slot, key);
    fprintf(out, "NONE\n");
  }
}

static void del(const char *key, FILE *out) {
  unsigned slot = slot_of(key);
  if (strcmp(slots[slot].key, key) == 0) {
    slots[slot].key[0] = 0;
    TPRT_TRACE(key_deleted, "slot=%u key=%s", slot, key);
  }
  fprintf(out, "OK\n");
}

static int follow(char *line, FILE *out) {
  char word[16] = "", key[kLongest] = "", value[kLongest] = "";
  int words = sscanf(line, "%15s %63s %63s", word, key, value);
  if (words >= 1 && strcmp(word, "QUIT") == 0)
    return 0;
  pthread_mutex_lock(&lock);
  if (words == 3 && strcmp(word, "PUT") == 0) {
    put(key, value, out);
  } else if (words == 2 && strcmp(word, "GET") == 0) {
    get(key, out);
  } else if (words == 2 && strcmp(word, "DEL") == 0) {
    del(key, out);
  } else if (words == 2 && strcmp(word, "PRINT") == 0) {
    points_print(key, out);
  } else if (words == 2 && strcmp(word, "COUNT") == 0) {
    points_count(key, out);
  } else if (words == 1 && strcmp(word, "COUNTS") == 0) {
    points_counts(out);
  } else if (words == 1 && strcmp(word, "OFF") == 0) {
    points_off(out);
  } else {
    TPRT_TRACE(request_refused, "line=%s words=%d", line, words);
    fprintf(out, "ERROR\n");
  }
  pthread_mutex_unlock(&lock);
  return 1;
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

void serve(int connection) {
  FILE *in = fdopen(connection, "r"), *out = fdopen(dup(connection), "w");
  char line[256];
  unsigned requests = 0;
  TPRT_TRACE(connection_opened, "connection=%d", connection);
  while (in && out && fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = 0;
    /* This call is not in the statement, whose arguments are evaluated only while
     * the point is on. */
    ++requests;
    TPRT_TRACE(request_read, "connection=%d request=%u line=%s", connection, requests, line);
    /* Reading a clock is work that only the trace needs. */
    double start = TPRT_POINT_ON(request_done) ? milliseconds() : 0;
    int more = follow(line, out);
    fflush(out);
    TPRT_TRACE(request_done, "connection=%d ms=%.3f", connection, start ? milliseconds() - start : 0.0);
    if (!more)
      break;
  }
  TPRT_TRACE(connection_closed, "connection=%d", connection);
  if (in)
    fclose(in);
  if (out)
    fclose(out);
}
