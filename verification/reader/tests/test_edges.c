/* test_edges.c - the cases that are easily got wrong, for every registered method: constant states held by non-zero
   Dirichlet values (order 1 and 2 in time), and moving Dirichlet data that the method integrates exactly. */
#include "check.h"
#include <rungmethod.h>
#include "problems.h"

static PetscErrorCode run_study(const char problem[], const char type[], const char method[], PetscInt n,
                                const PetscReal ladder[], PetscReal error[], PetscReal order[3])
{
  RungStudy        study;
  PetscInt         levels;
  const PetscReal *dt, *found;

  PetscFunctionBegin;
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
  PetscCall(RungStudySetCase(study, problem));
  PetscCall(RungStudySetLadder(study, n, ladder));
  PetscCall(RungStudySetStepper(study, type, method));
  PetscCall(RungStudyRun(study));
  PetscCall(RungStudyGetResults(study, &levels, &dt, &found, &order[0], &order[1], &order[2]));
  for (PetscInt i = 0; i < n; ++i) error[i] = found[i];
  PetscCall(RungStudyDestroy(&study));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_constant_state_stays_for_every_method(void)
{
  const char *const *type, *const *method;
  PetscInt  n;
  PetscReal error[1], order[3];

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    error[0] = 0;
    if (plan.can & RUNG_CAN_ORDER1) {
      PetscCall(run_study("steady_edge", type[i], method[i], 1, (PetscReal[]){0.25}, error, order));
      if (!(error[0] <= 1e-12)) fprintf(stderr, "steady_edge with %s %s: %g\n", type[i], method[i], (double)error[0]);
      CHECK(error[0] <= 1e-12);
    }
    if (!(plan.can & RUNG_CAN_ORDER2) || plan.limited) continue; /* steps of 0.25 are refused there */
    PetscCall(run_study("steady_wave", type[i], method[i], 1, (PetscReal[]){0.25}, error, order));
    if (!(error[0] <= 1e-12)) fprintf(stderr, "steady_wave with %s %s: %g\n", type[i], method[i], (double)error[0]);
    CHECK(error[0] <= 1e-12);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = (1 + x) t^p with moving edges: every method of stage order 1 or more is exact for p = 1. */
static PetscErrorCode test_a_linear_growth_with_moving_edges_is_exact_for_every_method(void)
{
  const char *const *type, *const *method;
  PetscInt  n;
  PetscReal error[1], order[3];

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  PetscCall(PetscOptionsSetValue(NULL, "-system_p", "1"));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    if (!(plan.can & RUNG_CAN_ORDER1) || !plan.solves) continue; /* steps of 0.25 are beyond explicit ones */
    PetscCall(run_study("power_edge", type[i], method[i], 1, (PetscReal[]){0.25}, error, order));
    if (!(error[0] <= 1e-12))
      fprintf(stderr, "power_edge, p = 1, with %s %s: %g\n", type[i], method[i], (double)error[0]);
    CHECK(error[0] <= 1e-12);
  }
  PetscCall(PetscOptionsClearValue(NULL, "-system_p"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_quadratic_growth_is_exact_where_the_stages_are_of_order_two(void)
{
  const char *const method[] = {"trapezoid", "trbdf2", "esdirk32", "esdirk43", "esdirk54"};
  PetscReal         error[1], order[3];

  PetscFunctionBegin;
  for (int i = 0; i < 5; ++i) {
    PetscCall(run_study("power_edge", RUNGDIRK, method[i], 1, (PetscReal[]){0.25}, error, order));
    CHECK(error[0] <= 1e-12);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same on other cells and degrees: each method with the highest power that it integrates exactly (alpha with rho_inf = 1). */
static PetscErrorCode test_moving_edges_are_exact_on_every_cell_and_degree(void)
{
  static const char *const mesh[][2] = {
    {"interval", "3"}, {"quadrilateral", "2,3"}, {"tetrahedron", "1,2,1"}, {"hexahedron", "2,1,2"}};
  static const char *const space[] = {"CG1", "CG2"};
  static const struct {
    const char *type, *method, *p;
  } row[] = {{RUNGDIRK, "euler", "1"},  {RUNGDIRK, "midpoint", "1"},      {RUNGDIRK, "trapezoid", "2"},
             {RUNGDIRK, "trbdf2", "2"}, {RUNGDIRK, "esdirk43", "2"},      {RUNGBDF, "bdf1", "1"},
             {RUNGBDF, "bdf2", "2"},    {RUNGALPHA, "chung_hulbert", "2"}};
  PetscReal error[1], order[3];

  PetscFunctionBegin;
  for (int i = 0; i < 8; ++i) {
    PetscCall(PetscOptionsSetValue(NULL, "-mesh_cell", mesh[i / 2][0]));
    PetscCall(PetscOptionsSetValue(NULL, "-mesh_count", mesh[i / 2][1]));
    PetscCall(PetscOptionsSetValue(NULL, "-space_u", space[i % 2]));
    for (size_t j = 0; j < sizeof row / sizeof row[0]; ++j) {
      if (strcmp(row[j].type, RUNGALPHA))
        PetscCall(PetscOptionsClearValue(NULL, "-stepper_rho_inf"));
      else
        PetscCall(PetscOptionsSetValue(NULL, "-stepper_rho_inf", "1"));
      PetscCall(PetscOptionsSetValue(NULL, "-system_p", row[j].p));
      PetscCall(run_study("power_edge", row[j].type, row[j].method, 1, (PetscReal[]){0.25}, error, order));
      if (!(error[0] <= 1e-12))
        fprintf(stderr, "%s %s on %s: %g\n", row[j].method, space[i % 2], mesh[i / 2][0], (double)error[0]);
      CHECK(error[0] <= 1e-12);
    }
  }
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_rho_inf"));
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_cell"));
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_count"));
  PetscCall(PetscOptionsClearValue(NULL, "-space_u"));
  PetscCall(PetscOptionsClearValue(NULL, "-system_p"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Orders with moving data, L2, over four levels; the stage-order limit of ESDIRK methods is about 4 with boundary
   values integrated through the stages. */
static PetscErrorCode test_moving_edges_keep_the_order(void)
{
  const struct {
    const char *problem, *type, *method;
    PetscReal   order, slack, first; /* first: the largest step of four, where the errors are asymptotic */
  } row[] = {
    {"moving_edge", RUNGDIRK, "euler", 1, 0.1, 0.01},     {"moving_edge", RUNGDIRK, "trapezoid", 2, 0.15, 0.01},
    {"moving_edge", RUNGDIRK, "midpoint", 2, 0.15, 0.01}, {"moving_edge", RUNGDIRK, "alexander2", 2, 0.15, 0.01},
    {"moving_edge", RUNGDIRK, "trbdf2", 2, 0.15, 0.01},   {"moving_edge", RUNGDIRK, "alexander3", 2.9, 0.25, 0.05},
    {"moving_edge", RUNGDIRK, "esdirk32", 3, 0.25, 0.05}, {"moving_edge", RUNGDIRK, "esdirk43", 3.9, 0.2, 0.1},
    {"moving_edge", RUNGDIRK, "esdirk54", 4.3, 0.4, 0.1}, {"moving_edge", RUNGBDF, "bdf1", 1, 0.1, 0.01},
    {"moving_edge", RUNGBDF, "bdf2", 2, 0.15, 0.02},      {"moving_edge", RUNGALPHA, "chung_hulbert", 2, 0.15, 0.02},
    {"moving_bar", RUNGALPHA, "newmark", 2, 0.1, 0.1},    {"moving_bar", RUNGALPHA, "chung_hulbert", 2, 0.1, 0.1},
    {"moving_bar", RUNGALPHA, "hht", 2, 0.1, 0.1},        {"moving_bar", RUNGALPHA, "wbz", 2, 0.1, 0.1},
    {"moving_bar", RUNGDIRK, "trbdf2", 2, 0.15, 0.05},    {"moving_bar", RUNGBDF, "bdf2", 2, 0.2, 0.025},
    {"moving_bar", RUNGDIRK, "esdirk43", 4, 0.4, 0.05},   {"moving_bar", RUNGDIRK, "trapezoid", 2, 0.1, 0.05},
  };
  PetscReal error[4], order[3];

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
    const PetscReal h = row[i].first, ladder[] = {h, h / 2, h / 4, h / 8};

    PetscCall(run_study(row[i].problem, row[i].type, row[i].method, 4, ladder, error, order));
    if (PetscAbsReal(order[0] - row[i].order) > row[i].slack) {
      fprintf(stderr, "%s with %s %s: order %g [%g, %g], errors %g %g %g %g\n", row[i].problem, row[i].type,
              row[i].method, (double)order[0], (double)order[1], (double)order[2], (double)error[0], (double)error[1],
              (double)error[2], (double)error[3]);
    }
    CHECK_NEAR(order[0], row[i].order, row[i].slack);
    CHECK(order[1] <= row[i].order + row[i].slack && order[2] >= row[i].order - row[i].slack);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_problems_are_there), RUNG_TEST(test_a_constant_state_stays_for_every_method),
               RUNG_TEST(test_a_linear_growth_with_moving_edges_is_exact_for_every_method),
               RUNG_TEST(test_a_quadratic_growth_is_exact_where_the_stages_are_of_order_two),
               RUNG_TEST(test_moving_edges_are_exact_on_every_cell_and_degree),
               RUNG_TEST(test_moving_edges_keep_the_order))
