# Compiles rotation.cpp for processors with fused multiply-add and looks for it in the assembly.
# COMPILER, OPTIONS (what keeps floating point strict). The same without them must fuse: else this
# would look for the wrong thing.
set(processors x86-64-v3 x86-64-v4 haswell skylake-avx512 znver3 bdver2)

# count_fused(VARIABLE OPTION…): how many instructions of the assembly fuse.
function(count_fused variable)
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 -S -o - ${ARGN} "${CMAKE_CURRENT_LIST_DIR}/rotation.cpp"
    OUTPUT_VARIABLE assembly COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[ \t]vf(n?madd|n?msub|maddsub|msubadd)[0-9]*[sp][sd]" fused "${assembly}")
  list(LENGTH fused count)
  set(${variable} ${count} PARENT_SCOPE)
endfunction()

foreach(processor IN LISTS processors)
  foreach(level -O2 -O3)
    set(flags ${level} -march=${processor})
    count_fused(strict ${flags} ${OPTIONS})
    if(strict GREATER 0)
      message(SEND_ERROR "${COMPILER} ${flags} ${OPTIONS}: ${strict} fused instructions")
    endif()
    count_fused(loose ${flags} -ffp-contract=fast)
    if(loose EQUAL 0)
      message(SEND_ERROR "${COMPILER} ${flags} -ffp-contract=fast: none was recognized as fused")
    endif()
  endforeach()
endforeach()
