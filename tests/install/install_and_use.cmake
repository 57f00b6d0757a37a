# Run by ctest with cmake -P; see CMakeLists.txt for the variables.
set(prefix "${SCRATCH}/prefix")
set(outside "${SCRATCH}/consumer")
file(REMOVE_RECURSE "${prefix}" "${outside}")

execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

set(configure "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CONSUMER}" -B "${outside}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
  "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
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

# The README's plug-in, under the installed program.
if(EXISTS "${prefix}/bin/isotick")
  set(recording "${outside}/kicked.isotick")
  set(plugin --sim "${outside}/libbounce.so")
  execute_process(COMMAND "${prefix}/bin/isotick" record ${plugin} --inputs random --ticks 3600
    -o "${recording}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${prefix}/bin/isotick" verify "${recording}" ${plugin} --trials 200
    COMMAND_ERROR_IS_FATAL ANY)
endif()
