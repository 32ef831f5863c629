// Counts of sites in code without sleds are exact while other probes are turned on and off at the same sites. The sites are
// the entry, a nop, a b, a bl, the tail exit, and instructions whose page is exchanged, of functions that four threads
// call. Half of the sites are counted all the
// time, and all of them get handlers and further counts at random. If this fails, replacing an instruction loses a hit,
// doubles it, or sends a thread to a wrong address.
//
// RUN: aarch64-linux-gnu-gcc -O1 -pthread %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 10 sites, 300 toggles, enough calls 1, wrong results 0
// CHECK-NEXT: entry: counted as called 1, others no more than called 1, some 1
// CHECK-NEXT: nop: others no more than called 1, some 1
// CHECK-NEXT: b: counted as called 1, others no more than called 1, some 1
// CHECK-NEXT: bl: others no more than called 1, some 1
// CHECK-NEXT: tail: counted as called 1, others no more than called 1, some 1
// CHECK-NEXT: stp: others no more than called 1, some 1
// CHECK-NEXT: cmp: counted as called 1, others no more than called 1, some 1
// CHECK-NEXT: adr: others no more than called 1, some 1
// CHECK-NEXT: b.ne: counted as called 1, others no more than called 1, some 1
// CHECK-NEXT: ldr literal: others no more than called 1, some 1
// CHECK-NEXT: handlers called 1
// CHECK-NEXT: off: the same bytes 1
#include "../Inputs/harness.h"
#include <pthread.h>
#include <string.h>

// work(x) is x + 7, unless a hit changes the flags or a register.
__asm__(".text\n.type leaf, @function\nleaf: .cfi_startproc\nadd x0, x0, #1\nret\n.cfi_endproc\n.size leaf, .-leaf\n"
        ".type rest, @function\nrest: .cfi_startproc\nadd x0, x0, x9\nadd x0, x0, x17\ncset x1, ne\nadd x0, x0, x1\nret\n"
        ".cfi_endproc\n.size rest, .-rest\n"
        ".globl work, at_nop, at_b, at_bl, at_tail, at_stp, at_adr, at_ldr, at_cmp, at_bne, work_end\n.type work, @function\n"
        "work: .cfi_startproc\nnop\n"
        "at_stp: stp x29, x30, [sp, #-32]!\n.cfi_def_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24\n"
        "at_adr: adr x9, leaf\nldr w10, [x9]\nat_ldr: ldr w17, 3f\ncmp x10, x17\nb.ne 2f\n"
        "mov x9, #3\nmov x17, #3\nat_cmp: cmp x9, #3\nat_bne: b.ne 2f\n"
        "at_nop: nop\n"
        "at_b: b 1f\nbrk #1\n1:\n"
        "at_bl: bl leaf\n"
        "ldp x29, x30, [sp], #32\n.cfi_def_cfa_offset 0\n.cfi_restore 29\n.cfi_restore 30\n"
        "at_tail: b rest\n2: brk #2\n.cfi_endproc\nwork_end:\n.size work, .-work\n"
        "3: add x0, x0, #1\n");
extern long work(long);
extern const char at_nop[], at_b[], at_bl[], at_tail[], at_stp[], at_adr[], at_ldr[], at_cmp[], at_bne[], work_end[];

enum { THREADS = 4, SITES = 10, TOGGLES = 300 };
static const struct {
  const char *name, *at;
} sites[SITES] = {{"entry", (const char *)work}, {"nop", at_nop}, {"b", at_b}, {"bl", at_bl}, {"tail", at_tail},
                  {"stp", at_stp},               {"cmp", at_cmp}, {"adr", at_adr}, {"b.ne", at_bne}, {"ldr literal", at_ldr}};

static volatile int over;
static long calls, wrong, handled;

static void *callUntilOver(void *unused) {
  long own = 0, bad = 0;
  for (; !over; ++own)
    bad += work(own) != own + 7;
  __atomic_fetch_add(&calls, own, __ATOMIC_RELAXED);
  __atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
  return unused;
}

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static tprt_probe *attachAt(int i, tprt_action action) {
  char pattern[32];
  sprintf(pattern, "work+%d", (int)(sites[i].at - (const char *)work));
  tprt_selector selector = {.function = pattern, .flags = TPRT_SELECT_CODE};
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string()), exit(1);
  return probe;
}

static unsigned next(unsigned below) {
  static unsigned long state = 4711;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % below;
}

int main(void) {
  static char before[256];
  size_t bytes = (size_t)(work_end - (const char *)work);
  memcpy(before, (const void *)work, bytes);
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  const tprt_action all[] = {count, {.handler = onHit}, {.handler = onHit, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY}};
  tprt_probe *steady[SITES] = {0}, *others[SITES] = {0};
  int isCount[SITES] = {0};
  unsigned long sums[SITES] = {0};
  for (int i = 0; i < SITES; i += 2)
    steady[i] = attachAt(i, count);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, callUntilOver, NULL);
  for (int toggle = 0; toggle < TOGGLES + SITES; ++toggle) {
    // In the end, the sites are turned off one after the other.
    int i = toggle < TOGGLES ? (int)next(SITES) : toggle - TOGGLES;
    if (others[i]) {
      // A count that is read separately may lack the last hits.
      tprt_probe *probe = others[i];
      others[i] = NULL;
      usleep(500);
      sums[i] += isCount[i] ? tprt_probe_count(probe) : 0;
      tprt_probe_detach(probe, -1);
    } else if (toggle < TOGGLES) {
      unsigned which = next(3);
      isCount[i] = which == 0;
      others[i] = attachAt(i, all[which]);
    }
  }
  over = 1;
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  printf("%d sites, %d toggles, enough calls %d, wrong results %ld\n", SITES, TOGGLES, calls > 1000, wrong);
  for (int i = 0; i < SITES; ++i) {
    printf("%s: ", sites[i].name);
    if (steady[i])
      printf("counted as called %d, ", tprt_probe_count(steady[i]) == (unsigned long)calls);
    printf("others no more than called %d, some %d\n", sums[i] <= (unsigned long)calls, sums[i] > 0);
    if (steady[i])
      tprt_probe_detach(steady[i], -1);
  }
  printf("handlers called %d\n", handled > 0);
  printf("off: the same bytes %d\n", !memcmp(before, (const void *)work, bytes));
  return 0;
}
