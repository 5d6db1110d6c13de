/* isa_names.h - names of the interpreter's functions in its copies for one instruction set each (see isa.c).

   The sources of the interpreter are compiled once plainly and once for each instruction set, with RUNG_ISA defined to its
   name and this header on top; every function that they export is in this list, else the linker finds it twice. */
#pragma once

#ifdef RUNG_ISA
  #define RUNG_ISA_JOIN(name, isa) name##_##isa
  #define RUNG_ISA_OF(name, isa)   RUNG_ISA_JOIN(name, isa)
  #define RUNG_ISA_NAME(name)      RUNG_ISA_OF(name, RUNG_ISA)

  #define RungSizesCreate       RUNG_ISA_NAME(RungSizesCreate)
  #define RungSizesDestroy      RUNG_ISA_NAME(RungSizesDestroy)
  #define RungSizesRun          RUNG_ISA_NAME(RungSizesRun)
  #define RungGeometryTabulate  RUNG_ISA_NAME(RungGeometryTabulate)
  #define RungGeometryCreate    RUNG_ISA_NAME(RungGeometryCreate)
  #define RungGeometryDestroy   RUNG_ISA_NAME(RungGeometryDestroy)
  #define RungGeometryRun       RUNG_ISA_NAME(RungGeometryRun)
  #define RungInterpreterAhead  RUNG_ISA_NAME(RungInterpreterAhead)
  #define RungInterpreterCreate RUNG_ISA_NAME(RungInterpreterCreate)
  #define RungTailEvaluate      RUNG_ISA_NAME(RungTailEvaluate)
  #define RungTailBlock         RUNG_ISA_NAME(RungTailBlock)
  #define RungTailPoints        RUNG_ISA_NAME(RungTailPoints)
  #define RungTailWidth         RUNG_ISA_NAME(RungTailWidth)
  #define RungTailTiles         RUNG_ISA_NAME(RungTailTiles)
  #define RungTailDiagonal      RUNG_ISA_NAME(RungTailDiagonal)
  #define RungSumFits           RUNG_ISA_NAME(RungSumFits)
  #define RungSumScratch        RUNG_ISA_NAME(RungSumScratch)
  #define RungSumEvaluate       RUNG_ISA_NAME(RungSumEvaluate)
  #define RungSumVector         RUNG_ISA_NAME(RungSumVector)
  #define RungInstructionRun    RUNG_ISA_NAME(RungInstructionRun)
  #define RungStepsCreate       RUNG_ISA_NAME(RungStepsCreate)
  #define RungStepRun           RUNG_ISA_NAME(RungStepRun)
  #define RungPullRun           RUNG_ISA_NAME(RungPullRun)
  #define RungPullCreate        RUNG_ISA_NAME(RungPullCreate)
  #define RungStraightCreate    RUNG_ISA_NAME(RungStraightCreate)
  #define RungStraightDestroy   RUNG_ISA_NAME(RungStraightDestroy)
  #define RungStraightRun       RUNG_ISA_NAME(RungStraightRun)
  #define RungSimplexRun        RUNG_ISA_NAME(RungSimplexRun)
  #define RungSimplexCreate     RUNG_ISA_NAME(RungSimplexCreate)
  #define RungReadRun           RUNG_ISA_NAME(RungReadRun)
  #define RungReadCreate        RUNG_ISA_NAME(RungReadCreate)
  #define RungReadDestroy       RUNG_ISA_NAME(RungReadDestroy)
  #define RungRunsGather        RUNG_ISA_NAME(RungRunsGather)
  #define RungRunsScatter       RUNG_ISA_NAME(RungRunsScatter)
  #define RungGatherRun         RUNG_ISA_NAME(RungGatherRun)
  #define RungScatterRun        RUNG_ISA_NAME(RungScatterRun)
  #define RungClearRun          RUNG_ISA_NAME(RungClearRun)
#endif
