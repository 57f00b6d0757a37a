# Run by ctest with cmake -P; see CMakeLists.txt for the variables.
set(prefix "${PREFIX}")
set(outside "${SCRATCH}/consumer")
file(REMOVE_RECURSE "${outside}" "${outside}-c")

set(configure "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CONSUMER}" -B "${outside}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
  "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
  "-DCMAKE_C_FLAGS=${C_FLAGS}"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")

# must_be_refused(text option…): configuring with `option` fails and says `text`.
function(must_be_refused text)
  execute_process(COMMAND ${configure} ${ARGN}
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(code EQUAL 0 OR NOT output MATCHES "${text}")
    message(FATAL_ERROR "${ARGN} was not refused with '${text}', but gave ${code}:\n${output}")
  endif()
  file(REMOVE_RECURSE "${outside}")
endfunction()

must_be_refused("compatible with requested" -DWANTED_VERSION=0.99)
must_be_refused("no component 'no-such-component'" "-DWANTED_COMPONENTS=no-such-component")

execute_process(COMMAND ${configure} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${outside}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${outside}/consumer" WORKING_DIRECTORY "${outside}"
  COMMAND_ERROR_IS_FATAL ANY)

# Its tests: recordings replayed by the program and by its own, and in GoogleTest.
execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${outside}" --output-on-failure
  OUTPUT_VARIABLE tested COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
foreach(test Bounce.kicks OwnBounce.kicks BounceTest Messenger PeersGame)
  if(NOT tested MATCHES "${test} [.]+ +Passed")
    message(FATAL_ERROR "there is no test ${test}:\n${tested}")
  endif()
endforeach()

# Live games that record themselves and play that back, in C++, in C, and in Python.
foreach(game live_game live_game_c)
  execute_process(COMMAND "${outside}/${game}" "${outside}/${game}.isotick"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# What describes the program's JSON and recordings, and Slurm's job, stand where documents say.
foreach(description json.schema.json isotick.ksy slurm/verify.sbatch)
  if(NOT EXISTS "${prefix}/share/isotick/${description}")
    message(FATAL_ERROR "no share/isotick/${description} in ${prefix}")
  endif()
endforeach()

# C without CMake: the pkg-config file leads to headers and library.
find_program(pkg_config pkg-config)
if(pkg_config)
  file(GLOB_RECURSE description "${prefix}/isotick.pc")
  cmake_path(GET description PARENT_PATH folder)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${folder}"
      "${pkg_config}" --cflags --libs isotick
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  execute_process(
    COMMAND "${C_COMPILER}" -std=c99 "${CONSUMER}/live_game.c" -o "${outside}/by_hand" ${flags}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${folder}"
      "${pkg_config}" --cflags --libs isotick-peers
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  execute_process(
    COMMAND "${C_COMPILER}" -std=c99 "${CONSUMER}/netcode/peers_game.c"
      -o "${outside}/peers_by_hand" ${flags}
    COMMAND_ERROR_IS_FATAL ANY)
endif()

# A program in C alone needs nothing but the C API.
file(WRITE "${outside}-c/CMakeLists.txt" "
  cmake_minimum_required(VERSION 3.25)
  project(c_alone LANGUAGES C)
  find_package(isotick REQUIRED COMPONENTS c)
  add_executable(live_game ${CONSUMER}/live_game.c)
  target_link_libraries(live_game PRIVATE isotick::c)")
execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${outside}-c" -B "${outside}-c/b"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_C_COMPILER=${C_COMPILER}"
  -DCMAKE_DISABLE_FIND_PACKAGE_cereal=ON -DCMAKE_DISABLE_FIND_PACKAGE_zstd=ON
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${outside}-c/b" COMMAND_ERROR_IS_FATAL ANY)

# The README's program, and its plug-in under the installed program.
if(EXISTS "${prefix}/bin/isotick")
  set(recording "${outside}/kicked.isotick")
  set(plugin --sim "${outside}/bounce.so")
  execute_process(COMMAND "${prefix}/bin/isotick" record ${plugin} --inputs random --ticks 3600
    -o "${recording}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${prefix}/bin/isotick" verify "${recording}" ${plugin} --trials 200
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${outside}/bounce_replay" record --inputs random --ticks 3600
    -o "${outside}/own.isotick" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${outside}/bounce_replay" verify "${outside}/own.isotick" --trials 200
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${prefix}/bin/isotick" diff "${recording}" "${outside}/own.isotick"
    COMMAND_ERROR_IS_FATAL ANY)
  # What the live game recorded is what the same type computes headless.
  execute_process(COMMAND "${prefix}/bin/isotick" verify "${outside}/live_game.isotick" ${plugin}
    --trials 200 COMMAND_ERROR_IS_FATAL ANY)
endif()
