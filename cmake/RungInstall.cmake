# The installed package: the library, headers of programs, a CMake package (rung::rung, and rung::fe .. rung::verification
# for those who ask for less), a pkg-config file, programs, examples, documents.  No installed file names a folder of this
# machine but those of the packages that Rung is built on, so that the tree may be moved.
#
# Components: rung_runtime (shared library, reference problems), rung_development, rung_programs, rung_documents.
include(CMakePackageConfigHelpers)
get_property(rooms GLOBAL PROPERTY RUNG_ROOMS)
get_property(headers GLOBAL PROPERTY RUNG_HEADERS)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/rung)

install(TARGETS ${RUNG_INSTALLED} EXPORT rungTargets
        LIBRARY COMPONENT rung_runtime NAMELINK_COMPONENT rung_development
        ARCHIVE COMPONENT rung_development)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rung COMPONENT rung_development)
install(EXPORT rungTargets NAMESPACE rung:: DESTINATION ${package} COMPONENT rung_development)
string(REGEX REPLACE "(^|;)rung_" "\\1" RUNG_COMPONENTS "${rooms}")
set(RUNG_SHARED OFF)
if(BUILD_SHARED_LIBS)
  set(RUNG_SHARED ON)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rungConfig.cmake.in ${PROJECT_BINARY_DIR}/rungConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rungConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rungConfig.cmake ${PROJECT_BINARY_DIR}/rungConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake
        DESTINATION ${package} COMPONENT rung_development)

# pkg-config.  MPI by the name of its module where that is the one that was found.  What a shared library has linked is private;
# static libraries, in the order of the linker, name it for every program: pkg-config --static would ask for the same of all that
# PETSc and HDF5 stand on, of which Debian has no static libraries (cannot find -lhdf5).
foreach(module ompi-c mpi-c mpich)
  pkg_check_modules(RUNG_PKG_MPI QUIET ${module})
  if(RUNG_PKG_MPI_FOUND AND "${MPI_C_INCLUDE_DIRS}" STREQUAL "${RUNG_PKG_MPI_INCLUDE_DIRS}")
    set(RUNG_PC_REQUIRES "${RUNG_PETSC} >= 3.18, ${module}")
    break()
  endif()
  unset(RUNG_PKG_MPI_FOUND CACHE)
endforeach()
set(mpi "")
set(RUNG_PC_CFLAGS "")
if(NOT RUNG_PC_REQUIRES)
  set(RUNG_PC_REQUIRES "${RUNG_PETSC} >= 3.18")
  set(mpi ${MPI_C_LIBRARIES})
  foreach(folder ${MPI_C_INCLUDE_DIRS})
    string(APPEND RUNG_PC_CFLAGS " -I${folder}")
  endforeach()
endif()
get_filename_component(metis ${METIS_LIBRARY} NAME_WE)
string(REGEX REPLACE "^lib" "-l" metis ${metis})
list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE dl)
string(JOIN " " behind ${metis} ${mpi} -lm ${dl})
set(RUNG_PC_LIBS "")
if(BUILD_SHARED_LIBS)
  set(RUNG_PC_LIBS "-lrung")
  set(RUNG_PC_PRIVATE "Requires.private: ${RUNG_PKG_HDF5_MODULE_NAME}\nLibs.private: ${behind}")
else()
  foreach(room ${rooms})
    string(REPLACE "rung_" "-lrung" flag ${room})
    string(PREPEND RUNG_PC_LIBS "${flag} ")
  endforeach()
  string(APPEND RUNG_PC_LIBS "${behind}")
  string(APPEND RUNG_PC_REQUIRES ", ${RUNG_PKG_HDF5_MODULE_NAME}")
endif()
file(RELATIVE_PATH RUNG_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" RUNG_PC_PREFIX ${RUNG_PC_PREFIX})
set(RUNG_PC_LIBDIR "\${prefix}")
set(RUNG_PC_INCLUDEDIR "\${prefix}")
cmake_path(APPEND RUNG_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND RUNG_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/rung.pc.in ${PROJECT_BINARY_DIR}/rung.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rung.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT rung_development)

# Programs come with apps/CMakeLists.txt; their sources, with a project that builds them, are the examples.
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*.[ch] ${PROJECT_SOURCE_DIR}/apps/*.rung)
list(FILTER examples EXCLUDE REGEX "/apps/rung\\.c$")
install(FILES ${examples} ${PROJECT_SOURCE_DIR}/apps/bracket3d.msh DESTINATION ${CMAKE_INSTALL_DATADIR}/rung/examples
        COMPONENT rung_documents)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/examples.cmake DESTINATION ${CMAKE_INSTALL_DATADIR}/rung/examples
        RENAME CMakeLists.txt COMPONENT rung_documents)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT rung_documents)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT rung_documents)

# cmake --build BUILD -t rung_uninstall: takes away what the last installation from BUILD has put somewhere.
add_custom_target(rung_uninstall COMMAND ${CMAKE_COMMAND} -D BUILD=${CMAKE_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
                  USES_TERMINAL COMMENT "uninstall")
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall DEPENDS rung_uninstall)
endif()
