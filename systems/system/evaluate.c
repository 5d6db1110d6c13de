/* evaluate.c - F, its Jacobian and the conserved vector, for every kind of system: dispatch, counters, log events. */
#include "system_impl.h"
#include <petsctime.h>

/* An event and its seconds. */
static PetscErrorCode begin(PetscLogEvent event, PetscLogDouble *seconds)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, 0, 0, 0, 0));
  PetscCall(PetscTimeSubtract(seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(PetscLogEvent event, PetscLogDouble *seconds)
{
  PetscFunctionBegin;
  PetscCall(PetscTimeAdd(seconds));
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What each rank has of x is known to all of them, so that they agree without a message whether it is what the system has there. */
static PetscErrorCode check_ranks(RungSystem sys, Vec x, const char what[])
{
  const PetscInt *found, *wanted;
  PetscMPIInt     size, ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(sys->comm, &size));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)x), &ranks));
  PetscCheck(ranks == size, sys->comm, PETSC_ERR_ARG_NOTSAMECOMM,
             "%s is on %d ranks, the system on %d; create it with RungSystemCreateVec()", what, ranks, size);
  if (!sys->error_mask) PetscFunctionReturn(PETSC_SUCCESS); /* SetUp makes its vectors itself */
  PetscCall(VecGetOwnershipRanges(x, &found));
  PetscCall(VecGetOwnershipRanges(sys->error_mask, &wanted));
  for (PetscMPIInt rank = 0; rank < size; ++rank)
    PetscCheck(found[rank + 1] == wanted[rank + 1], sys->comm, PETSC_ERR_ARG_SIZ,
               "%s has %" PetscInt_FMT " entries on rank %d, where the system has %" PetscInt_FMT
               "; create it with RungSystemCreateVec()",
               what, found[rank + 1] - found[rank], rank, wanted[rank + 1] - wanted[rank]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors of another system would be read and written behind their ends. */
PetscErrorCode RungSystemCheckVec(RungSystem sys, Vec x, const char what[])
{
  PetscInt global;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(x, sys->comm, PETSC_ERR_ARG_NULL, "%s is NULL; create it with RungSystemCreateVec()", what);
  PetscCall(VecGetSize(x, &global));
  PetscCheck(global == sys->global, sys->comm, PETSC_ERR_ARG_SIZ,
             "%s has %" PetscInt_FMT " entries, the system %" PetscInt_FMT "; create it with RungSystemCreateVec()",
             what, global, sys->global);
  PetscCall(check_ranks(sys, x, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u[k], and y, which is written and none of them.  x: one more that is read, or NULL. */
static PetscErrorCode check_vectors(RungSystem sys, const Vec u[], Vec x, Vec y, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(u && u[0], sys->comm, PETSC_ERR_ARG_NULL,
             "%s without u; wanted u[k] for k = 0 .. %" PetscInt_FMT " of RungSystemCreateVec()", what,
             sys->traits.order);
  if (y) PetscCall(RungSystemCheckVec(sys, y, "the result"));
  if (x) PetscCall(RungSystemCheckVec(sys, x, "a vector of the system"));
  PetscCheck(!y || x != y, sys->comm, PETSC_ERR_ARG_IDN, "%s of a vector into itself; take another one", what);
  for (PetscInt k = 0; k <= sys->traits.order; ++k) {
    if (u[k]) PetscCall(RungSystemCheckVec(sys, u[k], "u[k] of a state"));
    PetscCheck(!y || u[k] != y, sys->comm, PETSC_ERR_ARG_IDN,
               "%s into u[%" PetscInt_FMT "], where it is taken; take another vector", what, k);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forms say themselves what they read. */
static PetscErrorCode check_callbacks(RungSystem sys, const Vec u[], const char what[])
{
  PetscFunctionBegin;
  for (PetscInt k = 1; k <= sys->traits.order && sys->callback; ++k)
    PetscCheck(u[k], sys->comm, PETSC_ERR_ARG_NULL,
               "%s of callbacks, which read it, without u[%" PetscInt_FMT "]; wanted u[k] for k = 0 .. %" PetscInt_FMT
               " of RungSystemCreateVec()",
               what, k, sys->traits.order);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemResidual(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  RungNeed(r);
  PetscCall(check_vectors(sys, u, NULL, r, "F"));
  PetscCall(check_callbacks(sys, u, "F"));
  PetscCall(begin(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  PetscCall(sys->ops->residual(sys, t, u, r));
  PetscCall(end(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  ++sys->counts.residuals;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemForces(RungSystem sys, PetscReal t, const Vec u[], Vec r, PetscBool *done)
{
  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (!sys->ops->forces) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(begin(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  PetscCall(sys->ops->forces(sys, t, u, r, done));
  PetscCall(end(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  if (*done) ++sys->counts.residuals;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(sigma, sys->comm, PETSC_ERR_ARG_NULL,
             "J without sigma, the weights of the derivatives; wanted sigma[k * unknowns + g]");
  RungNeed(J);
  PetscCall(check_vectors(sys, u, NULL, NULL, "J"));
  PetscCall(check_callbacks(sys, u, "J"));
  PetscCall(begin(RUNG_SYSTEM_JACOBIAN, &sys->counts.jacobian_seconds));
  PetscCall(sys->ops->jacobian(sys, t, u, sigma, J));
  PetscCall(RungFilledRecord(sys, J, RUNG_FILLED_JACOBIAN, RUNG_ALL, t, u, sigma));
  PetscCall(end(RUNG_SYSTEM_JACOBIAN, &sys->counts.jacobian_seconds));
  ++sys->counts.jacobians;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemAction(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x, Vec y)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(sigma, sys->comm, PETSC_ERR_ARG_NULL,
             "J without sigma, the weights of the derivatives; wanted sigma[k * unknowns + g]");
  RungNeed(x);
  RungNeed(y);
  PetscCall(check_vectors(sys, u, x, y, "the product with J"));
  PetscCall(begin(RUNG_SYSTEM_JACOBIAN, &sys->counts.action_seconds));
  PetscCall(sys->ops->action(sys, t, u, sigma, x, y));
  PetscCall(end(RUNG_SYSTEM_JACOBIAN, &sys->counts.action_seconds));
  ++sys->counts.actions;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemTimeDerivative(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemTimeDerivativeWithin(sys, t, 0, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemTimeDerivativeWithin(RungSystem sys, PetscReal t, PetscReal within, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  RungNeed(r);
  PetscCall(check_vectors(sys, u, NULL, r, "dF/dt"));
  PetscCall(begin(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  PetscCall(sys->ops->time_derivative(sys, t, within, u, r));
  PetscCall(end(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemConserved(RungSystem sys, PetscReal t, Vec u, Vec m)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(u);
  RungNeed(m);
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(sys->traits.conserved, sys->comm, PETSC_ERR_ARG_WRONGSTATE,
             "the system has no conserved terms; ask its traits before");
  PetscCall(sys->ops->conserved(sys, t, u, m));
  ++sys->counts.conserved;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r += diag(weight) m, row f of m with weight[f] */
static PetscErrorCode add_weighted(RungSystem sys, const PetscReal weight[], Vec m, Vec r)
{
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(m, &from));
  PetscCall(VecGetArray(r, &to));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) to[i] += weight[f] * from[i];
  }
  PetscCall(VecRestoreArray(r, &to));
  PetscCall(VecRestoreArrayRead(m, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemPartResidual(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                      const PetscReal slope[], Vec r)
{
  PetscFunctionBegin;
  PetscCall(begin(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  PetscCall(sys->ops->rest(sys, part, t, u, r));
  if (sys->traits.conserved) {
    PetscCall(RungSystemConserved(sys, t, u[0], sys->m));
    PetscCall(add_weighted(sys, slope + sys->traits.unknowns, sys->m, r));
  }
  PetscCall(end(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  ++sys->counts.residuals;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemPartJacobian(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                      const PetscReal slope[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(begin(RUNG_SYSTEM_JACOBIAN, &sys->counts.jacobian_seconds));
  PetscCall(sys->ops->stage_jacobian(sys, part, t, u, slope, J));
  PetscCall(RungFilledRecord(sys, J, RUNG_FILLED_STAGE, part, t, u, slope));
  PetscCall(end(RUNG_SYSTEM_JACOBIAN, &sys->counts.jacobian_seconds));
  ++sys->counts.jacobians;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemStageResidual(RungSystem sys, PetscReal t, const Vec u[], const PetscReal slope[], Vec r)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(u);
  RungNeed(r);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemPartResidual(sys, RUNG_ALL, t, u, slope, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemStageJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal slope[], Mat J)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemPartJacobian(sys, RUNG_ALL, t, u, slope, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- terms inside of explicit() ------------------------------------------------------------------------------------- */

PetscErrorCode RungSystemHasExplicit(RungSystem sys, PetscBool *has)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(has);
  PetscCall(RungSystemSetUp(sys));
  *has = sys->split;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemExplicit(RungSystem sys, PetscReal t, const Vec u[], Vec e)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  RungNeed(e);
  PetscCall(check_vectors(sys, u, NULL, e, "the explicit part of F"));
  PetscCall(begin(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  if (sys->split)
    PetscCall(sys->ops->explicit_part(sys, t, u, e));
  else
    PetscCall(VecZeroEntries(e));
  PetscCall(end(RUNG_SYSTEM_RESIDUAL, &sys->counts.residual_seconds));
  ++sys->counts.residuals;
  PetscFunctionReturn(PETSC_SUCCESS);
}
