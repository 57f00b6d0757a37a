# Makes what is installed findable: `find_package(isotick 0.1 COMPONENTS core replay)`.
include(CMakePackageConfigHelpers)

set(isotick_config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/isotick")
set(isotick_components)
foreach(component core reference plugin serve peers peers_c replay c harness main program)
  if(TARGET isotick::${component})
    list(APPEND isotick_components ${component})
  endif()
endforeach()
list(JOIN isotick_components ", " isotick_component_list)
set(isotick_with_libdw OFF)
if(TARGET isotick_harness AND TARGET elfutils::libdw)
  set(isotick_with_libdw ON)
endif()
set(isotick_with_zydis OFF)
if(TARGET isotick_harness AND TARGET Zydis::Zydis)
  set(isotick_with_zydis ON)
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/isotickConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/isotickConfig.cmake"
  INSTALL_DESTINATION "${isotick_config_folder}")
# While the version is 0.x, a new minor version may break its users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/isotickConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)

install(EXPORT isotickTargets NAMESPACE isotick:: DESTINATION "${isotick_config_folder}")
install(FILES
  "${PROJECT_BINARY_DIR}/isotickConfig.cmake"
  "${PROJECT_BINARY_DIR}/isotickConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/Findlibdw.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindxxHash.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/IsotickSimulations.cmake"
  DESTINATION "${isotick_config_folder}")
file(RELATIVE_PATH isotick_include_from_lib
  "${CMAKE_INSTALL_FULL_LIBDIR}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
# isotick_pkg_config(NAME LIBRARY HEADER DESCRIPTION): NAME.pc of a C library.
function(isotick_pkg_config name library header description)
  if(NOT TARGET ${library})
    return()
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/isotick.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc"
    @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
isotick_pkg_config(isotick isotick::c isotick/replay/isotick.h
  "Records and plays back live games, tick by tick")
isotick_pkg_config(isotick-peers isotick::peers_c isotick/harness/isotick_peers.h
  "Lockstep and rollback peers, and a simulated network for any netcode")
