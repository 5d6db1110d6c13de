/* test_event.c - what may be said of events: numbers of probes and means, jumps of fields, unknowns, numbers with their rates, and constants;
   what is refused. */
#include "events.h"
#include <rungrecord.h>

static PetscErrorCode interval(PetscInt cells, const char space[], RungSystem *sys, RungStepper *stepper)
{
  RungMesh  mesh;
  RungSpace of;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){cells}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, space, &of));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", of));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSpaceDestroy(&of));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bar of length 1 and wave speed 1 flies onto a wall at 0.1 from its tip: the tip stays there while a wave runs to the other
   end and back, 2, and the bar flies off as fast as it came. */
static PetscErrorCode test_a_bar_hits_a_wall_by_events_on_its_tip(void)
{
  RungSystem       sys;
  RungStepper      stepper;
  const PetscReal *touch, *leave;
  PetscReal        momentum;
  PetscInt         n, m;

  PetscFunctionBegin;
  PetscCall(interval(check_alone() ? 64 : 32, "P1", &sys, &stepper));
  PetscCall(RungSystemSetConstant(sys, "wall", 0));
  PetscCall(RungSystemAddResidual(sys, "dt(u, 2)*v*dx + grad(u)[0]*grad(v)[0]*dx"));
  PetscCall(RungSystemAddResidual(sys, "wall*50*(u + 0.1)*v*ds(left)"));
  PetscCall(RungSystemSetInitial(sys, "dt(u)", "-1"));
  PetscCall(RungSystemAddProbe(sys, "tip", "u", (PetscReal[]){0}));
  PetscCall(RungSystemAddQuantity(sys, "momentum", "dt(u)*dx"));
  PetscCall(RungStepperSetMethod(stepper, "chung_hulbert"));
  PetscCall(RungStepperSetInterval(stepper, 0, 3, 0.01));
  PetscCall(RungStepperAddEvent(stepper, "touch", &(RungEvent){.text = "tip + 0.1", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSetEventJump(stepper, "touch", "wall", "1"));
  PetscCall(RungStepperAddEvent(stepper, "leave", &(RungEvent){.text = "tip + 0.1", .direction = RUNG_RISING}));
  PetscCall(RungStepperSetEventJump(stepper, "leave", "wall", "0"));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "touch", &n, &touch));
  PetscCall(RungStepperGetEvent(stepper, "leave", &m, &leave));
  PetscCall(RungStepperGetQuantity(stepper, "momentum", &momentum));
  CHECK(n == 1 && m == 1);
  CHECK_NEAR(touch[0], 0.1, 1e-10);
  CHECK_NEAR(leave[0], 2.1, check_alone() ? 0.05 : 0.2);
  CHECK_NEAR(momentum, 1, 0.05);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F| at each level that a monitor sees, a jump's too */
static PetscErrorCode watch_rates(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  RungSystem sys;
  Vec        r;
  PetscReal  norm, *most = (PetscReal *)ctx;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemCreateVec(sys, &r));
  PetscCall(RungSystemResidual(sys, t, u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  *most = PetscMax(*most, norm);
  ++most[1];
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Heat with an edge that moves: at half its mean of u = t everything is halved but the edge, rates fit, a sum of a rate goes on. */
static PetscErrorCode test_fields_jump_beside_moving_data(void)
{
  RungSystem       sys;
  RungStepper      stepper;
  const PetscReal *t;
  const PetscReal  end     = check_alone() ? 1 : 0.52;
  PetscReal        most[2] = {0, 0}, left, mean, sum;
  PetscInt         n;

  PetscFunctionBegin;
  PetscCall(interval(8, "P2", &sys, &stepper));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + grad(u)[0]*grad(v)[0]*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "t"));
  PetscCall(RungSystemAddQuantity(sys, "mean", "u*dx"));
  PetscCall(RungSystemAddRate(sys, "sum", "1*dx"));
  PetscCall(RungSystemAddProbe(sys, "edge", "u", (PetscReal[]){0}));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(stepper, 0, end, 0.05));
  PetscCall(RungStepperSetTolerances(stepper, 1e-7, 1e-9));
  PetscCall(RungStepperAddEvent(stepper, "half", &(RungEvent){.text = "mean - 0.25", .direction = RUNG_RISING}));
  PetscCall(RungStepperSetEventJump(stepper, "half", "u", "u/2"));
  PetscCall(RungStepperAddEvent(stepper, "sum", &(RungEvent){.text = "sum - 0.77"}));
  PetscCall(RungStepperAddMonitor(stepper, watch_rates, most));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "sum", &n, &t));
  CHECK(n == (end > 0.77));
  if (n) CHECK_NEAR(t[0], 0.77, 1e-13);
  PetscCall(RungStepperGetEvent(stepper, "half", &n, &t));
  CHECK((end < 1 ? n > 0 : n == 12) && t[0] > 0.48 && t[0] < 0.49);
  PetscCall(RungStepperGetQuantity(stepper, "edge", &left));
  PetscCall(RungStepperGetQuantity(stepper, "mean", &mean));
  PetscCall(RungStepperGetQuantity(stepper, "sum", &sum));
  CHECK_NEAR(left, end, 1e-14);
  CHECK_NEAR(sum, end, 1e-12);
  CHECK(mean > 0.1 && mean < 0.25);
  CHECK(most[0] < 1e-9 && most[1] > 5);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two numbers p, q in R and a vector on points: all right sides are values before the event, numbers made of them, too. */
static PetscErrorCode test_right_sides_are_values_before_the_event(void)
{
  static const char *const name[] = {"u", "p", "q"}, *const space[] = {"P0^2", "R", "R"},
                           *const start[] = {"vector(1, 2)", "3", "4"};
  RungStepper                     stepper;
  RungSystem                      sys;
  PetscReal                       x, y, p, q, c;
  RungMesh                        points;
  RungSpace                       of;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, 1));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  for (PetscInt f = 0; f < 3; ++f) {
    PetscCall(RungSpaceCreate(points, space[f], &of));
    PetscCall(RungSystemAddUnknown(sys, name[f], (const char *[]){"v", "a", "b"}[f], of));
    PetscCall(RungSpaceDestroy(&of));
    PetscCall(RungSystemSetInitial(sys, name[f], start[f]));
  }
  PetscCall(RungSystemSetConstant(sys, "c", 5));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + (dt(p)*a + dt(q)*b)*dR"));
  PetscCall(RungSystemAddProbe(sys, "at", "u", (PetscReal[]){0}));
  PetscCall(RungSystemAddProbe(sys, "now", "c", (PetscReal[]){0}));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetMethod(stepper, "trbdf2"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.2));
  PetscCall(RungStepperAddNumber(stepper, "product", "p*q"));
  PetscCall(RungStepperAddNumber(stepper, "late", "t - 0.3 + 0*product"));
  PetscCall(RungStepperAddEvent(stepper, "swap", &(RungEvent){.text = "late"}));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "u[0]", "u[1] + c"));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "u[1]", "u[0]"));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "p", "q + c"));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "q", "p"));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "c", "c + product"));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "at[0]", &x));
  PetscCall(RungStepperGetQuantity(stepper, "at[1]", &y));
  PetscCall(RungStepperGetQuantity(stepper, "p", &p));
  PetscCall(RungStepperGetQuantity(stepper, "q", &q));
  PetscCall(RungStepperGetQuantity(stepper, "now", &c));
  CHECK(x == 7 && y == 1 && p == 9 && q == 3 && c == 17);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode not_a_number(RungStepper stepper, PetscReal t, const Vec u[], PetscReal *g, void *ctx)
{
  (void)stepper, (void)t, (void)u, (void)ctx;
  *g = NAN;
  return PETSC_SUCCESS;
}

/* One event more, and SetUp or Solve says what is wrong with it. */
static PetscErrorCode check_refused(const RungEvent *event, const char target[], const char text[],
                                    const char message[])
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(relay(18, 22, 1, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "more", event));
  if (target) PetscCall(RungStepperSetEventJump(stepper, "more", target, text));
  CHECK_RAISES(RungStepperSolve(stepper), message);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_wrong_is_said(void)
{
  const RungEvent good = {.text = "room - 20"};
  RungStepper     stepper;

  PetscFunctionBegin;
  PetscCall(relay(18, 22, 1, &stepper));
  CHECK_RAISES(RungStepperAddEvent(stepper, "warm", &good), "there is an event \"warm\" already");
  CHECK_RAISES(RungStepperAddEvent(stepper, "x", &(RungEvent){.tol = 1}), "neither a text nor a function");
  CHECK_RAISES(RungStepperAddEvent(stepper, "x", &(RungEvent){.text = "t", .tol = -1}), "tolerance -1");
  CHECK_RAISES(RungStepperSetEventJump(stepper, "wram", "on", "1"), "did you mean \"warm\"");
  CHECK_RAISES(RungStepperSetEventJump(stepper, "warm", "on", "1"), "changes \"on\" twice");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(check_refused(&(RungEvent){.text = "T - 20"}, NULL, NULL,
                          "event more: \"T - 20\" holds \"T\", an unknown with values at many places"));
  PetscCall(check_refused(&(RungEvent){.text = "rom - 20"}, NULL, NULL, "event more, column 1"));
  PetscCall(check_refused(&(RungEvent){.text = "x[0] - 1"}, NULL, NULL, "holds x; wanted quantities"));
  PetscCall(check_refused(&good, "dt(T)", "1", "its rate follows from the equations; change \"T\""));
  PetscCall(check_refused(&good, "S", "1", "\"S\" is no unknown"));
  PetscCall(check_refused(&good, "T", "vector(1, 2)", "has rank 1, wanted the shape"));
  PetscCall(check_refused(&(RungEvent){.fn = not_a_number}, NULL, NULL, "its function\" is not finite at t = 0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode number_at_end(RungStepper stepper, PetscReal *y)
{
  const RungState *state;
  RungSystem       sys;

  PetscFunctionBegin;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(sys, state->t, state->u, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number y in R, y = 1 - 2 t up to t = 0.25, where the target gets the text; order 2: y'' = -a, a = 0 at first. */
static PetscErrorCode jump_number(PetscInt order, const char target[], const char text[], RungStepper *stepper)
{
  static const char *const name[] = {"y"}, *const space[] = {"R"}, *const start[] = {"1"};
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(points_create(1, name, space, start, order == 2 ? "(dt(y, 2) + a)*v*dR" : "(dt(y) + 2 + a)*v*dR", stepper));
  PetscCall(RungStepperGetSystem(*stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "a", 0));
  if (order == 2) PetscCall(RungSystemSetInitial(sys, "dt(y)", "-2"));
  PetscCall(RungStepperSetMethod(*stepper, "rk4"));
  PetscCall(RungStepperSetInterval(*stepper, 0, 1, 0.1));
  PetscCall(RungStepperAddEvent(*stepper, "half", &(RungEvent){.text = "y - 1/2", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSetEventJump(*stepper, "half", target, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rates_of_numbers_are_those_before_the_event(void)
{
  static const struct {
    PetscInt    order;
    const char *target, *text;
    PetscReal   end;
  } row[] = {{2, "dt(y)", "-2*y*dt(y)", 2},   {2, "y", "y + dt(y^2)", -3},         {2, "a", "dt(y)", -0.4375},
             {2, "y", "y + dt(t*dt(y))", -3}, {2, "dt(y)", "dt(y, 2) - y", 0.125}, {1, "y", "y - dt(y)", 1},
             {1, "a", "t*dt(y) + 1/2", -1}};
  RungStepper stepper;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    PetscReal y;

    PetscCall(jump_number(row[i].order, row[i].target, row[i].text, &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(number_at_end(stepper, &y));
    if (!(fabs(y - row[i].end) < 1e-10)) fprintf(stderr, "%s = %s: %.10g\n", row[i].target, row[i].text, y);
    CHECK_NEAR(y, row[i].end, 1e-10);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscCall(jump_number(1, "y", "dt(y, 2)", &stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "order 2 of the number \"y\", which is known up to order 1");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(jump_number(2, "y", "1", &stepper));
  PetscCall(RungStepperAddEvent(stepper, "top", &(RungEvent){.text = "1 + dt(y)"}));
  CHECK_RAISES(RungStepperSolve(stepper), "order 1 of the number \"y\", which is known up to order 0 here");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A pendulum falls through -0.6 in steps of 1/7 of its period, between which values are off by percents of it; `clock` beside it. */
static PetscErrorCode fall(const char method[], PetscReal clock, PetscReal *low, PetscReal *at, PetscReal *met)
{
  const char      *text = strcmp(method, "ssp33") && strcmp(method, "bdf2") ? "dt(u, 2)*v*dx + 4*pi^2*u*v*dx"
                                                                            : "(dt(u) - w)*v*dx + (dt(w) + 4*pi^2*u)*q*dx";
  RungSystem       sys;
  RungStepper      stepper;
  RungSpace        space;
  const PetscReal *t;
  PetscInt         n;

  PetscFunctionBegin;
  PetscCall(interval(1, "P0", &sys, &stepper));
  if (text[0] == '(') {
    PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
    PetscCall(RungSystemAddUnknown(sys, "w", "q", space));
  }
  PetscCall(RungSystemAddResidual(sys, text));
  PetscCall(RungSystemSetInitial(sys, "u", "1"));
  PetscCall(RungSystemAddQuantity(sys, "u", "u*dx"));
  PetscCall(RungSystemSetConstant(sys, "clock", clock));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.6, 1. / 7));
  PetscCall(RungStepperAddEvent(stepper, "low", &(RungEvent){.text = "u + 0.6", .stop = clock > 0 ? 2 : 1}));
  if (clock > 0) PetscCall(RungStepperAddEvent(stepper, "clock", &(RungEvent){.text = "t - clock", .stop = 1}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "u", at));
  PetscCall(RungStepperGetEvent(stepper, "low", &n, &t));
  *low = n ? t[0] : -1;
  if (clock > 0) {
    PetscCall(RungStepperGetEvent(stepper, "clock", &n, &t));
    CHECK(n == 1);
    *met = t[0];
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The level at an event has g = 0, however far off values between levels are, and of two that are near each other each has its time. */
static PetscErrorCode test_events_are_where_levels_have_them(void)
{
  static const char *const method[] = {"rodas3", "ssp33", "bdf2", "chung_hulbert", "bathe"};

  PetscFunctionBegin;
  for (size_t m = 0; m < (check_alone() ? PETSC_STATIC_ARRAY_LENGTH(method) : 2); ++m) {
    PetscReal low, at, met = 0, before;

    PetscCall(fall(method[m], 0, &low, &at, NULL));
    CHECK_NEAR(at, -0.6, 1e-13);
    for (int i = 1; i < 6; ++i) {
      for (int side = -1; side < 2; side += 2) {
        const PetscReal clock = low + side * pow(10, -i);

        PetscCall(fall(method[m], clock, &before, &at, &met));
        CHECK_NEAR(met, clock, 1e-15);
        CHECK((before > 0) == (side > 0));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_rates_of_numbers_are_those_before_the_event),
               RUNG_TEST(test_a_bar_hits_a_wall_by_events_on_its_tip), RUNG_TEST(test_fields_jump_beside_moving_data),
               RUNG_TEST(test_right_sides_are_values_before_the_event),
               RUNG_TEST(test_events_are_where_levels_have_them), RUNG_TEST(test_what_is_wrong_is_said))
