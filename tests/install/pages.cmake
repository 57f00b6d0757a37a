# Run by ctest with cmake -P; see CMakeLists.txt for the variables. What is installed for people:
# documents whose links lead somewhere, examples, the Python client, man page and completions.
cmake_policy(VERSION 3.25)
set(share "${PREFIX}/share")
set(wanted doc/isotick/LICENSE doc/isotick/README.md doc/isotick/harness/COMMANDS.md
  doc/isotick/examples/README.md doc/isotick/examples/live_game.py
  doc/isotick/examples/served/CMakeLists.txt isotick/python/isotick/__init__.py)
if(PAGES)
  list(APPEND wanted man/man1/isotick.1.gz bash-completion/completions/isotick
    fish/vendor_completions.d/isotick.fish zsh/site-functions/_isotick)
endif()
foreach(file IN LISTS wanted)
  if(NOT EXISTS "${share}/${file}")
    message(FATAL_ERROR "no share/${file} in ${PREFIX}")
  endif()
endforeach()

# Every document of the tree, and each one's way to the others.
file(GLOB_RECURSE documents RELATIVE "${share}/doc/isotick" "${share}/doc/isotick/*.md")
list(FILTER documents EXCLUDE REGEX "^examples/")
file(GLOB_RECURSE written RELATIVE "${SOURCE}" "${SOURCE}/core/*.md" "${SOURCE}/replay/*.md"
  "${SOURCE}/harness/*.md")
file(GLOB at_the_top RELATIVE "${SOURCE}" "${SOURCE}/*.md")
list(APPEND written ${at_the_top})
list(SORT documents)
list(SORT written)
if(NOT documents STREQUAL written)
  message(FATAL_ERROR "installed are ${documents}, where there are ${written}")
endif()
foreach(document IN LISTS documents)
  cmake_path(GET document PARENT_PATH folder)
  file(READ "${share}/doc/isotick/${document}" text)
  string(REGEX MATCHALL "[(][A-Za-z0-9_./-]+[.](md|svg|png)" links "${text}")
  foreach(link IN LISTS links)
    string(SUBSTRING "${link}" 1 -1 link)
    if(NOT link MATCHES "tests/" AND NOT EXISTS "${share}/doc/isotick/${folder}/${link}")
      message(FATAL_ERROR "${document} leads to ${link}, which is not installed")
    endif()
  endforeach()
endforeach()

# A simulation in Python, with nothing but what is installed.
find_program(python python3)
if(NOT EXISTS "${PREFIX}/bin/isotick" OR NOT python)
  return()
endif()
set(recording "${SCRATCH}/python.isotick")
set(ENV{PYTHONPATH} "${share}/isotick/python")
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
set(sim --sim "exec:'${python}' '${CONSUMER}/spring_sim.py'")
file(REMOVE "${recording}")
execute_process(COMMAND "${PREFIX}/bin/isotick" record ${sim} --inputs random --ticks 60
  -o "${recording}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PREFIX}/bin/isotick" replay "${recording}" ${sim}
  COMMAND_ERROR_IS_FATAL ANY)
