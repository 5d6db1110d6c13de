/* verify_impl.h - private structs of the room. */
#pragma once

#include <rungforms_room.h>
#include <rungstep_room.h>
#include <rungsystem_room.h>
#include <rungverify.h>

#define RUNG_STUDY_LEVELS 32

struct _p_RungStudy {
  MPI_Comm        comm;
  const RungCase *problem;
  char            norm[16], type[64], method[64]; /* type, method: asked for; empty: the problem's own               */
  char            ran[160];                       /* the stepper as it ran, "dirk esdirk43"                           */
  PetscInt        levels;
  PetscReal       dt[RUNG_STUDY_LEVELS], error[RUNG_STUDY_LEVELS];
  PetscInt        refine; /* reference run: smallest step / 2^refine                          */
  PetscReal       order, low, high;
  PetscReal       expect, slack, expect_error; /* NaN: nothing stated                                              */
  char            json[PETSC_MAX_PATH_LEN], csv[PETSC_MAX_PATH_LEN], plot[PETSC_MAX_PATH_LEN];
  PetscBool       ran_all;
};

PetscErrorCode RungStudyCheckFiles(RungStudy study); /* completes their names; can they be written? */
