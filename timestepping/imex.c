/* imex.c - implicit-explicit Runge-Kutta methods: F = F_I(t, u, u') + E(t, u), where E is what stands inside of explicit(..).

   With M = dF/du' the system is  u' = f_I + f_E,  M f_E = -E,  F_I(t, u, f_I) = 0.  Stage i has the unknown w = u_i:

       p = u_n + h sum_j<i (a^I_ij k_j + a^E_ij e_j),   k_i = s (w - p),  s = 1/(h a^I_ii),   F_I(t_i, w, k_i) = 0,
       e_i = -M(t_i, u_i)^-1 E(t_i, u_i),               u_n+1 = u_n + h sum_i (b^I_i k_i + b^E_i e_i).

   e_i is a rate, found by a solve with M, and not E as a load of later stages: a load that has been scaled by weights of stage j says
   M(t_i, u_i) e_i = M(t_j, u_j) e_j, which is wrong where M depends on t or u, while rates are right for every M, which is factored once
   where it is constant.  Times t_i are those of each part's own c.  A stage with a^I_ii = 0, the first one, takes
   k_1 = u'_n - e_1, since the rate of a level fulfils the whole of F = 0.

   Boundary rows belong to the implicit part: e is 0 there, and k_b = g'(t_i) leads to the boundary values of stages; u_b = g(t_n+1) is
   imposed at the end, and what it differs by from where the stages led to is tested beside the estimate, as in dirk.c.
   Algebraic unknowns have no e; their stage values follow from F_I, and at the new level they and the rates follow from F = 0.
   Solves with M have  dF/dz  in the columns of an algebraic unknown z, which leaves e as it is and makes the matrix regular.

   Estimate  h sum_i (b_i - b^_i)(k_i + e_i).  A system without explicit(..) is advanced by the implicit part alone. */
#include "tableau_impl.h"

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

static const RungMethodSynonym synonyms[] = {{"ark437", NULL, " imex ark arkimex ark4 imexark "},
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

typedef struct {
  RungStepperFacts   facts;
  const RungImexRow *row;      /* static                                                                           */
  const RungTableau *implicit; /* static                                                                           */
  PetscBool          split;    /* there are explicit terms                                                         */
  PetscReal          slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS]; /* of the solves with M                      */
  Vec                k[RUNG_MAX_STAGES], e[RUNG_MAX_STAGES];          /* lent work: rates of the stages, both parts   */
  Vec                w, p, base, x, error, d; /* lent work; d: what the stages missed of boundary data            */
  Vec m[RUNG_MAX_STAGES], g[RUNG_MAX_STAGES], load; /* lent work with conserved terms: dm/dt of both parts  */
  RungStageDensity density;                         /* of conserved terms                           */
  PetscInt        *entry_order; /* owned, [local entry]                                             */
} Imex;

/* ---- coefficients ------------------------------------------------------------------------------------------------- */

static PetscReal explicit_a(const RungImexRow *row, PetscInt i, PetscInt j)
{
  return j < i ? row->a[i * (i - 1) / 2 + j] : 0;
}

static PetscReal explicit_b(const Imex *imex, PetscInt i)
{
  return imex->row->b ? imex->row->b[i] : imex->implicit->b[i];
}

/* t_n + c h with c the sum of row i, the end of the step where that is 1 */
static PetscReal time_of(const Imex *imex, PetscBool of_explicit, const RungState *from, PetscReal h,
                         const RungState *to, PetscInt i)
{
  PetscReal c = 0;

  for (PetscInt j = 0; j <= i; ++j) c += of_explicit ? explicit_a(imex->row, i, j) : RungTableauA(imex->implicit, i, j);
  return PetscAbsReal(c - 1) < 16 * PETSC_MACHINE_EPSILON ? to->t : from->t + c * h;
}

/* Does anything ask for e_i? */
static PetscBool has_explicit(const Imex *imex, PetscInt i)
{
  PetscBool has = explicit_b(imex, i) != 0 || (imex->implicit->bhat && imex->implicit->bhat[i] != 0);

  for (PetscInt j = i + 1; j < imex->row->stages; ++j) has = has || explicit_a(imex->row, j, i) != 0;
  return has && imex->split ? PETSC_TRUE : PETSC_FALSE;
}

/* ---- stages --------------------------------------------------------------------------------------------------------- */

/* y = values of x at entries without a time derivative */
static PetscErrorCode take_algebraic(const Imex *imex, Vec x, Vec y)
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

/* Boundary entries of w such that the rate there is the data's; those without a time derivative have their values at t. */
static PetscErrorCode guess(RungStepper stepper, PetscReal t, PetscReal s)
{
  Imex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (imex->facts.dirichlet) {
    PetscCall(VecWAXPY(imex->x, s, imex->w, imex->base));
    PetscCall(RungSystemImposeDirichlet(imex->facts.sys, t, 1, imex->x));
    PetscCall(VecAYPX(imex->x, 1 / s, imex->p));
    PetscCall(VecCopy(imex->w, imex->error));
    PetscCall(RungSystemImposeDirichlet(imex->facts.sys, t, 0, imex->error));
    PetscCall(take_algebraic(imex, imex->error, imex->x));
    PetscCall(VecCopy(imex->x, imex->w));
  }
  PetscCall(RungStagePredictInside(stepper, t, imex->w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g_i, the share of the explicit part in dm/dt: -E without what R = 0 takes of it, M e_i; imex->x is E. */
static PetscErrorCode conserved_explicit(Imex *imex, PetscReal t, PetscInt i, Vec u)
{
  const PetscReal none[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  PetscCall(RungSystemStageResidual(imex->facts.sys, t, (Vec[]){u, imex->e[i]}, none, imex->g[i]));
  PetscCall(VecAXPY(imex->x, 1, imex->g[i]));
  PetscCall(VecZeroEntries(imex->error));
  PetscCall(RungSystemStageResidual(imex->facts.sys, t, (Vec[]){u, imex->error}, none, imex->g[i]));
  PetscCall(VecAXPY(imex->g[i], -1, imex->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* e_i = -M^-1 E at the values of stage i */
static PetscErrorCode explicit_rate(RungStepper stepper, PetscReal t, PetscInt i, Vec u, Vec rate, RungVerdict *verdict)
{
  Imex     *imex = RungStepperGetData(stepper);
  const Vec at[] = {u, rate};

  PetscFunctionBegin;
  if (!has_explicit(imex, i)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemExplicit(imex->facts.sys, t, at, imex->x));
  PetscCall(RungStageLinearise(stepper, t, at, imex->slope, verdict));
  if (verdict->solved) PetscCall(RungStageApply(stepper, imex->x, imex->e[i], verdict));
  PetscCall(VecScale(imex->e[i], -1));
  if (imex->load && verdict->solved) PetscCall(conserved_explicit(imex, t, i, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The load of stage i: what is known of  K_i = s m(u_i) + load. */
static PetscErrorCode set_load(Imex *imex, const RungState *from, PetscReal h, PetscInt i, PetscReal s)
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
  Imex           *imex = RungStepperGetData(stepper);
  const PetscReal s = 1 / (h * RungTableauA(imex->implicit, i, i)), t = time_of(imex, PETSC_FALSE, from, h, to, i);
  RungLine        line = {.base = {NULL, imex->base}};

  PetscFunctionBegin;
  PetscCall(VecCopy(from->u[0], imex->p));
  PetscCall(RungStageAdd(imex->p, h, i, imex->implicit->a + i * (i + 1) / 2, imex->k));
  if (imex->split) PetscCall(RungStageAdd(imex->p, h, i, imex->row->a + i * (i - 1) / 2, imex->e));
  PetscCall(RungCombine(imex->base, 1, (PetscReal[]){-s}, &imex->p));
  RungLineSetSlope(stepper, &line, 0, 1);
  RungLineSetSlope(stepper, &line, 1, s);
  PetscCall(guess(stepper, t, s));
  PetscCall(RungStageDensityRate(&imex->density, t, i));
  PetscCall(RungStageDensityFollow(&imex->density, t, h, i + 1, imex->implicit->a + i * (i + 1) / 2, imex->w));
  PetscCall(set_load(imex, from, h, i, s));
  PetscCall(RungStageSolve(stepper, t, &line, imex->load, imex->w, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecWAXPY(imex->k[i], s, imex->w, imex->base));
  if (imex->load) {
    PetscCall(RungSystemConserved(imex->facts.sys, t, imex->w, imex->m[i]));
    PetscCall(VecAYPX(imex->m[i], s, imex->load));
  }
  PetscCall(explicit_rate(stepper, time_of(imex, PETSC_TRUE, from, h, to, i), i, imex->w, imex->k[i], verdict));
  if (verdict->solved && imex->implicit->b[i] != 0 && !imex->row->b) { /* both parts have the same weights */
    PetscCall(VecCopy(imex->k[i], imex->x));
    if (has_explicit(imex, i)) PetscCall(VecAXPY(imex->x, 1, imex->e[i]));
    PetscCall(RungStageSum(stepper, t, (Vec[]){imex->w, imex->x}, h * imex->implicit->b[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stage 1 with a^I_11 = 0 */
static PetscErrorCode first_stage(RungStepper stepper, const RungState *from, PetscReal h, RungVerdict *verdict)
{
  Imex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (!imex->row->b) PetscCall(RungStageSum(stepper, from->t, from->u, h * imex->implicit->b[0]));
  PetscCall(explicit_rate(stepper, from->t, 0, from->u[0], from->u[1], verdict));
  PetscCall(VecCopy(from->u[1], imex->k[0]));
  if (has_explicit(imex, 0)) PetscCall(VecAXPY(imex->k[0], -1, imex->e[0]));
  if (!imex->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(from->m[1], imex->m[0]));
  if (has_explicit(imex, 0)) PetscCall(VecAXPY(imex->m[0], -1, imex->g[0]));
  PetscCall(RungStageDensityRate(&imex->density, from->t, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the end of the step -------------------------------------------------------------------------------------------- */

/* u such that m(u) is what the weights b lead to; u holds a guess, which has its boundary values. */
static PetscErrorCode match(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to,
                            RungVerdict *verdict)
{
  Imex            *imex = RungStepperGetData(stepper);
  const PetscReal *b    = imex->row->b ? imex->row->b : imex->implicit->b;

  PetscFunctionBegin;
  PetscCall(RungStageAdvance(from->m[0], h, imex->row->stages, imex->implicit->b, imex->m, imex->load));
  if (imex->split) PetscCall(RungStageAdd(imex->load, h, imex->row->stages, b, imex->g));
  PetscCall(VecCopy(to->u[0], imex->x));
  PetscCall(RungStageMatch(stepper, to->t, imex->x, imex->load, to->u[0], verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m of the new level and dm/dt = -R there */
static PetscErrorCode finish_conserved(const Imex *imex, RungState *to)
{
  const PetscReal none[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  if (!imex->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemConserved(imex->facts.sys, to->t, to->u[0], to->m[0]));
  PetscCall(RungSystemStageResidual(imex->facts.sys, to->t, to->u, none, to->m[1]));
  PetscCall(VecScale(to->m[1], -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u by the weights with the boundary values of the new level, then what F = 0 makes of it. */
static PetscErrorCode finish(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                             RungVerdict *verdict)
{
  Imex          *imex = RungStepperGetData(stepper);
  const PetscInt n    = imex->row->stages;

  PetscFunctionBegin;
  PetscCall(VecCopy(from->u[0], to->u[0]));
  PetscCall(RungStageAdd(to->u[0], h, n, imex->implicit->b, imex->k));
  if (imex->split) PetscCall(RungStageAdd(to->u[0], h, n, imex->row->b ? imex->row->b : imex->implicit->b, imex->e));
  PetscCall(take_algebraic(imex, imex->w, to->u[0]));
  PetscCall(RungStageDensityFollow(&imex->density, to->t, h, n, imex->implicit->b, to->u[0]));
  PetscCall(VecCopy(to->u[0], imex->d));
  PetscCall(RungSystemImposeDirichlet(imex->facts.sys, to->t, 0, to->u[0]));
  PetscCall(VecAYPX(imex->d, -1, to->u[0]));
  if (imex->load) PetscCall(match(stepper, from, h, to, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageConsistent(stepper, imex->facts.algebraic, to));
  PetscCall(finish_conserved(imex, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode estimate(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to,
                               RungVerdict *verdict)
{
  Imex              *imex    = RungStepperGetData(stepper);
  const RungTableau *tableau = imex->implicit;
  const Vec          e[2] = {imex->error, NULL}, d[2] = {imex->d, NULL};
  PetscReal          weight[RUNG_MAX_STAGES];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < tableau->stages; ++i) weight[i] = tableau->b[i] - tableau->bhat[i];
  PetscCall(VecZeroEntries(imex->error));
  PetscCall(RungStageAdd(imex->error, h, tableau->stages, weight, imex->k));
  if (imex->split) PetscCall(RungStageAdd(imex->error, h, tableau->stages, weight, imex->e));
  PetscCall(RungStepperMeasure(stepper, e, imex->facts.dirichlet ? d : NULL, from, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt_imex(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                   RungVerdict *verdict)
{
  Imex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------------- */

static PetscErrorCode find_row(RungStepper stepper)
{
  Imex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &imex->facts));
  imex->row = &table[imex->facts.method];
  PetscCall(RungImexImplicit(imex->row, &imex->implicit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan_imex(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Imex              *imex = RungStepperGetData(stepper);
  const RungTableau *tableau;

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
  plan->matches = traits->conserved;
  plan->work    = 2 * tableau->stages + 6 + (traits->conserved ? 2 * tableau->stages + 1 : 0);
  if (!imex->split)
    plan->caution = "finds no explicit(..) in the system and takes all of it implicitly, as a dirk method";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An unknown with a rate has one at all of its entries: else no block of F would make M regular. */
static PetscErrorCode check_rates(RungStepper stepper)
{
  Imex             *imex   = RungStepperGetData(stepper);
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
  Imex             *imex   = RungStepperGetData(stepper);
  const RungTraits *traits = imex->facts.traits;
  Vec              *work;

  PetscFunctionBegin;
  PetscCall(RungSystemGetOrders(imex->facts.sys, &imex->entry_order));
  PetscCall(check_rates(stepper));
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    imex->slope[f]                    = traits->unknown_order[f] ? 0 : 1;
    imex->slope[traits->unknowns + f] = 1;
  }
  PetscCall(RungStepperGetWork(stepper, &work));
  for (PetscInt i = 0; i < imex->row->stages; ++i) {
    imex->k[i] = *work++;
    imex->e[i] = *work++;
  }
  imex->w     = *work++;
  imex->p     = *work++;
  imex->base  = *work++;
  imex->x     = *work++;
  imex->error = *work++;
  imex->d     = *work++;
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
  Imex *imex = RungStepperGetData(stepper);

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
  Imex *imex = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(PetscFree(imex->entry_order));
  PetscCall(RungStageDensityDestroy(&imex->density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RungStepperOps RungImexOps = {.methods  = methods,
                                    .first    = "ark437",
                                    .synonyms = synonyms,
                                    .size     = sizeof(Imex),
                                    .plan     = plan_imex,
                                    .setup    = set_up_imex,
                                    .attempt  = attempt_imex,
                                    .view     = view_imex,
                                    .reset    = reset_imex};
