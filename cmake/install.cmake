# Installation, for find_package(pdegcn CONFIG), and the Debian package.
include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pdegcn)

# Two sets of targets, so that a project that needs no floor above `report` needs no libtorch either.
set(lower_floors graph kernels data report)
set(torch_floors ${floors})
list(REMOVE_ITEM torch_floors ${lower_floors})
foreach(floor IN LISTS floors)
  set(set_name pdegcn-targets)
  if(floor IN_LIST torch_floors)
    set(set_name pdegcn-torch-targets)
  endif()
  install(TARGETS pdegcn_${floor} EXPORT ${set_name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pdegcn/${floor}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pdegcn FILES_MATCHING PATTERN *.h)
endforeach()
install(EXPORT pdegcn-targets NAMESPACE pdegcn:: DESTINATION ${config_folder})
if(torch_floors)
  install(TARGETS pdegcn_torch EXPORT pdegcn-torch-targets)
  install(EXPORT pdegcn-torch-targets NAMESPACE pdegcn:: DESTINATION ${config_folder})
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pdegcnConfig.cmake.in pdegcnConfig.cmake
                              INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(pdegcnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pdegcnConfig.cmake ${PROJECT_BINARY_DIR}/pdegcnConfigVersion.cmake
        DESTINATION ${config_folder})

if(TARGET pdegcn_program)
  # A libtorch from outside the system's folders is found again where it was at build time.
  set_target_properties(pdegcn_program PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS pdegcn_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

# make deb
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The pdegcn developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# What the program needs to run is read from it. The OpenMP build of OpenBLAS makes it fast, gnuplot
# draws its curves. What a project needs to build against the library is a suggestion, so that whoever
# wants only the program is spared it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-openmp, gnuplot-nox")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "g++, cmake, libfmt-dev, libhwy-dev, libarchive-dev, libcurl4-openssl-dev, zlib1g-dev, \
nlohmann-json3-dev, libtomlplusplus-dev, libtorch-dev")
include(CPack)
