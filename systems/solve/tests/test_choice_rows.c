/* test_choice_rows.c - rows of the table of choices at both sides of each of their limits, and the width of a body that is bent. */
#include "width.h"
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

/* Facts, and the first row that they meet. */
typedef struct {
  const char     *row;
  RungSolverFacts facts;
} MeetCase;

static PetscErrorCode check_cases(size_t n, const MeetCase at[])
{
  PetscFunctionBegin;
  for (size_t i = 0; i < n; ++i) {
    const char *found = RungSolverFind(&at[i].facts, NULL)->name;

    CHECK(!strcmp(found, at[i].row));
    if (strcmp(found, at[i].row) != 0)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "case %d: found %s, wanted %s\n", (int)i, found, at[i].row));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A scalar of definite stiffness on 10^5 entries in space with a matrix that is there and stays; ICC is estimated to be dear, multigrid to be best. */
#define STIFF                                                                                                          \
  .n = 100000, .dim = 3, .degree = 1, .unknowns = 1, .kappa = 1e4, .measured = PETSC_TRUE, .kept = PETSC_TRUE,         \
  .definite = PETSC_TRUE, .stored = PETSC_TRUE, .rows = PETSC_TRUE, .hypre = PETSC_TRUE, .simple = 2, .multigrid = 1,  \
  .factors = 3, .levels = 4

/* Fill is for rows of at most 20 entries in space on one rank, 40 in the plane; lines are for one rank and 20 solves. */
static PetscErrorCode test_lines_are_for_one_rank_and_many_solves(void)
{
  static const MeetCase at[] = {
    {"short_lines", {STIFF, .lined = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 20}},
    {"lines", {STIFF, .lined = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 20.5}},
    {"short_trial", {STIFF, .lined = PETSC_FALSE, .ranks = 1, .ahead = 20, .row = 20}},
    {"trial", {STIFF, .lined = PETSC_FALSE, .ranks = 1, .ahead = 20, .row = 20.5}},
    {"trial", {STIFF, .lined = PETSC_TRUE, .ranks = 2, .ahead = 20, .row = 20}},
    {"trial", {STIFF, .lined = PETSC_TRUE, .ranks = 2, .ahead = 20, .row = 20.5}},
    {"multigrid", {STIFF, .lined = PETSC_TRUE, .ranks = 1, .ahead = 19, .row = 20}},
    {"multigrid", {STIFF, .lined = PETSC_TRUE, .ranks = 1, .ahead = 19, .row = 20.5}},
  };
  MeetCase plane[] = {
    {"short_lines", {STIFF, .lined = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 40}},
    {"lines", {STIFF, .lined = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 40.5}},
    {"short_trial", {STIFF, .lined = PETSC_TRUE, .ranks = 2, .ahead = 20, .row = 40}},
    {"trial", {STIFF, .lined = PETSC_TRUE, .ranks = 2, .ahead = 20, .row = 40.5}},
  };

  PetscFunctionBegin;
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(at), at));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(plane); ++i) plane[i].facts.dim = 2;
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(plane), plane));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Jacobi of Q1 hexahedra on several ranks, but where ICC goes along lines; factors in the plane that steps of free size make anew. */
static PetscErrorCode test_limits_of_kappa_on_ranks_and_in_the_plane(void)
{
  MeetCase at[] = {
    {"ranks", {STIFF, .tensor = PETSC_TRUE, .ranks = 2, .ahead = 20, .row = 27}},
    {"rows", {STIFF, .tensor = PETSC_TRUE, .lined = PETSC_TRUE, .ranks = 2, .ahead = 20, .row = 27}},
    {"rows", {STIFF, .ranks = 2, .ahead = 20, .row = 27}},
    {"plane", {STIFF, .anew = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 9}},
    {"line", {STIFF, .ranks = 1, .ahead = 20, .row = 9}},
    {"line", {STIFF, .anew = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 41}},
    {"kept", {STIFF, .anew = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 9}},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(at); ++i) {
    at[i].facts.kappa = i < 3 ? 1200 : 1000;
    if (i < 3) at[i].facts.simple = 0.5;
    if (i >= 3) at[i].facts.n = 10000, at[i].facts.dim = 2;
  }
  at[PETSC_STATIC_ARRAY_LENGTH(at) - 1].facts.measured = PETSC_FALSE;
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(at), at));
  at[0].row         = "rows";
  at[0].facts.kappa = 1201;
  at[3].row         = "line";
  at[3].facts.kappa = 2000;
  PetscCall(check_cases(4, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Multigrid on degrees is for scalars in the plane, too, whose meshes have no levels of their own; vectors are factored there. */
static PetscErrorCode test_degrees_have_levels_in_the_plane(void)
{
  MeetCase at[] = {
    {"levels_once", {STIFF, .lower = PETSC_TRUE, .ranks = 1, .ahead = 1, .row = 12}},
    {"levels_once", {STIFF, .lower = PETSC_TRUE, .ranks = 2, .ahead = 1, .row = 12}},
    {"levels", {STIFF, .lower = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 12}},
    {"hypre", {STIFF, .lower = PETSC_TRUE, .ranks = 1, .ahead = 1, .row = 7}},
    {"multigrid", {STIFF, .lower = PETSC_TRUE, .vectors = PETSC_TRUE, .ranks = 1, .ahead = 1, .row = 24}},
    {"hypre", {STIFF, .lower = PETSC_TRUE, .ranks = 1, .ahead = 1, .row = 12}},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(at); ++i) {
    at[i].facts.dim    = 2;
    at[i].facts.degree = i == 3 ? 1 : 2;
    at[i].facts.levels = i == 5 ? 4 : 0.5; /* slender cells, as the last one has, are not for it */
  }
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(at), at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Convection in the plane is iterated with where few solves share a matrix: of many ahead, too, if steps of free size make it anew. */
static PetscErrorCode test_convection_in_the_plane_is_for_few_solves_with_a_matrix(void)
{
#define CONVECTION                                                                                                     \
  .n = 100000, .dim = 2, .degree = 1, .unknowns = 1, .ranks = 1, .row = 7, .kept = PETSC_TRUE, .stored = PETSC_TRUE,   \
  .rows = PETSC_TRUE, .convective = PETSC_TRUE
  static const MeetCase at[] = {
    {"convective_plane", {CONVECTION, .ahead = 20, .each = 20}},
    {"convective_plane", {CONVECTION, .ahead = 40, .each = 20}},
    {"indefinite", {CONVECTION, .ahead = 40, .each = 21}},
    {"indefinite", {CONVECTION, .ahead = 21}},
  };

  PetscFunctionBegin;
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(at), at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of free size make a matrix anew after some solves, each time with its set-up. */
static PetscErrorCode test_matrices_that_steps_make_anew_are_paid_for(void)
{
  RungSystem      sys;
  RungSolverFacts once, anew;
  Vec             v[2];
  Mat             J;

  PetscFunctionBegin;
  PetscCall(system_create("tetrahedron", 3, 16, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(vecs_create(sys, 2, v));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, v, (PetscReal[]){1, 1}, J));
  PetscCall(vecs_destroy(2, v));
  PetscCall(RungSystemSetSolvesAhead(sys, 40, 0));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &once));
  PetscCall(RungSolverMeasured(sys, J, 4000, &once));
  PetscCall(RungSystemSetSolvesAhead(sys, 40, 8));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &anew));
  PetscCall(RungSolverMeasured(sys, J, 4000, &anew));
  CHECK(anew.factors > 1.5 * once.factors && anew.simple < 1.1 * once.simple);
  if (once.ranks == 1) CHECK(!strcmp(RungSolverFind(&once, NULL)->name, "factors")); /* which are dearer on several */
  CHECK(strcmp(RungSolverFind(&anew, NULL)->name, "factors") != 0);
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the plane slender cells make levels of degree 2 dear before any iteration, and up to ten times as many entries as in space are factored
   where nothing else has solved. */
static PetscErrorCode test_the_plane_knows_slender_cells_and_small_fronts(void)
{
  PetscFunctionBegin;
  for (PetscInt dim = 2; dim <= 3; ++dim) {
    RungSystem      sys;
    RungSolverFacts facts[2];
    RungSolverKind  next;
    Mat             J;

    PetscCall(system_create(dim == 2 ? "quadrilateral" : "hexahedron", dim, 4, "Q2", &sys));
    PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx"));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(RungSystemCreateMat(sys, &J));
    PetscCall(RungSystemSetSolvesAhead(sys, 1, 0));
    for (int i = 0; i < 2; ++i) {
      sys->slender = i ? 50 : 1;
      PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts[i]));
      facts[i].n = 60000;
      PetscCall(RungSolverMeasured(sys, J, PETSC_INFINITY, &facts[i]));
    }
    CHECK(dim == 2 ? facts[1].levels > 2 * facts[0].levels : facts[1].levels == facts[0].levels);
    sys->global = 300000; /* as if it were so large */
    CHECK(RungSolverIsFollowed(sys, RUNG_BY_GAMG, PETSC_FALSE, &next) == (dim == 2 ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fill of ICC is for more than one solve in space. */
static PetscErrorCode test_fill_is_not_for_one_solve(void)
{
  MeetCase at[] = {
    {"rows", {STIFF, .ranks = 1, .ahead = 1, .row = 15}},
    {"short_rows", {STIFF, .ranks = 1, .ahead = 2, .row = 15}},
    {"rows", {STIFF, .ranks = 1, .ahead = 2, .row = 20.5}},
    {"short_rows", {STIFF, .ranks = 1, .ahead = 1, .row = 15}},
  };

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) at[i].facts.simple = 0.5;
  at[3].facts.dim = 2;
  at[3].facts.n   = 30000;
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(at), at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Trials of lines end after some 30 iterations, and ICC by layers has a level of fill on short rows alone. */
static PetscErrorCode test_lines_are_tried(void)
{
  const RungSolverFacts facts[] = {{STIFF, .lined = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 15},
                                   {STIFF, .lined = PETSC_TRUE, .ranks = 1, .ahead = 20, .row = 30}};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    const RungSolverRow *row = RungSolverFind(&facts[i], NULL);

    CHECK(row->kind == RUNG_BY_ICC && row->most == 30 && row->levels == !i);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its mass is solved with two or three times, which factors do not pay for, in the plane either; few entries are factored. */
static PetscErrorCode test_a_start_with_its_mass_is_iterated(void)
{
  static const MeetCase at[] = {
    {"mass_start", {.n = 10000, .dim = 2, .degree = 1, .stored = PETSC_TRUE, .mass = PETSC_TRUE, .start = PETSC_TRUE}},
    {"mass_start", {.n = 3001, .dim = 2, .degree = 1, .stored = PETSC_TRUE, .mass = PETSC_TRUE, .start = PETSC_TRUE}},
    {"few", {.n = 3000, .dim = 2, .degree = 1, .stored = PETSC_TRUE, .mass = PETSC_TRUE, .start = PETSC_TRUE}},
    {"line", {.n = 10000, .dim = 2, .degree = 1, .stored = PETSC_TRUE, .mass = PETSC_TRUE, .start = PETSC_FALSE}},
    {"line", {.n = 10000, .dim = 2, .degree = 1, .stored = PETSC_TRUE, .mass = PETSC_FALSE, .start = PETSC_TRUE}},
    {"mass", {.n = 10000, .dim = 3, .degree = 1, .stored = PETSC_TRUE, .mass = PETSC_TRUE, .start = PETSC_FALSE}},
    {"start", {.n = 10000, .dim = 3, .degree = 1, .stored = PETSC_TRUE, .mass = PETSC_FALSE, .start = PETSC_TRUE}},
  };

  PetscFunctionBegin;
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(at), at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constraints that are differentiated have a Schur complement where fronts are large, and factors else. */
static PetscErrorCode test_a_start_with_constraints_is_split(void)
{
#define FLOW                                                                                                           \
  .dim = 3, .degree = 2, .unknowns = 2, .stored = PETSC_TRUE, .saddle = PETSC_TRUE, .split = PETSC_TRUE,               \
  .start                     = PETSC_TRUE
  static const MeetCase at[] = {
    {"saddle_start", {FLOW, .n = 100001, .constraints = PETSC_TRUE}},
    {"indefinite", {FLOW, .n = 100000, .constraints = PETSC_TRUE}},
    {"indefinite", {FLOW, .n = 200001, .constraints = PETSC_FALSE}},
  };

  PetscFunctionBegin;
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(at), at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method on a vector in space: factors of few entries, but of what moves and is dear to factor. */
static PetscErrorCode test_what_moves_is_not_factored(void)
{
#define NEWTON                                                                                                         \
  .dim = 3, .degree = 1, .unknowns = 1, .row = 81, .newton = PETSC_TRUE, .definite = PETSC_TRUE, .stored = PETSC_TRUE
  static const MeetCase at[] = {
    {"start", {NEWTON, .n = 20000, .vectors = PETSC_TRUE}},
    {"once", {NEWTON, .n = 20001, .vectors = PETSC_TRUE}},
    {"once", {NEWTON, .n = 3001, .vectors = PETSC_TRUE, .moving = PETSC_TRUE}},
    {"few", {NEWTON, .n = 3000, .vectors = PETSC_TRUE, .moving = PETSC_TRUE}},
    {"start", {NEWTON, .n = 20000, .vectors = PETSC_TRUE, .moving = PETSC_TRUE, .start = PETSC_TRUE}},
    {"once", {NEWTON, .n = 20000, .vectors = PETSC_FALSE}},
  };

  PetscFunctionBegin;
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(at), at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An elastic body whose matrix is not there yet. */
#define BODY                                                                                                           \
  .ranks = 1, .unknowns = 1, .kept = PETSC_TRUE, .definite = PETSC_TRUE, .stored = PETSC_TRUE, .vectors = PETSC_TRUE,  \
  .free = PETSC_TRUE

/* Products by kernels stand for a matrix where multigrid solves a few times, and for many solves where these kernels have a higher degree
   and vectors of four numbers. */
static PetscErrorCode test_elastic_bodies_do_without_a_matrix(void)
{
  static const MeetCase at[] = {
    {"levels_first", {BODY, .lower = PETSC_TRUE, .dim = 3, .n = 20000, .degree = 1, .lanes = 0, .ahead = 19}},
    {"kept", {BODY, .lower = PETSC_TRUE, .dim = 3, .n = 20000, .degree = 1, .lanes = 8, .ahead = 20}},
    {"levels_first", {BODY, .lower = PETSC_TRUE, .dim = 3, .n = 20000, .degree = 2, .lanes = 4, .ahead = 20}},
    {"levels_first", {BODY, .lower = PETSC_TRUE, .dim = 3, .n = 20000, .degree = 2, .lanes = 4, .ahead = 1000}},
    {"kept", {BODY, .lower = PETSC_TRUE, .dim = 3, .n = 20000, .degree = 2, .lanes = 3, .ahead = 20}},
    {"levels_first", {BODY, .lower = PETSC_TRUE, .dim = 3, .n = 20000, .degree = 2, .lanes = 0, .ahead = 19}},
    {"kept", {BODY, .lower = PETSC_TRUE, .dim = 3, .n = 19999, .degree = 2, .lanes = 4, .ahead = 1}},
    {"kept", {BODY, .lower = PETSC_TRUE, .dim = 2, .n = 20001, .degree = 2, .lanes = 4, .ahead = 1}},
    {"kept", {BODY, .lower = PETSC_FALSE, .dim = 3, .n = 20000, .degree = 2, .lanes = 4, .ahead = 1}},
  };
  MeetCase other = at[2];

  PetscFunctionBegin;
  PetscCall(check_cases(PETSC_STATIC_ARRAY_LENGTH(at), at));
  other.row        = "kept";
  other.facts.free = PETSC_FALSE;
  PetscCall(check_cases(1, &other));
  other               = at[2];
  other.row           = "kept"; /* a scalar, of which so many entries are few */
  other.facts.vectors = PETSC_FALSE;
  PetscCall(check_cases(1, &other));
  other.facts.vectors = other.facts.measured = PETSC_TRUE;
  CHECK(strcmp(RungSolverFind(&other.facts, NULL)->name, "levels_first") != 0); /* there is a matrix */
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define FOOT  10 /* cells of the thick leg along x, which is .. */
#define THICK 6  /* .. so many wide and high                    */
#define THIN  2  /* cells of the thin leg along x               */
#define TALL  36 /* and where it ends                           */

static PetscBool is_inside(int x, int z)
{
  return x < FOOT && z < TALL && (z < THICK || x >= FOOT - THIN) ? PETSC_TRUE : PETSC_FALSE;
}

/* An L of hexahedra: a thick leg lies, a thin one stands on the end of it; each has 360 cells.  Nodes beside it belong to no cell. */
static PetscErrorCode write_bracket(const char path[])
{
  const int across = FOOT + 1, layer = across * (THICK + 1);
  FILE     *file  = fopen(path, "w");
  int       cells = 0, number[(FOOT + 1) * (THICK + 1) * (TALL + 1)] = {0}, nodes = 0;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "\"%s\" cannot be written", path);
  for (int z = 0; z <= TALL; ++z)
    for (int y = 0; y <= THICK; ++y)
      for (int x = 0; x <= FOOT; ++x) /* a corner of a cell on one of its sides */
        if (is_inside(x, z) || (x && is_inside(x - 1, z)) || (z && is_inside(x, z - 1)) ||
            (x && z && is_inside(x - 1, z - 1)))
          number[z * layer + y * across + x] = ++nodes;
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", nodes);
  for (int i = 0; i < layer * (TALL + 1); ++i)
    if (number[i]) fprintf(file, "%d %d %d %d\n", number[i], i % across, i / across % (THICK + 1), i / layer);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", THICK * (FOOT * THICK + THIN * (TALL - THICK)));
  for (int z = 0; z < TALL; ++z)
    for (int y = 0; y < THICK; ++y)
      for (int x = 0; x < FOOT; ++x) {
        const int *at = number + z * layer + y * across + x, *up = at + layer;

        if (!is_inside(x, z)) continue;
        fprintf(file, "%d 5 2 1 1 %d %d %d %d %d %d %d %d\n", ++cells, at[0], at[1], at[across + 1], at[across], up[0],
                up[1], up[across + 1], up[across]);
      }
  fprintf(file, "$EndElements\n");
  (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cell in the middle of an L is in its thin leg, 2 x 6 cells; the fronts that count are those of the thick one, 6 x 6. */
static PetscErrorCode test_the_width_of_a_bracket_is_that_of_its_thick_part(void)
{
  const PetscReal section = (THICK + 1) * (THICK + 1);
  PetscReal       width, length;

  PetscFunctionBegin;
  PetscCall(width_of_mesh(write_bracket, "bracket", &width, &length));
  CHECK(width > 0.8 * section && width < 1.35 * section);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_lines_are_for_one_rank_and_many_solves),
               RUNG_TEST(test_limits_of_kappa_on_ranks_and_in_the_plane), RUNG_TEST(test_lines_are_tried),
               RUNG_TEST(test_convection_in_the_plane_is_for_few_solves_with_a_matrix),
               RUNG_TEST(test_degrees_have_levels_in_the_plane),
               RUNG_TEST(test_matrices_that_steps_make_anew_are_paid_for),
               RUNG_TEST(test_the_plane_knows_slender_cells_and_small_fronts),
               RUNG_TEST(test_fill_is_not_for_one_solve), RUNG_TEST(test_what_moves_is_not_factored),
               RUNG_TEST(test_a_start_with_its_mass_is_iterated), RUNG_TEST(test_a_start_with_constraints_is_split),
               RUNG_TEST(test_elastic_bodies_do_without_a_matrix),
               RUNG_TEST(test_the_width_of_a_bracket_is_that_of_its_thick_part))
