# Windows, 64 bits, with Debian's mingw-w64: the variant whose standard library has std::thread.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

# Programs that run without any DLL of the compiler's.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")

# What scripts/lib/windows-libraries has put there; nothing of this machine's own.
get_filename_component(isotick_windows_libraries
  "${CMAKE_CURRENT_LIST_DIR}/../build/mingw-libraries" ABSOLUTE)
list(APPEND CMAKE_FIND_ROOT_PATH "${isotick_windows_libraries}" /usr/x86_64-w64-mingw32)
set(cereal_DIR "${isotick_windows_libraries}/lib/noarch/cmake/cereal" CACHE PATH "")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
