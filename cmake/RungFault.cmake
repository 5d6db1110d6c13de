# One call fails, then the next (cmake/tests/fault): a library in front of the programs that users run, and a walk for each
# kind of fault.  fault.KIND tries a call here and there on one rank, fault.factor all places of one run, fault.KIND.ranks (slow) many more
# calls, on one rank and three; all places of all kinds take hours (cmake/nightly).
# fault.kills (slow) kills runs, and takes from them what they stand on, on one to three ranks.
function(rung_fault)
  add_library(rung_fault SHARED ${PROJECT_SOURCE_DIR}/cmake/tests/fault/fault.c)
  target_link_libraries(rung_fault PRIVATE PkgConfig::RUNG_PKG_PETSC MPI::MPI_C ${CMAKE_DL_LIBS})
  set_target_properties(rung_fault PROPERTIES C_STANDARD 11 C_EXTENSIONS ON LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  foreach(kind malloc open read write fsync rename collective compile factor nan clock)
    set(walk ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/tests/fault/fault.py ${kind} $<TARGET_FILE:rung_fault>
             ${PROJECT_BINARY_DIR}/bin ${MPIEXEC_EXECUTABLE})
    set(short again)
    if(kind MATCHES "compile|factor|nan")
      set(short rod)
    endif()
    set(some --points 2)
    if(kind STREQUAL factor)
      set(some --sites 4)
      set(short rod,kernels) # the second one makes no factor, and leaves no memory
    endif()
    rung_add_test(fault.${kind} 1 checks ${walk} --ranks 1 ${some} --scenario ${short})
    rung_add_test(fault.${kind}.ranks 1 "checks;slow" ${walk} --points 60)
    set_tests_properties(fault.${kind}.ranks PROPERTIES TIMEOUT 7200 PROCESSORS 2)
  endforeach()
  # the first messages of a start, without which ranks waited for others, took their words or lost their options in silence
  rung_add_test(fault.start 1 checks ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/tests/fault/fault.py collective $<TARGET_FILE:rung_fault>
                ${PROJECT_BINARY_DIR}/bin ${MPIEXEC_EXECUTABLE} --ranks 2 --scenario plate --at 1,2,3 --rank 1)
  rung_add_test(fault.kills 1 "checks;slow" ${RUNG_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/tests/fault/kills.py
                ${PROJECT_BINARY_DIR}/bin ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:rung_fault> --moments 60)
  set_tests_properties(fault.kills PROPERTIES TIMEOUT 7200 PROCESSORS 2)
endfunction()
