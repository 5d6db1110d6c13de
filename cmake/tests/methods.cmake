# methods.cmake - installs the library and its headers, and builds the programs of methods/ against them.
#   -D SOURCE= root of the tree  -D BUILD= build folder to install from  -D COMPILER= -D FLAGS=
set(prefix ${CMAKE_CURRENT_BINARY_DIR}/prefix)
set(user ${CMAKE_CURRENT_BINARY_DIR}/user)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "status ${status} of: ${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${prefix})
foreach(component rung_development rung_runtime)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component ${component})
  file(REMOVE ${BUILD}/install_manifest_${component}.txt)
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE}/cmake/tests/methods -B ${user} -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_C_COMPILER=${COMPILER}
    -D CMAKE_C_FLAGS=${FLAGS} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${user})
