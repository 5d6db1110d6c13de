# rung_room(fe DEPENDS .. SOURCES .. HEADERS .. ROOM_HEADER .. SUBROOMS .. TESTS .. PAIR_TESTS .. MPI_TESTS .. SLOW_TESTS .. INTERPRETED ..)
#
# A room is one static library; it sees its own folder, its sub-rooms and the public headers of the rooms that it depends on.
# Programs see HEADERS, which are installed and whose functions are exported; RungInstall.cmake makes the library of all rooms.
#   ROOM_HEADER what the rooms above need besides, hidden and installed nowhere; every test sees it
#   SUBROOMS    folders of it, from the ground up: their CMakeLists.txt adds their sources and tests by rung_subroom(); `.` is the
#               room's own folder, which lies above them all where it is not named
#   TESTS       tests/test_NAME.c, run on one rank as room.NAME, labels slow and single; the default suite has them all in room.np1
#   PAIR_TESTS  the same, and on 2 ranks in room.np2: those of sums over ranks, which a third one changes nothing about
#   MPI_TESTS   the same, and on 3 ranks in room.np3, which has all that two of them have, a rank between others, and ranks without
#               anything of their own; on 2 ranks in room.more.np2, labels slow and ci.  Each is a start of MPI for all, label mpi
#   ALONE       those that a second start of PETSc in one process disturbs: entries room.NAME, room.NAME.np2, room.NAME.np3
#   SLOW_TESTS  as TESTS with label slow, which ./bootstrap test leaves out; the label ci beside it has .ci/run run it all the same
#   INTERPRETED names of tests, or ALL, that run with -form_backend interpreter: tests of forms compare kernels of both kinds, and
#               programs of apps compile; between them the compiler would be most of the time

# Debian's own python3, which knows python3-vtk9; other tests and checks use it too.
if(BUILD_TESTING OR RUNG_BENCH OR PROJECT_IS_TOP_LEVEL)
  find_program(RUNG_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(RUNG_PYTHON python3 REQUIRED)
  mark_as_advanced(RUNG_PYTHON)
endif()

# What every test runs with: one thread a rank, root may run, ranks share cores.  A start waits for nothing that tests do not use:
# drivers of networks (psm2 alone measures the clock for 0.2 s), and the daemon that one rank without mpiexec would start.
set(RUNG_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
    OMPI_MCA_ess_singleton_isolated=1
    XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/scratch/cache # compiled kernels are shared by the suite, and not put into the user's cache
    HWLOC_COMPONENTS=-gl) # else a start asks ten X displays for their graphics cards, seconds where names resolve slowly
set(RUNG_TEST_PROPERTIES "")
set(RUNG_TEST_TIMEOUT 300)
if(RUNG_SANITIZE)
  set(RUNG_TEST_TIMEOUT 1800)
  # Leaks of Open MPI and hwloc are told from ours by the libraries on the stack of their allocation, which the slow unwinder
  # alone sees whole (plug-ins are unloaded by then).  PETSc's tally finds what is left and still reachable at the end.  Memory of a
  # length that a damaged file says is not to be had, as without sanitizers, and no end of the program.
  list(APPEND RUNG_TEST_ENVIRONMENT
       ASAN_OPTIONS=detect_leaks=1:fast_unwind_on_malloc=0:allocator_may_return_null=1
       LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/lsan.supp:print_suppressions=0
       UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 PETSC_OPTIONS=-malloc_dump)
  set(RUNG_TEST_PROPERTIES FAIL_REGULAR_EXPRESSION "\\[ *[0-9]+\\] *[0-9]+ bytes")
endif()

function(rung_room room)
  cmake_parse_arguments(ARG "" "" "DEPENDS;SOURCES;HEADERS;ROOM_HEADER;LIBRARIES;SUBROOMS;TESTS;PAIR_TESTS;MPI_TESTS;ALONE;SLOW_TESTS;INTERPRETED" ${ARGN})
  if(NOT ARG_SOURCES AND NOT ARG_SUBROOMS) # a room that is still empty
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.c "typedef int rung_empty_room;\n")
    set(ARG_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/empty.c)
  endif()
  add_library(rung_${room} STATIC ${ARG_SOURCES})
  add_library(rung::${room} ALIAS rung_${room})
  set_target_properties(rung_${room} PROPERTIES OUTPUT_NAME rung${room} EXPORT_NAME ${room} C_VISIBILITY_PRESET hidden)
  target_include_directories(rung_${room} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/rung>)
  set_property(TARGET rung_${room} PROPERTY RUNG_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
  list(REMOVE_ITEM ARG_SUBROOMS .)
  foreach(subroom ${ARG_SUBROOMS})
    target_include_directories(rung_${room} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${subroom})
  endforeach()
  target_link_libraries(rung_${room} PUBLIC PkgConfig::RUNG_PKG_PETSC MPI::MPI_C m ${ARG_LIBRARIES}
                                     PRIVATE $<BUILD_INTERFACE:rung_warnings>)
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(rung_${room} PUBLIC rung_${dep})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY RUNG_ROOMS rung_${room})
  set_property(GLOBAL APPEND PROPERTY RUNG_OBJECTS $<TARGET_OBJECTS:rung_${room}>)
  set_property(GLOBAL APPEND PROPERTY RUNG_LIBRARIES ${ARG_LIBRARIES})
  foreach(header ${ARG_ROOM_HEADER})
    set_property(GLOBAL APPEND PROPERTY RUNG_ROOM_HEADERS ${header})
  endforeach()
  foreach(header ${ARG_HEADERS})
    set_property(GLOBAL APPEND PROPERTY RUNG_HEADERS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
  endforeach()
  set(RUNG_INTERPRETED ${ARG_INTERPRETED})
  set(RUNG_ALONE ${ARG_ALONE})
  rung_room_tests(${room} "${ARG_TESTS}" "${ARG_PAIR_TESTS}" "${ARG_MPI_TESTS}" "${ARG_SLOW_TESTS}")
  foreach(subroom ${ARG_SUBROOMS})
    add_subdirectory(${subroom})
  endforeach()
endfunction()

# rung_subroom(fe mesh SOURCES .. TESTS .. PAIR_TESTS .. MPI_TESTS .. SLOW_TESTS ..): sources and tests of a folder of the room fe.
function(rung_subroom room subroom)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;PAIR_TESTS;MPI_TESTS;ALONE;SLOW_TESTS" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(rung_${room} PRIVATE ${ARG_SOURCES})
  set(RUNG_ALONE ${ARG_ALONE})
  rung_room_tests(${room} "${ARG_TESTS}" "${ARG_PAIR_TESTS}" "${ARG_MPI_TESTS}" "${ARG_SLOW_TESTS}")
endfunction()

# rung_room_tests(room tests pair_tests mpi_tests slow_tests): the tests of this folder, which is the room's or a sub-room's.
function(rung_room_tests room tests pair_tests mpi_tests slow_tests)
  if(BUILD_TESTING)
    foreach(test ${tests})
      rung_test(${room} ${test} 1 "${room}")
    endforeach()
    foreach(test ${slow_tests})
      rung_test(${room} ${test} 1 "${room};slow")
    endforeach()
    foreach(test ${pair_tests})
      rung_test(${room} ${test} "1;2" "${room};mpi")
    endforeach()
    foreach(test ${mpi_tests})
      rung_test(${room} ${test} "1;2;3" "${room};mpi")
    endforeach()
  endif()
endfunction()

# rung_test(room name ranks labels arguments..): builds tests/test_name.c; on N ranks it is one of room.npN, on 2 ranks beside 3 one
# of room.more.np2; on one rank it is the entry room.name besides, for whoever wants it by itself.
function(rung_test room name ranks labels)
  set(target test_${room}_${name})
  add_executable(${target} tests/test_${name}.c)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:rung_${room},INCLUDE_DIRECTORIES>
                                               $<TARGET_PROPERTY:rung_${room},RUNG_FOLDER>/tests)
  target_link_libraries(${target} PRIVATE rung_${room} rung_warnings)
  target_compile_definitions(${target} PRIVATE RUNG_TEST_ENTRY=${target})
  get_property(headers GLOBAL PROPERTY RUNG_ROOM_HEADERS)
  foreach(header ${headers})
    target_compile_options(${target} PRIVATE "SHELL:-include ${header}")
  endforeach()
  set(arguments ${ARGN})
  if(name IN_LIST RUNG_INTERPRETED OR RUNG_INTERPRETED STREQUAL "ALL")
    list(APPEND arguments -form_backend interpreter)
  endif()
  foreach(np ${ranks})
    set(more "")
    set(rare "")
    if(np EQUAL 2 AND 3 IN_LIST ranks)
      set(more .more)
      set(rare slow ci)
    endif()
    set(shared ON)
    if(name IN_LIST RUNG_ALONE OR "slow" IN_LIST labels)
      set(shared OFF)
    elseif(np EQUAL 1)
      set(rare slow single)
    endif()
    if(np EQUAL 1)
      rung_add_test(${room}.${name} 1 "${labels};${rare}" $<TARGET_FILE:${target}> ${arguments})
    elseif(NOT shared)
      rung_add_test(${room}.${name}.np${np} ${np} "${labels};${rare}" $<TARGET_FILE:${target}> ${arguments})
    endif()
    if(shared)
      file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/scratch/${room}.${name}.np${np})
      list(JOIN arguments " " words)
      set_property(GLOBAL APPEND PROPERTY RUNG_GROUPS ${room}${more}.np${np})
      set_property(GLOBAL APPEND PROPERTY RUNG_GROUP_${room}${more}.np${np} "${name} ${words}")
      set_property(GLOBAL APPEND PROPERTY RUNG_GROUP_${room} ${name})
    endif()
  endforeach()
endfunction()

# rung_read_test(room name script..): the entries room.name.read.npN for 1 to 3 ranks, which read what the test has written in room.npN
# or room.more.np2 in its scratch folder, the last argument of the script.
function(rung_read_test room name)
  foreach(np 1 2 3)
    set(group .np${np})
    set(labels ${room})
    if(np EQUAL 2)
      set(group .more.np2)
      list(APPEND labels slow ci)
    endif()
    rung_add_test(${room}.${name}.read.np${np} 1 "${labels}" ${ARGN} ${PROJECT_BINARY_DIR}/scratch/${room}.${name}.np${np})
    set_tests_properties(${room}.${name}.read.np${np} PROPERTIES FIXTURES_REQUIRED ${room}${group} SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

# rung_groups(): the entries room.npN and room.more.np2.  Most of a small test is the start of MPI, so that a room's run in
# one: the program test_ROOM has the objects of all of them.  What reads their files requires the fixture room.npN.  Those on one rank
# come first: they compile the kernels, so that nobody waits for them at a lock.
function(rung_groups)
  get_property(groups GLOBAL PROPERTY RUNG_GROUPS)
  list(REMOVE_DUPLICATES groups)
  foreach(group ${groups})
    string(REGEX MATCH "^([a-z]+)([.]more)?[.]np([0-9]+)$" group ${group})
    set(room ${CMAKE_MATCH_1})
    set(np ${CMAKE_MATCH_3})
    set(labels ${room})
    set(launcher "")
    set(before "")
    if(np GREATER 1)
      list(APPEND labels mpi)
      set(launcher ${MPIEXEC_EXECUTABLE} --oversubscribe ${MPIEXEC_NUMPROC_FLAG} ${np})
      set(before ${room}.np1)
    endif()
    if(CMAKE_MATCH_2)
      list(APPEND labels slow ci)
    endif()
    set(target test_${room})
    if(NOT TARGET ${target})
      get_property(names GLOBAL PROPERTY RUNG_GROUP_${room})
      list(REMOVE_DUPLICATES names)
      set(prototypes "")
      set(rows "")
      add_executable(${target} ${PROJECT_SOURCE_DIR}/fe/tests/group.c ${PROJECT_BINARY_DIR}/groups/${room}.c)
      foreach(name ${names})
        string(APPEND prototypes "int ${target}_${name}(int argc, char **argv);\n")
        string(APPEND rows "  {\"${name}\", ${target}_${name}},\n")
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${name}>)
      endforeach()
      file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/groups/${room}.c @ONLY CONTENT
           "#include \"group.h\"\n#include <stddef.h>\n\n@prototypes@\nconst char *const group_room = \"@room@\";\n
const GroupTest group_tests[] = {\n@rows@  {NULL, NULL},\n};\n")
      target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/fe/tests)
      target_link_libraries(${target} PRIVATE rung_${room} rung_warnings)
      set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    endif()
    get_property(tests GLOBAL PROPERTY RUNG_GROUP_${group})
    rung_add_test(${group} 1 "${labels}" ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/group.py ${RUNG_TEST_TIMEOUT}
                  ${launcher} $<TARGET_FILE:${target}> ${PROJECT_BINARY_DIR}/scratch -- ${tests})
    set_tests_properties(${group} PROPERTIES PROCESSORS ${np} TIMEOUT 3600 FIXTURES_SETUP ${group} DEPENDS "${before}")
  endforeach()
endfunction()

# rung_add_test(name np labels command..): one CTest entry in a scratch folder of its own; np > 1 goes through mpiexec.
function(rung_add_test name np labels)
  set(folder ${PROJECT_BINARY_DIR}/scratch/${name})
  file(MAKE_DIRECTORY ${folder})
  if(np EQUAL 1)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${folder})
  else()
    add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe ${MPIEXEC_NUMPROC_FLAG} ${np} ${ARGN}
             WORKING_DIRECTORY ${folder})
  endif()
  set(limit ${RUNG_TEST_TIMEOUT})
  if("slow" IN_LIST labels)
    set(limit 1800) # five ranks on two busy cores
  endif()
  set_tests_properties(${name} PROPERTIES
    LABELS "${labels}" TIMEOUT ${limit} PROCESSORS ${np}
    # Open MPI's folder for the session: two tests that start at once must not make and remove the same one
    ENVIRONMENT "${RUNG_TEST_ENVIRONMENT};OMPI_MCA_orte_tmpdir_base=${folder}" ${RUNG_TEST_PROPERTIES})
endfunction()

# rung_fuzz(room name length library ..): tests/fuzz_NAME.c with the sources of the room under libFuzzer, address, leak and undefined
# behaviour sanitizers: a fixed number of inputs of at most `length` bytes, from tests/fuzz_NAME.corpus and the words of
# fuzz_NAME.dict.  Registered as fuzz.NAME where there is clang; the libraries are of rooms below.  fuzz.NAME.corpus is a program of any
# compiler, which takes the corpus, and makes inputs of it by chance (-runs N -seed S).
if(BUILD_TESTING)
  find_program(RUNG_CLANG NAMES clang)
  mark_as_advanced(RUNG_CLANG)
endif()
function(rung_fuzz room word length)
  set(name fuzz_${word})
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_executable(${name} tests/${name}.c)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE RUNG_FUZZ_FILES _GNU_SOURCE)
  target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:rung_${room},INCLUDE_DIRECTORIES>)
  target_link_libraries(${name} PRIVATE rung_${room} ${ARGN} rung_warnings)
  file(GLOB corpus CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/${name}.corpus/*)
  rung_add_test(fuzz.${word}.corpus 1 "${room}" $<TARGET_FILE:${name}> ${corpus})
  set_tests_properties(fuzz.${word}.corpus PROPERTIES
    FAIL_REGULAR_EXPRESSION "infinite loop closing library") # HDF5's words at its end
  if(NOT RUNG_CLANG)
    return()
  endif()
  set(content "-D_GNU_SOURCE\n")
  get_target_property(folders rung_${room} INCLUDE_DIRECTORIES)
  list(FILTER folders EXCLUDE REGEX "<")
  foreach(folder ${RUNG_PKG_PETSC_INCLUDE_DIRS} ${MPI_C_INCLUDE_DIRS} ${METIS_INCLUDE_DIR} ${PROJECT_SOURCE_DIR}/fe
                 ${PROJECT_SOURCE_DIR}/forms ${PROJECT_SOURCE_DIR}/systems ${PROJECT_SOURCE_DIR}/timestepping
                 ${PROJECT_SOURCE_DIR}/verification ${CMAKE_CURRENT_SOURCE_DIR} ${folders})
    string(APPEND content "-I${folder}\n")
  endforeach()
  string(APPEND content "${CMAKE_CURRENT_SOURCE_DIR}/tests/${name}.c\n")
  get_target_property(files rung_${room} SOURCES)
  list(FILTER files INCLUDE REGEX "(^|/)[a-z_]+\\.c$")
  foreach(file ${files})
    get_filename_component(file ${file} ABSOLUTE)
    string(APPEND content "${file}\n")
  endforeach()
  foreach(library ${ARGN})
    string(APPEND content "$<TARGET_FILE:${library}>\n")
  endforeach()
  list(JOIN RUNG_PKG_PETSC_LDFLAGS "\n" libraries)
  list(JOIN MPI_C_LIBRARIES "\n" mpi)
  list(JOIN RUNG_PKG_HDF5_LINK_LIBRARIES "\n" hdf5)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.rsp
       CONTENT "${content}${libraries}\n${hdf5}\n${mpi}\n${METIS_LIBRARY}\n")
  rung_add_test(fuzz.${word} 1 "${room};slow" ${CMAKE_COMMAND} -D CLANG=${RUNG_CLANG} -D NAME=${name} -D LENGTH=${length}
                -D FLAGS=${CMAKE_CURRENT_BINARY_DIR}/${name}.rsp -D TESTS=${CMAKE_CURRENT_SOURCE_DIR}/tests
                -P ${PROJECT_SOURCE_DIR}/cmake/fuzz.cmake)
  set_tests_properties(fuzz.${word} PROPERTIES TIMEOUT 1800)
endfunction()

# rung_program(name folder room ..): name.c of this folder becomes folder/name in the build tree.
function(rung_program name folder)
  add_executable(${name} ${name}.c)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  list(TRANSFORM ARGN PREPEND rung_)
  target_link_libraries(${name} PRIVATE ${ARGN} rung_warnings)
endfunction()
