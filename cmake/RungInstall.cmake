# The installed package: the library, headers of programs, a CMake package (rung::rung, and rung::fe .. rung::verification
# for those who ask for less) and a pkg-config file.
#
# rung_all is what programs link: one shared library of all rooms' objects, which exports what installed headers declare,
# or the rooms' static libraries.
get_property(rooms GLOBAL PROPERTY RUNG_ROOMS)
get_property(headers GLOBAL PROPERTY RUNG_HEADERS)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/rung)

if(BUILD_SHARED_LIBS)
  get_property(objects GLOBAL PROPERTY RUNG_OBJECTS)
  get_property(libraries GLOBAL PROPERTY RUNG_LIBRARIES)
  add_library(rung_all SHARED ${objects})
  set_target_properties(rung_all PROPERTIES OUTPUT_NAME rung LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
                                            SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(rung_all PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/rung>)
  target_link_libraries(rung_all PUBLIC PkgConfig::PETSC MPI::MPI_C m PRIVATE $<BUILD_INTERFACE:rung_warnings> ${libraries})
  if(NOT RUNG_SANITIZE AND NOT APPLE)
    target_link_options(rung_all PRIVATE LINKER:--no-undefined)
  endif()
  set(installed rung_all)
  foreach(room ${rooms})
    target_include_directories(rung_all PUBLIC $<BUILD_INTERFACE:$<TARGET_PROPERTY:${room},RUNG_FOLDER>>)
    string(REPLACE "rung_" "" name ${room})
    add_library(${room}_all INTERFACE)
    set_target_properties(${room}_all PROPERTIES EXPORT_NAME ${name})
    target_link_libraries(${room}_all INTERFACE rung_all)
    list(APPEND installed ${room}_all)
  endforeach()
else()
  add_library(rung_all INTERFACE)
  target_link_libraries(rung_all INTERFACE ${rooms})
  set(installed ${rooms} rung_all)
endif()
add_library(rung::rung ALIAS rung_all)
set_target_properties(rung_all PROPERTIES EXPORT_NAME rung)

install(TARGETS ${installed} EXPORT rungTargets)
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
if(BUILD_SHARED_LIBS)
  set(RUNG_PC_LIBS "-lrung ")
else()
  foreach(room ${rooms})
    string(REPLACE "rung_" "-lrung" flag ${room})
    string(PREPEND RUNG_PC_LIBS "${flag} ")
  endforeach()
endif()
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
