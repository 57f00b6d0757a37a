# Finds xxHash, which ships no CMake configuration of its own.
#
# Defines xxHash::xxHash. Where the library offers run-time dispatch on x86 (one of its symbols is
# looked for), the target carries ISOTICK_XXH_DISPATCH; where there are only headers (a cross
# build), it carries ISOTICK_XXH_INLINE and nothing is linked.
find_path(xxHash_INCLUDE_DIR xxhash.h)
find_library(xxHash_LIBRARY xxhash)
mark_as_advanced(xxHash_INCLUDE_DIR xxHash_LIBRARY)

if(xxHash_INCLUDE_DIR)
  file(STRINGS "${xxHash_INCLUDE_DIR}/xxhash.h" xxHash_version_lines
    REGEX "#define XXH_VERSION_(MAJOR|MINOR|RELEASE) +[0-9]+")
  string(REGEX REPLACE "[^;0-9]*([0-9]+)" "\\1" xxHash_VERSION "${xxHash_version_lines}")
  string(REPLACE ";" "." xxHash_VERSION "${xxHash_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xxHash REQUIRED_VARS xxHash_INCLUDE_DIR
  VERSION_VAR xxHash_VERSION)

if(xxHash_FOUND AND NOT TARGET xxHash::xxHash)
  add_library(xxHash::xxHash INTERFACE IMPORTED)
  target_include_directories(xxHash::xxHash INTERFACE "${xxHash_INCLUDE_DIR}")
  if(xxHash_LIBRARY)
    target_link_libraries(xxHash::xxHash INTERFACE "${xxHash_LIBRARY}")
    include(CheckCXXSourceCompiles)
    include(CMakePushCheckState)
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_LIBRARIES "${xxHash_LIBRARY}")
    set(CMAKE_REQUIRED_INCLUDES "${xxHash_INCLUDE_DIR}")
    check_cxx_source_compiles(
      "#include <xxh_x86dispatch.h>\nint main() { return int(XXH3_64bits_dispatch(\"\", 0)); }"
      xxHash_HAS_DISPATCH)
    cmake_pop_check_state()
    if(xxHash_HAS_DISPATCH)
      target_compile_definitions(xxHash::xxHash INTERFACE ISOTICK_XXH_DISPATCH)
    endif()
  else()
    target_compile_definitions(xxHash::xxHash INTERFACE ISOTICK_XXH_INLINE)
  endif()
endif()
