/* rungpetsc.h - what keeps PETSc 3.18 and later releases apart, in one place: the other files write what the newest
   release wants, and for an older one it is made here. */
#pragma once

#include <petscsnes.h>

#if !defined(PETSC_SUCCESS) && PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
#endif

/* 3.22: "as it is" has a name of its own in KSPSetTolerances(), and what an option asks for is created */
#if PETSC_VERSION_LT(3, 22, 0)
  #define PETSC_CURRENT            PETSC_DEFAULT
  #define PetscOptionsCreateViewer PetscOptionsGetViewer
#endif

/* 3.23: a container's destroy function gets the address of its pointer:
       static PetscErrorCode destroy(RungContainerArg arg) { Mine *a = RungContainerPointer(arg); .. }                 */
#if PETSC_VERSION_LT(3, 23, 0)
typedef void *RungContainerArg;
  #define RungContainerPointer(arg)   (arg)
  #define PetscContainerSetCtxDestroy PetscContainerSetUserDestroy
#else
typedef void **RungContainerArg;
  #define RungContainerPointer(arg) (*(arg))
#endif

/* 3.24: PetscBool is the bool of C */
#if PETSC_VERSION_LT(3, 24, 0)
  #define RUNG_MPI_BOOL MPIU_BOOL
#else
  #define RUNG_MPI_BOOL MPI_C_BOOL
#endif

/* 3.24: the function that a coloring differences has a type of its own */
#if PETSC_VERSION_LT(3, 24, 0)
  #define RungColoredFunction(function) ((PetscErrorCode(*)(void))(void (*)(void))(function))
#else
  #define RungColoredFunction(function) (function)
#endif

/* 3.25: one word for NaN and Inf */
#if PETSC_VERSION_LT(3, 25, 0)
  #define SNES_DIVERGED_FUNCTION_NANORINF SNES_DIVERGED_FNORM_NAN
#endif

/* 3.21: partitioners take weights of edges */
#if PETSC_VERSION_LT(3, 21, 0)
  #define RUNG_EDGE_WEIGHT(name)    /* no such argument */
  #define RUNG_NO_EDGE_WEIGHT(name) 1
  #define RungPartitionerPartition(partitioner, parts, n, start, adjacency, weight, edge, target, section, list)       \
    PetscPartitionerPartition(partitioner, parts, n, start, adjacency, weight, target, section, list)
#else
  #define RUNG_EDGE_WEIGHT(name)    PetscSection name,
  #define RUNG_NO_EDGE_WEIGHT(name) (!(name))
  #define RungPartitionerPartition  PetscPartitionerPartition
#endif

/* 3.21: coordinates are projected to another space by a function of another name, which 3.24 gave one more argument */
#if PETSC_VERSION_LT(3, 21, 0)
  #define RungDMProjectCoordinates(dm, fe) DMProjectCoordinates(dm, fe)
#elif PETSC_VERSION_LT(3, 24, 0)
  #define RungDMProjectCoordinates(dm, fe) DMSetCoordinateDisc(dm, fe, PETSC_TRUE)
#else
  #define RungDMProjectCoordinates(dm, fe) DMSetCoordinateDisc(dm, fe, PETSC_FALSE, PETSC_TRUE)
#endif
