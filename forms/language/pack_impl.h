/* pack_impl.h - the vectors that the interpreter counts in, one kind in each of its copies (see isa.c). */
#pragma once

#include "isa_names.h"

#ifndef RUNG_PACK
  #define RUNG_PACK                                                                                                    \
    8 /* the interpreter's lanes come in such vectors; fewer numbers in its copies for lesser machines */
#endif

typedef double RungPack __attribute__((vector_size(8 * RUNG_PACK)));

/* Before loops of a constant few rounds whose packs have to be in registers. */
#if defined(__clang__)
  #define RUNG_UNROLL _Pragma("clang loop unroll(full)")
#else
  #define RUNG_UNROLL _Pragma("GCC unroll 16")
#endif

/* Functions that take or return packs are always inlined: their ABI depends on the instruction set. */
#define RUNG_INLINE static inline __attribute__((always_inline))
#if defined(__GNUC__) /* clang too */
  #pragma GCC diagnostic ignored "-Wpsabi"
#endif
