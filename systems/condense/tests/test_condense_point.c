/* test_condense_point.c - material laws at points along paths of strain with reversals, turns and large steps, against return
   mappings of their own: one scalar equation for the length of plastic strain, by bisection.  From good and from wild guesses. */
#include "condense_impl.h"
#include <check.h>

#define STEPS 12
#define H     0.5
#define E     200.0
#define NU    0.3
#define MU    (E / (2 * (1 + NU)))
#define BULK  (E / (3 * (1 - 2 * NU)))
#define YIELD 1.0

typedef enum { LINEAR, VOCE, PERZYNA, DRUCKER_PRAGER } LawKind;

/* ep' = p' (3/2 s/|s| + a I) */
static const struct {
  const char *p, *flow; /* text: the equation of p; a */
  PetscReal   a;
} text[] = {{"dt(p) - max(0, dt(p) + (size - 1 - 0.5*p)/200)", "0", 0},
            {"dt(p) - max(0, dt(p) + (size - 1 - 3*(1 - exp(-40*p)))/200)", "0", 0},
            {"dt(p) - max(0, (size - 1)/0.5)^5", "0", 0},
            {"dt(p) - max(0, dt(p) + (size + 0.15*tr(sigma) - 1 - p)/200)", "0.15", 0.15}};

static PetscReal strength(LawKind kind, PetscReal p)
{
  if (kind == LINEAR) return YIELD + 0.5 * p;
  if (kind == VOCE) return YIELD + 3 * (1 - exp(-40 * p));
  if (kind == DRUCKER_PRAGER) return YIELD + p;
  return YIELD;
}

/* Falls with d: what is over the strength after a plastic length d; with viscosity less what drives d. */
static PetscReal excess(LawKind kind, PetscReal size, PetscReal trace, PetscReal p, PetscReal d)
{
  const PetscReal a = text[kind].a, f = size - 3 * MU * d + a * (trace - 9 * BULK * a * d) - strength(kind, p + d);

  return kind == PERZYNA ? pow(PetscMax(0, f / 0.5), 5) - d / H : f;
}

/* s = (ep, p) goes on to strain e[9]. */
static void return_map(LawKind kind, const PetscReal e[], PetscReal s[])
{
  PetscReal dev[9], mean = 0, size = 0, low = 0, high;

  for (int i = 0; i < 3; ++i) mean += (e[4 * i] - s[4 * i]) / 3;
  for (int i = 0; i < 9; ++i) {
    dev[i] = 2 * MU * (e[i] - s[i] - (i % 4 ? 0 : mean));
    size += 1.5 * dev[i] * dev[i];
  }
  size = sqrt(size);
  if (excess(kind, size, 9 * BULK * mean, s[9], 0) <= 0) return;
  high = size / (3 * MU);
  for (int i = 0; i < 200; ++i) {
    const PetscReal d = (low + high) / 2;

    *(excess(kind, size, 9 * BULK * mean, s[9], d) > 0 ? &low : &high) = d;
  }
  for (int i = 0; i < 9; ++i) s[i] += low * (1.5 * dev[i] / size + (i % 4 ? 0 : text[kind].a));
  s[9] += low;
}

/* Steps of up to ten times the strain at yield, forth and back, turning; another path in every cell. */
static void strain(PetscReal t, const PetscReal x[], PetscReal e[])
{
  const PetscReal phase = x[0] + 2 * x[1] + 3 * x[2];
  const PetscReal a = 0.02 * sin(1.3 * t + phase), b = 0.03 * cos(0.9 * t * t), c = fmod(t, 1) > 0.25 ? 0.015 : -0.02;
  const PetscReal value[] = {a - 0.01, b, 0.3 * c, b, -a / 2 + c - 0.01, 0.2 * a, 0.3 * c, 0.2 * a, -a / 2 - c - 0.01};

  for (int i = 0; i < 9; ++i) e[i] = value[i];
}

static PetscErrorCode add_unknown(RungSystem sys, RungMesh mesh, const char name[], const char test[],
                                  const char spec[])
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemAddUnknown(sys, name, test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The strain is an unknown of its own, one value in each cell. */
static PetscErrorCode create(LawKind kind, RungSystem *sys)
{
  RungMesh mesh;
  char     residual[256];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "tetrahedron", 3, (PetscInt[]){2, 1, 1}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(add_unknown(*sys, mesh, "e", "te", "P0^dxd"));
  PetscCall(add_unknown(*sys, mesh, "ep", "tep", "Quad(1)^dxd"));
  PetscCall(add_unknown(*sys, mesh, "p", "tp", "Quad(1)"));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemSetConstant(*sys, "mu", MU));
  PetscCall(RungSystemSetConstant(*sys, "bulk", BULK));
  PetscCall(RungSystemDefine(*sys, "s", "2*mu*dev(e - ep)"));
  PetscCall(RungSystemDefine(*sys, "sigma", "s + bulk*tr(e - ep)*I"));
  PetscCall(RungSystemDefine(*sys, "size", "sqrt(1.5*inner(s, s) + 1e-20)"));
  PetscCall(RungSystemAddResidual(*sys, "inner(e, te)*dx"));
  PetscCall(PetscSNPrintf(residual, sizeof residual, "inner(dt(ep) - dt(p)*(1.5*s/size + %s*I), tep)*dx + (%s)*tp*dx",
                          text[kind].flow, text[kind].p));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One Euler step: strains at t in w, internal variables from the accepted level, or far from all that is sensible. */
static PetscErrorCode step(RungTransientSystem ts, PetscReal t, PetscReal wild, Vec base, Vec w)
{
  RungLine         line = {.base = {NULL, base, NULL}};
  const RungState *from;
  RungState       *to;
  PetscScalar     *x;
  PetscBool        solved;
  char             why[200];

  PetscFunctionBegin;
  for (int f = 0; f < 3; ++f) line.slope[f] = 1, line.slope[3 + f] = 1 / H;
  PetscCall(RungTransientSystemGetState(ts, 0, &from));
  PetscCall(VecCopy(from->u[0], base));
  PetscCall(VecScale(base, -1 / H));
  PetscCall(VecGetArray(w, &x));
  for (PetscInt i = ts->sys->range[1]; i < ts->sys->range[3]; ++i) x[i] += wild * sin(3.7 * (double)i + t);
  PetscCall(VecRestoreArray(w, &x));
  PetscCall(RungTransientSystemSolveCondensed(ts, t, &line, NULL, w, &solved, why, sizeof why));
  CHECK(solved);
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t = t;
  PetscCall(VecCopy(w, to->u[0]));
  PetscCall(VecWAXPY(to->u[1], 1 / H, w, base));
  PetscCall(RungTransientSystemAccept(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The strains of all cells at t go to w; s [cell][10] goes on to them and is compared with w where `old` is false. */
static PetscErrorCode visit(RungSystem sys, LawKind kind, PetscReal t, PetscBool given, PetscReal s[], Vec w)
{
  const RungSpaceData *e, *ep;
  RungSpace            space;
  PetscScalar         *x;

  PetscFunctionBegin;
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  PetscCall(RungSpaceGetData(space, &e));
  PetscCall(RungSystemGetUnknown(sys, 1, NULL, &space));
  PetscCall(RungSpaceGetData(space, &ep));
  PetscCall(VecGetArray(w, &x));
  for (PetscInt cell = 0; cell < sys->form->data->cells; ++cell) {
    const PetscInt node = e->cell_node[cell], point = ep->cell_node[cell];
    PetscReal      value[9];

    strain(t, e->x + 3 * node, value);
    for (int i = 0; i < 9 && given; ++i) x[sys->range[0] + 9 * node + i] = value[i];
    if (given) continue;
    return_map(kind, value, s + 10 * cell);
    for (int i = 0; i < 9; ++i) CHECK_NEAR(x[sys->range[1] + 9 * point + i], s[10 * cell + i], 1e-10);
    CHECK_NEAR(x[sys->range[2] + point], s[10 * cell + 9], 1e-10);
  }
  PetscCall(VecRestoreArray(w, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode drive(LawKind kind, PetscReal wild, PetscInt *rescues)
{
  RungSystem          sys;
  RungTransientSystem ts;
  PetscReal          *s, most = 0;
  Vec                 w, base;

  PetscFunctionBegin;
  PetscCall(create(kind, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungSystemCreateVec(sys, &w));
  PetscCall(VecDuplicate(w, &base));
  PetscCall(PetscCalloc1(10 * sys->form->data->cells + 1, &s));
  for (int n = 1; n <= STEPS; ++n) {
    PetscCall(visit(sys, kind, n * H, PETSC_TRUE, s, w));
    PetscCall(step(ts, n * H, wild, base, w));
    PetscCall(visit(sys, kind, n * H, PETSC_FALSE, s, w));
  }
  for (PetscInt cell = 0; cell < sys->form->data->cells; ++cell) most = PetscMax(most, s[10 * cell + 9]);
  CHECK(!sys->form->data->cells || most > 0.05); /* many times the strain at yield */
  *rescues = sys->form->condense->rescues;
  PetscCall(PetscFree(s));
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&base));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_points_follow_return_mappings(void)
{
  PetscInt rescues;

  PetscFunctionBegin;
  for (int kind = LINEAR; kind <= DRUCKER_PRAGER; ++kind) {
    PetscCall(drive((LawKind)kind, 0, &rescues));
    CHECK(rescues == 0); /* the accepted level is a good guess */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_they_do_from_wild_guesses(void)
{
  PetscInt rescues;

  PetscFunctionBegin;
  for (int kind = LINEAR; kind <= DRUCKER_PRAGER; ++kind) {
    for (int i = check_alone() ? 0 : 3; i < 4; ++i) { /* points know no ranks */
      PetscCall(drive((LawKind)kind, 1e-3 * PetscPowRealInt(10, i), &rescues));
      CHECK(kind == PERZYNA || rescues == 0); /* full steps over kinks lead back */
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* exp(50 (a - u)) = 1 from a = 0 to u = 10: Newton's method overflows from every guess, only small changes of u help. */
static PetscErrorCode test_points_follow_their_outer_unknowns_where_no_guess_leads(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungMesh            mesh;
  RungLine            line = {.base = {NULL}, .slope = {1, 1, 1, 1}};
  Vec                 w;
  PetscBool           solved;
  PetscReal           low, high;
  char                why[200];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){2, 1}, (PetscReal[]){1, 1}));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(add_unknown(sys, mesh, "u", "v", "P1"));
  PetscCall(add_unknown(sys, mesh, "a", "b", "Quad(2)"));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemAddResidual(sys, "(dt(u) + a)*v*dx + (exp(50*(a - u)) - 1)*b*dx"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungSystemCreateVec(sys, &w));
  PetscCall(VecSet(w, 10));
  PetscCall(RungSystemZeroCondensed(sys, w));
  PetscCall(RungTransientSystemSolveCondensed(ts, 1, &line, NULL, w, &solved, why, sizeof why));
  CHECK(solved);
  CHECK(sys->form->condense->rescues == 1 && sys->form->condense->followed == 1);
  PetscCall(VecMin(w, NULL, &low));
  PetscCall(VecMax(w, NULL, &high));
  CHECK_NEAR(low, 10, 1e-9);
  CHECK_NEAR(high, 10, 1e-9);
  PetscCall(VecDestroy(&w));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_points_follow_return_mappings), RUNG_TEST(test_they_do_from_wild_guesses),
               RUNG_TEST(test_points_follow_their_outer_unknowns_where_no_guess_leads))
