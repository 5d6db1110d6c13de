# widths.cmake - a build with the other width of indices (PETSC, a module of pkg-config) and this one read each other's
# field files and checkpoints, on one rank and on three, and a run that one begins the other ends.
#
#   cmake -D SOURCE=.. -D BUILD=.. -D PETSC=petsc64 -D MPIEXEC=.. -P widths.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

set(other ${CMAKE_CURRENT_BINARY_DIR}/other)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${other} -G Ninja -D CMAKE_BUILD_TYPE=Release -D RUNG_PETSC=${PETSC})
run(${CMAKE_COMMAND} --build ${other} -j2 -t test_systems_widths heat)

set(build_0 ${BUILD})
set(build_1 ${other})
set(heat -mesh_count 6,6 -stepper_dt 0.1 -stepper_output none -form_backend interpreter -pc_type lu -mass_pc_type lu)
foreach(writer 0 1)
  math(EXPR reader "1 - ${writer}")
  foreach(ranks "1;3" "3;1" "1;1")
    list(GET ranks 0 w)
    list(GET ranks 1 r)
    run(${MPIEXEC} --oversubscribe -n ${w} ${build_${writer}}/tests/test_systems_widths -widths_only write)
    run(${MPIEXEC} --oversubscribe -n ${r} ${build_${reader}}/tests/test_systems_widths -widths_only read)
  endforeach()
  file(REMOVE whole.csv split.csv)
  run(${build_${writer}}/bin/heat ${heat} -stepper_table whole.csv)
  run(${build_${writer}}/bin/heat ${heat} -stepper_table split.csv -stepper_end 0.5 -stepper_checkpoint run.h5)
  run(${build_${reader}}/bin/heat ${heat} -stepper_table split.csv -stepper_restart run.h5)
  run(${CMAKE_COMMAND} -E compare_files whole.csv split.csv)
endforeach()
