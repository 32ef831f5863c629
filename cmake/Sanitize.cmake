# TP_SANITIZE=address|undefined|thread builds only the runtime, with that sanitizer.
# TP_SANITIZE=coverage builds it with clang's counters of covered code. The tests
# `sanitize.*` do so in separate folders (runtime/tests/sanitize.sh). Such a build needs
# clang, and is only for tests, because its hits are slow.
set(TP_SANITIZE "" CACHE STRING "Build just the runtime, with address, undefined, thread or coverage")
set_property(CACHE TP_SANITIZE PROPERTY STRINGS "" address undefined thread coverage)
if(NOT TP_SANITIZE MATCHES "^(address|undefined|thread|coverage)?$")
  message(FATAL_ERROR "TP_SANITIZE is address, undefined, thread or coverage, not '${TP_SANITIZE}'")
endif()

# Files that run inside a hit, or that handlers may call. ThreadSanitizer turns each
# access into a call of its runtime, and AddressSanitizer marks the stack by such
# calls. These calls use vector registers that nobody has saved there, and may take
# locks that the interrupted program holds. So neither sanitizer is used for these
# files. UndefinedBehaviorSanitizer calls its runtime only to report a fault, so it is
# used for them.
set(TP_HIT_FILES probes/api.cpp actions/action_list.cpp threads/clock.cpp threads/counters.cpp threads/every_nth.cpp hits/hit.cpp probes/query.cpp text/inline_stubs.cpp hits/quiesce.cpp
  threads/thread_block.cpp os/linux/write_line.cpp os/linux/proc_self.cpp os/linux/process.cpp os/linux/system_thread.cpp timing/duration_probe.cpp timing/missing_exits.cpp names/short_names.cpp options/time_option.cpp
  timing/caller_sums.cpp timing/thread_sums.cpp
  timing/timed_groups.cpp timing/timed_rows.cpp timing/call_timer.cpp
  aggregate/aggregations.cpp aggregate/hit_program.cpp aggregate/read_rows.cpp programs/doubles.cpp programs/follow_calls.cpp programs/hit_keys.cpp programs/hit_values.cpp
  programs/pairs.cpp programs/read_memory.cpp programs/run_program.cpp programs/scopes.cpp programs/seen_ends.cpp programs/walk_stack.cpp stacks/stack_tables.cpp
  points/arguments.cpp points/braces.cpp points/characters.cpp points/decimal.cpp
  points/escape.cpp points/floating.cpp points/number.cpp points/print_point.cpp
  points/printf.cpp points/pack_hit.cpp points/shortest.cpp points/values.cpp
  record/blocks.cpp record/site_numbers.cpp record/recording_file.cpp record/block_handover.cpp record/append.cpp record/record_hit.cpp record/thread_end.cpp
  record/processes.cpp record/recording_calls.cpp record/metadata.cpp record/thread_cursor.cpp
  record/event_values.cpp record/record_program.cpp
  run/run_calls.cpp run/run_format.cpp run/run_lines.cpp run/run_table.cpp
  ${CMAKE_SOURCE_DIR}/runtime/names/shorten.cpp ${CMAKE_SOURCE_DIR}/runtime/names/glob.cpp
  arch/x86_64/countstub.cpp arch/x86_64/recordstub.cpp arch/x86_64/stub.cpp arch/x86_64/trap.cpp arch/x86_64/atomics.cpp
  os/linux/sigtrap.cpp)
# Files that read and write the program's code. ThreadSanitizer keeps no state for
# code, and other threads run that code meanwhile on purpose.
set(TP_CODE_FILES text/text_writer.cpp os/linux/text.cpp os/linux/executable_pages.cpp arch/x86_64/nops.cpp elf/patchable_entries.cpp)

if(TP_SANITIZE STREQUAL coverage)
  # A counter is one addition to memory, so the files of hits have counters, too.
  set(TP_SANITIZE_FLAGS -fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic)
else()
  set(TP_SANITIZE_FLAGS -fsanitize=${TP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
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
    if(source MATCHES "\\.cpp$" AND (TP_SANITIZE MATCHES "undefined|coverage" OR NOT source IN_LIST TP_HIT_FILES))
      set_property(SOURCE ${source} PROPERTY COMPILE_OPTIONS ${TP_SANITIZE_FLAGS})
    endif()
  endforeach()
endfunction()
