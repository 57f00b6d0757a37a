# ARM, 64 bits, with Debian's cross compiler (g++-aarch64-linux-gnu), run by qemu-user-static.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)

# cereal is headers alone, but Debian keeps its configuration with this machine's libraries.
file(GLOB isotick_cereal "/usr/lib/*/cmake/cereal")
if(isotick_cereal AND NOT cereal_DIR)
  list(GET isotick_cereal 0 cereal_DIR)
endif()
