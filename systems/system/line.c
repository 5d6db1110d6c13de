/* line.c - F on a line u^(k)(w) = base_k + slope_k w: what every implicit method solves. */
#include "form_side_impl.h"

/* u = base + slope w on the entries of unknown f; base NULL is zero, and either may be u. */
static void evaluate(PetscInt start, PetscInt end, const PetscScalar *base, PetscReal slope, const PetscScalar *w,
                     PetscScalar *u)
{
  if ((base == u && slope == 0) || (!base && w == u && slope == 1)) return;
  if (base && slope == 1) {
    for (PetscInt i = start; i < end; ++i) u[i] = base[i] + w[i];
  } else if (base && slope == 0) {
    for (PetscInt i = start; i < end; ++i) u[i] = base[i];
  } else if (base) {
    for (PetscInt i = start; i < end; ++i) u[i] = base[i] + slope * w[i];
  } else {
    for (PetscInt i = start; i < end; ++i) u[i] = slope * w[i];
  }
}

PetscErrorCode RungTransientSystemSetPart(RungTransientSystem ts, RungSystemPart part)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCheck(part == RUNG_ALL || part == RUNG_IMPLICIT, ts->sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "part %d of F, wanted RUNG_ALL or RUNG_IMPLICIT", (int)part);
  ts->part = part;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemGetTraits(RungTransientSystem ts, RungTraits *traits)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungSystemSetUp(ts->sys));
  *traits = ts->part == RUNG_IMPLICIT && ts->sys->split ? ts->sys->implicit : ts->sys->traits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemEvaluateLine(RungTransientSystem ts, const RungLine *line, Vec w, const Vec u[])
{
  RungNeed(ts);
  RungSystem         sys = ts->sys;
  const PetscInt     n   = sys->traits.unknowns;
  const PetscScalar *from;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(w, &from));
  for (PetscInt k = 0; k <= ts->order; ++k) {
    const PetscScalar *base = NULL;
    PetscScalar       *to;

    if (line->base[k]) PetscCall(VecGetArrayRead(line->base[k], &base));
    PetscCall(VecGetArrayWrite(u[k], &to));
    for (PetscInt f = 0; f < n; ++f) evaluate(sys->range[f], sys->range[f + 1], base, line->slope[k * n + f], from, to);
    PetscCall(VecRestoreArrayWrite(u[k], &to));
    if (line->base[k]) PetscCall(VecRestoreArrayRead(line->base[k], &base));
  }
  PetscCall(VecRestoreArrayRead(w, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemResidual(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec load, Vec w,
                                           Vec r)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungTransientSystemEvaluateLine(ts, line, w, ts->u));
  PetscCall(RungSystemPartResidual(ts->sys, ts->part, t, ts->u, line->slope, r));
  if (load) {
    PetscCall(VecAXPY(r, 1, load));
    PetscCall(RungSystemZeroDirichlet(ts->sys, r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of the line at w = 0, where they need no arithmetic. */
PetscErrorCode RungTransientSystemForces(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec r,
                                         PetscBool *done)
{
  Vec u[RUNG_MAX_ORDER + 1] = {NULL};

  PetscFunctionBegin;
  RungNeed(ts);
  *done = !line->base[ts->order] && !line->origin && ts->part == RUNG_ALL ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt k = 0; k < ts->order; ++k) {
    u[k] = line->base[k];
    if (!u[k]) *done = PETSC_FALSE;
  }
  if (*done) PetscCall(RungSystemForces(ts->sys, t, u, r, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J of a linear form reads no state. */
PetscErrorCode RungTransientSystemJacobian(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w, Mat J)
{
  PetscFunctionBegin;
  RungNeed(ts);
  if (!(ts->sys->form && ts->sys->traits.linear)) PetscCall(RungTransientSystemEvaluateLine(ts, line, w, ts->u));
  PetscCall(RungSystemPartJacobian(ts->sys, ts->part, t, ts->u, line->slope, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemExplain(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec w,
                                          char message[], size_t size)
{
  RungNeed(ts);
  RungSystem sys = ts->sys;

  PetscFunctionBegin;
  message[0] = 0;
  if (!sys->ops->explain) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemEvaluateLine(ts, line, w, ts->u));
  PetscCall(sys->ops->explain(sys, t, ts->u, NULL, message, size));
  if (!message[0]) PetscCall(sys->ops->explain(sys, t, ts->u, line->slope, message, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode has_rhs(RungSystem sys, const RungTraits *traits, PetscBool *has)
{
  MatNullSpace null = NULL;
  PetscBool    bounds, condensed;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  if (!traits->linear || traits->conserved || (sys->form && sys->form->constraints)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemHasBounds(sys, &bounds));
  PetscCall(RungSystemGetCondensed(sys, &condensed));
  PetscCall(RungNullSpacesGet(sys, &null));
  *has = !bounds && !condensed && !null ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemHasRhs(RungSystem sys, PetscBool *has)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(has_rhs(sys, RungSystemSolved(sys), has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemHasRhs(RungTransientSystem ts, PetscBool *has)
{
  RungTraits traits;

  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungTransientSystemGetTraits(ts, &traits));
  PetscCall(has_rhs(ts->sys, &traits, has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemRhs(RungTransientSystem ts, PetscReal t, const RungLine *line, Vec load, Vec w, Vec b)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(VecZeroEntries(b));
  PetscCall(RungSystemTakeDirichlet(ts->sys, w, b));
  if (line->origin) PetscCall(VecAXPY(b, -1, line->origin));
  PetscCall(RungTransientSystemResidual(ts, t, line, load, b, b));
  PetscCall(VecScale(b, -1));
  PetscCall(RungSystemTakeDirichlet(ts->sys, w, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
