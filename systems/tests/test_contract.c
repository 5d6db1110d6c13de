/* test_contract.c - what a system gives to a method in time, all of it against differences of F and against each other:
   on all cells, in degrees 1 and 2, of scalars, of vectors of order 2, beside a number of the whole mesh and values at
   points.  Kernels are interpreted, in the slow entries compiled.  Callbacks of numbers that ranks share, with all
   Jacobians; without them: test_callback_along.c. */
#include "differences.h"
#include "form_problems.h"
#include <rungsolve_room.h>

#define T 0.3

/* explicit_part stands in the residual with a minus.  %s in the mass: its measure, dx where the nodes have no weights for a rule of their
   own.  Only with dx do columns of given entries have a part in the row sums of others. */
typedef struct {
  const char *name, *space, *measure, *mass, *rest, *explicit_part;
  PetscInt    order;
  PetscBool   numbers; /* c in R and s at points beside u */
} Kind;

static const Kind kinds[] = {
  {"a scalar", "%s", "dx", "(1 + t*u^2 + x[0])*dt(u)*v*%s",
   "(1 + t*u^2)*inner(grad(u), grad(v))*dx + cos(t)*u*v*ds - exp(t)*x[0]*v*dx",
   "sin(3*t)*u^2*v*dx + t*sin(u)*v*ds(right)", 1, PETSC_FALSE},
  {"a vector of order 2", "%s^2", "dx(rule: nodes)", "(2 + t*inner(u, u))*inner(dt(u, 2), v)*%s",
   "t*inner(dt(u), v)*dx + (1 + inner(u, u))*inner(grad(u), grad(v))*dx + u[0]*u[1]*v[0]*ds(left)",
   "(exp(t)*u[1]^2*v[0] + t*u[0]*v[1])*dx", 2, PETSC_FALSE},
  {"a scalar with numbers", "%s", "dx(rule: nodes)", "(2 + u^2)*dt(u)*v*%s",
   "(1 + u^2)*inner(grad(u), grad(v))*dx + (c*t + s)*v*dx(degree: 4) + (dt(c) + c)*e*dR - t*u*e*dx"
   " + (dt(s) + 3*s - u - sin(t))*z*dx(degree: 4)",
   "t*u^2*v*dx + sin(t)*v*dx", 1, PETSC_TRUE}};

static const struct {
  const char *cell, *spec;
  PetscInt    dim;
  PetscBool   nodes; /* there are positive weights at the nodes of the space */
} boxes[] = {{"interval", "P1", 1, PETSC_TRUE},      {"interval", "P2", 1, PETSC_TRUE},
             {"triangle", "P1", 2, PETSC_TRUE},      {"triangle", "P2", 2, PETSC_FALSE},
             {"quadrilateral", "Q1", 2, PETSC_TRUE}, {"quadrilateral", "Q2", 2, PETSC_TRUE},
             {"tetrahedron", "P1", 3, PETSC_TRUE},   {"tetrahedron", "P2", 3, PETSC_FALSE},
             {"hexahedron", "Q1", 3, PETSC_TRUE},    {"hexahedron", "Q2", 3, PETSC_TRUE}};

/* What a check has at hand. */
typedef struct {
  RungSystem sys, outside; /* outside: explicit_part alone is its F, with the sign that it has in the other one */
  PetscInt   order, unknowns;
  Vec        u[3], x, y, r;
  PetscReal  sigma[9];
} Case;

static PetscErrorCode create(const Kind *kind, int box, const char text[], RungSystem *sys)
{
  char spec[16];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(spec, sizeof spec, kind->space, boxes[box].spec));
  PetscCall(system_create(boxes[box].cell, boxes[box].dim, boxes[box].dim == 3 ? 2 : 3, spec, sys));
  if (kind->numbers) {
    PetscCall(add_unknown(*sys, "c", "e", "R"));
    PetscCall(add_unknown(*sys, "s", "z", "Quad(4)"));
  }
  PetscCall(RungSystemAddResidual(*sys, text));
  PetscCall(RungSystemSetDirichlet(*sys, kind->order == 2 ? "u[0]" : "u", "left", "sin(t)"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetUp(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode case_vectors(Case *c)
{
  PetscFunctionBegin;
  for (int i = 0; i < 9; ++i) c->sigma[i] = 1.2 + 0.3 * i - 0.7 * (i % 2);
  PetscCall(vecs_create(c->sys, c->order + 1, c->u));
  PetscCall(RungSystemCreateVec(c->sys, &c->x));
  PetscCall(vec_fill(c->x, 31));
  PetscCall(VecDuplicate(c->x, &c->y));
  PetscCall(VecDuplicate(c->x, &c->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode case_create(const Kind *kind, int box, Case *c)
{
  char text[1024], mass[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(mass, sizeof mass, kind->mass, boxes[box].nodes ? kind->measure : "dx"));
  PetscCall(PetscSNPrintf(text, sizeof text, "%s + %s - explicit(%s)", mass, kind->rest, kind->explicit_part));
  PetscCall(create(kind, box, text, &c->sys));
  PetscCall(PetscSNPrintf(text, sizeof text, "-(%s)%s", kind->explicit_part,
                          kind->numbers ? " + c*e*dR + s*z*dx(degree: 4)" : ""));
  PetscCall(create(kind, box, text, &c->outside));
  c->order    = kind->order;
  c->unknowns = kind->numbers ? 3 : 1;
  PetscCall(case_vectors(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode case_destroy(Case *c)
{
  PetscFunctionBegin;
  PetscCall(vecs_destroy(c->order + 1, c->u));
  PetscCall(VecDestroy(&c->x));
  PetscCall(VecDestroy(&c->y));
  PetscCall(VecDestroy(&c->r));
  PetscCall(RungSystemDestroy(&c->sys));
  PetscCall(RungSystemDestroy(&c->outside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- callbacks: numbers in a circle, LOCAL on each rank, with their neighbours j = i + 1 -------------------- */

#define LOCAL 3

/* Values of all ranks, freed by the caller. */
static PetscErrorCode gather(Vec u, PetscInt *n, PetscInt *start, PetscScalar **all)
{
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetSize(u, n));
  PetscCall(VecGetOwnershipRange(u, start, NULL));
  PetscCall(PetscMalloc1(*n, all));
  PetscCall(VecGetArrayRead(u, &x));
  PetscCallMPI(MPI_Allgather(x, LOCAL, MPIU_SCALAR, *all, LOCAL, MPIU_SCALAR, PETSC_COMM_WORLD));
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (2 + t u_i^2) u_i' + 0.3 u_j' + (1 + t) u_i u_j^2 - exp(t) */
static PetscErrorCode circle_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscInt     n, start;
  PetscScalar *x, *d, *y;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(gather(u[0], &n, &start, &x));
  PetscCall(gather(u[1], &n, &start, &d));
  PetscCall(VecGetArrayWrite(r, &y));
  for (PetscInt i = start; i < start + LOCAL; ++i) {
    const PetscInt j = (i + 1) % n;

    y[i - start] = (2 + t * x[i] * x[i]) * d[i] + 0.3 * d[j] + (1 + t) * x[i] * x[j] * x[j] - exp(t);
  }
  PetscCall(VecRestoreArrayWrite(r, &y));
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode circle_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                      void *ctx)
{
  PetscInt     n, start;
  PetscScalar *x, *d;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(gather(u[0], &n, &start, &x));
  PetscCall(gather(u[1], &n, &start, &d));
  for (PetscInt i = start; i < start + LOCAL; ++i) {
    const PetscInt    j        = (i + 1) % n;
    const PetscScalar value[2] = {sigma[1] * (2 + t * x[i] * x[i]) +
                                    sigma[0] * (2 * t * x[i] * d[i] + (1 + t) * x[j] * x[j]),
                                  sigma[1] * 0.3 + sigma[0] * (1 + t) * 2 * x[i] * x[j]};

    PetscCall(MatSetValues(J, 1, &i, 2, (PetscInt[]){i, j}, value, ADD_VALUES));
  }
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -sin(3t) u_j^2 */
static PetscErrorCode circle_explicit(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscInt     n, start;
  PetscScalar *x, *y;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(gather(u[0], &n, &start, &x));
  PetscCall(VecGetArrayWrite(r, &y));
  for (PetscInt i = 0; i < LOCAL; ++i) y[i] = -sin(3 * t) * x[(start + i + 1) % n] * x[(start + i + 1) % n];
  PetscCall(VecRestoreArrayWrite(r, &y));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode circle_explicit_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                                               Mat J, void *ctx)
{
  PetscInt     n, start;
  PetscScalar *x;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(gather(u[0], &n, &start, &x));
  for (PetscInt i = start; i < start + LOCAL; ++i)
    PetscCall(MatSetValue(J, i, (i + 1) % n, -2 * sigma[0] * sin(3 * t) * x[(i + 1) % n], ADD_VALUES));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode circle_create(Case *c)
{
  const RungTraits traits = {.unknowns = 1, .order = 1};

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &c->sys));
  PetscCall(RungSystemSetCallbacks(c->sys, LOCAL, traits, circle_residual, circle_jacobian, NULL));
  PetscCall(RungSystemSetExplicitCallback(c->sys, circle_explicit, circle_explicit_jacobian, traits));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &c->outside));
  PetscCall(RungSystemSetCallbacks(c->outside, LOCAL, traits, circle_explicit, circle_explicit_jacobian, NULL));
  c->order = c->unknowns = 1;
  PetscCall(case_vectors(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode check_derivatives(Case *c)
{
  PetscFunctionBegin;
  PetscCall(RungSystemAction(c->sys, T, c->u, c->sigma, c->x, c->y));
  PetscCall(differ(c->sys, T, c->u, c->sigma, c->x, c->r));
  PetscCall(check_same(c->y, c->r));
  PetscCall(RungSystemTimeDerivative(c->sys, T, c->u, c->y));
  PetscCall(differ(c->sys, T, c->u, NULL, NULL, c->r));
  PetscCall(check_same(c->y, c->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* e is what the text inside of explicit() is by itself in the rows of u; c and s of `outside` have other equations. */
static PetscErrorCode check_explicit(Case *c)
{
  PetscScalar *y;
  PetscInt     start, end, n;

  PetscFunctionBegin;
  PetscCall(RungSystemExplicit(c->sys, T, c->u, c->y));
  PetscCall(RungSystemResidual(c->outside, T, c->u, c->r));
  PetscCall(RungSystemGetRange(c->sys, 0, &start, &end));
  PetscCall(VecGetLocalSize(c->r, &n));
  PetscCall(VecGetArray(c->r, &y));
  for (PetscInt i = end; i < n; ++i) y[i] = 0;
  PetscCall(VecRestoreArray(c->r, &y));
  PetscCall(check_same(c->y, c->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F without its explicit part */
static PetscErrorCode implicit_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  Vec e;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(r, &e));
  PetscCall(RungSystemResidual(sys, t, u, r));
  PetscCall(RungSystemExplicit(sys, t, u, e));
  PetscCall(VecAXPY(r, -1, e));
  PetscCall(VecDestroy(&e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part's residual and Jacobian on a line through u, whose matrix has no columns of given entries: x is 0 there.
   Internal variables are no part of a matrix. */
static PetscErrorCode check_implicit(Case *c)
{
  RungLine            line;
  RungTransientSystem ts;
  Mat                 J;
  Vec                 w;

  PetscFunctionBegin;
  memset(&line, 0, sizeof line);
  for (PetscInt k = 0; k <= c->order; ++k) line.base[k] = c->u[k];
  PetscCall(PetscArraycpy(line.slope, c->sigma, (c->order + 1) * c->unknowns));
  PetscCall(RungTransientSystemCreate(c->sys, 1, 0, &ts));
  PetscCall(RungTransientSystemSetPart(ts, RUNG_IMPLICIT));
  PetscCall(VecDuplicate(c->x, &w));
  PetscCall(VecZeroEntries(w));
  PetscCall(RungTransientSystemResidual(ts, T, &line, NULL, w, c->y));
  PetscCall(implicit_residual(c->sys, T, c->u, c->r));
  PetscCall(check_same(c->y, c->r));
  if (c->unknowns == 1) {
    PetscCall(RungSystemCreateMat(c->sys, &J));
    PetscCall(RungTransientSystemJacobian(ts, T, &line, w, J));
    PetscCall(RungSystemImposeDirichlet(c->sys, 0, 0, c->x)); /* sin(0) */
    PetscCall(MatMult(J, c->x, c->y));
    PetscCall(differ_by(implicit_residual, c->sys, T, c->u, c->sigma, c->x, c->r));
    PetscCall(check_same(c->y, c->r));
    PetscCall(MatDestroy(&J));
  }
  PetscCall(VecDestroy(&w));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* W x = b by differences of F along x = W^-1 b, which is 0 on given entries, where b is. */
static PetscErrorCode check_solves(Case *c)
{
  const RungLineSolverPlan plan = {.matrices = 1};
  RungTransientSystem      ts;
  RungLineSolver           solver;
  RungVerdict              verdict;
  Vec                      b;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemCreate(c->sys, 1, 0, &ts));
  PetscCall(RungLineSolverCreate(ts, &plan, &solver));
  PetscCall(VecDuplicate(c->x, &b));
  PetscCall(RungSystemResidual(c->sys, T, c->u, b));
  PetscCall(VecCopy(b, c->y));
  PetscCall(RungLineLinearise(solver, T, c->u, c->sigma, &verdict));
  CHECK(verdict.solved);
  if (verdict.solved) PetscCall(RungLineApply(solver, b, c->x, &verdict));
  CHECK(verdict.solved);
  PetscCall(differ(c->sys, T, c->u, c->sigma, c->x, c->r));
  PetscCall(check_same(c->r, c->y));
  PetscCall(VecDestroy(&b));
  PetscCall(RungLineSolverDestroy(&solver));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 0 in the rows of given entries; sums over their own component of u alone, or over all of c and s. */
static PetscErrorCode sums_by_differences(Case *c, const PetscReal sigma[], Vec sums)
{
  PetscInt components = c->order == 2 ? 2 : 1, start, end, n;

  PetscFunctionBegin;
  PetscCall(RungSystemGetRange(c->sys, 0, &start, &end));
  PetscCall(VecGetLocalSize(sums, &n));
  for (PetscInt part = 0; part < components; ++part) {
    const PetscScalar *y;
    PetscScalar       *x;

    PetscCall(VecGetArray(c->x, &x));
    for (PetscInt i = 0; i < n; ++i) x[i] = i >= end || i % components == part ? 1 : 0;
    PetscCall(VecRestoreArray(c->x, &x));
    PetscCall(differ(c->sys, T, c->u, sigma, c->x, c->y));
    PetscCall(VecGetArrayRead(c->y, &y));
    PetscCall(VecGetArray(sums, &x));
    for (PetscInt i = 0; i < n; ++i)
      if (i >= end || i % components == part) x[i] = y[i];
    PetscCall(VecRestoreArray(sums, &x));
    PetscCall(VecRestoreArrayRead(c->y, &y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_lumped(Case *c, PetscBool positive)
{
  PetscReal sigma[9] = {0};
  Vec       sums;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < c->unknowns; ++f) sigma[c->order * c->unknowns + f] = 1.5;
  PetscCall(VecDuplicate(c->r, &sums));
  if (!positive)
    CHECK_RAISES(RungSystemLumpedMass(c->sys, T, c->u, sigma, sums), "take P1 on simplices");
  else {
    PetscCall(RungSystemLumpedMass(c->sys, T, c->u, sigma, c->r));
    PetscCall(RungSystemImposeDirichlet(c->sys, 0, 0, c->r)); /* 0 for the 1 of given entries */
    PetscCall(sums_by_differences(c, sigma, sums));
    PetscCall(check_same(c->r, sums));
  }
  PetscCall(VecDestroy(&sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_case(Case *c, PetscBool positive)
{
  PetscFunctionBegin;
  PetscCall(check_derivatives(c));
  PetscCall(check_explicit(c));
  PetscCall(check_implicit(c));
  PetscCall(check_solves(c));
  PetscCall(check_lumped(c, positive));
  PetscCall(case_destroy(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_forms_give_is_what_differences_say(void)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds); ++k) {
    for (int box = 0; box < (int)PETSC_STATIC_ARRAY_LENGTH(boxes); ++box) {
      const int before = check_failures;
      Case      c;

      PetscCall(case_create(&kinds[k], box, &c));
      PetscCall(check_case(&c, boxes[box].nodes));
      if (check_failures > before)
        fprintf(stderr, "%s in %s on %s cells\n", kinds[k].name, boxes[box].spec, boxes[box].cell);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_callbacks_give_is_what_differences_say(void)
{
  Case c;

  PetscFunctionBegin;
  PetscCall(circle_create(&c));
  PetscCall(check_case(&c, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_forms_give_is_what_differences_say),
               RUNG_TEST(test_what_callbacks_give_is_what_differences_say))
