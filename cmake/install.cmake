# Install: programs, libtorre with its headers, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Static libraries: whoever links libtorre links what it needs, too.
set(torre_libraries torre torre_tiling)
if(TARGET torre_cuda)
  list(APPEND torre_libraries torre_cuda)
endif()
install(TARGETS ${torre_libraries} EXPORT torreTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/torre)
get_property(torre_programs GLOBAL PROPERTY TORRE_PROGRAMS)
if(torre_programs)
  install(TARGETS ${torre_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(DIRECTORY tiling DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/torre FILES_MATCHING PATTERN "*.h")
install(DIRECTORY src/core src/wave src/md DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/torre
        FILES_MATCHING PATTERN "*.h")
install(FILES src/torre.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/torre)

set(torre_package ${CMAKE_INSTALL_LIBDIR}/cmake/torre)
install(EXPORT torreTargets NAMESPACE torre:: DESTINATION ${torre_package})
configure_package_config_file(cmake/torreConfig.cmake.in ${CMAKE_BINARY_DIR}/torreConfig.cmake
                              INSTALL_DESTINATION ${torre_package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/torreConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/torreConfig.cmake ${CMAKE_BINARY_DIR}/torreConfigVersion.cmake
        DESTINATION ${torre_package})
file(RELATIVE_PATH torre_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/torre.pc.in ${CMAKE_BINARY_DIR}/torre.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/torre.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
