# One interface target carries the warnings that every room is built with, and the sanitizers of that preset.
option(RUNG_WERROR "treat warnings as errors" OFF)
set(RUNG_SANITIZE "" CACHE STRING "sanitizers, e.g. address,undefined")

add_library(rung_warnings INTERFACE)
target_compile_options(rung_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-unused-parameter
                                               $<$<BOOL:${RUNG_WERROR}>:-Werror>)
# at -O3 GCC inlines callees into loops of unknown length and suspects every result that comes back by address
target_compile_options(rung_warnings INTERFACE $<$<AND:$<C_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-maybe-uninitialized>)
if(RUNG_SANITIZE)
  # with sanitizers GCC sees format strings that may be null or too long
  target_compile_options(rung_warnings INTERFACE $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation> -fsanitize=${RUNG_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(rung_warnings INTERFACE -fsanitize=${RUNG_SANITIZE})
endif()
