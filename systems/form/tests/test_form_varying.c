/* test_form_varying.c - nonlinear Jacobians whose constant blocks are kept equal those that are assembled whole. */
#include "system_impl.h"
#include "check.h"
#include "form_problems.h"
#include "ring.h"
#include "vectors.h"

/* What is imposed on the unknowns of the two systems below. */
typedef enum { VALUES, PERIODIC, TIED, SLIP, KINDS, RADIATION, JUMPS, UPWIND, CONSERVED, ALL, GIVEN, COUPLED } Kind;

/* Cahn-Hilliard in a square, of its two unknowns alone the block of q and u varies. */
static PetscErrorCode add_phases(Kind kind, RungSpace V, RungSystem sys)
{
  PetscFunctionBegin;
  PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
  PetscCall(RungSystemAddUnknown(sys, "p", "q", V));
  PetscCall(RungSystemAddResidual(sys, "(dt(u)*v + inner(grad(p), grad(v)))*dx + (1 + x[0])*u*v*ds(left)"));
  PetscCall(RungSystemAddResidual(sys, "(p*q - exp(t)*u^3*q - c*inner(grad(u), grad(q)))*dx"));
  if (kind == PERIODIC) {
    for (int f = 0; f < 2; ++f) {
      PetscCall(RungSystemAddPeriodic(sys, f ? "p" : "u", "left", "right", NULL, f ? "sin(t)*x[1]" : NULL));
      PetscCall(RungSystemAddPeriodic(sys, f ? "p" : "u", "bottom", "top", NULL, NULL));
    }
  } else {
    PetscCall(RungSystemSetDirichlet(sys, "u", "right", "x[1]*cos(t)"));
    if (kind == TIED) PetscCall(RungSystemTie(sys, "p", "left", NULL, "t*x[1]"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A creeping flow that temperature drives, between two curved walls: the block of w and T varies. */
static PetscErrorCode add_convection(RungSystem sys)
{
  const RungSpaceData *data;
  RungSpace            V, Q;

  PetscFunctionBegin;
  PetscCall(ring_space("ring_of_varying.msh", 6, "Q1^d", &V));
  PetscCall(RungSpaceGetData(V, &data));
  PetscCall(RungSpaceCreate(data->mesh, "Q1", &Q));
  PetscCall(RungSystemAddUnknown(sys, "u", "w", V));
  PetscCall(RungSystemAddUnknown(sys, "T", "s", Q));
  PetscCall(RungSpaceDestroy(&Q));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungSystemAddResidual(sys, "(inner(dt(u), w) + inner(grad(u), grad(w)) - T^3*w[1])*dx"));
  PetscCall(RungSystemAddResidual(sys, "(dt(T)*s + c*inner(grad(T), grad(s)) + u[0]*s)*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "T", "inner", "1 + sin(3*t)*x[0]"));
  PetscCall(RungSystemSetSlip(sys, "u", "inner", NULL));
  PetscCall(RungSystemSetSlip(sys, "u", "outer", "t"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What varies does so on a part of the boundary, in cells but not across their facets, for one pair of two across these, or in
   what is conserved. */
static PetscErrorCode add_one(Kind kind, RungSystem sys)
{
  const PetscBool broken = kind == JUMPS || kind == UPWIND ? PETSC_TRUE : PETSC_FALSE;
  RungSpace       V;

  PetscFunctionBegin;
  PetscCall(space_create(broken ? "quadrilateral" : "triangle", 2, 9, broken ? "DQ1" : "P2", &V));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
  if (kind >= UPWIND) PetscCall(RungSystemAddUnknown(sys, "p", "q", V));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungSystemAddResidual(sys, "(dt(u)*v + c*inner(grad(u), grad(v)))*dx"));
  if (kind == RADIATION) PetscCall(RungSystemAddResidual(sys, "(u^4 + t*u)*v*ds(right) + x[1]*u*v*ds(top)"));
  if (broken)
    PetscCall(RungSystemAddResidual(
      sys, "(90*jump(u)*jump(v) - inner(avg(grad(u)), jump(v, n)) - inner(avg(grad(v)), jump(u, n)))*dS"));
  if (kind == JUMPS) PetscCall(RungSystemAddResidual(sys, "u^3*v*dx"));
  if (kind == UPWIND)
    PetscCall(
      RungSystemAddResidual(sys, "(avg(p^2)*jump(q)*plus(n[0]) + jump(u)*jump(q) - jump(p)*jump(v))*dS + dt(p)*q*dx"));
  if (kind == CONSERVED)
    PetscCall(RungSystemAddResidual(
      sys, "dt(u^2)*v*ds(top) + dt(p^3)*q*ds(left) + (dt(p)*q + inner(grad(p), grad(q)) + p*v - u*q)*dx"));
  if (!broken) PetscCall(RungSystemSetDirichlet(sys, "u", "left", "x[1]*cos(t)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor w of the block of p and q that is a field, or an unknown of another system. */
static PetscErrorCode add_given(Kind kind, RungField field, RungSystem other, RungSystem sys)
{
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(field, &V));
  PetscCall(add_phases(VALUES, V, sys));
  if (kind == GIVEN)
    PetscCall(RungSystemAddField(sys, "w", field));
  else
    PetscCall(RungSystemAddCoupling(sys, "w", other, "w"));
  PetscCall(RungSystemAddResidual(sys, "w*p*q*dx"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two ways to one Jacobian, each with the matrix that it filled before. */
typedef struct {
  RungSystem sys[2];
  Mat        J[2];
  Vec        u[3];
  Kind       kind;
  RungField  field; /* w */
  RungSystem other; /* the same */
} Pair;

static PetscErrorCode create(const Pair *p, PetscBool keep, const char backend[], RungSystem *sys)
{
  const Kind kind = p->kind;
  RungSpace  V;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_keep_blocks", keep ? "true" : "false"));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", backend));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemSetConstant(*sys, "c", 0.3));
  if (kind == SLIP)
    PetscCall(add_convection(*sys));
  else if (kind > ALL)
    PetscCall(add_given(kind, p->field, p->other, *sys));
  else if (kind > KINDS)
    PetscCall(add_one(kind, *sys));
  else {
    PetscCall(space_create("triangle", 2, 9, "P1", &V));
    PetscCall(add_phases(kind, V, *sys));
    PetscCall(RungSpaceDestroy(&V));
  }
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_keep_blocks"));
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode given_create(Pair *p)
{
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 9, "P1", &V));
  PetscCall(RungFieldCreate(V, "w", &p->field));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &p->other));
  PetscCall(RungSystemAddUnknown(p->other, "w", "z", V));
  PetscCall(RungSystemAddResidual(p->other, "w*z*dx"));
  PetscCall(RungSpaceDestroy(&V));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another w, for both. */
static PetscErrorCode give(Pair *p, PetscInt seed)
{
  Vec values, w;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(p->field, &values));
  PetscCall(vec_fill(values, seed));
  PetscCall(RungSystemCreateVec(p->other, &w));
  PetscCall(VecCopy(values, w));
  for (int i = 0; i < 2 && p->kind == COUPLED; ++i) PetscCall(RungSystemSetCoupled(p->sys[i], "w", w));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pair_create(Kind kind, const char backend[], Pair *p)
{
  PetscFunctionBegin;
  *p = (Pair){.kind = kind};
  if (kind > ALL) PetscCall(given_create(p));
  for (int i = 0; i < 2; ++i) {
    PetscCall(create(p, i ? PETSC_TRUE : PETSC_FALSE, backend, &p->sys[i]));
    PetscCall(RungSystemCreateMat(p->sys[i], &p->J[i]));
  }
  PetscCall(vecs_create(p->sys[0], 3, p->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pair_destroy(Pair *p)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(MatDestroy(&p->J[i]));
    PetscCall(RungSystemDestroy(&p->sys[i]));
  }
  if (p->field) PetscCall(RungFieldDestroy(&p->field));
  if (p->other) PetscCall(RungSystemDestroy(&p->other));
  PetscCall(vecs_destroy(3, p->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Relative distance of the two at t and the states filled from `seed`, the slope of rates `rate`. */
static PetscErrorCode compare(Pair *p, PetscReal t, PetscInt seed, PetscReal rate, PetscReal *distance)
{
  const PetscReal sigma[] = {1, p->kind == RADIATION || p->kind == JUMPS ? rate : 1, rate, rate};
  PetscReal       size;
  Mat             D;

  PetscFunctionBegin;
  PetscCall(vec_fill(p->u[0], seed));
  for (int i = 0; i < 2; ++i) PetscCall(RungSystemStageJacobian(p->sys[i], t, p->u, sigma, p->J[i]));
  PetscCall(MatDuplicate(p->J[0], MAT_COPY_VALUES, &D));
  PetscCall(MatNorm(D, NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(D, -1, p->J[1], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(D, NORM_FROBENIUS, distance));
  *distance /= size;
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Have both made matrices the way that they were asked to? */
static PetscErrorCode check_ways(Pair *p, PetscInt jacobians)
{
  CHECK(p->sys[0]->counts.split == 0);
  CHECK(p->sys[1]->counts.split == jacobians);
  return PETSC_SUCCESS;
}

static PetscErrorCode check_kind(Kind kind, const char backend[])
{
  PetscReal distance;
  Pair      p;

  PetscFunctionBegin;
  PetscCall(pair_create(kind, backend, &p));
  for (PetscInt i = 0; i < 6; ++i) { /* slopes stay for some, then change */
    PetscCall(compare(&p, i < 2 ? 0 : i < 4 ? 0.1 : 0.2, i, i < 3 ? 10 : 25, &distance));
    CHECK_NEAR(distance, 0, 1e-14);
  }
  PetscCall(check_ways(&p, 6));
  PetscCall(pair_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_kept_blocks_and_the_rest_are_the_whole(void)
{
  for (int b = 0; b < (check_alone() ? 2 : 1); ++b) PetscCall(check_kind(VALUES, b ? "c" : "interpreter"));
  return PETSC_SUCCESS;
}

/* Facets of a boundary alone are visited again, or cells and no facets between them, or one pair of unknowns at these. */
static PetscErrorCode test_places_where_nothing_varies_are_visited_once(void)
{
  for (Kind kind = RADIATION; kind < ALL; ++kind)
    for (int b = 0; b < (check_alone() ? 2 : 1); ++b) PetscCall(check_kind(kind, b ? "c" : "interpreter"));
  return PETSC_SUCCESS;
}

/* C^T J C is made of a whole matrix that is kept beside the one that the caller sees. */
static PetscErrorCode test_constraints_are_eliminated_from_kept_blocks(void)
{
  for (Kind kind = PERIODIC; kind < KINDS; ++kind) PetscCall(check_kind(kind, "interpreter"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_matrix_that_was_changed_begins_anew(void)
{
  PetscReal distance;
  Pair      p;

  PetscCall(pair_create(VALUES, "interpreter", &p));
  PetscCall(compare(&p, 0, 1, 10, &distance));
  PetscCall(MatScale(p.J[1], 3));
  PetscCall(compare(&p, 0, 2, 10, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(MatZeroEntries(p.J[1]));
  PetscCall(compare(&p, 0, 3, 10, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(MatDestroy(&p.J[1]));
  PetscCall(RungSystemCreateMat(p.sys[1], &p.J[1]));
  PetscCall(compare(&p, 0, 4, 10, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(pair_destroy(&p));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_kept_blocks_follow_the_constants(void)
{
  PetscReal distance;
  Pair      p;

  PetscCall(pair_create(VALUES, "interpreter", &p));
  PetscCall(compare(&p, 0, 1, 10, &distance));
  for (int i = 0; i < 2; ++i) PetscCall(RungSystemSetConstant(p.sys[i], "c", 0.9));
  PetscCall(compare(&p, 0, 1, 10, &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(pair_destroy(&p));
  return PETSC_SUCCESS;
}

/* Blocks of a field are made again when it has other values; those of an unknown of another system are never kept. */
static PetscErrorCode test_kept_blocks_follow_the_fields(void)
{
  for (Kind kind = GIVEN; kind <= COUPLED; ++kind) {
    PetscReal distance;
    Pair      p;

    PetscCall(pair_create(kind, kind == GIVEN ? "c" : "interpreter", &p));
    for (PetscInt i = 0; i < 4; ++i) {
      if (i % 2 == 0) PetscCall(give(&p, 7 + i));
      PetscCall(compare(&p, 0, 1, 10, &distance));
      CHECK_NEAR(distance, 0, 1e-14);
    }
    PetscCall(check_ways(&p, 4));
    CHECK(p.sys[1]->counts.kept == (kind == GIVEN ? 2 : 1));
    PetscCall(pair_destroy(&p));
  }
  return PETSC_SUCCESS;
}

/* Each of two conserved terms has its own weight: J - J without weights is linear in them, row by row. */
static PetscErrorCode test_conserved_terms_have_weights_of_their_own(void)
{
  static const PetscReal weight[3][2] = {{0, 0}, {2, 5}, {6, 15}};
  PetscReal              norm, size;
  Pair                   p;
  Mat                    J[3];

  PetscCall(pair_create(CONSERVED, "interpreter", &p));
  for (int i = 0; i < 3; ++i) {
    PetscCall(RungSystemCreateMat(p.sys[0], &J[i]));
    PetscCall(RungSystemStageJacobian(p.sys[0], 0, p.u, (PetscReal[]){1, 1, weight[i][0], weight[i][1]}, J[i]));
  }
  for (int i = 1; i < 3; ++i) PetscCall(MatAXPY(J[i], -1, J[0], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(J[2], NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(J[2], -3, J[1], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(J[2], NORM_FROBENIUS, &norm));
  CHECK(size > 0);
  CHECK_NEAR(norm / size, 0, 1e-13);
  for (int i = 0; i < 3; ++i) PetscCall(MatDestroy(&J[i]));
  PetscCall(pair_destroy(&p));
  return PETSC_SUCCESS;
}

/* To the bit: a run that goes on from a file meets a matrix that was never filled. */
static PetscErrorCode test_the_first_jacobian_equals_a_later_one(void)
{
  PetscBool equal;
  PetscReal distance;
  Pair      p;
  Mat       J;

  PetscCall(pair_create(VALUES, "c", &p));
  for (PetscInt i = 0; i < 3; ++i) PetscCall(compare(&p, 0, 3 - i, 10, &distance));
  PetscCall(RungSystemCreateMat(p.sys[1], &J));
  PetscCall(RungSystemJacobian(p.sys[1], 0, p.u, (const PetscReal[]){1, 1, 10, 0}, J));
  PetscCall(MatEqual(J, p.J[1], &equal));
  CHECK(equal);
  PetscCall(MatDestroy(&J));
  PetscCall(pair_destroy(&p));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_view_counts_jacobians_with_kept_blocks(void)
{
  char        text[8192] = "";
  FILE       *file       = tmpfile();
  PetscReal   distance;
  PetscViewer viewer;
  PetscInt    has;
  size_t      n;
  Pair        p;

  PetscCall(pair_create(VALUES, "interpreter", &p));
  for (PetscInt i = 0; i < 3; ++i) PetscCall(compare(&p, 0, i, 10, &distance));
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  PetscCall(RungSystemView(p.sys[1], viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  n       = fread(text, 1, sizeof text - 1, file);
  text[n] = 0;
  (void)fclose(file);
  has = strstr(text, "constant blocks: kept in 3 Jacobians") ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &has, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  CHECK(has);
  PetscCall(pair_destroy(&p));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_kept_blocks_and_the_rest_are_the_whole),
               RUNG_TEST(test_places_where_nothing_varies_are_visited_once),
               RUNG_TEST(test_constraints_are_eliminated_from_kept_blocks),
               RUNG_TEST(test_a_matrix_that_was_changed_begins_anew), RUNG_TEST(test_kept_blocks_follow_the_constants),
               RUNG_TEST(test_kept_blocks_follow_the_fields), RUNG_TEST(test_conserved_terms_have_weights_of_their_own),
               RUNG_TEST(test_the_first_jacobian_equals_a_later_one),
               RUNG_TEST(test_the_view_counts_jacobians_with_kept_blocks))
