# Finds libdw of elfutils, which reads debug information and ships no CMake configuration.
#
# Defines elfutils::libdw.
find_path(libdw_INCLUDE_DIR elfutils/libdwfl.h)
find_library(libdw_LIBRARY dw)
mark_as_advanced(libdw_INCLUDE_DIR libdw_LIBRARY)

if(libdw_INCLUDE_DIR)
  file(STRINGS "${libdw_INCLUDE_DIR}/elfutils/version.h" libdw_version_line
    REGEX "#define _ELFUTILS_VERSION[ \t]+[0-9]+")
  string(REGEX REPLACE ".*[^0-9]([0-9]+)$" "0.\\1" libdw_VERSION "${libdw_version_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libdw REQUIRED_VARS libdw_LIBRARY libdw_INCLUDE_DIR
  VERSION_VAR libdw_VERSION)

if(libdw_FOUND AND NOT TARGET elfutils::libdw)
  add_library(elfutils::libdw INTERFACE IMPORTED)
  target_include_directories(elfutils::libdw INTERFACE "${libdw_INCLUDE_DIR}")
  target_link_libraries(elfutils::libdw INTERFACE "${libdw_LIBRARY}")
endif()
