/* rungrecord.h - what a program needs that goes through steps by itself and keeps its own records: states to begin with, quantities at a
   state, numbers made of them, series of fields.  Programs that let a stepper do so need rungsystem.h alone. */
#pragma once

#include <rungsystem.h>

typedef struct _p_RungGauge  *RungGauge; /* a number made of quantities */
typedef struct _p_RungWriter *RungWriter;

/* ---- states ----------------------------------------------------------------------------------------------------- */

/* The given initial u^(k); 0 where nothing is given. */
RUNG_EXTERN PetscErrorCode RungSystemInitial(RungSystem sys, PetscReal t, PetscInt k, Vec u);
/* RungSystemSetInitialVec - u^(k), k < 2, of a start where no initial value is said: the end of another system with the same
   unknowns.  Copied; NULL: 0 again.  Sets the system up; systems of forms only.  Collective. */
RUNG_EXTERN PetscErrorCode RungSystemSetInitialVec(RungSystem sys, PetscInt k, Vec u);

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Names and which are rates, [n], lent; values[n] at one level, the same on all ranks. */
RUNG_EXTERN PetscErrorCode RungSystemGetQuantities(RungSystem sys, PetscInt *n, const char *const **names,
                                                   const PetscBool **rates);
RUNG_EXTERN PetscErrorCode RungSystemEvaluateQuantities(RungSystem sys, PetscReal t, const Vec u[], PetscReal values[]);
/* RungGaugeCreate - a number by a text of quantities, constants and t, "height - L/2", or the name of a quantity alone.
   Collective.
   In      label  opens messages, "event bounce";  names[more]  of numbers that stand behind the quantities, copied
   Errors  PETSC_ERR_SUP  a system of callbacks;  PETSC_ERR_ARG_WRONG  an unknown, x, an integral, dt() of a quantity, a quantity in
           the text that is called as a constant or a word of the language (d, I, pi);
           PETSC_ERR_USER_INPUT  the text
   RungGaugeEvaluate - quantity[] as EvaluateQuantities gives them, then those numbers; nan where one that the text names is not
   finite, which RungGaugeCheck raises as PETSC_ERR_FP with its name. */
RUNG_EXTERN PetscErrorCode RungGaugeCreate(RungSystem sys, const char label[], const char text[], PetscInt more,
                                           const char *const names[], RungGauge *gauge);
RUNG_EXTERN PetscErrorCode RungGaugeCheck(RungGauge gauge, PetscReal t, const PetscReal quantity[]);
RUNG_EXTERN PetscErrorCode RungGaugeEvaluate(RungGauge gauge, PetscReal t, const PetscReal quantity[],
                                             PetscReal *value);
RUNG_EXTERN PetscErrorCode RungGaugeDestroy(RungGauge *gauge);

/* ---- series ----------------------------------------------------------------------------------------------------- */

/* Writes the unknowns (and their rates on request) as a time series for ParaView; callback systems are refused. */
RUNG_EXTERN PetscErrorCode RungWriterCreate(RungSystem sys, const char path[], RungWriter *writer);
/* RungWriterSetFields - before the first time, what is written instead of the unknowns: a list of unknowns, quantities (the same
   number everywhere) and expressions, as "u, stress, dt(u), speed = sqrt(inner(u, u))", then " on PART", cells or facets of the
   mesh, in quotes if the name has blanks, or " on X,.. X,.. N", points along a line; " on .." alone leaves the unknowns.  Expressions are evaluated at the nodes of the space
   of the highest degree among the unknowns, where they jump between cells by the mean; with internal variables at the
   points of their rule.  Collective.
   Errors  PETSC_ERR_USER_INPUT, PETSC_ERR_ARG_WRONG  a text that cannot be read, a name twice;  PETSC_ERR_SUP  a rate */
RUNG_EXTERN PetscErrorCode RungWriterSetFields(RungWriter writer, const char list[]);
RUNG_EXTERN PetscErrorCode RungWriterWrite(RungWriter writer, PetscReal t, const Vec u[]);
RUNG_EXTERN PetscErrorCode RungWriterDestroy(RungWriter *writer);
