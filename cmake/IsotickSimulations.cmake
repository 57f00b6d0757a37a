# For projects with simulations of their own: plug-ins, and tests that replay recordings of them.
# Comes with find_package(isotick), and with isotick as a subdirectory.
#
#   isotick_add_simulation(bounce SOURCES bounce.cpp LIBRARIES physics)
#   isotick_add_replay_test(NAME Bounce SIM bounce RECORDINGS recordings/*.isotick STRICT)
#   isotick_add_lockstep_test(NAME BouncePeers SIM bounce PEERS 4 MODE rollback NETWORK awful)

# isotick_strict_floating_point(target): the same bits on every compiler and processor. No fused
# multiply-add, 64-bit doubles on 32-bit x86, and flags that give that up are refused, wherever in
# this folder's CMakeLists.txt they are set.
function(isotick_strict_floating_point target)
  isotick_compiler(compiler version)
  if(compiler MATCHES "^(GNU|Clang|AppleClang)$")
    target_compile_options(${target} PRIVATE -ffp-contract=off)
    if(CMAKE_SIZEOF_VOID_P EQUAL 4
       AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(i.86|x86|x86_64|AMD64)$")
      # The x87 unit keeps 80 bits until a value happens to go to memory.
      target_compile_options(${target} PRIVATE -msse2 -mfpmath=sse)
    endif()
  elseif(compiler STREQUAL "MSVC")
    target_compile_options(${target} PRIVATE /fp:precise)
  endif()
  isotick_vectorizer_fuses(fuses)
  if(fuses)
    target_compile_options(${target} PRIVATE -fno-tree-vectorize)
  endif()
  cmake_language(EVAL CODE
    "cmake_language(DEFER CALL isotick_refuse_loose_floating_point [[${target}]])")
endfunction()

# isotick_add_simulation(target SOURCES … [LIBRARIES …]): a plug-in for `isotick --sim`: target.so,
# whose sources hold one ISOTICK_SIMULATION and are compiled as C++20 with strict floating point, or
# are C and fill the table of plugin.h: that takes no C++ in the project, and of isotick the
# component `plugin`. It shows nothing to the outside but its entry.
function(isotick_add_simulation target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  isotick_check_arguments(${CMAKE_CURRENT_FUNCTION} REQUIRED SOURCES OPTIONAL LIBRARIES)
  set(kind core)
  set(others ${arg_SOURCES})
  list(FILTER others EXCLUDE REGEX "[.][ch]$")
  if(NOT others)
    set(kind plugin)
  endif()
  get_target_property(installed isotick::${kind} IMPORTED)
  if(kind STREQUAL "core" AND installed AND NOT TARGET cereal::cereal)
    message(FATAL_ERROR
      "isotick_add_simulation: a simulation needs find_package(isotick COMPONENTS core)")
  endif()
  add_library(${target} MODULE ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE isotick::${kind} ${arg_LIBRARIES})
  target_link_options(${target} PRIVATE $<$<PLATFORM_ID:Linux>:LINKER:--exclude-libs,ALL>)
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  isotick_strict_floating_point(${target})
endfunction()

# isotick_add_replay_test(NAME … SIM target|exec:command RECORDINGS recordings/*.isotick [STRICT]
# [TRIALS n] [LOOPS loop|all] [TIMEOUT seconds] [LABELS …] [ARGS …]): one test `NAME.recording` per
# recording.
#
# Each runs `verify`: the program isotick's, where SIM is a plug-in or a command that speaks the
# process protocol, or its own, where SIM is an executable linked with isotick::main; under the
# cross-compiling emulator, if there is one. A command runs in this folder's build folder. ARGS
# go to `verify` as they are. LOOPS is what drives the simulation: one of `isotick loops`, with its
# options, or `all` that keep dt constant; by default the accumulator. Trials run on all processors
# unless ARGS say `--jobs`. Whatever is not identical fails, under STRICT what the quick audit finds
# that the hash does not see too; exit code 77, nothing supported, skips.
# The report is shown by ctest and left, with one for machines, in
#
#   ${CMAKE_CURRENT_BINARY_DIR}/isotick-reports/NAME.recording/report.txt (.json, .md, .xml)
#
# Recordings are paths or globs, relative to this folder; new ones are found by the next build. One
# that is not there, and a glob that finds none, is an error: a test of nothing would pass.
function(isotick_add_replay_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "STRICT" "NAME;SIM;TRIALS;LOOPS;TIMEOUT"
    "RECORDINGS;LABELS;ARGS")
  set(caller ${CMAKE_CURRENT_FUNCTION})
  isotick_check_arguments(${caller}
    REQUIRED NAME SIM RECORDINGS OPTIONAL STRICT TRIALS LOOPS TIMEOUT LABELS ARGS)
  isotick_check_numbers()
  isotick_find_verifier(verifier simulation)
  isotick_find_recordings(recordings)
  if(arg_STRICT)
    list(APPEND simulation --strict)
  endif()
  if(DEFINED arg_TRIALS)
    list(APPEND simulation --trials ${arg_TRIALS})
  endif()
  if(DEFINED arg_LOOPS)
    list(APPEND simulation --loop "${arg_LOOPS}")
  endif()
  foreach(recording IN LISTS recordings)
    isotick_name_test(test "${recording}")
    isotick_add_one_test("${test}" verify "${recording}" ${simulation}
      --report "${CMAKE_CURRENT_BINARY_DIR}/isotick-reports/${test}" ${arg_ARGS})
  endforeach()
endfunction()

# isotick_add_lockstep_test(NAME … SIM target|exec:command [RECORDINGS recordings/*.isotick]
# [PEERS n] [MODE lockstep|rollback] [NETWORK profile or what it does] [TRIALS n] [TICKS n]
# [TIMEOUT seconds] [LABELS …] [ARGS …]): runs a session as peers over a bad network and compares
# them with each other and an offline replay: one test `NAME.recording` per recording, or one test
# `NAME` whose session is recorded first.
#
# Each runs `lockstep`, by the program that isotick_add_replay_test would run; SIM, RECORDINGS and
# what is not named here are as there. PEERS is one for each player by default, MODE lockstep,
# NETWORK broadband, TRIALS 10 and TICKS all that are recorded, or 1200. ARGS go to `lockstep` as
# they are, such as `--event "kill 2@10s"`. ctest shows the report; what the peers did is left in
#
#   ${CMAKE_CURRENT_BINARY_DIR}/isotick-reports/NAME.recording/time-line.svg
function(isotick_add_lockstep_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SIM;PEERS;MODE;NETWORK;TRIALS;TICKS;TIMEOUT"
    "RECORDINGS;LABELS;ARGS")
  set(caller ${CMAKE_CURRENT_FUNCTION})
  isotick_check_arguments(${caller}
    REQUIRED NAME SIM OPTIONAL RECORDINGS PEERS MODE NETWORK TRIALS TICKS TIMEOUT LABELS ARGS)
  isotick_check_numbers()
  if(DEFINED arg_MODE AND NOT arg_MODE MATCHES "^(lockstep|rollback)$")
    message(FATAL_ERROR "${caller}: MODE ${arg_MODE}: that is neither lockstep nor rollback")
  endif()
  isotick_find_verifier(verifier simulation)
  isotick_find_recordings(recordings)
  foreach(option PEERS MODE NETWORK TRIALS TICKS)
    if(DEFINED arg_${option})
      string(TOLOWER --${option} name)
      list(APPEND simulation ${name} "${arg_${option}}")
    endif()
  endforeach()
  if(NOT DEFINED arg_RECORDINGS)
    set(recordings none)
  endif()
  foreach(recording IN LISTS recordings)
    set(test "${arg_NAME}")
    set(session "")
    if(DEFINED arg_RECORDINGS)
      isotick_name_test(test "${recording}")
      set(session "${recording}")
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/isotick-reports/${test}")
    file(MAKE_DIRECTORY "${folder}")
    isotick_add_one_test("${test}" lockstep ${session} ${simulation}
      --time-line "${folder}/time-line.svg" --force ${arg_ARGS})
  endforeach()
endfunction()

# What follows is for the functions above alone; it sees their variables.

# The id and the version of the compiler: the one for C++, or for C where the project has no C++.
function(isotick_compiler id version)
  set(language CXX)
  if(NOT CMAKE_CXX_COMPILER_ID)
    set(language C)
  endif()
  set(${id} "${CMAKE_${language}_COMPILER_ID}" PARENT_SCOPE)
  set(${version} "${CMAKE_${language}_COMPILER_VERSION}" PARENT_SCOPE)
endfunction()

# GCC 12.0 to 12.2 fuse `c * x - s * y; s * x + c * y` in spite of -ffp-contract=off, from -O2 on,
# where the target has fused multiply-add (https://gcc.gnu.org/PR107647). Without its vectorizer
# they do not; -mno-fma would not be enough with AVX-512.
function(isotick_vectorizer_fuses variable)
  isotick_compiler(compiler version)
  set(${variable} OFF PARENT_SCOPE)
  if(compiler STREQUAL "GNU" AND version VERSION_GREATER_EQUAL 12.0 AND version VERSION_LESS 12.3)
    set(${variable} ON PARENT_SCOPE)
  endif()
endfunction()

# What was given is understood, and what is required was given.
function(isotick_check_arguments caller)
  cmake_parse_arguments(PARSE_ARGV 1 its "" "" "REQUIRED;OPTIONAL")
  list(JOIN its_REQUIRED ", " known)
  list(JOIN its_OPTIONAL ", " optional)
  foreach(unknown IN LISTS arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${caller}: there is no argument ${unknown}; there are ${known}, and if "
      "need be ${optional}")
  endforeach()
  foreach(name IN LISTS arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${caller}: nothing follows ${name}")
  endforeach()
  foreach(name IN LISTS its_REQUIRED)
    if(NOT DEFINED arg_${name})
      message(FATAL_ERROR "${caller}: ${name} is missing")
    endif()
  endforeach()
endfunction()

# Numbers are numbers.
function(isotick_check_numbers)
  foreach(option TRIALS PEERS TICKS)
    string(TOLOWER ${option} what)
    if(DEFINED arg_${option} AND NOT arg_${option} MATCHES "^[1-9][0-9]*$")
      message(FATAL_ERROR
        "${caller}: ${option} ${arg_${option}}: that is not a number of ${what}, 1 or more")
    endif()
  endforeach()
  if(DEFINED arg_TIMEOUT AND NOT arg_TIMEOUT MATCHES "^[0-9]+([.][0-9]+)?$")
    message(FATAL_ERROR "${caller}: TIMEOUT ${arg_TIMEOUT}: that is not a number of seconds")
  endif()
endfunction()

# The name of the test of a recording.
function(isotick_name_test test recording)
  cmake_path(GET recording STEM LAST_ONLY stem)
  set(name "${arg_NAME}.${stem}")
  if(TEST "${name}")
    message(FATAL_ERROR "${caller}: there is a test ${name} already; "
      "${recording} needs another name, or another NAME")
  endif()
  set(${test} "${name}" PARENT_SCOPE)
endfunction()

# isotick_add_one_test(NAME ARGUMENT…): a test that runs the verifier with these.
function(isotick_add_one_test test)
  if(TEST "${test}")
    message(FATAL_ERROR "${caller}: there is a test ${test} already; it needs another NAME")
  endif()
  add_test(NAME "${test}" COMMAND ${verifier} ${ARGN} COMMAND_EXPAND_LISTS)
  set_tests_properties("${test}" PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77)
  if(DEFINED arg_TIMEOUT)
    set_tests_properties("${test}" PROPERTIES TIMEOUT "${arg_TIMEOUT}")
  endif()
endfunction()

# The program that verifies recordings of SIM, behind its emulator, and how it is told of SIM.
function(isotick_find_verifier verifier simulation)
  if(arg_SIM MATCHES "^exec:")
    isotick_require_program()
    set(${verifier} ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:isotick::program>"
      PARENT_SCOPE)
    set(${simulation} --sim "${arg_SIM}" PARENT_SCOPE)
    return()
  endif()
  if(NOT TARGET ${arg_SIM})
    message(FATAL_ERROR "${caller}: there is no target ${arg_SIM}; "
      "isotick_add_simulation(${arg_SIM} …) must come before")
  endif()
  get_target_property(type ${arg_SIM} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set(${verifier} "$<TARGET_PROPERTY:${arg_SIM},CROSSCOMPILING_EMULATOR>"
      "$<TARGET_FILE:${arg_SIM}>" PARENT_SCOPE)
    set(${simulation} "" PARENT_SCOPE)
  elseif(NOT type MATCHES "^(MODULE|SHARED)_LIBRARY$")
    message(FATAL_ERROR "${caller}: ${arg_SIM} is neither a plug-in nor a program "
      "linked with isotick::main")
  else()
    isotick_require_program()
    set(${verifier} ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:isotick::program>"
      PARENT_SCOPE)
    set(${simulation} --sim "$<TARGET_FILE:${arg_SIM}>" PARENT_SCOPE)
    get_target_property(installed isotick::program IMPORTED)
    if(NOT installed)
      add_dependencies(${arg_SIM} isotick::program)
    endif()
  endif()
endfunction()

function(isotick_require_program)
  if(NOT TARGET isotick::program)
    message(FATAL_ERROR "${caller}: this isotick was built without its program "
      "(ISOTICK_BUILD_HARNESS)")
  endif()
endfunction()

# The files of RECORDINGS, each of which leads to at least one.
function(isotick_find_recordings recordings)
  set(all "")
  foreach(pattern IN LISTS arg_RECORDINGS)
    cmake_path(ABSOLUTE_PATH pattern OUTPUT_VARIABLE path)
    set(found "${path}")
    if(NOT EXISTS "${path}")
      file(GLOB found LIST_DIRECTORIES false CONFIGURE_DEPENDS "${path}")
    endif()
    if(NOT found AND pattern MATCHES "^[A-Z_]+$")
      message(FATAL_ERROR "${caller}: ${pattern} is neither one of its arguments "
        "nor a recording")
    elseif(NOT found)
      message(FATAL_ERROR "${caller}: no recording at ${path}: "
        "make one with `isotick record`, or take this test out")
    endif()
    list(APPEND all ${found})
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${recordings} "${all}" PARENT_SCOPE)
endfunction()

# Runs when the folder's CMakeLists.txt has been read to its end, so that all flags are known.
function(isotick_refuse_loose_floating_point target)
  set(loose -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math
    -ffinite-math-only -fno-signed-zeros -ffp-contract=fast -ffp-contract=on -ffp-model=fast
    -ffp-model=aggressive -mfpmath=387 -mdaz-ftz /fp:fast)
  isotick_vectorizer_fuses(fuses)
  if(fuses)
    list(APPEND loose -ftree-vectorize -ftree-slp-vectorize -ftree-loop-vectorize)
  endif()
  set(places CMAKE_C_FLAGS CMAKE_CXX_FLAGS
    CMAKE_EXE_LINKER_FLAGS CMAKE_MODULE_LINKER_FLAGS CMAKE_SHARED_LINKER_FLAGS)
  foreach(config IN LISTS CMAKE_BUILD_TYPE CMAKE_CONFIGURATION_TYPES)
    string(TOUPPER "${config}" config)
    list(APPEND places CMAKE_C_FLAGS_${config} CMAKE_CXX_FLAGS_${config})
  endforeach()
  foreach(place COMPILE_OPTIONS COMPILE_FLAGS LINK_OPTIONS LINK_FLAGS)
    get_target_property(${place} ${target} ${place})
    list(APPEND places ${place})
  endforeach()
  foreach(place IN LISTS places)
    string(REGEX MATCHALL "[^ ;:,<>\"]+" words "${${place}}")
    foreach(flag IN LISTS loose)
      if(flag IN_LIST words)
        message(FATAL_ERROR "${target}: ${place} holds ${flag}, with which the same source "
          "computes other bits under another compiler or on another machine. Take it out, or give "
          "it only to targets that compute no state (target_compile_options).")
      endif()
    endforeach()
  endforeach()
endfunction()
