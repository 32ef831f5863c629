// Functions of the C library that work on strings and blocks give the right results while they are probed, at
// their entries and exits and at all their instructions, by counters and by handlers that use vector registers.
// The blocks begin at every offset in a cache line. The blocks have many lengths, and some end at the end of
// readable memory. The library has several versions of most of these functions. The test runs with the versions
// that the library selects on this processor, with those for AVX2, and with those for SSE2.
//
// RUN: gcc -O1 -fno-builtin %s %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
// RUN: env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512VL,-AVX512BW %t | FileCheck %s
// RUN: env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512VL,-AVX512BW,-AVX2,-AVX2_Usable %t | FileCheck %s
//
// CHECK: enough entries, exits and instructions
// CHECK-NEXT: each of 16 probes was hit, 0 failed, 0 wrong results
// CHECK-NEXT: 1000 calls of strlen, 1000 counted
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <wchar.h>

enum { kThreads = 2, kProbes = 16, kPage = 4096, kLines = 64 };
static volatile int ended;
static int wrong;
static uint64_t hits;
static uint64_t offsets; // the number of offsets that all threads have tried

#define EXPECT(condition)                                                                                              \
  do                                                                                                                   \
    if (!(condition) && __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) < 5)                                           \
      printf("wrong at offset %zu, length %zu: %s\n", (size_t)text % kLines, length, #condition);                      \
  while (0)

// Two pages, followed by an unreadable page.
static char *pages(void) {
  char *begin = mmap(NULL, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(begin + 2 * kPage, kPage, PROT_NONE);
  return begin;
}

static int only(const char *block, char byte, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if (block[i] != byte)
      return 0;
  return 1;
}

// `text` has room for length + 1 bytes, `copy` has at least 2 * length + 3, and a byte before.
static void useStrings(char *text, char *copy, size_t length) {
  size_t middle = length / 2;
  for (size_t i = 0; i < length; ++i)
    text[i] = (char)('a' + i % 23);
  text[middle] = '#';
  text[length] = 0;
  EXPECT(strlen(text) == length && strnlen(text, length + 9) == length && strnlen(text, middle) == middle);
  EXPECT(strchr(text, '#') == text + middle && strchr(text, '!') == NULL && strchr(text, 0) == text + length);
  EXPECT(strrchr(text, '#') == text + middle && strrchr(text, '!') == NULL && strchrnul(text, '!') == text + length);
  EXPECT(memchr(text, '#', length) == text + middle && memchr(text, '#', middle) == NULL);
  EXPECT(memrchr(text, '#', length) == text + middle && memrchr(text, '!', length) == NULL);
  EXPECT(rawmemchr(text, '#') == text + middle);
  EXPECT(strcspn(text, "#!") == middle && strpbrk(text, "!#") == text + middle);
  EXPECT(strspn(text, "#abcdefghijklmnopqrstuvw") == length);
  EXPECT(strstr(text, text + middle) == text + middle && strstr(text, "#!") == NULL);
  EXPECT(memmem(text, length, text + middle, length - middle) == text + middle);

  memset(copy - 1, '?', 2 * length + 4);
  EXPECT(only(copy - 1, '?', 2 * length + 4));
  EXPECT(memcpy(copy, text, length) == copy && memcmp(copy, text, length) == 0);
  EXPECT(copy[-1] == '?' && copy[length] == '?' && mempcpy(copy, text, length) == copy + length);
  EXPECT(stpcpy(copy, text) == copy + length && strcmp(copy, text) == 0 && copy[length + 1] == '?');
  EXPECT(strcasecmp(copy, text) == 0 && strncasecmp(copy, text, length) == 0 && strncmp(copy, text, length) == 0);
  EXPECT(strcat(copy, text) == copy && strlen(copy) == 2 * length && strcmp(copy + length, text) == 0);
  memset(copy - 1, '?', 2 * length + 4);
  EXPECT(strncpy(copy, text, length + 2) == copy && only(copy + length, 0, 2) && copy[length + 2] == '?');
  copy[length - 1] = '~';
  EXPECT(strcmp(copy, text) > 0 && strcmp(text, copy) < 0 && strncmp(copy, text, length - 1) == 0);
  EXPECT(memcmp(copy, text, length) > 0 && strncmp(copy, text, length) > 0 && strcasecmp(text, copy) < 0);
  EXPECT(strncat(copy, text, middle) == copy && strlen(copy) == length + middle);
  memcpy(copy, text, length);
  EXPECT(memmove(copy + 1, copy, length) == copy + 1 && memcmp(copy + 1, text, length) == 0);
  EXPECT(memmove(copy, copy + 1, length) == copy && memcmp(copy, text, length) == 0);
  memset(text, '=', length);
  EXPECT(only(text, '=', length) && text[length] == 0);
}

// Wide characters, which begin at offsets that are multiples of their size.
static void useWide(wchar_t *text, wchar_t *copy, size_t length) {
  size_t middle = length / 2;
  wmemset(text, L'w', length);
  text[middle] = L'#';
  text[length] = 0;
  EXPECT(wcslen(text) == length && wcsnlen(text, middle) == middle);
  EXPECT(wcschr(text, L'#') == text + middle && wcsrchr(text, L'!') == NULL);
  EXPECT(wmemchr(text, L'#', length) == text + middle);
  EXPECT(wcscpy(copy, text) == copy && wcscmp(copy, text) == 0 && wmemcmp(copy, text, length) == 0);
}

static void *work(void *unused) {
  (void)unused;
  char *texts = pages(), *copies = pages();
  static const size_t lengths[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 15, 16, 17,  23,  24,  31,  32,
                                   33, 40, 47, 48, 49, 63, 64, 65, 79, 96, 97, 127, 128, 129, 200, 260};
  for (size_t offset = 0; !ended; offset = (offset + 1) % kLines) {
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
      size_t length = lengths[i], other = (offset * 7 + i) % kLines + 1, room = 2 * length + 3;
      useStrings(texts + offset, copies + other, length);
      useStrings(texts + 2 * kPage - length - 1, copies + other, length);
      useStrings(texts + kPage - kLines + offset, copies + 2 * kPage - room, length);
      useWide((wchar_t *)texts + offset, (wchar_t *)copies + other, length);
      useWide((wchar_t *)(texts + 2 * kPage) - length - 1, (wchar_t *)copies + offset, length);
    }
    __atomic_fetch_add(&offsets, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

// Waits until the threads together have tried this many more offsets.
static void await(uint64_t more) {
  for (uint64_t until = __atomic_load_n(&offsets, __ATOMIC_RELAXED) + more;
       __atomic_load_n(&offsets, __ATOMIC_RELAXED) < until;)
    usleep(500);
}

static int ignoreSite(const tprt_site *site, void *data) {
  (void)site, (void)data;
  return 0;
}

static void spoil(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
  __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm1, %%xmm1\n\tpcmpeqd %%xmm7, %%xmm7\n\t"
                   "pcmpeqd %%xmm15, %%xmm15" ::: "xmm0", "xmm1", "xmm7", "xmm15");
}

// The address of such a function is that of its version for this processor.
static const void *const functions[] = {
    strlen,  strnlen, strchr, strrchr,    strchrnul,   memchr,  memrchr, rawmemchr, strcspn,
    strpbrk, strspn,  strstr, memmem,     memset,      memcpy,  memcmp,  mempcpy,   stpcpy,
    strcmp,  strncmp, strcat, strcasecmp, strncasecmp, strncpy, strncat, memmove,   wmemset,
    wcslen,  wcsnlen, wcschr, wcsrchr,    wmemchr,     wcscpy,  wcscmp,  wmemcmp,
};
enum { kFunctions = sizeof functions / sizeof *functions };

// The sites of these functions: entries and exits, and then all instructions.
typedef struct {
  const tprt_site *all[40000];
  size_t count;
} Sites;

static int add(const tprt_site *site, void *data) {
  Sites *sites = data;
  const void *function = describe(site).function;
  for (size_t i = 0; i < kFunctions; ++i)
    if (functions[i] == function && sites->count < 40000) {
      sites->all[sites->count++] = site;
      break;
    }
  return 0;
}

static void find(Sites *sites, uint32_t kinds) {
  tprt_selector selector = {.kinds = kinds, .flags = TPRT_SELECT_CODE};
  if (kinds == TPRT_KIND_SET_INSTRUCTION)
    for (size_t i = 0; i < kFunctions; ++i) {
      selector.address = functions[i]; // has the function's instructions read
      tprt_site_visit(&selector, ignoreSite, NULL);
    }
  selector.address = NULL;
  tprt_site_visit(&selector, add, sites);
}

int main(void) {
  static Sites sites;
  find(&sites, TPRT_KIND_SET_ALL);
  size_t ends = sites.count;
  find(&sites, TPRT_KIND_SET_INSTRUCTION);
  printf("%s entries, exits and instructions\n", ends >= 2 * kFunctions && sites.count > 2000 ? "enough" : "few");
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  int failed = 0, hit = 0;
  for (int i = 0; i < kProbes; ++i) {
    tprt_selector selector = {
        .sites = sites.all, .site_count = ends, .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
    if (i % 4 < 2) {
      selector.sites = sites.all + ends;
      selector.site_count = sites.count - ends;
      selector.kinds = TPRT_KIND_SET_INSTRUCTION;
    }
    tprt_action action = {.kind = TPRT_ACTION_COUNT};
    if (i % 2)
      action = (tprt_action){.kind = TPRT_ACTION_CALL, .handler = spoil};
    hits = 0;
    tprt_probe *probe = NULL;
    tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
    failed += status != TPRT_STATUS_OK && status != TPRT_STATUS_PARTIAL;
    await(kLines / 4); // so that all offsets are tried with each kind of probe
    hit += tprt_probe_count(probe) + __atomic_load_n(&hits, __ATOMIC_RELAXED) > 0;
    failed += tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
  }
  ended = 1;
  for (int i = 0; i < kThreads; ++i)
    pthread_join(threads[i], NULL);
  printf("each of %d probes was hit, %d failed, %d wrong results\n", hit, failed, wrong);
  tprt_selector one = {.address = functions[0], .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_probe *probe = attachSelected(one, (tprt_action){.kind = TPRT_ACTION_COUNT});
  size_t (*volatile length)(const char *) = strlen; // else the compiler calls it once
  size_t sum = 0;
  for (int i = 0; i < 1000; ++i)
    sum += length("right");
  printf("%zu calls of strlen, %llu counted\n", sum / 5, (unsigned long long)tprt_probe_count(probe));
  return 0;
}
