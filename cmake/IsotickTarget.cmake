# What every target of isotick gets: the language standard, warnings, strict floating point (by
# IsotickSimulations.cmake).

# Warnings for this target alone; errors only for those who work on isotick (ISOTICK_DEV).
function(isotick_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wundef)
  if(ISOTICK_DEV)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# isotick_library(core SOURCES … HEADERS …): one module, `isotick::core`, ready to install.
function(isotick_library module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS")
  add_library(isotick_${module} ${arg_SOURCES})
  add_library(isotick::${module} ALIAS isotick_${module})
  target_sources(isotick_${module} PUBLIC
    FILE_SET HEADERS BASE_DIRS include FILES ${arg_HEADERS})
  target_compile_features(isotick_${module} PUBLIC cxx_std_20)
  set_target_properties(isotick_${module} PROPERTIES
    EXPORT_NAME ${module}
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
  isotick_warnings(isotick_${module})
  isotick_strict_floating_point(isotick_${module})
  install(TARGETS isotick_${module} EXPORT isotickTargets FILE_SET HEADERS)
endfunction()
