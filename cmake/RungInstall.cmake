# The installed package: libraries, public headers, a CMake package (rung::fe .. rung::verification, and rung::rung for
# all of them) and a pkg-config file.
get_property(rooms GLOBAL PROPERTY RUNG_ROOMS)
get_property(headers GLOBAL PROPERTY RUNG_HEADERS)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/rung)

add_library(rung_all INTERFACE)
add_library(rung::rung ALIAS rung_all)
set_target_properties(rung_all PROPERTIES EXPORT_NAME rung)
target_link_libraries(rung_all INTERFACE ${rooms})

install(TARGETS ${rooms} rung_all EXPORT rungTargets)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rung)
install(EXPORT rungTargets NAMESPACE rung:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rungConfig.cmake.in ${PROJECT_BINARY_DIR}/rungConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rungConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rungConfig.cmake ${PROJECT_BINARY_DIR}/rungConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake
        DESTINATION ${package})

# pkg-config: static libraries in the order of the linker, users before what they use
set(RUNG_PC_LIBS "")
foreach(room ${rooms})
  string(REPLACE "rung_" "-lrung" flag ${room})
  string(PREPEND RUNG_PC_LIBS "${flag} ")
endforeach()
list(JOIN MPI_C_LIBRARIES " " RUNG_PC_MPI)
list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE RUNG_PC_DL)
string(APPEND RUNG_PC_LIBS "${METIS_LIBRARY} ${RUNG_PC_MPI} -lm ${RUNG_PC_DL}")
set(RUNG_PC_CFLAGS "")
foreach(folder ${MPI_C_INCLUDE_DIRS})
  string(APPEND RUNG_PC_CFLAGS " -I${folder}")
endforeach()
file(RELATIVE_PATH RUNG_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/rung.pc.in ${PROJECT_BINARY_DIR}/rung.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rung.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
