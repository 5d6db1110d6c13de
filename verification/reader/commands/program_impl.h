/* program_impl.h - what the files of rung check -c share. */
#pragma once

#include "reader_impl.h"
#include <stdio.h>

/* What the program needs besides main(), of all of its steps. */
typedef struct {
  PetscBool energy, fields, from, fixed, steps; /* energy: texts that are read apart, too */
  PetscBool coupled;                            /* several systems */
  PetscBool numbers;                            /* of methods that are not of type alpha; times to look at */
  RungDraft rates; /* owned: names of rates, each followed by a 0 byte: their places in the carry      */
  PetscInt  sums;  /* of them */
} RungProgramNeeds;

/* Where the sum of a rate is carried, -1: nowhere. */
PetscInt RungProgramRate(const RungProgramNeeds *needs, const char name[]);
PetscInt RungProgramCount(RungProblem problem, const char word[]); /* statements of a word that hold */
/* The system of the step; what a state of the step before, fields and other data need of it; fields are destroyed. */
PetscErrorCode RungProgramSystem(RungProblem problem, FILE *out);
PetscErrorCode RungProgramStart(RungProblem problem, const RungProgramNeeds *needs, PetscInt fields, FILE *out);
void           RungProgramFieldsEnd(PetscInt fields, FILE *out);
/* RungProgramSystem() in two: the system with its constants and unknowns; its equations, when those of others have
   theirs. */
PetscErrorCode RungProgramUnknowns(RungProblem problem, FILE *out);
PetscErrorCode RungProgramEquations(RungProblem problem, FILE *out);
PetscBool      RungProgramHasTable(RungProblem problem);        /* a text that reads values from a file */
PetscBool      RungProgramHasFrom(RungProblem problem);         /* an unknown that begins with other data */
PetscErrorCode RungProgramMesh(RungProblem problem, FILE *out); /* from RungInitialize() to the mesh */
/* program_coupled.c: several systems, their functions and main(). */
PetscErrorCode RungProgramCoupled(RungProblem problem, FILE *out);
/* program_static.c: callbacks in front of main(), the inside of a step's function, what it cannot say. */
void           RungProgramRecords(FILE *out);
PetscErrorCode RungProgramStatic(RungProblem problem, const RungProgramNeeds *needs, PetscInt fields, FILE *out);
PetscErrorCode RungProgramCheckFollowers(RungProblem problem);
