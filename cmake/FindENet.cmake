# Finds ENet, which ships no CMake configuration. Of it the harness takes sockets alone.
#
# Defines ENet::ENet.
find_path(ENet_INCLUDE_DIR enet/enet.h)
find_library(ENet_LIBRARY enet)
mark_as_advanced(ENet_INCLUDE_DIR ENet_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ENet REQUIRED_VARS ENet_LIBRARY ENet_INCLUDE_DIR)

if(ENet_FOUND AND NOT TARGET ENet::ENet)
  add_library(ENet::ENet INTERFACE IMPORTED)
  target_include_directories(ENet::ENet INTERFACE "${ENet_INCLUDE_DIR}")
  target_link_libraries(ENet::ENet INTERFACE "${ENet_LIBRARY}")
endif()
