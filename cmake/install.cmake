# Install: programs, libtorre.so and libtorre.a with their headers, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS torre torre_shared EXPORT torreTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
get_property(torre_programs GLOBAL PROPERTY TORRE_PROGRAMS)
if(torre_programs)
  install(TARGETS ${torre_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

get_property(torre_man_pages GLOBAL PROPERTY TORRE_MAN_PAGES)
install(FILES ${torre_man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# The public headers, and no others.
install(DIRECTORY include/torre DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(torre_package ${CMAKE_INSTALL_LIBDIR}/cmake/torre)
install(EXPORT torreTargets NAMESPACE torre:: DESTINATION ${torre_package})
configure_package_config_file(cmake/torreConfig.cmake.in ${CMAKE_BINARY_DIR}/torreConfig.cmake
                              INSTALL_DESTINATION ${torre_package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/torreConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/torreConfig.cmake ${CMAKE_BINARY_DIR}/torreConfigVersion.cmake
        DESTINATION ${torre_package})

# What libtorre needs: libtorre.so brings it, whoever links libtorre.a (--static) links it, too.
set(torre_pc_libraries)
function(torre_pc_library file) # FILE.a, FILE.so or the name alone
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(name "${file}" NAME_WE)
  string(REGEX REPLACE "^lib" "" name "${name}")
  set(flags "-l${name}")
  if(folder AND NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    set(flags "-L${folder} ${flags}")
  endif()
  set(torre_pc_libraries "${torre_pc_libraries} ${flags}" PARENT_SCOPE)
endfunction()
if(TORRE_HAVE_SEGYIO)
  torre_pc_library(${SEGYIO_LIBRARY})
endif()
if(TORRE_HAVE_FREETYPE)
  string(APPEND torre_pc_libraries " -lfreetype")
endif()
if(TORRE_HAVE_CUDA)
  torre_pc_library(${CUDA_cudart_static_LIBRARY})
  string(APPEND torre_pc_libraries " -lstdc++ -ldl -lrt")
endif()
foreach(name IN LISTS OpenMP_C_LIB_NAMES) # gomp and pthread
  torre_pc_library(${OpenMP_${name}_LIBRARY})
endforeach()
file(RELATIVE_PATH torre_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/torre.pc.in ${CMAKE_BINARY_DIR}/torre.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/torre.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
