/* solver_facts.c - what is known of a system and its matrix: the facts that solver_choices.def decides by.

   With nz entries in the rows of a definite matrix that stays, what the solves ahead take is estimated, in nanoseconds, by

       iterations of ICC     i = 5 + c sqrt(1 + kappa),  c = 0.75 for scalars, 4.5 for vectors;  of Jacobi 2.6 i
       one of ICC, Jacobi    1.6 nz, 0.66 nz of the upper half;  a third less with vectors, whose entries come in blocks;  3 nz of
                             scalars where ICC has a level of fill: short rows
       one by kernels        25 n on hexahedra, whatever the degree
       BoomerAMG             80 nz of set-up, 13 iterations of 10 nz
       GAMG                  220 nz of set-up, 18 iterations of 6 nz; twice as many, thrice the set-up, for vectors; 11 nz of
                             scalars in the plane
       levels of degrees     on hexahedra 1100 n of set-up and 1100 n a solve, on tetrahedra 1000 n and 1000 n; vectors 4000 n and
                             2800 n, on tetrahedra 3000 n and 3000 n, of degree 1 5000 n and 6000 n; an iteration 140 n, of vectors
                             100 n and 130 n, of degree 1 160 n and 300 n; 13 nz of what is not definite, within GMRES: a porous body of Q2^d and
                             Q1 with storage, 29114 entries, ten solves, took 45 s for 9 where factors follow
       levels of meshes      of degree 1, scalars: 1000 n and 1000 n, on tetrahedra 1500 n and 800 n, of 7 and 10 iterations; 5 s of these, at
                             most twice the entries along an edge, where cells are more slender: s, their sides to each other;
                             vectors likewise, thrice, of 12 and 16 iterations.  Where q = x^T D x / x^T J x is known, with the
                             diagonal D and the solution so far: 8 sqrt(s) q^0.1 iterations
       ICC, where q is known 2.7 p^0.75 e^0.44 q^0.28 iterations, p: degree, e: entries along an edge; 1.6 nz each (vectors 1 nz), 0.27 nz
                             of set-up for each entry of a row.  Of 70 cases (elastic and heat, degrees 1, 2, held on one side and all
                             around, cells 1 : 1 to 30 : 1) with 20 to 2000 iterations within 2, lines of degree 2 but for
       factors               5500 n + 45 nz + 0.4 w^3 (1 + 3 (l - 1)) of set-up, 400 n + 25 w^2 l a sweep; w, l: width of the body and
                             its length over its thickness (solver_width.c); half as much again on several ranks
       PETSc's own factors   of scalars on one rank, on lines and in the plane, for 20 solves or more: 90 n w of set-up with whole rows,
                             130 n a sweep; w is at most sqrt(n)

   Where steps of free size make a matrix anew, each has its set-up.  In the plane levels of degrees take s into account as those of meshes do,
   and BoomerAMG and GAMG of degree 2 and higher half as much again where cells are slender, and as much again above degree 2.

   kappa, some 15 times the well-known k dt/h^2 with linear tetrahedra and (c dt/h)^2 for waves, is at most what a body without
   mass has whose cells are alike: sqrt(kappa) = 2 n^(1/dim), six times as much for vectors, which may be clamped at one end.

   The numbers were measured on one core (docs/solvers.md); what they decide between differs by factors, not by tenths. */
#include "levels_impl.h"
#include <runglanes_room.h>

#define RUNG_AHEAD   20    /* solves with a matrix that stays, where nobody has said how many */
#define RUNG_SWEPT   50    /* sweeps through factors in the plane from which on these are worth it */
#define BODY         1.5   /* factors of a nonlinear body over its levels from which on these are taken */
#define FEW          20000 /* entries that row `start` factors under Newton's method                  */
#define MOVING       5     /* set-up of factors over a few iterations, from which on what moves is iterated    */
#define STEPS        3     /* of Newton's method in a step of time                                    */
#define SWEEPS       3.5   /* .. in each of which factors of an older matrix are swept so often       */
#define DIGITS       0.4   /* .. which asks for so many of the digits that the estimates are for      */
#define PLANE_MADE   150   /* ns a value in levels of a scalar of degree 1 in the plane, for a matrix .. */
#define PLANE_SOLVED 500   /* .. and for a solve with it: some 30 iterations of ICC with a level of fill, both */
#define SLENDER      5     /* iterations of levels over the sides of cells to each other                  */
#define STORED       13 /* nanoseconds of an entry: twelve products with a stored matrix, smoothing within GMRES         */
#define SOFT_LEVELS  8   /* .. of levels, over slender^0.5 soft^0.1                                             */
#define SOFT         2.7 /* iterations of ICC over edge^0.44 soft^0.28 degree^0.75                            */
#define PLANE_SLOW   1.5 /* at most, BoomerAMG and GAMG of higher degrees in the plane are slower by slender cells */
#define PLANE_HIGH   1.5 /* .. and by degrees above 2                                                              */
#define LONG         3   /* work at a section that has sections at both ends, over that at one without */

PetscErrorCode RungSystemSetSolvesAhead(RungSystem sys, PetscInt solves, PetscInt each)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(solves >= 0 && each >= 0, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " solves ahead, %" PetscInt_FMT
             " with each matrix; wanted: at least 1 of both, or 0 ahead where nobody knows, 0 with each for all",
             solves, each);
  sys->ahead = solves;
  sys->each  = each;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A field without a block of its own on the diagonal: a pressure, a multiplier.  What is eliminated couples with nothing,
   and the few rows of numbers (R) fill in. */
static PetscErrorCode has_saddle(RungSystem sys, PetscBool stage, PetscBool *saddle)
{
  const PetscBool *couple, *fixed;

  PetscFunctionBegin;
  *saddle = PETSC_FALSE;
  if (!sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  RungCondensePattern(sys, stage && sys->form->condense ? PETSC_TRUE : PETSC_FALSE, &couple, &fixed);
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    const PetscBool     *row   = couple + f * sys->form->unknowns;
    PetscBool            reads = PETSC_FALSE;
    const RungSpaceData *data;

    PetscCall(RungSpaceGetData(sys->form->space[f], &data));
    for (PetscInt g = 0; g < sys->form->unknowns; ++g) reads = reads || row[g] ? PETSC_TRUE : PETSC_FALSE;
    if (reads && !row[f] && !data->single) *saddle = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells, degrees and components.  The mean row is (p + 2)^dim for tensor products of degree p, some half of that for simplices
   in space, three quarters of it in the plane. */
static PetscErrorCode look_at_spaces(RungSystem sys, RungSolverFacts *facts)
{
  PetscFunctionBegin;
  facts->dim = 3;
  for (PetscInt f = 0; sys->form && f < sys->traits.unknowns; ++f) {
    const RungSpaceData *space;
    const RungMeshData  *mesh;
    PetscReal            row;

    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    PetscCall(RungMeshGetData(space->mesh, &mesh));
    facts->dim    = mesh->dim;
    facts->degree = PetscMax(facts->degree, space->degree);
    facts->tensor = !RungCellGet(mesh->type)->simplex ? PETSC_TRUE : PETSC_FALSE;
    if (space->components > 1) facts->vectors = PETSC_TRUE;
    if (!sys->traits.unknown_order[f]) facts->algebraic = PETSC_TRUE;
    row = PetscPowRealInt(2 + (PetscReal)space->degree, (int)mesh->dim) * (PetscReal)space->components;
    if (!facts->tensor) row *= mesh->dim == 3 ? 0.5 : mesh->dim == 2 ? 0.75 : 1;
    facts->row += row;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of their own on the diagonal, in the plane and in space: what incomplete factors of a matrix that is not symmetric live on.
   Rows of numbers (R) have none: a border, which incomplete factors fill. */
static PetscErrorCode is_convective(RungSystem sys, RungSolverFacts *facts)
{
  PetscBool numbers = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt f = 0; sys->form && f < sys->traits.unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    if (space->single) numbers = PETSC_TRUE;
  }
  facts->convective = sys->form && facts->dim >= 2 && facts->degree >= 1 && !numbers && !facts->definite &&
                          !sys->traits.symmetric && !facts->saddle && facts->stored
                        ? PETSC_TRUE
                        : PETSC_FALSE;
  facts->bordered   = numbers && facts->dim == 3 && facts->degree >= 1 && !facts->definite && !facts->saddle &&
                        facts->rows
                        ? PETSC_TRUE
                        : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Have all unknowns one degree and as many components?  A body and its pressure have not. */
static PetscErrorCode are_alike(RungSystem sys, PetscBool *alike)
{
  const RungSpaceData *first, *space;

  PetscFunctionBegin;
  *alike = PETSC_TRUE;
  for (PetscInt f = 0; sys->form && f < sys->form->unknowns; ++f) {
    PetscCall(RungSpaceGetData(sys->form->space[0], &first));
    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    if (space->degree != first->degree || space->components != first->components) *alike = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several unknowns or components at rest, as the two parts of a wave with losses: neither definite nor of one sign that might be presumed, but
   each with a block of its own, and not one that is eliminated from the others as a pressure is. */
static PetscErrorCode is_coupled(RungSystem sys, const RungSolverFacts *facts, PetscBool *coupled)
{
  const RungTraits *traits = &sys->traits;
  PetscBool         alike;

  PetscFunctionBegin;
  *coupled = PETSC_FALSE;
  if (traits->definite || traits->order || !traits->linear || facts->saddle || facts->dim < 2)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(are_alike(sys, &alike));
  *coupled = traits->symmetric ? alike && traits->unknowns > 1 : traits->unknowns > 1 || facts->vectors;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels of lower degree or on coarser meshes, where no type of matrix is asked for; those behind ILU are looked at when it has failed. */
static PetscErrorCode has_lower(RungSystem sys, RungSolverFacts *facts)
{
  PetscBool below, sure;
  char      why[512] = "";

  PetscFunctionBegin;
  PetscCall(RungLevelsBelow(sys, &below, &sure));
  if (!below || RungSolverMixesRates(sys) || sys->mat_type[0]) PetscFunctionReturn(PETSC_SUCCESS);
  /* on several ranks cells have to be looked at, which pays for vectors */
  facts->lower  = (sure || facts->vectors) && sys->traits.definite ? PETSC_TRUE : PETSC_FALSE;
  facts->behind = !sys->traits.definite && !facts->saddle && (facts->dim == 3 || RungSolverIsPresumed(sys))
                    ? PETSC_TRUE
                    : PETSC_FALSE;
  PetscCall(is_coupled(sys, facts, &facts->coupled));
  if (facts->lower || facts->coupled || ((sure || facts->refuted) && facts->behind))
    PetscCall(RungLevelsExplain(sys, why, sizeof why));
  if (why[0]) facts->lower = facts->behind = facts->coupled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A saddle point, elasticity with a pressure, a porous body and the pressure of what flows in it: of two unknowns in space, with coefficients
   that are the same everywhere. */
static PetscErrorCode has_split(RungSystem sys, RungSolverFacts *facts)
{
  static const char *const option[] = {"-ksp_type", "-pc_type", "-pc_fieldsplit_type", "-ksp_max_it", "-ksp_rtol"};
  RungFormTraits           traits;
  PetscBool                given;

  PetscFunctionBegin;
  if (!sys->form || facts->definite || facts->dim < 3 || !facts->rows || sys->mat_type[0] || RungSolverMixesRates(sys))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (facts->newton && sys->traits.order) PetscFunctionReturn(PETSC_SUCCESS); /* steps sweep through older factors */
  PetscCall(RungFormGetTraits(sys->form->F, &traits));
  if (traits.placed) PetscFunctionReturn(PETSC_SUCCESS); /* a viscosity that jumps is not for it */
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(option); ++i) {
    PetscCall(PetscOptionsHasName(NULL, NULL, option[i], &given));
    if (given) PetscFunctionReturn(PETSC_SUCCESS); /* who names a solver knows */
  }
  PetscCall(RungSaddleFits(sys, &facts->split));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void      estimate(PetscReal nz, PetscReal width, PetscReal length, RungSolverFacts *facts);
static PetscReal slow_by_cells(const RungSolverFacts *facts);

/* A body at rest that is not linear, whose factors are dearer than levels. */
static PetscErrorCode is_body(RungSystem sys, const RungSolverFacts *facts, PetscBool *body)
{
  RungSolverFacts rough = *facts;

  PetscFunctionBegin;
  *body = PETSC_FALSE;
  if (!facts->behind || !facts->newton || !facts->vectors || !facts->algebraic || facts->unknowns > 1 ||
      !sys->traits.symmetric || !facts->stored)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (sys->width <= 0) PetscCall(RungSolverWidth(sys, &sys->width, &sys->length));
  rough.lower = PETSC_TRUE;
  estimate(facts->row * (PetscReal)facts->n, sys->width, sys->length, &rough);
  *body = rough.factors > BODY * rough.levels ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nanoseconds of `its` iterations with a matrix of nz entries, `row` of them in a row: by ICC, which is made for it, or by Jacobi. */
static PetscReal one_simple(PetscBool jacobi, PetscReal nz, PetscReal row, PetscReal its)
{
  return jacobi ? 0.66 * its * nz : (0.27 * row + 1.6 * its) * nz;
}

/* Is it something with rates that is not linear, whose matrix is better iterated with?  A vector of up to FEW entries where factors take MOVING
   times as long as a few iterations, in space, of more always; a scalar of more. */
static PetscErrorCode is_moving(RungSystem sys, const RungSolverFacts *facts, PetscBool *moving)
{
  const PetscBool jacobi = facts->tensor && facts->degree >= 2 ? PETSC_TRUE : PETSC_FALSE;
  const PetscReal nz     = facts->row * (PetscReal)facts->n;
  RungSolverFacts rough  = *facts;

  PetscFunctionBegin;
  *moving = facts->newton && !facts->algebraic && facts->unknowns == 1 && facts->stored &&
                (facts->vectors && facts->dim == 3 ? PETSC_TRUE : facts->dim >= 2 && facts->n > FEW)
              ? PETSC_TRUE
              : PETSC_FALSE;
  if (!*moving || facts->n > FEW) PetscFunctionReturn(PETSC_SUCCESS);
  if (sys->width <= 0) PetscCall(RungSolverWidth(sys, &sys->width, &sys->length));
  rough.ahead = 0;
  estimate(nz, sys->width, sys->length, &rough);
  *moving = rough.factors > MOVING * one_simple(jacobi, nz, facts->row, jacobi ? 30 : 10) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step of Newton's method sweeps through factors, which a run makes once. */
PetscErrorCode RungSolverIsOutrun(RungSystem sys, RungSolverKind kind, Mat J, PetscReal its, RungSolverKind *other,
                                  PetscBool *outrun)
{
  const PetscReal ahead = STEPS * (PetscReal)(sys->ahead ? sys->ahead : RUNG_AHEAD);
  RungSolverFacts one, none;
  PetscReal       nz, row, least, sweep;
  char            why[512] = "";
  MatInfo         info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(J, MAT_GLOBAL_SUM, &info));
  nz  = info.nz_used;
  row = nz / PetscMax(1, (PetscReal)sys->global);
  if (sys->width <= 0) PetscCall(RungSolverWidth(sys, &sys->width, &sys->length));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_NEWTON, PETSC_TRUE, &one));
  if (one.behind) PetscCall(RungLevelsExplain(sys, why, sizeof why));
  one.lower = one.behind && !why[0] ? PETSC_TRUE : PETSC_FALSE;
  none      = one;
  one.ahead = 1, none.ahead = 0;
  estimate(nz, sys->width, sys->length, &one);
  estimate(nz, sys->width, sys->length, &none);
  sweep = SWEEPS * (one.factors - none.factors) + none.factors / ahead;
  least = none.levels + DIGITS * (one.levels - none.levels);
  if (one.lower && one.degree == 1 && one.dim < 3 && !one.vectors)
    least = one.n * (PLANE_MADE + DIGITS * PLANE_SOLVED * slow_by_cells(&one));
  *other = one.lower && (sweep > BODY * least || !one.vectors) ? RUNG_BY_LEVELS : RUNG_BY_FACTORS;
  if (*other == RUNG_BY_FACTORS) least = one.n <= sys->most_factored && one.vectors ? sweep : PETSC_INFINITY;
  *outrun = one_simple(kind == RUNG_BY_JACOBI ? PETSC_TRUE : PETSC_FALSE, nz, row, its) > least ? PETSC_TRUE
                                                                                                : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverIsBody(RungSystem sys, PetscBool *body)
{
  RungSolverFacts facts;

  PetscFunctionBegin;
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_NEWTON, PETSC_TRUE, &facts));
  PetscCall(is_body(sys, &facts, body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverGather(RungSystem sys, RungSolverUse use, PetscBool stage, RungSolverFacts *facts)
{
  PetscMPIInt    size;
  PetscBool      plain = PETSC_FALSE;
  PetscInt       lanes = 0;
  RungFormTraits traits;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(sys->comm, &size));
  memset(facts, 0, sizeof *facts);
  PetscCall(look_at_spaces(sys, facts));
  PetscCall(has_saddle(sys, stage, &facts->saddle));
  facts->n        = sys->global - (stage ? RungCondensedEntries(sys) : 0);
  facts->ranks    = size;
  facts->kept     = use == RUNG_SOLVE_KEPT ? PETSC_TRUE : PETSC_FALSE;
  facts->newton   = use == RUNG_SOLVE_NEWTON ? PETSC_TRUE : PETSC_FALSE;
  facts->ahead    = !facts->kept ? 1 : sys->ahead ? sys->ahead : RUNG_AHEAD;
  facts->each     = facts->kept && sys->each ? PetscMin(facts->ahead, sys->each) : facts->ahead;
  facts->mass     = use == RUNG_SOLVE_MASS ? PETSC_TRUE : PETSC_FALSE;
  facts->definite = (sys->traits.definite && !RungSolverMixesRates(sys)) || facts->mass || RungSolverIsPresumed(sys)
                      ? PETSC_TRUE
                      : PETSC_FALSE;
  facts->stored   = !sys->matrix_free &&
                      (!sys->typed || !strcmp(sys->mat_type, MATBAIJ) || !strcmp(sys->mat_type, MATSBAIJ))
                      ? PETSC_TRUE
                      : PETSC_FALSE;
  facts->rows     = !sys->typed && !sys->matrix_free ? PETSC_TRUE : PETSC_FALSE;
  facts->anew = facts->kept && facts->definite && facts->stored && facts->dim == 2 && facts->degree == 1 && sys->each &&
                    sys->each < RUNG_SWEPT
                  ? PETSC_TRUE
                  : PETSC_FALSE;
  PetscCall(is_convective(sys, facts));
  facts->unknowns = sys->traits.unknowns;
  facts->refuted  = sys->presumption == RUNG_PRESUMED_WRONGLY && facts->stored && !facts->definite ? PETSC_TRUE
                                                                                                   : PETSC_FALSE;
  PetscCall(has_split(sys, facts));
#ifdef PETSC_HAVE_HYPRE
  facts->hypre = PETSC_TRUE;
#endif
  PetscCall(has_lower(sys, facts));
  if (sys->form && sys->form->unknowns == 1 && !sys->mat_type[0]) PetscCall(RungSystemHasRhs(sys, &plain));
  if (plain) PetscCall(RungFormGetTraits(sys->form->F, &traits));
  facts->free = plain && !sys->whole && !traits.calls ? PETSC_TRUE : PETSC_FALSE;
  if (sys->form && RungFormOfPart(sys, RUNG_ALL)) lanes = RungFormLanes(RungFormOfPart(sys, RUNG_ALL));
  PetscCallMPI(MPI_Allreduce(&lanes, &facts->lanes, 1, MPIU_INT, MPI_MIN, sys->comm));
  if (RungSolverIsPresumed(sys)) PetscCall(is_body(sys, facts, &facts->body));
  if (RungSolverIsPresumed(sys)) PetscCall(is_moving(sys, facts, &facts->moving));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal RungSolverIterations(const RungSolverFacts *facts)
{
  const PetscReal edge = PetscPowReal((PetscReal)facts->n, 1 / (PetscReal)facts->dim);

  return 5 +
         (facts->vectors ? 4.5 : 0.75) * PetscMin(PetscSqrtReal(1 + facts->kappa), (facts->vectors ? 12 : 2) * edge);
}

PetscReal RungSolverIteration(const RungSolverFacts *facts, RungSolverKind kind)
{
  const PetscReal nz = facts->row * (PetscReal)facts->n;

  if (kind == RUNG_BY_HYPRE) return (facts->definite ? 10 : 20) * nz; /* GMRES takes as long as its preconditioner */
  if (kind == RUNG_BY_GAMG) return (facts->dim < 3 && !facts->vectors ? 11 : 6) * nz;
  if (!facts->definite) return STORED * nz;
  if (!facts->vectors) return 140 * (PetscReal)facts->n;
  if (facts->degree == 1) return (facts->tensor ? 160 : 300) * (PetscReal)facts->n;
  return (facts->tensor ? 100 : 130) * (PetscReal)facts->n;
}

/* With a level of fill, and without */
static PetscReal sweep_of(const RungSolverFacts *facts)
{
  return !facts->vectors && (facts->dim < 3 || facts->row <= 20) ? 3 : 1.6;
}

PetscReal RungSolverSweep(const RungSolverFacts *facts)
{
  return sweep_of(facts) * (facts->vectors ? 0.6 : 1) * facts->row * (PetscReal)facts->n;
}

/* Entries along an edge */
static PetscReal along_edge(const RungSolverFacts *facts)
{
  return PetscPowReal((PetscReal)facts->n / (PetscReal)(facts->vectors ? facts->dim : 1), 1 / (PetscReal)facts->dim);
}

PetscReal RungSolverIccBySoftness(const RungSolverFacts *facts, PetscReal soft)
{
  return SOFT * PetscPowReal((PetscReal)facts->degree, 0.75) * PetscPowReal(along_edge(facts), 0.44) *
         PetscPowReal(soft, 0.28);
}

PetscReal RungSolverOfIcc(const RungSolverFacts *facts, PetscReal soft)
{
  const PetscReal nz = facts->row * (PetscReal)facts->n, its = RungSolverIccBySoftness(facts, soft);

  return (0.27 * facts->row + 1.6 * (facts->vectors ? 0.6 : 1) * (PetscReal)facts->ahead * its) * nz;
}

PetscReal RungSolverOfLevels(const RungSolverFacts *facts, PetscReal soft)
{
  const PetscReal compact = facts->vectors ? (facts->tensor ? 12 : 16) : facts->tensor ? 7 : 10;

  if (soft > 0) return PetscMax(compact, SOFT_LEVELS * PetscSqrtReal(facts->slender) * PetscPowReal(soft, 0.1));
  return PetscMax(compact, PetscMin(SLENDER * facts->slender, (facts->vectors ? 3 : 2) * along_edge(facts)));
}

/* Iterations of multigrid of degree 1, and in the plane, over those that compact cells take; 1 where nobody has looked at them. */
static PetscReal slow_by_cells(const RungSolverFacts *facts)
{
  RungSolverFacts compact = *facts;

  compact.slender = 0;
  return facts->degree > 1 && facts->dim > 2 ? 1 : RungSolverOfLevels(facts, 0) / RungSolverOfLevels(&compact, 0);
}

/* nz: entries of the whole matrix */
static void estimate(PetscReal nz, PetscReal width, PetscReal length, RungSolverFacts *facts)
{
  const PetscReal n = (PetscReal)facts->n, ahead = (PetscReal)facts->ahead, its = RungSolverIterations(facts);
  const PetscReal made  = facts->each && facts->each < facts->ahead ? ahead / (PetscReal)facts->each : 1; /* matrices */
  const PetscReal slow  = slow_by_cells(facts);
  const PetscBool flat  = facts->dim < 3 && !facts->vectors ? PETSC_TRUE : PETSC_FALSE;
  const PetscReal sweep = sweep_of(facts);
  const PetscReal block = facts->vectors ? 0.6 : 1, long_rows = facts->tensor && facts->dim == 3 && facts->degree >= 2;

  if (long_rows && facts->free)
    facts->simple = ahead * 2.6 * its * 25 * n;
  else if (long_rows && facts->ranks == 1)
    facts->simple = ahead * 2.6 * its * 0.66 * block * nz;
  else
    facts->simple = made * 10 * nz + ahead * its * sweep * block * nz;
  facts->multigrid = facts->vectors                      ? (made * 660 + ahead * 36 * 6) * nz
                     : facts->hypre && facts->ahead <= 8 ? (80 + ahead * 13 * 10) * nz
                                                         : (made * 220 + ahead * 18 * (flat ? 11 : 6)) * nz;
  if (flat && facts->degree > 1)
    facts->multigrid *= PetscMin(slow, PLANE_SLOW) * (facts->degree > 2 ? PLANE_HIGH : 1);
  else
    facts->multigrid *= slow; /* which coarsens as for compact cells, too */
  if (!facts->rows) facts->multigrid = PETSC_INFINITY;
  facts->factors = made * (5500 * n + 45 * nz + 0.4 * width * width * width * (1 + LONG * (length - 1))) +
                   ahead * (400 * n + 25 * width * width * length);
  if (flat && facts->ranks == 1 && facts->ahead >= RUNG_OFTEN)
    facts->factors = made * 90 * n * PetscMin(PetscSqrtReal(n), width * PetscMax(1, facts->degree)) + ahead * 130 * n;
  if (facts->ranks > 1) facts->factors *= 1.5; /* fronts wait for each other, sweeps are messages */
  if (!facts->stored) facts->factors = PETSC_INFINITY;
  if (facts->vectors)
    facts->levels = n * (facts->tensor        ? 4000 * made + 2800 * slow * ahead
                         : facts->degree == 1 ? 5000 * made + 6000 * slow * ahead
                                              : 3000 * made + 3000 * ahead);
  else if (facts->degree == 1)
    facts->levels = n * (facts->tensor ? 1000 * made + 1000 * slow * ahead : 1500 * made + 800 * slow * ahead);
  else
    facts->levels = n * (facts->tensor ? 1100 : 1000) * (made + slow * ahead);
  if (!facts->lower) facts->levels = PETSC_INFINITY;
}

/* What width decides: levels and factors.  Where nothing but factors would keep levels from being taken, or tried, these are made, and tell. */
static PetscErrorCode find_width(RungSystem sys, const RungSolverFacts *facts)
{
  RungSolverFacts without = *facts;

  PetscFunctionBegin;
  without.factors = PETSC_INFINITY;
  if (RungSolverFind(&without, NULL)->kind == RUNG_BY_LEVELS)
    PetscCall(RungSolverWidthOfLevels(sys, &sys->width, &sys->length));
  else
    PetscCall(RungSolverWidth(sys, &sys->width, &sys->length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels that are taken without a trial where factors are taken for as cheap as they may be, with fronts of nothing, are taken whatever
   these are: the width, 4 to 7 % from the mesh to one solution, is not looked for. */
static PetscBool are_levels_sure(const RungSolverFacts *facts)
{
  const RungSolverRow *row = RungSolverFind(facts, NULL);

  return row->kind == RUNG_BY_LEVELS && !row->most ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungSolverMeasured(RungSystem sys, Mat J, PetscReal kappa, RungSolverFacts *facts)
{
  PetscBool half, shell;
  MatInfo   info;
  PetscReal nz = facts->row * (PetscReal)facts->n;

  PetscFunctionBegin;
  facts->measured = PETSC_TRUE;
  facts->kappa    = kappa;
  facts->slender  = sys->slender;
  PetscCall(RungIsShell(J, &shell));
  if (!shell) {
    PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &half, MATSEQSBAIJ, MATMPISBAIJ, ""));
    PetscCall(MatGetInfo(J, MAT_GLOBAL_SUM, &info));
    nz         = (half ? 2 : 1) * info.nz_used;
    facts->row = nz / PetscMax(1, (PetscReal)sys->global);
  }
  estimate(nz, sys->width, sys->width > 0 ? sys->length : 1, facts);
  if (sys->width > 0 || are_levels_sure(facts)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_width(sys, facts));
  estimate(nz, sys->width, sys->width > 0 ? sys->length : 1, facts);
  PetscFunctionReturn(PETSC_SUCCESS);
}
