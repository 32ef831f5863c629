// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exception or longjmp leaves calls without their exits. A reader of the
// recording would mistake all later calls for calls inside these. So libtprt.so
// interposes the functions through which a program continues in an outer call:
// __cxa_begin_catch and the longjmp family. The interposed functions report the
// function in which the program continues to the recorder, and the stack
// position to the lists of open calls (programs/scopes.h). Then they call the
// next function of the same name.
//
// exit_exec.cpp says how such names are bound. Any thread calls these
// functions, and calls longjmp also in signal handlers. longjmp is
// async-signal-safe here, because everything is looked up when the library is
// loaded. Not part of libtprt.a.
#include "base/search.h"
#include "programs/follow_calls.h"
#include "record/record_hit.h"
#include "record/recording.h"

#include <dlfcn.h>
#include <initializer_list>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define TPRT_GLIBC "GLIBC_2.2.5"
#define TPRT_GLIBC_CHECKED "GLIBC_2.11"
#else
#define TPRT_GLIBC "GLIBC_2.17"
#define TPRT_GLIBC_CHECKED "GLIBC_2.17"
#endif
#define TPRT_STANDS_FOR(name, version)                                         \
  __asm__(".symver tprt_interposed_" #name ", " #name "@" version ", remove")
#define TPRT_VISIBLE __attribute__((visibility("default"), used))

// The first function of that name, or nullptr if no C++ library was loaded
// before this library.
extern "C" void tprt_first_begin_catch() __asm__("__cxa_begin_catch")
    __attribute__((weak));

namespace tprt {

namespace {

using Leap = void(void *, int);
using Catch = void *(void *);

enum Function { LONGJMP, LONGJMP_PLAIN, SIGLONGJMP, LONGJMP_CHECKED, COUNT };
constexpr const char *kNames[] = {"longjmp", "_longjmp", "siglongjmp",
                                  "__longjmp_chk"};
Leap *leaps[COUNT];
Catch *beginCatch;

#ifdef DLFO_STRUCT_HAS_EH_DBASE
int (*findObject)(void *, dl_find_object *);
#endif

void findLeap(int which) {
  __atomic_store_n(&leaps[which],
                   reinterpret_cast<Leap *>(dlsym(RTLD_NEXT, kNames[which])),
                   __ATOMIC_RELAXED);
}

void findCatch(void *where) {
  void *found = dlsym(where, "__cxa_begin_catch");
  dlerror(); // so that the program does not see our error
  __atomic_store_n(&beginCatch, reinterpret_cast<Catch *>(found),
                   __ATOMIC_RELAXED);
}

// A program may have opened a C++ library, and so libstdc++.so.6, in a separate
// scope. Only libstdc++.so.6 has the name in the version that is bound to the
// function in this file. Not called when the library is loaded: dlopen may be
// the program's own function, which is not ready at that time.
void findCatchElsewhere() {
  findCatch(RTLD_NEXT);
  if (__atomic_load_n(&beginCatch, __ATOMIC_RELAXED))
    return;
  if (void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD)) {
    findCatch(library);
    dlclose(library);
  }
}

__attribute__((constructor)) void findAll() {
  for (int i = 0; i < COUNT; ++i)
    findLeap(i);
  // A failed search allocates memory from the program's allocator and creates
  // an error message. In a C program, this would be a third of the memory that
  // preloading needs.
  if (tprt_first_begin_catch)
    findCatch(RTLD_NEXT);
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  // Found by name, because C libraries before 2.35 do not have the function.
  findObject = reinterpret_cast<decltype(findObject)>(
      dlsym(RTLD_DEFAULT, "_dl_find_object"));
#endif
}

// --- where a function begins -------------------------------------------------

// Linux Standard Base, "Exception Frame Header": .eh_frame_hdr, whose table is
// sorted by address. The encodings are those that linkers write.
struct FrameHeader {
  uint8_t version, pointerEncoding, countEncoding, tableEncoding;
  int32_t frames;
  uint32_t count;
  struct Row {
    int32_t function, description; // minus the header's address
  } rows[];
};
constexpr uint8_t kPcRelative = 0x1b, kUnsigned = 0x03, kHeaderRelative = 0x3b;

uint64_t beginningIn(const FrameHeader &header, uint64_t address) {
  if (header.version != 1 || header.pointerEncoding != kPcRelative ||
      header.countEncoding != kUnsigned ||
      header.tableEncoding != kHeaderRelative)
    return 0;
  auto begin = [&](uint32_t row) {
    return reinterpret_cast<uint64_t>(&header) +
           static_cast<int64_t>(header.rows[row].function);
  };
  uint32_t after = partitionPoint(
      0, header.count, [&](uint32_t row) { return begin(row) <= address; });
  return after ? begin(after - 1) : 0;
}

// The word that represents the function with the code at `address`.
uint64_t functionAt(uint64_t address) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  dl_find_object object;
  if (findObject &&
      findObject(reinterpret_cast<void *>(address), &object) == 0 &&
      object.dlfo_eh_frame)
    if (uint64_t begin = beginningIn(
            *static_cast<const FrameHeader *>(object.dlfo_eh_frame), address))
      return begin;
#endif
  return address | uint64_t{1} << TPRT_TRACE_INSIDE_BIT;
}

// --- where the program goes on -----------------------------------------------

// Where a program continues. `code` is the address after a call, so the byte
// before it is part of the call.
struct Place {
  uint64_t code, stack;
};
void tellUnwound(const Place &place) {
  if (!place.code)
    return;
  callsLeft(place.stack);
  if (generationNow())
    recordUnwound(functionAt(place.code - 1), place.stack);
}

// Where setjmp() returns a second time; zeros if that is not known. glibc's
// sysdeps/x86_64/jmpbuf-offsets.h (JB_RSP, JB_PC) and pointer_guard.h
// (PTR_DEMANGLE). On AArch64, programs cannot read the value by which glibc
// hides the addresses.
Place placeOf([[maybe_unused]] const void *environment) {
#if defined(__x86_64__)
  constexpr unsigned kStack = 6, kCode = 7;
  uint64_t words[kCode + 1];
  memcpy(words, environment, sizeof words);
  for (unsigned i : {kStack, kCode})
    __asm__("ror $0x11, %0\n\txor %%fs:0x30, %0" : "+r"(words[i]) : : "cc");
  return {words[kCode], words[kStack]};
#else
  return {};
#endif
}

[[noreturn]] void leap(Function which, void *environment, int value) {
  tellUnwound(placeOf(environment));
  if (!__atomic_load_n(&leaps[which], __ATOMIC_RELAXED))
    findLeap(which);
  if (Leap *next = __atomic_load_n(&leaps[which], __ATOMIC_RELAXED))
    next(environment, value);
  abort(); // unreachable: the C library has the function
}

} // namespace
} // namespace tprt

using namespace tprt;

extern "C" {

TPRT_VISIBLE void *tprt_interposed___cxa_begin_catch(void *exception) noexcept {
  tellUnwound({reinterpret_cast<uint64_t>(__builtin_return_address(0)),
               reinterpret_cast<uint64_t>(__builtin_frame_address(0)) + 16});
  if (!__atomic_load_n(&beginCatch, __ATOMIC_RELAXED))
    findCatchElsewhere();
  if (Catch *next = __atomic_load_n(&beginCatch, __ATOMIC_RELAXED))
    return next(exception);
  abort(); // as above
}

[[noreturn]] TPRT_VISIBLE void tprt_interposed_longjmp(void *environment,
                                                       int value) {
  leap(LONGJMP, environment, value);
}
[[noreturn]] TPRT_VISIBLE void tprt_interposed__longjmp(void *environment,
                                                        int value) {
  leap(LONGJMP_PLAIN, environment, value);
}
[[noreturn]] TPRT_VISIBLE void tprt_interposed_siglongjmp(void *environment,
                                                          int value) {
  leap(SIGLONGJMP, environment, value);
}
[[noreturn]] TPRT_VISIBLE void tprt_interposed___longjmp_chk(void *environment,
                                                             int value) {
  leap(LONGJMP_CHECKED, environment, value);
}

TPRT_STANDS_FOR(__cxa_begin_catch, "CXXABI_1.3");
TPRT_STANDS_FOR(longjmp, TPRT_GLIBC);
TPRT_STANDS_FOR(_longjmp, TPRT_GLIBC);
TPRT_STANDS_FOR(siglongjmp, TPRT_GLIBC);
TPRT_STANDS_FOR(__longjmp_chk, TPRT_GLIBC_CHECKED);
}
