# Builds forms/tests/fuzz_parse.c and the front of forms under clang's sanitizers and feeds it 20000 inputs.
if(NOT DEFINED RUNS)
  set(RUNS 20000)
endif()
execute_process(COMMAND ${CLANG} -std=gnu11 -g -O1 -w -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
                        @${FLAGS} -lm -ldl -o fuzz_parse COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE grown)
file(MAKE_DIRECTORY grown)
# MPI's plug-ins hide from the leak sanitizer: PETSc's own tally is what finds ours
execute_process(COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 PETSC_OPTIONS=-malloc_dump
                        ./fuzz_parse -runs=${RUNS} -seed=1 -max_len=400 -timeout=20 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1
                        grown ${CORPUS}
                OUTPUT_VARIABLE said ERROR_VARIABLE complained RESULT_VARIABLE failed)
message(STATUS "${said}${complained}")
if(failed OR "${said}${complained}" MATCHES "\\[ *[0-9]+\\] *[0-9]+ bytes")
  message(FATAL_ERROR "the parser has failed on an input, or left memory behind")
endif()
