/* test_imex_order.c - what order the pairs have where the implicit part is stiff: steps by hand beside an edge that moves, and errors by
   modes.

   Explicit parts have stage order 1: with f_E = -M^-1 E a stage is off by h^2 (c^2/2 - A_E c) f_E'.  A stiff L of the implicit part
   turns that into an error  psi(h L) h^2 f_E' / (1 - R(h L))  with psi/(1 - R) bounded for large h L and O((h L)^(p - 2)) for small,
   so that the order is

       min(p, 2 + a)      with the largest a for which f_E' lies in the domain of L^a.

   For conduction and errors in L2 that is a = 1/4 where f_E' does not vanish on an edge with boundary data, and 5/4 where it does: 2.25 and
   3.25 for methods of order 4 and 5, whether the data move or not.  Nothing in a step could mend it but other coefficients. */
#include "../tableau_impl.h"
#include <check.h>
#include <math.h>
#include <string.h>

typedef struct {
  const char        *method;
  const RungTableau *implicit, *explicit;
} Pair;

static PetscErrorCode find_pair(const char method[], const char implicit[], const char explicit_[], Pair *pair)
{
  const RungTableau *all;
  PetscInt           n;

  PetscFunctionBegin;
  *pair = (Pair){.method = method};
  PetscCall(RungTableauFind(implicit, &pair->implicit));
  PetscCall(RungExplicitGetAll(&n, &all));
  for (PetscInt i = 0; i < n; ++i) {
    if (!strcmp(all[i].key, explicit_)) pair->explicit = &all[i];
  }
  CHECK(pair->implicit && pair->explicit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* error: the largest or that in L2 of `difference` at the end */
typedef struct {
  const char  *space, *residual, *initial, *edge, *difference;
  PetscInt     cells;
  RungNormType norm;
} Problem;

static PetscErrorCode solve(const Problem *p, const char method[], PetscReal end, PetscReal h, PetscReal *error)
{
  const PetscReal  size = 1;
  RungMesh         mesh;
  RungSpace        space;
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, &p->cells, &size));
  PetscCall(RungSpaceCreate(mesh, p->space, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, p->residual));
  PetscCall(RungSystemSetInitial(sys, "u", p->initial));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", p->edge));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, RUNGIMEX));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, end, h));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemNorm(sys, p->difference, NULL, p->norm, 6, state->u, error));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- by hand ------------------------------------------------------------------------------------------------------ */

static double data(double t)
{
  return sin(3 * t + 0.4);
}

static double data_rate(double t)
{
  return 3 * cos(3 * t + 0.4);
}

/* u' = u'' - u in P1 on two cells with both ends g(t): the value in the middle has the equation
   u'/3 + g'/6 + 4 u - 4 g + (u/3 + g/6) = 0, of which the bracket is explicit, e = -3 (u/3 + g/6).  Ends of stages are
   g_n + h sum a_I g'(t_j), without an explicit part. */
static double by_hand(const Pair *pair, double h, int steps)
{
  const RungTableau *half = pair->implicit;
  double             u    = data(0), k[RUNG_MAX_STAGES], e[RUNG_MAX_STAGES], g[RUNG_MAX_STAGES];

  for (int n = 0; n < steps; ++n) {
    const double t = n * h;

    for (PetscInt i = 0; i < half->stages; ++i) {
      const double a    = RungTableauA(half, i, i);
      double       edge = data(t), value = u;

      g[i] = data_rate(t + half->c[i] * h);
      for (PetscInt j = 0; j <= i; ++j) edge += h * RungTableauA(half, i, j) * g[j];
      for (PetscInt j = 0; j < i; ++j)
        value += h * (RungTableauA(half, i, j) * k[j] + RungTableauA(pair->explicit, i, j) * e[j]);
      k[i] = -(g[i] / 6 + 4 * value - 4 * edge) / (1.0 / 3 + 4 * h * a);
      e[i] = -(value + h * a * k[i] + edge / 2);
    }
    for (PetscInt i = 0; i < half->stages; ++i) u += h * half->b[i] * (k[i] + e[i]);
  }
  return u;
}

static const char *const pairs[][3] = {{"ark2", "ark2_dirk_3_1_2", "ark2_erk_3_1_2"},
                                       {"ark324", "ark324l2sa_dirk_4_2_3", "ark324l2sa_erk_4_2_3"},
                                       {"ark436", "ark436l2sa_dirk_6_3_4", "ark436l2sa_erk_6_3_4"},
                                       {"ark437", "ark437l2sa_dirk_7_3_4", "ark437l2sa_erk_7_3_4"},
                                       {"ark548", "ark548l2sa_dirk_8_4_5", "ark548l2sa_erk_8_4_5"},
                                       {"ark548b", "ark548l2sab_dirk_8_4_5", "ark548l2sab_erk_8_4_5"}};
#define PAIRS ((int)PETSC_STATIC_ARRAY_LENGTH(pairs))

static PetscErrorCode test_steps_beside_a_moving_edge_are_those_by_hand(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < PAIRS; ++i) {
    Pair      pair;
    PetscReal error;
    char      difference[64];
    Problem   p = {"P1",         "dt(u)*v*dx + inner(grad(u), grad(v))*dx + explicit(u*v*dx)",
                   "sin(0.4)",   "sin(3*t + 0.4)",
                   difference,   2,
                   RUNG_NORM_MAX};

    PetscCall(find_pair(pairs[i][0], pairs[i][1], pairs[i][2], &pair));
    (void)snprintf(difference, sizeof difference, "(u - %.17g)*if(abs(x[0] - 0.5) < 0.01, 1, 0)",
                   by_hand(&pair, 0.1, 3));
    PetscCall(solve(&p, pair.method, 0.3, 0.1, &error));
    if (error > 1e-12) fprintf(stderr, "%s: ", pair.method);
    CHECK_NEAR(error, 0, 1e-12);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- by modes ----------------------------------------------------------------------------------------------------- */

#define MODES 40 /* of sin(m pi x), m odd */

/* u = sin(3t + 0.4) x (1 - x) between edges at rest, f_E = cos(2t) r(x) explicit, what is left of u' implicit: the error in L2 of each mode
   by the pair's recurrence for one equation. */
static double by_modes(const Pair *pair, PetscBool vanishes, double end, int steps)
{
  const RungTableau *half = pair->implicit;
  const double       h    = end / steps;
  double             sum  = 0;

  for (int m = 1; m < 2 * MODES; m += 2) {
    const double pm = M_PI * m, shape = 8 / pow(pm, 3), r = vanishes ? 4 * shape : 4 / pm;
    double       u = shape * sin(0.4), k[RUNG_MAX_STAGES], e[RUNG_MAX_STAGES];

    for (int n = 0; n < steps; ++n) {
      for (PetscInt i = 0; i < half->stages; ++i) {
        const double t = n * h + half->c[i] * h, a = h * RungTableauA(half, i, i);
        double       value = u;

        e[i] = cos(2 * t) * r;
        for (PetscInt j = 0; j < i; ++j)
          value += h * (RungTableauA(half, i, j) * k[j] + RungTableauA(pair->explicit, i, j) * e[j]);
        k[i] = (data_rate(t) * shape - e[i] + pm * pm * (shape * data(t) - value)) / (1 + a * pm * pm);
      }
      for (PetscInt i = 0; i < half->stages; ++i) u += h * half->b[i] * (k[i] + e[i]);
    }
    sum += pow(u - shape * data(end), 2) / 2;
  }
  return sqrt(sum);
}

#define SHAPE      "x[0]*(1 - x[0])"
#define CONDUCTION "dt(u)*v*dx + inner(grad(u), grad(v))*dx - (3*cos(3*t + 0.4)*" SHAPE " + 2*sin(3*t + 0.4))*v*dx"

static PetscErrorCode check_modes(const Pair *pair, PetscBool vanishes)
{
  const Problem full      = {"P2",
                             CONDUCTION " + cos(2*t)*v*dx + explicit(-cos(2*t)*v*dx)",
                             "sin(0.4)*" SHAPE,
                             "0",
                             "u - sin(1.9)*" SHAPE,
                             12,
                             RUNG_NORM_L2},
                inner     = {"P2",
                             CONDUCTION " + cos(2*t)*4*" SHAPE "*v*dx + explicit(-cos(2*t)*4*" SHAPE "*v*dx)",
                             "sin(0.4)*" SHAPE,
                             "0",
                             "u - sin(1.9)*" SHAPE,
                             12,
                             RUNG_NORM_L2};
  const PetscReal formula = PetscMin((PetscReal)pair->implicit->order, vanishes ? 3.25 : 2.25);
  PetscReal       error[2], order;

  PetscFunctionBegin;
  for (int l = 0; l < 2; ++l) {
    const int    steps  = l ? 20 : 10;
    const double wanted = by_modes(pair, vanishes, 0.5, steps);

    PetscCall(solve(vanishes ? &inner : &full, pair->method, 0.5, 0.5 / steps, &error[l]));
    if (!(error[l] > 0.85 * wanted && error[l] < 1.15 * wanted))
      fprintf(stderr, "%s in %d steps: %.3e, by modes %.3e\n", pair->method, steps, error[l], wanted);
    CHECK(error[l] > 0.85 * wanted && error[l] < 1.15 * wanted);
  }
  order = PetscLog2Real(error[0] / error[1]);
  if (!(PetscAbsReal(order - formula) < 0.25)) fprintf(stderr, "%s: order %.2f, %.2f\n", pair->method, order, formula);
  CHECK(PetscAbsReal(order - formula) < 0.25);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_and_order_beside_edges_are_those_by_modes(void)
{
  PetscFunctionBegin;
  for (int i = 1; i < 4; ++i) {
    Pair pair;

    PetscCall(find_pair(pairs[i][0], pairs[i][1], pairs[i][2], &pair));
    PetscCall(check_modes(&pair, PETSC_FALSE));
    PetscCall(check_modes(&pair, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_steps_beside_a_moving_edge_are_those_by_hand),
               RUNG_TEST(test_errors_and_order_beside_edges_are_those_by_modes))
