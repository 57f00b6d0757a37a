# What every target of isotick gets: the language standard, warnings, strict floating point (by
# IsotickSimulations.cmake).

# Warnings for this target alone; errors only for those who work on isotick (ISOTICK_DEV).
function(isotick_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    "$<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast;-Wnon-virtual-dtor;-Woverloaded-virtual>" -Wundef)
  if(ISOTICK_DEV)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# isotick_library(core SOURCES … HEADERS …): one module, `isotick::core`, ready to install.
function(isotick_library module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS")
  add_library(isotick_${module} ${arg_SOURCES})
  add_library(isotick::${module} ALIAS isotick_${module})
  set(details ${arg_HEADERS})
  list(FILTER details INCLUDE REGEX "/detail/")
  list(FILTER arg_HEADERS EXCLUDE REGEX "/detail/")
  target_sources(isotick_${module} PUBLIC
    FILE_SET HEADERS BASE_DIRS include FILES ${arg_HEADERS}
    FILE_SET details TYPE HEADERS BASE_DIRS include FILES ${details})
  target_compile_features(isotick_${module} PUBLIC cxx_std_20)
  set_target_properties(isotick_${module} PROPERTIES
    EXPORT_NAME ${module}
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL}
    INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  isotick_warnings(isotick_${module})
  isotick_strict_floating_point(isotick_${module})
  install(TARGETS isotick_${module} EXPORT isotickTargets FILE_SET HEADERS FILE_SET details)
endfunction()

# isotick_c_library(c replay OUTPUT isotick SOURCES … EXPORTS …): the C API of a module, in the
# module itself and as a shared library of its own, `isotick::c`, which shows nothing else.
function(isotick_c_library name module)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "OUTPUT;EXPORTS" "SOURCES")
  target_sources(isotick_${module} PRIVATE ${arg_SOURCES})
  add_library(isotick_${name} SHARED ${arg_SOURCES})
  add_library(isotick::${name} ALIAS isotick_${name})
  target_compile_definitions(isotick_${name}
    PRIVATE ISOTICK_BUILDS_SHARED INTERFACE ISOTICK_USES_SHARED)
  target_include_directories(isotick_${name} INTERFACE
    "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/core/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(isotick_${name} PRIVATE isotick::${module})
  set_target_properties(isotick_${name} PROPERTIES
    EXPORT_NAME ${name}
    OUTPUT_NAME ${arg_OUTPUT}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  isotick_warnings(isotick_${name})
  if(UNIX AND NOT APPLE)
    set(exports "${CMAKE_CURRENT_SOURCE_DIR}/${arg_EXPORTS}")
    target_link_options(isotick_${name} PRIVATE "LINKER:--version-script=${exports}")
    set_target_properties(isotick_${name} PROPERTIES LINK_DEPENDS "${exports}")
  endif()
  install(TARGETS isotick_${name} EXPORT isotickTargets)
endfunction()

# isotick_unity(TARGET [APART]): compiles the sources together, about 200 kB at a time, in the order
# in which they are listed, which is faster: most of a compiler's time goes to headers. Names that
# only one file can see may not appear in two of them. APART: each folder on its own. A folder `c`
# always is: what it defines is in a shared library too.
function(isotick_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "APART" "" "")
  if(NOT ISOTICK_UNITY)
    return()
  endif()
  set(most_bytes 200000)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(NOT arg_APART AND NOT folder MATCHES "_c$")
      set(folder all)
    endif()
    if(NOT DEFINED bytes_of_${folder})
      set(bytes_of_${folder} 0)
      set(unit_of_${folder} 0)
    endif()
    file(SIZE "${CMAKE_CURRENT_SOURCE_DIR}/${source}" bytes)
    math(EXPR bytes_of_${folder} "${bytes_of_${folder}} + ${bytes}")
    if(bytes_of_${folder} GREATER most_bytes)
      math(EXPR unit_of_${folder} "${unit_of_${folder}} + 1")
      set(bytes_of_${folder} ${bytes})
    endif()
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${folder}${unit_of_${folder}}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # It takes the sources for headers here, in which names of one file alone would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# isotick_runs_seldom(TARGET -O1): in a release build, and for those who compile isotick often,
# optimizes no more than this, which compiles faster. For what is not called in every tick.
function(isotick_runs_seldom target level)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE
      $<$<OR:$<CONFIG:Release>,$<BOOL:${ISOTICK_DEV}>>:${level}>)
  endif()
endfunction()

# isotick_precompiled(TARGET <header> …): headers that most sources of the target include, for those
# who compile isotick often. Every other build shows which includes are missing.
function(isotick_precompiled target)
  if(ISOTICK_DEV)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
