# Builds a fuzz program and its room under clang's sanitizers and feeds it 20000 inputs.
#   -D NAME= of the program  -D FLAGS= file of sources and libraries  -D TESTS= folder of NAME.corpus and NAME.dict
#   -D LENGTH= of the longest input in bytes
if(NOT DEFINED RUNS)
  set(RUNS 20000)
endif()
execute_process(COMMAND ${CLANG} -std=gnu11 -g -O1 -w -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
                        -fno-sanitize=pointer-overflow
                        @${FLAGS} -lm -ldl -o ${NAME} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE grown)
file(MAKE_DIRECTORY grown)
# what MPI keeps of a call, and PETSc of its start, is not ours
file(WRITE leaks "leak:libmpi\nleak:libopen-pal\nleak:libopen-rte\nleak:libevent\nleak:libhwloc\nleak:libpmix\nleak:mca_\nleak:PetscInitialize\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=leaks:print_suppressions=0
                        ./${NAME} -runs=${RUNS} -seed=1 -max_len=${LENGTH} -timeout=20 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1
                        -dict=${TESTS}/${NAME}.dict grown ${TESTS}/${NAME}.corpus
                OUTPUT_VARIABLE said ERROR_VARIABLE complained RESULT_VARIABLE failed)
message(STATUS "${said}${complained}")
if(failed)
  message(FATAL_ERROR "${NAME} has failed on an input, or left memory behind")
endif()
