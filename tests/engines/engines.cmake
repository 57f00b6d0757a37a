# Finding engines, and building each as plug-ins.

# isotick_find_engine(ode HEADER ode/version.h VERSION "0\\.16" LIBRARIES ode SUFFIX … PACKAGE …):
# defines the target engine::ode if HEADER is there, says that version, and so are the libraries.
function(isotick_find_engine name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;VERSION;SUFFIX;PACKAGE" "LIBRARIES")
  find_path(engine_${name}_INCLUDE_DIR ${arg_HEADER} PATH_SUFFIXES ${arg_SUFFIX})
  mark_as_advanced(engine_${name}_INCLUDE_DIR)
  set(version "")
  if(engine_${name}_INCLUDE_DIR)
    file(STRINGS "${engine_${name}_INCLUDE_DIR}/${arg_HEADER}" version REGEX "${arg_VERSION}")
  endif()
  set(found "")
  foreach(library IN LISTS arg_LIBRARIES)
    find_library(engine_${library}_LIBRARY ${library})
    mark_as_advanced(engine_${library}_LIBRARY)
    list(APPEND found "${engine_${library}_LIBRARY}")
  endforeach()
  if(NOT version OR found MATCHES "NOTFOUND")
    isotick_left_out("the plug-in for ${name} and its tests: not installed (${arg_PACKAGE})")
    return()
  endif()
  add_library(engine_${name} INTERFACE)
  add_library(engine::${name} ALIAS engine_${name})
  target_include_directories(engine_${name} SYSTEM INTERFACE "${engine_${name}_INCLUDE_DIR}")
  target_link_libraries(engine_${name} INTERFACE ${found})
endfunction()

# What every plug-in gets: it shows nothing to the outside but its entry, as a plug-in should.
function(isotick_engine_options target engine)
  target_link_libraries(${target} PRIVATE isotick::core engine::${engine})
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  isotick_warnings(${target})
  isotick_strict_floating_point(${target})
endfunction()

# isotick_engine_plugin(isotick_ode ode ENTRY isotick_ode_entry SOURCES … OPTIONS …)
function(isotick_engine_plugin target engine)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "ENTRY" "SOURCES;OPTIONS")
  add_library(${target} MODULE ${arg_SOURCES} $<TARGET_OBJECTS:${arg_ENTRY}>)
  isotick_engine_options(${target} ${engine})
  target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL)
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  add_dependencies(isotick_engines ${target})
endfunction()

# isotick_engine(ode ENTRY plugin.cpp SOURCES world.cpp …): the plug-in isotick_ode; isotick_ode_o0,
# _o3 and (if there is a clang++) _clang, whose sources are compiled otherwise, entry and core as
# they are; and where NAIVE is said, isotick_ode_naive, which claims to be restored by places and
# speeds.
function(isotick_engine name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NAIVE" "ENTRY" "SOURCES")
  list(APPEND arg_SOURCES "${isotick_engine_support}")
  add_library(isotick_${name}_entry OBJECT ${arg_ENTRY})
  isotick_engine_options(isotick_${name}_entry ${name})
  isotick_engine_plugin(isotick_${name} ${name}
    ENTRY isotick_${name}_entry SOURCES ${arg_SOURCES})
  foreach(level 0 3)
    isotick_engine_plugin(isotick_${name}_o${level} ${name}
      ENTRY isotick_${name}_entry SOURCES ${arg_SOURCES} OPTIONS -O${level})
  endforeach()
  if(ISOTICK_CLANG)
    isotick_engine_by_clang(${name} ${arg_SOURCES})
  endif()
  if(arg_NAIVE)
    add_library(isotick_${name}_naive_entry OBJECT ${arg_ENTRY})
    isotick_engine_options(isotick_${name}_naive_entry ${name})
    target_compile_definitions(isotick_${name}_naive_entry PRIVATE ISOTICK_NAIVE_SNAPSHOTS)
    isotick_engine_plugin(isotick_${name}_naive ${name}
      ENTRY isotick_${name}_naive_entry SOURCES ${arg_SOURCES}
      OPTIONS -DISOTICK_NAIVE_SNAPSHOTS)
  endif()
  set_property(GLOBAL APPEND PROPERTY ISOTICK_ENGINES ${name})
endfunction()

# The plug-in isotick_NAME_clang: CMake takes one compiler, so the objects are made by hand.
function(isotick_engine_by_clang name)
  set(objects "")
  set(directories "$<TARGET_PROPERTY:isotick_${name},INCLUDE_DIRECTORIES>")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(GET path STEM stem)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/clang/${stem}.o")
    add_custom_command(OUTPUT "${object}"
      COMMAND "${ISOTICK_CLANG}" -std=c++20 -O2 -ffp-contract=off -fPIC -fvisibility=hidden
        -fvisibility-inlines-hidden "-I$<JOIN:${directories},;-I>"
        -MD -MF "${object}.d" -c "${path}" -o "${object}"
      DEPENDS "${path}" DEPFILE "${object}.d" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/clang")
  isotick_engine_plugin(isotick_${name}_clang ${name}
    ENTRY isotick_${name}_entry SOURCES ${objects})
  set_target_properties(isotick_${name}_clang PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
