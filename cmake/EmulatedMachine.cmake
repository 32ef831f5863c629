# Tests in an emulated machine, with a whole kernel (docs/dev/machine.md), and of the scripts
# that run it. Label: system. Where the machine's parts are not there, the tests are skipped,
# and say how to get the parts.
set(script ${CMAKE_SOURCE_DIR}/scripts/machine)
add_test(NAME machine.agent COMMAND Python3::Interpreter -B ${script}/tests/agent_test.py)
set_tests_properties(machine.agent PROPERTIES TIMEOUT 300)
if(NOT TP_AARCH64)
  return()
endif()
set(TP_MACHINE aarch64 CACHE STRING "The emulated machine of the tests: aarch64, or aarch64-16k with pages of 16 kB")
add_test(NAME machine.life COMMAND Python3::Interpreter -B ${script}/tests/machine_test.py ${CMAKE_BINARY_DIR} ${TP_MACHINE})

# One machine for all tests. Its owner is ctest, which the first of these tests is a child of.
set(machine ${script}.sh --build ${CMAKE_BINARY_DIR} ${TP_MACHINE})
add_test(NAME machine.start COMMAND ${machine} start)
add_test(NAME machine.stop COMMAND ${machine} stop)
set_tests_properties(machine.start PROPERTIES FIXTURES_SETUP emulated_machine)
set_tests_properties(machine.stop PROPERTIES FIXTURES_CLEANUP emulated_machine)

set(tests machine.life machine.start machine.stop)
set(in_machine)
# The client and the agent once more, over the emulated network.
add_test(NAME system.agent COMMAND Python3::Interpreter -B ${script}/tests/agent_test.py ${CMAKE_BINARY_DIR}/machine/client
  ${CMAKE_BINARY_DIR}/machine/run/${TP_MACHINE} --or-skip)
list(APPEND in_machine system.agent)
foreach(program tprt_unit tprt_component tprt_plan tprt_times tprt_aggregate tprt_code_test tprt_stress tprt_stress_record)
  add_test(NAME system.${program} COMMAND ${machine} run ${CMAKE_BINARY_DIR}/aarch64/bin/${program} --gtest_brief=1)
  list(APPEND in_machine system.${program})
endforeach()
add_test(NAME system.packages COMMAND ${CMAKE_CURRENT_LIST_DIR}/install-test/packages-aarch64.sh ${CMAKE_BINARY_DIR} ${TP_MACHINE})
list(APPEND in_machine system.packages)
set_tests_properties(${in_machine} PROPERTIES FIXTURES_REQUIRED emulated_machine)
set_tests_properties(${tests} ${in_machine} PROPERTIES LABELS system SKIP_RETURN_CODE 77 TIMEOUT 900)
