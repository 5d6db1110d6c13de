/* gather_isa.c - the copies of gather.c for instruction sets (see isa.c): which one batches take. */
#include "kernel_impl.h"

#ifdef RUNG_ISA_COPIES
RungGatherFn  RungGatherRun_sse2, RungGatherRun_avx2, RungGatherRun_avx512;
RungScatterFn RungScatterRun_sse2, RungScatterRun_avx2, RungScatterRun_avx512;
RungClearFn   RungClearRun_sse2, RungClearRun_avx2, RungClearRun_avx512;
#endif

/* The copy whose vectors are as long as the machine's, but not longer than the batches have lanes. */
void RungGatherChoose(RungIsa isa, RungBatches batches)
{
#ifdef RUNG_ISA_COPIES
  static RungGatherFn *const  gathers[]  = {RungGatherRun_sse2, RungGatherRun_avx2, RungGatherRun_avx512};
  static RungScatterFn *const scatters[] = {RungScatterRun_sse2, RungScatterRun_avx2, RungScatterRun_avx512};
  static RungClearFn *const   clears[]   = {RungClearRun_sse2, RungClearRun_avx2, RungClearRun_avx512};
  int                         copy       = (int)(isa == RUNG_ISA_NATIVE ? RungIsaBest() : isa) - RUNG_ISA_SSE2;

  while (copy > 0 && batches->lanes % RungIsaLanes((RungIsa)(RUNG_ISA_SSE2 + copy))) --copy;
  batches->gather  = gathers[copy];
  batches->scatter = scatters[copy];
  batches->clear   = clears[copy];
#else
  (void)isa;
  batches->gather  = RungGatherRun;
  batches->scatter = RungScatterRun;
  batches->clear   = RungClearRun;
#endif
}
