/* imex.c - implicit-explicit Runge-Kutta methods: F = F_I(t, u, u') + E(t, u), where E is what stands inside of explicit(..).

   With M = dF/du' the system is  u' = f_I + f_E,  M f_E = -E,  F_I(t, u, f_I) = 0.  Stage i has the unknown w = u_i:

       p = u_n + h sum_j<i (a^I_ij k_j + a^E_ij e_j),   k_i = s (w - p),  s = 1/(h a^I_ii),   F_I(t_i, w, k_i) = 0,
       e_i = -M(t_i, u_i)^-1 E(t_i, u_i),               u_n+1 = u_n + h sum_i (b^I_i k_i + b^E_i e_i).

   Where M is constant no stage is solved for its e_i: E enters later stages as a load (imex_explicit.c).  Else e_i is a
   rate, found by a solve with M: a load of stage j would say  M(t_i, u_i) e_i = M(t_j, u_j) e_j,  while rates are right
   for every M.  Times t_i are those of each part's own c.  A stage with a^I_ii = 0, the first one, takes k_1 = u'_n -
   e_1, since the rate of a level fulfils the whole of F = 0.

   Boundary rows belong to the implicit part: e is 0 there, and k_b = g'(t_i) leads to the boundary values of stages; u_b = g(t_n+1) is
   imposed at the end, and what it differs by from where the stages led to is tested beside the estimate, as in dirk.c.
   Algebraic unknowns have no e; their stage values follow from F_I, and at the new level they and the rates follow from
   F = 0. Solves with M have  dF/dz  in the columns of an algebraic unknown z, which leaves e as it is and makes the
   matrix regular.

   Estimate  h sum_i (b_i - b^_i)(k_i + e_i).  A system without explicit(..) is advanced by the implicit part alone.
   With conserved terms the k_i of u are differences of stage values, no rates (dirk.c):  E = h sum_i (b_i - b^_i) dm_i/dt  of both parts is
   what m misses, and M e = E. */
#include "imex_impl.h"

#include <string.h>

#define ROW(...)                                                                                                       \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define RUNG_IMEX(symbol, name, citation, s, p, q, limit, a, b, explicit_a, explicit_b)                                \
  static const PetscReal symbol##_a[] = a, symbol##_b[] = b, symbol##_ea[] = explicit_a, symbol##_eb[] = explicit_b;
#define RUNG_IMEX_PAIR(symbol, name, key, citation, s, explicit_a) static const PetscReal symbol##_ea[] = explicit_a;
#include "imex.def"
#undef RUNG_IMEX
#undef RUNG_IMEX_PAIR

#define RUNG_IMEX(symbol, name, citation, s, p, q, limit, a, b, explicit_a, explicit_b)                                \
  {name,       NULL,                                                                                                   \
   citation,   {name, name, s, p, 0, q, limit, 0, PETSC_FALSE, NULL, symbol##_a, symbol##_b, NULL, citation},          \
   s,          symbol##_ea,                                                                                            \
   symbol##_eb},
#define RUNG_IMEX_PAIR(symbol, name, key, citation, s, explicit_a) {name, key, citation, {0}, s, symbol##_ea, NULL},
static const RungImexRow table[] = {
#include "imex.def"
};
#undef RUNG_IMEX
#undef RUNG_IMEX_PAIR

#define RUNG_IMEX(symbol, name, ...)      name,
#define RUNG_IMEX_PAIR(symbol, name, ...) name,
static const char *const methods[] = {
#include "imex.def"
  NULL};
#undef RUNG_IMEX
#undef RUNG_IMEX_PAIR
#undef ROW

static const RungMethodSynonym synonyms[] = {{"ark548b", NULL, " imex ark arkimex imexark "},
                                             {"ark437", NULL, " ark4 "},
                                             {"ark324", NULL, " ark3 arkimex3 "},
                                             {"ark548", NULL, " ark5 arkimex5 "},
                                             {"ars111", NULL, " imexeuler "},
                                             {NULL, NULL, NULL}};

PetscErrorCode RungImexGetAll(PetscInt *n, const RungImexRow **rows)
{
  PetscFunctionBegin;
  *n    = PETSC_STATIC_ARRAY_LENGTH(table);
  *rows = table;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungImexImplicit(const RungImexRow *row, const RungTableau **implicit)
{
  PetscFunctionBegin;
  *implicit = &row->own;
  if (row->key) PetscCall(RungTableauFind(row->key, implicit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- coefficients ------------------------------------------------------------------------------------------------- */

/* c of stage i of that part */
static PetscReal row_sum(const RungImex *imex, PetscBool of_explicit, PetscInt i)
{
  PetscReal c = 0;

  for (PetscInt j = 0; j <= i; ++j) c += of_explicit ? RungImexA(imex->row, i, j) : RungTableauA(imex->implicit, i, j);
  return c;
}

/* t_n + c h with c the sum of row i, the end of the step where that is 1 */
static PetscReal time_of(const RungImex *imex, PetscBool of_explicit, const RungState *from, PetscReal h,
                         const RungState *to, PetscInt i)
{
  const PetscReal c = row_sum(imex, of_explicit, i);

  return PetscAbsReal(c - 1) < 16 * PETSC_MACHINE_EPSILON ? to->t : from->t + c * h;
}

/* ---- stages --------------------------------------------------------------------------------------------------------- */

/* y = values of x at entries without a time derivative */
static PetscErrorCode take_algebraic(const RungImex *imex, Vec x, Vec y)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           size;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  for (PetscInt i = 0; i < size; ++i) {
    if (imex->entry_order[i] < 1) to[i] = from[i];
  }
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary entries of z, and w = p + z, such that the rate there is the data's. */
static PetscErrorCode impose_rates(const RungImex *imex, PetscReal t, PetscReal s)
{
  PetscFunctionBegin;
  if (!imex->facts.dirichlet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecScale(imex->z, s));
  PetscCall(RungSystemImposeDirichlet(imex->facts.sys, t, 1, imex->z));
  PetscCall(VecScale(imex->z, 1 / s));
  PetscCall(VecWAXPY(imex->w, 1, imex->p, imex->z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The guess of stage i, z of all digits: entries without a time derivative have the data's values at t, where there are some. */
static PetscErrorCode guess(RungStepper stepper, const RungState *from, PetscReal t, PetscReal h, PetscInt i,
                            PetscReal s)
{
  RungImex            *imex  = RungStepperGetData(stepper);
  const RungStageRates rates = {&imex->timed, i, h, from->u[0], imex->p, imex->k, imex->entry_order};
  Vec                  stages;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(imex->z, -1, imex->p, imex->w));
  PetscCall(impose_rates(imex, t, s));
  PetscCall(VecCopy(imex->w, imex->x));
  if (imex->facts.dirichlet) {
    PetscCall(VecCopy(imex->w, imex->error));
    PetscCall(RungSystemImposeDirichlet(imex->facts.sys, t, 0, imex->error));
    PetscCall(take_algebraic(imex, imex->error, imex->w));
  }
  PetscCall(RungStageDensityRate(&imex->density, t, i));
  PetscCall(RungStageDensityFollow(&imex->density, t, h, i + 1, imex->implicit->a + i * (i + 1) / 2, imex->w));
  PetscCall(RungStageGuess(stepper, &rates, imex->error, &stages));
  PetscCall(RungStagePredictInside(stepper, t, stages, imex->w));
  PetscCall(VecAYPX(imex->x, -1, imex->w)); /* exactly 0 where nothing changed */
  PetscCall(VecAXPY(imex->z, 1, imex->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The load of stage i: what is known of  K_i = s m(u_i) + load. */
static PetscErrorCode set_load(RungImex *imex, const RungState *from, PetscReal h, PetscInt i, PetscReal s)
{
  PetscFunctionBegin;
  if (!imex->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageAdvance(from->m[0], h, i, imex->implicit->a + i * (i + 1) / 2, imex->m, imex->load));
  if (imex->split) PetscCall(RungStageAdd(imex->load, h, i, imex->row->a + i * (i - 1) / 2, imex->g));
  PetscCall(VecScale(imex->load, -s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stage(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to, PetscInt i,
                            RungVerdict *verdict)
{
  RungImex       *imex = RungStepperGetData(stepper);
  const PetscReal s = 1 / (h * RungTableauA(imex->implicit, i, i)), t = time_of(imex, PETSC_FALSE, from, h, to, i);
  RungLine        line = {.base = {imex->p}, .origin = imex->p, .increment = imex->z};
  Vec             load;

  PetscFunctionBegin;
  PetscCall(VecCopy(from->u[0], imex->p));
  PetscCall(RungStageAdd(imex->p, h, i, imex->implicit->a + i * (i + 1) / 2, imex->k));
  if (imex->split && !imex->loads) PetscCall(RungStageAdd(imex->p, h, i, imex->row->a + i * (i - 1) / 2, imex->e));
  RungLineSetSlope(stepper, &line, 0, 1);
  RungLineSetSlope(stepper, &line, 1, s);
  PetscCall(guess(stepper, from, t, h, i, s));
  PetscCall(set_load(imex, from, h, i, s));
  PetscCall(RungImexLoad(imex, i, &load));
  PetscCall(RungStageSolve(stepper, t, &line, load, imex->w, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCombine(imex->k[i], 1, &s, &imex->z));
  if (imex->load) {
    PetscCall(RungSystemConserved(imex->facts.sys, t, imex->w, imex->m[i]));
    PetscCall(VecAYPX(imex->m[i], s, imex->load));
  }
  PetscCall(RungImexExplicit(stepper, time_of(imex, PETSC_TRUE, from, h, to, i), i, imex->w, imex->k[i], verdict));
  if (verdict->solved && imex->implicit->b[i] != 0 && !imex->row->b &&
      !imex->loads) { /* the same weights in both parts */
    PetscCall(VecCopy(imex->k[i], imex->x));
    if (RungImexAsks(imex, i)) PetscCall(VecAXPY(imex->x, 1, imex->e[i]));
    PetscCall(RungStageSum(stepper, t, (Vec[]){imex->w, imex->x}, h * imex->implicit->b[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stage 1 with a^I_11 = 0 */
static PetscErrorCode first_stage(RungStepper stepper, const RungState *from, PetscReal h, RungVerdict *verdict)
{
  RungImex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (!imex->row->b) PetscCall(RungStageSum(stepper, from->t, from->u, h * imex->implicit->b[0]));
  if (imex->loads && RungImexAsks(imex, 0))
    PetscCall(RungImexExplicitOfLevel(imex, from->t, from->u));
  else
    PetscCall(RungImexExplicit(stepper, from->t, 0, from->u[0], from->u[1], verdict));
  PetscCall(VecCopy(from->u[1], imex->k[0]));
  if (RungImexAsks(imex, 0) && !imex->loads) PetscCall(VecAXPY(imex->k[0], -1, imex->e[0]));
  if (!imex->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(from->m[1], imex->m[0]));
  if (RungImexAsks(imex, 0)) PetscCall(VecAXPY(imex->m[0], -1, imex->g[0]));
  PetscCall(RungStageDensityRate(&imex->density, from->t, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the end of the step -------------------------------------------------------------------------------------------- */

/* u such that m(u) is what the weights b lead to; u holds a guess, which has its boundary values. */
static PetscErrorCode match(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to,
                            RungVerdict *verdict)
{
  RungImex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStageAdvance(from->m[0], h, imex->row->stages, imex->implicit->b, imex->m, imex->load));
  if (imex->split) PetscCall(RungStageAdd(imex->load, h, imex->row->stages, RungImexB(imex), imex->g));
  PetscCall(VecCopy(to->u[0], imex->x));
  PetscCall(RungStageMatch(stepper, to->t, imex->x, imex->load, to->u[0], verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m of the new level and dm/dt = -R there */
static PetscErrorCode finish_conserved(const RungImex *imex, RungState *to)
{
  const PetscReal none[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  if (!imex->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemConserved(imex->facts.sys, to->t, to->u[0], to->m[0]));
  PetscCall(RungSystemStageResidual(imex->facts.sys, to->t, to->u, none, to->m[1]));
  PetscCall(VecScale(to->m[1], -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u by the weights with the boundary values of the new level. */
static PetscErrorCode finish(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                             RungVerdict *verdict)
{
  RungImex      *imex = RungStepperGetData(stepper);
  const PetscInt n    = imex->row->stages;

  PetscFunctionBegin;
  PetscCall(VecCopy(from->u[0], to->u[0]));
  PetscCall(RungImexAdd(stepper, h, imex->implicit->b, RungImexB(imex), from, to->u[0], verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(take_algebraic(imex, imex->w, to->u[0]));
  PetscCall(RungStageDensityFollow(&imex->density, to->t, h, n, imex->implicit->b, to->u[0]));
  PetscCall(VecCopy(to->u[0], imex->d));
  PetscCall(RungSystemImposeDirichlet(imex->facts.sys, to->t, 0, to->u[0]));
  PetscCall(RungImexProject(stepper, to, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecAYPX(imex->d, -1, to->u[0]));
  if (imex->load) PetscCall(match(stepper, from, h, to, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* error = M^-1 (R(t, u, error) - R(t, u, 0) + E) with M of the new level: R has the rates of equations that conserve nothing. */
static PetscErrorCode estimate_conserved(RungStepper stepper, PetscReal h, const PetscReal weight[],
                                         const RungState *to, RungVerdict *verdict)
{
  const PetscReal none[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  RungImex       *imex                                           = RungStepperGetData(stepper);
  const PetscInt  n                                              = imex->row->stages;
  const Vec       u                                              = to->u[0];

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(imex->sum));
  PetscCall(RungSystemStageResidual(imex->facts.sys, to->t, (Vec[]){u, imex->sum}, none, imex->z));
  PetscCall(RungSystemStageResidual(imex->facts.sys, to->t, (Vec[]){u, imex->error}, none, imex->sum));
  PetscCall(VecAXPY(imex->sum, -1, imex->z));
  PetscCall(RungStageAdd(imex->sum, h, n, weight, imex->m));
  if (imex->split) PetscCall(RungStageAdd(imex->sum, h, n, weight, imex->g));
  PetscCall(RungImexLinearise(stepper, to->t, (Vec[]){u, imex->k[n - 1]}, verdict));
  if (verdict->solved) PetscCall(RungStageApplyStep(stepper, imex->sum, (Vec[]){u, NULL}, 0, imex->error, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode estimate(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to,
                               RungVerdict *verdict)
{
  RungImex          *imex    = RungStepperGetData(stepper);
  const RungTableau *tableau = imex->implicit;
  const Vec          e[2] = {imex->error, NULL}, d[2] = {imex->d, NULL};
  PetscReal          weight[RUNG_MAX_STAGES];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < tableau->stages; ++i) weight[i] = tableau->b[i] - tableau->bhat[i];
  PetscCall(VecZeroEntries(imex->error));
  PetscCall(RungImexAdd(stepper, h, weight, weight, from, imex->error, verdict));
  if (imex->load && verdict->solved) PetscCall(estimate_conserved(stepper, h, weight, to, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperMeasure(stepper, e, imex->facts.dirichlet ? d : NULL, from, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rates of the new level, and what has no rate, as F = 0 has them. */
static PetscErrorCode find_rates(RungStepper stepper, const RungState *from, RungState *to, RungVerdict *verdict)
{
  RungImex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  imex->ended = to->t;
  if (imex->constrained) {
    PetscCall(RungImexConstrainedRates(stepper, from, to, verdict));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (imex->loads && !imex->facts.algebraic) {
    PetscCall(RungImexRates(stepper, from, to, verdict));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungStageConsistent(stepper, imex->facts.algebraic, to));
  PetscCall(finish_conserved(imex, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt_imex(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                   RungVerdict *verdict)
{
  RungImex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  imex->ended = NAN;
  imex->step  = h;
  imex->loads = imex->constant && !RungStageSums(stepper) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungStageDensityStart(&imex->density, from));
  PetscCall(VecCopy(from->u[0], imex->w)); /* each stage starts from the value of the one before */
  for (PetscInt i = 0; i < imex->row->stages; ++i) {
    if (RungTableauA(imex->implicit, i, i) == 0)
      PetscCall(first_stage(stepper, from, h, verdict));
    else
      PetscCall(stage(stepper, from, h, to, i, verdict));
    if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(finish(stepper, from, h, to, verdict));
  if (imex->facts.adaptive && verdict->solved) PetscCall(estimate(stepper, from, h, to, verdict));
  if (verdict->solved && !(verdict->error > 1)) PetscCall(find_rates(stepper, from, to, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps that the control takes although their error is above 1. */
static PetscErrorCode accept_imex(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio)
{
  RungImex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  (void)from, (void)ratio;
  if (imex->ended == to->t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageConsistent(stepper, imex->facts.algebraic, to));
  PetscCall(finish_conserved(imex, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------------- */

static PetscErrorCode find_row(RungStepper stepper)
{
  RungImex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &imex->facts));
  imex->row = &table[imex->facts.method];
  PetscCall(RungImexImplicit(imex->row, &imex->implicit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan_imex(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  RungImex          *imex = RungStepperGetData(stepper);
  const RungTableau *tableau;
  PetscBool          constraint[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(find_row(stepper));
  tableau           = imex->implicit;
  plan->can         = RUNG_CAN_ORDER1 | RUNG_CAN_ALGEBRAIC | RUNG_CAN_CONSERVE | RUNG_CAN_SPLIT | RUNG_CAN_VARY_MASS;
  plan->order       = tableau->order;
  plan->exponent    = tableau->bhat ? PetscMin(tableau->order, tableau->embedded) + 1 : 0;
  plan->growth      = 5;
  plan->matrices    = 2; /* of stages, M */
  plan->stages      = tableau->stages;
  plan->stage_order = tableau->stage_order;
  plan->limit       = PetscAbsReal(tableau->limit);
  plan->angle       = RungTableauAngle(tableau);
  plan->citation    = imex->row->citation;
  for (PetscInt i = 0; i < tableau->stages; ++i) plan->solves += RungTableauA(tableau, i, i) != 0;
  if (!traits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemHasExplicit(imex->facts.sys, &imex->split));
  PetscCall(RungImexFindConstraints(imex, constraint));
  plan->mixes   = imex->split && imex->facts.algebraic && !imex->constrained ? PETSC_TRUE : PETSC_FALSE;
  plan->dense   = imex->facts.algebraic ? 1 : 0;
  plan->matches = traits->conserved;
  plan->work    = 2 * tableau->stages + 7 + (traits->conserved ? 2 * tableau->stages + 1 : 0);
  if (!imex->split)
    plan->caution = "finds no explicit(..) in the system and takes all of it implicitly, as a dirk method";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An unknown with a rate has one at all of its entries: else no block of F would make M regular. */
static PetscErrorCode check_rates(RungStepper stepper)
{
  RungImex         *imex   = RungStepperGetData(stepper);
  const RungTraits *traits = imex->facts.traits;

  PetscFunctionBegin;
  for (PetscInt f = 0; imex->split && f < traits->unknowns; ++f) {
    PetscInt    start, end, least = 1;
    const char *name = "u";

    if (!traits->unknown_order[f]) continue;
    PetscCall(RungSystemGetRange(imex->facts.sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i) least = PetscMin(least, imex->entry_order[i]);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPIU_INT, MPI_MIN, imex->facts.comm));
    if (least < 1) PetscCall(RungSystemGetUnknown(imex->facts.sys, f, &name, NULL));
    PetscCheck(
      least > 0, imex->facts.comm, PETSC_ERR_SUP,
      "imex method \"%s\" wants a time derivative of all entries of \"%s\" or of none, beside explicit(..), and some "
      "have none; make an unknown of its own of those, or take -stepper_type dirk",
      imex->row->name, name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_imex(RungStepper stepper)
{
  RungImex         *imex   = RungStepperGetData(stepper);
  const RungTraits *traits = imex->facts.traits;
  Vec              *work;

  PetscFunctionBegin;
  PetscCall(RungSystemGetOrders(imex->facts.sys, &imex->entry_order));
  PetscCall(check_rates(stepper));
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    imex->slope[f]                    = traits->unknown_order[f] ? 0 : 1;
    imex->slope[traits->unknowns + f] = 1;
  }
  PetscCall(RungImexMarkConstraints(imex));
  imex->constant = imex->split && traits->constant_block[1] && !traits->conserved ? PETSC_TRUE : PETSC_FALSE;
  RungImexSetShares(imex);
  imex->known.t = NAN;
  imex->timed   = *imex->implicit;
  imex->timed.c = imex->c;
  for (PetscInt i = 0; i < imex->row->stages; ++i) imex->c[i] = row_sum(imex, PETSC_FALSE, i);
  PetscCall(RungStepperGetWork(stepper, &work));
  for (PetscInt i = 0; i < imex->row->stages; ++i) {
    imex->k[i] = *work++;
    imex->e[i] = *work++;
  }
  imex->w     = *work++;
  imex->p     = *work++;
  imex->z     = *work++;
  imex->x     = *work++;
  imex->error = *work++;
  imex->d     = *work++;
  imex->sum   = *work++;
  imex->load  = NULL;
  if (!traits->conserved) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < imex->row->stages; ++i) {
    imex->m[i] = *work++;
    imex->g[i] = *work++;
  }
  imex->load = *work++;
  PetscCall(RungStageDensityCreate(imex->facts.sys, imex->row->stages, &imex->density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_imex(RungStepper stepper, PetscViewer viewer)
{
  RungImex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(find_row(stepper));
  PetscCall(PetscViewerASCIIPrintf(
    viewer,
    "imex %s: %" PetscInt_FMT " stages, order %" PetscInt_FMT
    ", implicit part R(inf) = %g, embedded order %" PetscInt_FMT "%s\n",
    imex->row->name, imex->row->stages, imex->implicit->order, (double)imex->implicit->limit, imex->implicit->embedded,
    imex->facts.ready && !imex->split ? "; no explicit(..) in the system: all of it is implicit" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode reset_imex(RungStepper stepper)
{
  RungImex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(PetscFree(imex->entry_order));
  PetscCall(PetscFree(imex->is_constraint));
  PetscCall(RungStageDensityDestroy(&imex->density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As far as the explicit tableau alone is stable in the direction of the fastest eigenvalue of the explicit terms: where the implicit
   ones damp, steps may be longer. */
static PetscErrorCode find_stable(RungStepper stepper, const RungState *level, PetscReal *h)
{
  RungImex   *imex          = RungStepperGetData(stepper);
  const Vec   work[]        = {imex->x, imex->w, imex->p, imex->z, imex->error, imex->d, imex->sum};
  RungTableau explicit_part = {.stages = imex->row->stages, .b = RungImexB(imex)};
  PetscReal   a[RUNG_MAX_STAGES * (RUNG_MAX_STAGES + 1) / 2] = {0}, size, cosine, reach;

  PetscFunctionBegin;
  *h = 0;
  if (!imex->split || imex->load) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < imex->row->stages; ++i)
    for (PetscInt j = 0; j < i; ++j) a[i * (i + 1) / 2 + j] = RungImexA(imex->row, i, j);
  explicit_part.a = a;
  PetscCall(RungStageFastestExplicit(stepper, level, RungImexSlope(imex), work, &size, &cosine));
  if (!(size > 0) || cosine > 0.5) PetscFunctionReturn(PETSC_SUCCESS);
  reach = RungTableauReach(&explicit_part, PetscMin(cosine, 0));
  *h    = reach > 0.05 ? reach / size : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RungStepperOps RungImexOps = {.methods  = methods,
                                    .first    = "ark548b",
                                    .synonyms = synonyms,
                                    .size     = sizeof(RungImex),
                                    .plan     = plan_imex,
                                    .setup    = set_up_imex,
                                    .stable   = find_stable,
                                    .attempt  = attempt_imex,
                                    .accepted = accept_imex,
                                    .view     = view_imex,
                                    .reset    = reset_imex};
