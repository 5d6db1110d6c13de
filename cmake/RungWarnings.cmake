# One interface target carries the warnings that every room is built with, and the sanitizers of that preset.
option(RUNG_WERROR "treat warnings as errors" OFF)
set(RUNG_SANITIZE "" CACHE STRING "sanitizers, e.g. address,undefined")

add_library(rung_warnings INTERFACE)
target_compile_options(rung_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-unused-parameter
                                               $<$<BOOL:${RUNG_WERROR}>:-Werror>)
if(RUNG_SANITIZE)
  target_compile_options(rung_warnings INTERFACE -fsanitize=${RUNG_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(rung_warnings INTERFACE -fsanitize=${RUNG_SANITIZE})
endif()
