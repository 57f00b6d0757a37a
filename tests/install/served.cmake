# Run by ctest with cmake -P; see CMakeLists.txt for the variables. A simulation behind `exec:`
# takes nothing but core: neither to be found, nor to be linked, nor to run.
cmake_policy(VERSION 3.25)
set(outside "${SCRATCH}/served")
file(REMOVE_RECURSE "${outside}")

set(missing zstd fmt nlohmann_json CLI11 libdw Zydis Threads)
list(TRANSFORM missing REPLACE "(.+)" "-DCMAKE_DISABLE_FIND_PACKAGE_\\1=ON")
execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CONSUMER}/served" -B "${outside}"
  "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
  "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" ${missing}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${outside}" COMMAND_ERROR_IS_FATAL ANY)

# What the dynamic linker is asked for: the system, the language and xxHash.
find_program(readelf readelf)
foreach(program bounce_served bounce_announced)
  if(NOT readelf)
    message(STATUS "not looked at, since there is no readelf: what ${program} needs")
    break()
  endif()
  execute_process(COMMAND "${readelf}" -d "${outside}/${program}"
    OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(lib|ld-)[a-z0-9_+-]+[.]so" needed "${dynamic}")
  set(others ${needed})
  list(REMOVE_ITEM others libstdc++.so libc++.so libc++abi.so libunwind.so libm.so libgcc_s.so
    libc.so libxxhash.so)
  list(FILTER others EXCLUDE REGEX "^ld-linux")
  if(NOT "libc.so" IN_LIST needed OR others)
    message(FATAL_ERROR "${program} needs other libraries than it may: ${others}")
  endif()
  # What was linked statically would not show there.
  execute_process(COMMAND "${readelf}" -sW "${outside}/${program}"
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT symbols MATCHES "isotick4core" OR symbols MATCHES "ZSTD_|3fmt[0-9]|dwfl_|isotick6replay")
    message(FATAL_ERROR "${program} holds something of ${CMAKE_MATCH_0}")
  endif()
endforeach()

# What the consumer's plug-in recorded is what both compute, and the other way round.
set(isotick "${PREFIX}/bin/isotick")
foreach(program bounce_served bounce_announced)
  set(recording "${outside}/${program}.isotick")
  execute_process(
    COMMAND "${isotick}" verify "${CONSUMER}/recordings/kicks.isotick" --trials 10
      --sim "exec:${outside}/${program}"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND "${isotick}" record --sim "exec:${outside}/${program}" --inputs random --ticks 600
      -o "${recording}"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${isotick}" sims --check "exec:${outside}/${program}"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Without a host there are no requests: it says so, and ends with 1.
file(WRITE "${outside}/no-requests" "GET / HTTP/1.1\r\n")
execute_process(COMMAND "${outside}/bounce_served" INPUT_FILE "${outside}/no-requests"
  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT code EQUAL 1 OR output OR NOT errors MATCHES "^error: .*speaks no protocol")
  message(FATAL_ERROR "what is no request gave ${code}, '${output}' and '${errors}'")
endif()
