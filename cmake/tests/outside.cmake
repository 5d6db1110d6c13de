# outside.cmake - a project outside of the tree uses the installed package, by CMake and by pkg-config.
#   -D SOURCE=  root of the tree            -D BUILD=  build folder to install from; without it shared libraries are
#   -D COMPILER= -D FLAGS=                             built here first
#   -D LIBDIR=  of the installation, below its prefix
# Runs in a scratch folder of its own and leaves what it made there.
set(scratch ${CMAKE_CURRENT_BINARY_DIR})
set(prefix ${scratch}/prefix)
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH})

# run(command..): the command must succeed; its output is shown if it does not.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "status ${status} of: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# expect(text): the last output holds it.
function(expect text)
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "wanted \"${text}\" in the output, found:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${prefix} ${scratch}/user ${scratch}/small)
if(NOT BUILD)
  set(BUILD ${scratch}/shared)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -D BUILD_SHARED_LIBS=ON -D BUILD_TESTING=OFF -D CMAKE_BUILD_TYPE=Release
      -D CMAKE_C_COMPILER=${COMPILER} -D CMAKE_INSTALL_LIBDIR=${LIBDIR})
  run(${CMAKE_COMMAND} --build ${BUILD} --parallel)
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

message(STATUS "by find_package(rung)")
run(${CMAKE_COMMAND} -S ${SOURCE}/cmake/tests/outside -B ${scratch}/user -D CMAKE_PREFIX_PATH=${prefix}
    -D CMAKE_C_COMPILER=${COMPILER} -D CMAKE_C_FLAGS=${FLAGS} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${scratch}/user)
run(${scratch}/user/small)
expect("all is well")

message(STATUS "by pkg-config")
run(pkg-config --cflags --libs rung)
separate_arguments(flags UNIX_COMMAND "${FLAGS} ${SOURCE}/cmake/tests/outside/small.c ${output}")
run(${COMPILER} -o ${scratch}/small ${flags} -Wl,-rpath,${prefix}/${LIBDIR})
run(${scratch}/small)
expect("all is well")
