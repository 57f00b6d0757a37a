# What is installed besides the libraries and the program: documents, examples, man page and
# completions. And the Debian package: `cmake --build build --target package`.
file(GLOB isotick_documents CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
  "${PROJECT_SOURCE_DIR}/*.md")
file(GLOB_RECURSE isotick_more_documents CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
  core/*.md core/*.svg replay/*.md replay/*.svg harness/*.md harness/*.svg harness/*.png)
foreach(document IN ITEMS LICENSE ${isotick_documents} ${isotick_more_documents})
  cmake_path(GET document PARENT_PATH folder)
  install(FILES "${PROJECT_SOURCE_DIR}/${document}"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}/${folder}")
endforeach()

# The examples are what the tests build and run.
set(isotick_examples "${CMAKE_INSTALL_DOCDIR}/examples")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/tests/consumer/" DESTINATION "${isotick_examples}"
  PATTERN __pycache__ EXCLUDE)
install(FILES tests/support/tanks.c tests/process/spring_sim.py tests/process/counter_sim.py
  DESTINATION "${isotick_examples}")

# Man page and completions are made of the program's help texts.
find_package(Python3 3.9 COMPONENTS Interpreter)
if(NOT TARGET isotick OR NOT Python3_FOUND)
  isotick_left_out("man page and completions: no program, or no Python 3.9 or later")
elseif(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  isotick_left_out("man page and completions: the program does not run here")
else()
  set(isotick_pages "${PROJECT_BINARY_DIR}/pages")
  file(GLOB isotick_pages_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/package/*.py")
  set(isotick_written isotick.1.gz isotick.bash isotick.fish _isotick)
  list(TRANSFORM isotick_written PREPEND "${isotick_pages}/")
  add_custom_command(
    OUTPUT ${isotick_written}
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/package/pages.py"
      "${isotick_pages}" ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:isotick>
    DEPENDS isotick ${isotick_pages_sources}
    VERBATIM)
  add_custom_target(isotick_pages ALL DEPENDS ${isotick_written})
  set(isotick_zsh_pages "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${isotick_pages}/isotick.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${isotick_pages}/isotick.bash" RENAME isotick
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${isotick_pages}/isotick.fish"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  install(FILES "${isotick_pages}/_isotick" DESTINATION "${isotick_zsh_pages}")
endif()

if(PROJECT_IS_TOP_LEVEL AND ISOTICK_BUILD_HARNESS)
  include(IsotickDebian)
endif()
