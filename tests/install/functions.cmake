# Run by ctest with cmake -P; see CMakeLists.txt for the variables. Small projects that use the
# installed functions: right, wrong, and under an emulator.
set(folder "${SCRATCH}/functions")
file(REMOVE_RECURSE "${folder}")
file(COPY "${CONSUMER}/bounce.hpp" "${CONSUMER}/bounce.cpp" "${CONSUMER}/recordings"
  DESTINATION "${folder}")
file(COPY "${CONSUMER}/recordings/kicks.isotick" DESTINATION "${folder}/more")

# configure(code output find "lines"…): configures a project in `languages` that finds isotick by
# `find` and goes on with the lines.
set(languages C CXX)
function(configure code output find)
  list(JOIN ARGN "\n" lines)
  list(JOIN languages " " languages)
  file(WRITE "${folder}/CMakeLists.txt"
    "cmake_minimum_required(VERSION 3.25)\nproject(functions LANGUAGES ${languages})\n"
    "enable_testing()\n${find}\n${lines}\n")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${folder}" -B "${folder}/build"
      "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_BUILD_TYPE=Release"
      "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")  # CMake breaks lines
  set(${code} "${result}" PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

set(installed "find_package(isotick REQUIRED COMPONENTS core program)")
set(bounce "isotick_add_simulation(bounce SOURCES bounce.cpp)")

function(must_be_refused text)
  configure(code output "${installed}" ${ARGN})
  if(code EQUAL 0 OR NOT output MATCHES "${text}")
    message(FATAL_ERROR "${ARGN} was not refused with '${text}', but gave ${code}:\n${output}")
  endif()
endfunction()

function(must_be_accepted find)
  configure(code output "${find}" ${ARGN})
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} was refused:\n${output}")
  endif()
endfunction()

# Arguments.
must_be_refused("isotick_add_simulation: SOURCES is missing" "isotick_add_simulation(bounce)")
must_be_refused("there is no argument bounce.cpp" "isotick_add_simulation(bounce bounce.cpp)")
must_be_refused("nothing follows SIM" ${bounce} "isotick_add_replay_test(NAME B SIM)")
set(test "isotick_add_replay_test(NAME B SIM bounce RECORDINGS recordings/*.isotick")
must_be_refused("there is no target bounce; isotick_add_simulation" "${test})")
must_be_refused("there is no argument SEED" ${bounce}
  "isotick_add_replay_test(NAME B SEED 7 SIM bounce RECORDINGS recordings/*.isotick)")
must_be_refused("SEED is neither one of its arguments nor a recording" ${bounce} "${test} SEED)")
must_be_refused("TRIALS 0: that is not a number" ${bounce} "${test} TRIALS 0)")
must_be_refused("TIMEOUT soon: that is not a number" ${bounce} "${test} TIMEOUT soon)")
must_be_refused("bounce is neither a plug-in nor a program"
  "add_library(bounce STATIC bounce.cpp)" "${test})")
must_be_refused("there is a test B.kicks already" ${bounce} "${test} more/kicks.isotick)")
must_be_refused("no recording at [^ ]*/functions/none/[*].isotick: make one" ${bounce}
  "isotick_add_replay_test(NAME B SIM bounce RECORDINGS none/*.isotick)")
set(peers "isotick_add_lockstep_test(NAME P SIM bounce")
must_be_refused("isotick_add_lockstep_test: SIM is missing" "isotick_add_lockstep_test(NAME P)")
must_be_refused("isotick_add_lockstep_test: there is no target bounce" "${peers})")
must_be_refused("PEERS 0: that is not a number of peers" ${bounce} "${peers} PEERS 0)")
must_be_refused("TICKS all: that is not a number of ticks" ${bounce} "${peers} TICKS all)")
must_be_refused("MODE turns: that is neither lockstep nor rollback" ${bounce}
  "${peers} MODE turns)")
must_be_refused("isotick_add_lockstep_test: there is a test P already" ${bounce} "${peers})"
  "${peers})")
must_be_refused("isotick_add_lockstep_test: no recording at [^ ]*/functions/none.isotick" ${bounce}
  "${peers} RECORDINGS none.isotick)")
configure(code output "find_package(isotick REQUIRED COMPONENTS program)" ${bounce})
if(code EQUAL 0 OR NOT output MATCHES "needs find_package.isotick COMPONENTS core")
  message(FATAL_ERROR "a simulation without the component core gave ${code}:\n${output}")
endif()

# Floating point, wherever it is loosened.
must_be_refused("bounce: CMAKE_CXX_FLAGS holds -ffast-math" ${bounce}
  "set(CMAKE_CXX_FLAGS \"-O2 -ffast-math\")")
must_be_refused("bounce: CMAKE_CXX_FLAGS_RELEASE holds -Ofast"
  "set(CMAKE_CXX_FLAGS_RELEASE -Ofast)" ${bounce})
must_be_refused("bounce: COMPILE_OPTIONS holds -funsafe-math-optimizations" ${bounce}
  "target_compile_options(bounce PRIVATE $<$<CONFIG:Release>:-funsafe-math-optimizations>)")
must_be_refused("bounce: COMPILE_OPTIONS holds -ffp-contract=fast" ${bounce}
  "target_compile_options(bounce PRIVATE -ffp-contract=fast)")
set(gcc_that_fuses "set(CMAKE_CXX_COMPILER_ID GNU)" "set(CMAKE_CXX_COMPILER_VERSION 12.2.0)")
must_be_refused("bounce: COMPILE_OPTIONS holds -ftree-vectorize" ${gcc_that_fuses} ${bounce}
  "target_compile_options(bounce PRIVATE -ftree-vectorize)")
must_be_refused("bounce: LINK_OPTIONS holds -Ofast" ${bounce}
  "target_link_options(bounce PRIVATE -Ofast)")
must_be_accepted("${installed}" ${bounce}
  "set(CMAKE_CXX_FLAGS \"-O3 -fno-fast-math -fno-math-errno\")")
must_be_accepted("${installed}" "set(CMAKE_SIZEOF_VOID_P 4)" "set(CMAKE_SYSTEM_PROCESSOR i686)"
  ${bounce} "get_target_property(options bounce COMPILE_OPTIONS)"
  "if(NOT options MATCHES mfpmath=sse)" "message(FATAL_ERROR \"x87\")" "endif()")

# As a subdirectory, which is what FetchContent makes of it.
must_be_accepted("add_subdirectory(\"${SOURCE}\" isotick EXCLUDE_FROM_ALL)" ${bounce} "${test})")

# What ctest is told.
must_be_accepted("${installed}" ${bounce} "${test} TIMEOUT 7.5 LABELS slow replay)"
  "get_test_property(B.kicks TIMEOUT timeout)" "get_test_property(B.kicks LABELS labels)"
  "if(NOT timeout EQUAL 7.5 OR NOT labels MATCHES ^slow.replay$)"
  "message(FATAL_ERROR \"${timeout}, ${labels}\")" "endif()")

# Under an emulator, here one that takes note of what it runs.
file(WRITE "${folder}/emulator" "#!/bin/sh\necho \"$@\" >> \"${folder}/emulated\"\nexec \"$@\"\n")
file(WRITE "${folder}/unsupported" "#!/bin/sh\nexit 77\n")
file(CHMOD "${folder}/emulator" "${folder}/unsupported"
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
must_be_accepted("${installed}"
  "set(CMAKE_CROSSCOMPILING_EMULATOR \"${folder}/emulator\")"
  "add_library(bounce MODULE IMPORTED)"
  "set_target_properties(bounce PROPERTIES IMPORTED_LOCATION \"${PLUGIN}\")"
  "add_executable(own IMPORTED)"
  "set_target_properties(own PROPERTIES IMPORTED_LOCATION \"${OWN_PROGRAM}\""
  "  CROSSCOMPILING_EMULATOR \"${folder}/emulator\")"
  "add_executable(skipped IMPORTED)"
  "set_target_properties(skipped PROPERTIES IMPORTED_LOCATION \"${OWN_PROGRAM}\""
  "  CROSSCOMPILING_EMULATOR \"${folder}/unsupported\")"
  "${test} TRIALS 5)"
  "isotick_add_replay_test(NAME Own SIM own RECORDINGS more/kicks.isotick TRIALS 5 LOOPS all)"
  "isotick_add_replay_test(NAME Skipped SIM skipped RECORDINGS more/kicks.isotick)"
  "isotick_add_lockstep_test(NAME Peers SIM bounce RECORDINGS more/kicks.isotick TRIALS 2"
  "  NETWORK \"delay=40ms loss=5%\" ARGS --peers 2 --spectators 1)"
  "isotick_add_lockstep_test(NAME Own SIM own MODE rollback TICKS 300 TRIALS 2 PEERS 2"
  "  ARGS --spectators 1)")
execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${folder}/build" --output-on-failure
  OUTPUT_VARIABLE tested COMMAND_ERROR_IS_FATAL ANY)
if(NOT tested MATCHES "Skipped.kicks [.]+[*]+Skipped")
  message(FATAL_ERROR "what is unsupported was not skipped:\n${tested}")
endif()
file(READ "${folder}/emulated" emulated)
foreach(program "/isotick" "${OWN_PROGRAM}")
  if(NOT emulated MATCHES "${program} verify [^\n]* --trials 5 ")
    message(FATAL_ERROR "${program} did not run under the emulator, only:\n${emulated}")
  endif()
endforeach()
if(NOT emulated MATCHES "${OWN_PROGRAM} verify [^\n]* --loop all ")
  message(FATAL_ERROR "LOOPS did not reach verify:\n${emulated}")
endif()
if(NOT emulated MATCHES "/isotick lockstep [^\n]*/kicks.isotick --sim [^\n]* --network delay=40ms \
loss=5% --trials 2 [^\n]* --peers 2 --spectators 1")
  message(FATAL_ERROR "what the peers are to do did not reach lockstep:\n${emulated}")
endif()
if(NOT emulated MATCHES
   "${OWN_PROGRAM} lockstep --peers 2 --mode rollback --trials 2 --ticks 300 ")
  message(FATAL_ERROR "a session of its own was not recorded:\n${emulated}")
endif()
foreach(test Peers.kicks Own)
  if(NOT tested MATCHES "${test} [.]+ +Passed"
     OR NOT EXISTS "${folder}/build/isotick-reports/${test}/time-line.svg")
    message(FATAL_ERROR "${test} left no time line:\n${tested}")
  endif()
endforeach()

# A project of C alone: its plug-in, and the same behind a pipe. A cache of C++ would hide what it
# lacks.
file(REMOVE_RECURSE "${folder}/build")
file(COPY "${CONSUMER}/tanks.c" DESTINATION "${folder}")
set(languages C)
set(installed "find_package(isotick REQUIRED COMPONENTS plugin program)")
set(tanks "isotick_add_simulation(tanks SOURCES tanks.c)")
must_be_accepted("${installed}" ${tanks})
must_be_refused("tanks: CMAKE_C_FLAGS holds -ffast-math" "set(CMAKE_C_FLAGS -ffast-math)" ${tanks})
must_be_accepted("${installed}" ${tanks})
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${folder}/build" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PREFIX}/bin/isotick" record --sim "${folder}/build/tanks.so"
  --inputs random --ticks 120 -o "${folder}/tanks.isotick" COMMAND_ERROR_IS_FATAL ANY)
must_be_accepted("${installed}" ${tanks}
  "isotick_add_replay_test(NAME Tanks SIM tanks RECORDINGS tanks.isotick TRIALS 5)"
  "isotick_add_replay_test(NAME Piped RECORDINGS tanks.isotick TRIALS 5"
  "  SIM \"exec:'${PREFIX}/bin/isotick' serve --sim ./tanks.so\")")
execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${folder}/build" --output-on-failure
  OUTPUT_VARIABLE tested COMMAND_ERROR_IS_FATAL ANY)
foreach(test Tanks.tanks Piped.tanks)
  if(NOT tested MATCHES "${test} [.]+ +Passed")
    message(FATAL_ERROR "there is no test ${test}:\n${tested}")
  endif()
endforeach()
