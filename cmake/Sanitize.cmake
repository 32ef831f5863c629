# TP_SANITIZE=address|undefined|thread builds the runtime alone with that
# sanitizer. The tests `sanitize.*` do so in folders of their own
# (runtime/tests/sanitize.sh). It needs clang. Such a build is for tests only, as its
# hits are slow.
set(TP_SANITIZE "" CACHE STRING "Build just the runtime, with address, undefined or thread")
set_property(CACHE TP_SANITIZE PROPERTY STRINGS "" address undefined thread)
if(NOT TP_SANITIZE MATCHES "^(address|undefined|thread)?$")
  message(FATAL_ERROR "TP_SANITIZE is address, undefined or thread, not '${TP_SANITIZE}'")
endif()

# Files that run inside a hit, or that handlers may call. ThreadSanitizer turns each
# access into a call of its runtime, and AddressSanitizer marks the stack by such
# calls. These calls use vector registers that nobody has saved there, and may take
# locks that the interrupted program holds. So neither sanitizer is used for these
# files. UndefinedBehaviorSanitizer calls its runtime only to report a fault, so it is
# used for them.
set(TP_HIT_FILES core/api.cpp core/chain.cpp core/clock.cpp core/counters.cpp core/every.cpp core/hit.cpp core/query.cpp core/secondstubs.cpp core/stays.cpp
  core/threads.cpp os/linux/line.cpp os/linux/own.cpp os/linux/process.cpp os/linux/threads.cpp optional/duration.cpp optional/exits.cpp optional/names.cpp optional/timing.cpp
  optional/control/callers.cpp optional/control/counted.cpp optional/control/tallies.cpp
  optional/control/timedgroups.cpp optional/control/timedrows.cpp optional/control/times.cpp
  optional/points/arguments.cpp optional/points/braces.cpp optional/points/characters.cpp optional/points/decimal.cpp
  optional/points/escape.cpp optional/points/floating.cpp optional/points/number.cpp optional/points/print.cpp
  optional/points/printf.cpp optional/points/record.cpp optional/points/shortest.cpp optional/points/values.cpp
  optional/record/blocks.cpp optional/record/describe.cpp optional/record/file.cpp optional/record/handed.cpp optional/record/hits.cpp
  optional/record/processes.cpp optional/record/recordings.cpp optional/record/tables.cpp optional/record/threads.cpp
  optional/record/values.cpp
  ${CMAKE_SOURCE_DIR}/runtime/names/shorten.cpp
  arch/x86_64/countstub.cpp arch/x86_64/recordstub.cpp arch/x86_64/stub.cpp arch/x86_64/trap.cpp arch/x86_64/words.cpp
  os/linux/sigtrap.cpp)
# Files that read and write the program's code. ThreadSanitizer keeps no state for
# code, and other threads run that code meanwhile on purpose.
set(TP_CODE_FILES core/textwriter.cpp os/linux/text.cpp arch/x86_64/foreign.cpp core/foreign.cpp)

set(TP_SANITIZE_FLAGS -fsanitize=${TP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
if(TP_SANITIZE STREQUAL thread)
  list(APPEND TP_SANITIZE_FLAGS -DTPRT_THREAD_SANITIZER)
endif()
if(TP_SANITIZE STREQUAL address)
  list(APPEND TP_SANITIZE_FLAGS -fsanitize-address-use-after-return=never)
endif()

# Compiles the C++ files of `target` with the sanitizer. The sanitizer's runtime is
# linked into the program (sanitize.sh).
function(tp_sanitize target)
  if(NOT TP_SANITIZE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(TP_SANITIZE STREQUAL thread AND source IN_LIST TP_CODE_FILES)
      continue()
    endif()
    if(source MATCHES "\\.cpp$" AND (TP_SANITIZE STREQUAL undefined OR NOT source IN_LIST TP_HIT_FILES))
      set_property(SOURCE ${source} PROPERTY COMPILE_OPTIONS ${TP_SANITIZE_FLAGS})
    endif()
  endforeach()
endfunction()
