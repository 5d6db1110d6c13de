# The house rules and the installed package as tests, label checks; and the targets format and tidy.
set(checks ${PROJECT_SOURCE_DIR}/cmake/checks.py)

# rung_check(name labels command..): one entry of CTest that needs Debian's python3 but no MPI.
function(rung_check name labels)
  rung_add_test(${name} 1 "${labels}" ${ARGN})
endfunction()

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(format COMMAND ${RUNG_PYTHON} ${checks} format ${PROJECT_SOURCE_DIR} --fix USES_TERMINAL
                    COMMENT "clang-format over the whole tree")
  add_custom_target(tidy COMMAND ${RUNG_PYTHON} ${checks} tidy ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} USES_TERMINAL
                    COMMENT "clang-tidy over the whole tree")
endif()

if(BUILD_TESTING)
  rung_check(checks.self "checks" ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/tests/test_checks.py)
  rung_check(checks.rooms "checks" ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/tests/test_rooms.py)
  rung_check(checks.group "checks" ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/tests/test_group.py)
  rung_check(rooms "checks" ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/rooms.py all ${PROJECT_SOURCE_DIR})
  rung_check(bootstrap "checks" sh ${PROJECT_SOURCE_DIR}/cmake/tests/test_bootstrap.sh ${PROJECT_SOURCE_DIR})
  if(NOT RUNG_SANITIZE) # whose libraries want flags that README does not name
    rung_check(readme "checks" ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/tests/test_readme.py ${PROJECT_SOURCE_DIR}
               ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER})
    set_tests_properties(readme PROPERTIES PROCESSORS 2)
  endif()
  rung_check(layers "checks" ${RUNG_PYTHON} ${checks} layers ${PROJECT_SOURCE_DIR})
  rung_check(headers "checks" ${RUNG_PYTHON} ${checks} headers ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  rung_check(format "checks" ${RUNG_PYTHON} ${checks} format ${PROJECT_SOURCE_DIR})
  rung_check(tidy "checks;slow" ${RUNG_PYTHON} ${checks} tidy ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  set_tests_properties(tidy PROPERTIES TIMEOUT 3600)

  if(NOT RUNG_SANITIZE) # which valgrind cannot run
    find_program(RUNG_VALGRIND valgrind)
    mark_as_advanced(RUNG_VALGRIND)
    rung_check(valgrind.small "checks;slow" ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/valgrind.py ${RUNG_VALGRIND}
               ${MPIEXEC_EXECUTABLE} ${PROJECT_BINARY_DIR})
    set_tests_properties(valgrind.small PROPERTIES TIMEOUT 3600 SKIP_RETURN_CODE 77)
  endif()

  set(sanitize "")
  if(RUNG_SANITIZE)
    set(sanitize -fsanitize=${RUNG_SANITIZE})
  endif()
  find_program(RUNG_CXX NAMES c++ g++ clang++)
  mark_as_advanced(RUNG_CXX)
  set(outside ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D COMPILER=${CMAKE_C_COMPILER} -D CXX=${RUNG_CXX}
              -D FLAGS=${sanitize} -D LIBDIR=${CMAKE_INSTALL_LIBDIR} -D PYTHON=${RUNG_PYTHON} -D MPIEXEC=${MPIEXEC_EXECUTABLE}
              -D VERSION=${PROJECT_VERSION})
  if(RUNG_CXX AND RUNG_APPS AND RUNG_INSTALL)
    rung_check(outside "checks" ${outside} -D BUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/tests/outside.cmake)
    rung_check(outside.shared "checks;slow" ${outside} -P ${PROJECT_SOURCE_DIR}/cmake/tests/outside.cmake)
    set_tests_properties(outside PROPERTIES TIMEOUT 900) # seconds of compilers, many on a busy machine
    set_tests_properties(outside.shared PROPERTIES TIMEOUT 1800)
  endif()

  if(RUNG_APPS AND NOT RUNG_SANITIZE) # whose libraries want to be the first in front of a program
    include(RungFault)
    rung_fault()
  endif()

  # families of methods that are written outside, by the installed headers
  if(RUNG_INSTALL)
    rung_check(outside.method.build "checks" ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D BUILD=${PROJECT_BINARY_DIR}
               -D COMPILER=${CMAKE_C_COMPILER} -D FLAGS=${sanitize} -P ${PROJECT_SOURCE_DIR}/cmake/tests/methods.cmake)
    set_tests_properties(outside.method.build PROPERTIES FIXTURES_SETUP outside.method TIMEOUT 900)
    foreach(program explicit two_step turns rodasp)
      set(command ${PROJECT_BINARY_DIR}/scratch/outside.method.build/user/${program})
      rung_check(outside.method.${program} "checks" ${command})
      rung_add_test(outside.method.${program}.np3 3 "checks;mpi;slow;ci" ${command})
      set(entries outside.method.${program} outside.method.${program}.np3)
      if(program STREQUAL rodasp) # it asks most of its stepper
        rung_add_test(outside.method.${program}.np2 2 "checks;mpi" ${command})
        list(APPEND entries outside.method.${program}.np2)
      endif()
      set_tests_properties(${entries} PROPERTIES FIXTURES_REQUIRED outside.method PASS_REGULAR_EXPRESSION "all is well")
    endforeach()
  endif()

  # files go from builds with 32 bit indices to those with 64 and back, where there are both kinds of PETSc
  set(other petsc64)
  if(RUNG_PETSC STREQUAL petsc64)
    set(other petsc)
  endif()
  pkg_check_modules(RUNG_OTHER_PETSC QUIET ${other}>=3.18)
  if(RUNG_OTHER_PETSC_FOUND)
    rung_check(widths "checks;slow" ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D BUILD=${PROJECT_BINARY_DIR}
               -D PETSC=${other} -D MPIEXEC=${MPIEXEC_EXECUTABLE} -P ${PROJECT_SOURCE_DIR}/cmake/tests/widths.cmake)
    set_tests_properties(widths PROPERTIES TIMEOUT 1800)
  endif()
endif()
