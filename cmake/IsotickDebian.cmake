# One Debian package of all that is installed. The program needs but a few shared libraries; what
# compiling against isotick needs is recommended, which apt installs unless told otherwise
# (--no-install-recommends, for machines that only replay).

# Debian looks elsewhere for some of it.
function(isotick_debian_link folder target)
  cmake_path(GET target FILENAME name)
  cmake_path(RELATIVE_PATH target BASE_DIRECTORY "${folder}" OUTPUT_VARIABLE way)
  file(CREATE_LINK "${way}" "${PROJECT_BINARY_DIR}/debian/${name}" SYMBOLIC)
  install(FILES "${PROJECT_BINARY_DIR}/debian/${name}" DESTINATION "${folder}"
    COMPONENT debian EXCLUDE_FROM_ALL)
endfunction()
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/debian")
isotick_debian_link(lib/python3/dist-packages "${CMAKE_INSTALL_DATADIR}/isotick/python/isotick")
if(TARGET isotick_pages)
  isotick_debian_link("${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions"
    "${isotick_zsh_pages}/_isotick")
endif()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright
  COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${PROJECT_BINARY_DIR};isotick;ALL;/;${PROJECT_BINARY_DIR};isotick;debian;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The isotick authors")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Records a session of a fixed-timestep simulation as inputs and one hash per
tick, replays it headless under made-up frame times, and when a bit differs it
names the tick, the fields, and the frame that provoked it. Holds the program,
the libraries for C++ and C, and a module for simulations in Python.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "libcereal-dev, libcli11-dev, libdw-dev, libexpected-dev, libfmt-dev, \
libxxhash-dev, libzstd-dev, libzydis-dev, nlohmann-json3-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "binutils, cmake, g++, git, python3")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${PROJECT_SOURCE_DIR}/cmake/package/postinst;${PROJECT_SOURCE_DIR}/cmake/package/prerm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
