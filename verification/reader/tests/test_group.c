/* test_group.c - several systems of one run: orders of the ways to couple them, what they share, restart, what is refused. */
#include "files.h"

/* y' = -z, z' = y: a turn. */
#define TURN(coupling, method)                                                                                         \
  "points 2\ncoupling " coupling "\ntime 0 1 0.25\nmethod " method "\n"                                                \
  "system one\nunknown y v P0\ncouple w two.z\ninitial y 1\nresidual (dt(y) + w)*v*dx\nprobe y 0 y\n"                  \
  "exact y cos(t)\nrate turned y*dx\n"                                                                                 \
  "system two\nunknown z v P0\ncouple y one.y\nresidual (dt(z) - y)*v*dx\nprobe z 0 z\nexact z sin(t)\n"

/* One rank: what is the same on several ones, point by point, is not done again there. */
static PetscBool is_alone(void)
{
  PetscMPIInt ranks;

  return !MPI_Comm_size(PETSC_COMM_WORLD, &ranks) && ranks == 1 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode run_group(const char text[], RungProblem *problem)
{
  RungExit    status;
  const char *found;

  PetscFunctionBegin;
  PetscCall(read_text(text, problem));
  PetscCall(RungProblemRun(*problem, &status));
  PetscCall(RungProblemGetMistakes(*problem, NULL, &found));
  if (found[0] || status) fprintf(stderr, "status %d %s\n", (int)status, found);
  CHECK(!found[0] && status == RUNG_EXIT_DONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest error of the members at the end. */
static PetscErrorCode error_of(const char text[], PetscReal *error)
{
  RungProblem problem;
  PetscReal   one;

  PetscFunctionBegin;
  *error = 0;
  PetscCall(run_group(text, &problem));
  for (PetscInt i = 0; i < RungMembers(problem); ++i) {
    PetscCall(RungExactError(RungMemberAt(problem, i), &one));
    *error = PetscMax(*error, one);
  }
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_in_time_are_those_of_the_schemes(void)
{
  const struct {
    const char *text[2];
    PetscReal   order, most;
  } row[] = {{{TURN("explicit 0.2", "esdirk43"), TURN("explicit 0.1", "esdirk43")}, 1, 0.14},
             {{TURN("lie 0.2", "esdirk43"), TURN("lie 0.1", "esdirk43")}, 1, 0.16},
             {{TURN("strang 0.2", "esdirk43"), TURN("strang 0.1", "esdirk43")}, 2, 7e-3},
             {{TURN("strang 0.2", "rodas3"), TURN("strang 0.1", "rodas3")}, 2, 7e-3},
             {{TURN("iterate 0.5 1e-11", "esdirk43"), TURN("iterate 0.25 1e-11", "esdirk43")}, 4, 2e-4}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof row / sizeof row[0] && is_alone(); ++i) {
    PetscReal error[2];

    for (int k = 0; k < 2; ++k) PetscCall(error_of(row[i].text[k], &error[k]));
    CHECK_NEAR(log2(error[0] / error[1]), row[i].order, 0.16);
    CHECK(error[0] < row[i].most);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bar heats up where the other system stretches it: as one system, and as two that are iterated. */
#define BAR            "box interval 6\nconstant k 0.5\ntime 0 0.5 0.1\n"
#define HEAT           "(dt(T)*s + inner(grad(T), grad(s)) + k*dt(u)*s - s)*dx"
#define STRETCH        "(dt(u)*w + inner(grad(u), grad(w)) - k*T*w)*dx"
#define BAR_AND_METHOD "box interval 6\nconstant k 0.5\ncoupling strang 0.1\nmethod esdirk43\n"
#define TOGETHER(hot, pulled)                                                                                          \
  "unknown T s P1\nunknown u w P1\nresidual " HEAT "\nresidual " STRETCH "\n" hot pulled "probe T 1 T\nprobe u 1 u\n"
#define APART(hot, pulled)                                                                                             \
  "system heat\nunknown T s P1\ncouple u stretch.u\nresidual " HEAT "\n" hot "probe T 1 T\n"                           \
  "system stretch\nunknown u w P1\ncouple T heat.T\nresidual " STRETCH "\n" pulled "probe u 1 u\n"
#define TOGETHER_HELD  TOGETHER("dirichlet T left 0\n", "dirichlet u left 0\n")
#define APART_HELD     APART("dirichlet T left 0\n", "dirichlet u left 0\n")
#define TOGETHER_MOVED TOGETHER("dirichlet T left sin(3*t)\n", "dirichlet u left t^2\n")
#define APART_MOVED    APART("dirichlet T left sin(3*t)\n", "dirichlet u left t^2\n")

static PetscErrorCode compare(const char one[], const char two[], PetscReal allowed)
{
  RungProblem whole, apart;

  PetscFunctionBegin;
  PetscCall(run_group(one, &whole));
  PetscCall(run_group(two, &apart));
  for (PetscInt i = 0; i < 2; ++i) {
    const RungSeries *a = &whole->series, *b = &apart->member[i]->series;

    CHECK_NEAR(b->value[(b->rows - 1) * b->n], a->value[(a->rows - 1) * a->n + i], allowed);
  }
  PetscCall(RungProblemDestroy(&whole));
  PetscCall(RungProblemDestroy(&apart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_iterated_systems_are_one_system(void)
{
  PetscFunctionBegin;
  PetscCall(
    compare(BAR "method euler\n" TOGETHER_HELD, BAR "method euler\ncoupling iterate 0.1 1e-13\n" APART_HELD, 1e-10));
  PetscCall(
    compare(BAR "method euler\n" TOGETHER_MOVED, BAR "method euler\ncoupling iterate 0.1 1e-13\n" APART_MOVED, 1e-10));
  PetscCall(compare(BAR "method esdirk43\n" TOGETHER_HELD,
                    BAR "method esdirk43\ncoupling iterate 0.1 1e-12\n" APART_HELD, 2e-4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = -u + 1 - u^2, terms of one unknown in two systems; u' = -u^2 alone is u/(1 + u t). */
#define SPLIT(coupling)                                                                                                \
  "points 1\ncoupling " coupling "\ntime 0 1 0.05\n"                                                                   \
  "unknown u v P0\ninitial u 2\nprobe u 0 u\nexact u (sqrt(5)*(1 + 0.381966011250105*exp(-sqrt(5)*t))/(1 - "           \
  "0.381966011250105*exp(-sqrt(5)*t)) - 1)/2\n"                                                                        \
  "system linear\nresidual (dt(u) + u - 1)*v*dx\nmethod esdirk43\nsystem square\nresidual (dt(u) + u^2)*v*dx\n"        \
  "method trbdf2\ntolerances 1e-6 1e-9\n"

static PetscErrorCode test_terms_of_one_unknown_are_split(void)
{
  PetscReal error[2];

  PetscFunctionBegin;
  if (!is_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(error_of(SPLIT("lie 0.1"), &error[0]));
  PetscCall(error_of(SPLIT("lie 0.05"), &error[1]));
  CHECK_NEAR(log2(error[0] / error[1]), 1, 0.1);
  PetscCall(error_of(SPLIT("strang 0.1"), &error[0]));
  PetscCall(error_of(SPLIT("strang 0.05"), &error[1]));
  CHECK_NEAR(log2(error[0] / error[1]), 2, 0.1);
  CHECK(error[0] < 1e-3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Windows, steps and references of a run that begins late end where those of others do, whatever rounding makes of their lengths. */
static PetscErrorCode test_a_run_that_begins_late_has_the_windows_of_others(void)
{
  RungCouplingStatistics statistics;
  RungProblem            problem;

  PetscFunctionBegin;
  PetscCall(run_group(
    "points 1\nconstant L 1000000\ncoupling lie 0.1\ntime L L+0.3 0.05\nsystem a\nunknown y v P0\ninitial y 1\n"
    "residual (dt(y) - 1)*v*dx\nprobe y 0 y\nreference y L+0.1 1.1 1e-9\nmethod bdf2\n"
    "system b\nunknown z v P0\ncouple y a.y\nresidual (dt(z) - y)*v*dx\nmethod trbdf2\n",
    &problem));
  PetscCall(RungCouplingGetStatistics(problem->coupling, "b", &statistics));
  CHECK(statistics.windows == 3 && statistics.steps == 6);
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each system has its own steps; a system without dt() has its solution at the end of a window. */
static PetscErrorCode test_methods_and_steps_are_each_systems_own(void)
{
  RungCouplingStatistics statistics[2];
  RungProblem            problem;

  PetscFunctionBegin;
  PetscCall(
    run_group("points 1\ncoupling lie 0.1\ntime 0 1 0.1\n"
              "system slow\nunknown y v P0\ninitial y 1\nresidual (dt(y) + y)*v*dx\nmethod bdf2\ntime 0 1 0.01\n"
              "reference clock 1 1 1e-9\nquantity y y*dx\nquantity clock t*dx\n"
              "system still\nunknown p q P0\ncouple y slow.y\nresidual (p - 2*y)*q*dx\nprobe p 0 p\nsummary "
              "last last p\n",
              &problem));
  PetscCall(RungCouplingGetStatistics(problem->coupling, "slow", &statistics[0]));
  PetscCall(RungCouplingGetStatistics(problem->coupling, "still", &statistics[1]));
  CHECK(statistics[0].steps == 100 && statistics[1].steps == 10);
  CHECK_NEAR(problem->member[1]->series.value[10], 2 * problem->member[0]->series.value[20], 1e-12);
  CHECK_NEAR(problem->member[1]->series.value[0], 2, 1e-12);
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_sums_of_rates_go_on_from_window_to_window(void)
{
  RungProblem problem;
  RungSeries *series;

  PetscFunctionBegin;
  PetscCall(run_group(TURN("iterate 0.1 1e-10", "esdirk43"), &problem));
  series = &problem->member[0]->series;
  CHECK_NEAR(series->value[(series->rows - 1) * series->n], 2 * sin(1), 2e-3); /* two points */
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q follows a rate of another system that is -exp(-t), however the text writes it: q = c exp(-t) - c. */
static PetscErrorCode test_rates_of_other_systems_are_seen_however_they_are_written(void)
{
  const struct {
    const char *text;
    PetscReal   factor;
  } row[] = {{"residual (dt(q) - dt(T))*r*dx\n", 1},
             {"residual (dt(q) - dt( T ))*r*dx\n", 1},
             {"residual (dt(q) - dt(2*T))*r*dx\n", 2},
             {"define flow -3*T\nresidual (dt(q) + dt(flow))*r*dx\n", 3}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof row / sizeof row[0] && is_alone(); ++i) {
    RungProblem problem;
    RungSeries *series;
    char        text[1024];

    PetscCall(PetscSNPrintf(text, sizeof text,
                            "points 1\ncoupling lie 0.1\ntime 0 1 0.1\nmethod esdirk43\n"
                            "system a\nunknown T s P0\ninitial T 1\nresidual (dt(T) + T)*s*dx\n"
                            "system b\nunknown q r P0\ncouple T a.T\n%sprobe q 0 q\n",
                            row[i].text));
    PetscCall(run_group(text, &problem));
    series = &problem->member[1]->series;
    CHECK_NEAR(series->value[(series->rows - 1) * series->n], row[i].factor * (exp(-1) - 1), 0.05 * row[i].factor);
    PetscCall(RungProblemDestroy(&problem));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Text with other ends, saved at each window into a folder, or continued from one. */
static PetscErrorCode run_to(const char end[], const char extra[], const char folder[], PetscReal value[2],
                             PetscInt *done)
{
  RungCouplingStatistics statistics;
  RungProblem            problem;
  RungExit               status;
  PetscInt               happened;
  char                   text[2048];

  PetscFunctionBegin;
  (void)snprintf(text, sizeof text,
                 "time 0 %s 0.1\n%s\n" BAR_AND_METHOD "event more rising t - 0.33\nchange more k 0.7\n" APART_HELD, end,
                 extra);
  PetscCall(read_text(text, &problem));
  PetscCall(RungProblemSetOutput(problem, folder));
  PetscCall(RungProblemRun(problem, &status));
  CHECK(status == RUNG_EXIT_DONE);
  for (int i = 0; i < 2; ++i) {
    const RungSeries *s = &problem->member[i]->series;

    value[i] = s->value[(s->rows - 1) * s->n];
  }
  PetscCall(RungCouplingGetEvent(problem->coupling, "more", &happened, NULL));
  CHECK(happened == 1);
  PetscCall(RungCouplingGetStatistics(problem->coupling, NULL, &statistics));
  *done = statistics.solves;
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines of a table that rank 0 has written. */
static PetscInt count_lines(const char path[])
{
  FILE    *file = fopen(path, "r");
  PetscInt n    = 0;

  if (!file) return -1;
  for (int c = fgetc(file); c != EOF; c = fgetc(file)) n += c == '\n';
  (void)fclose(file);
  return n;
}

/* Also from files of two moments, as a run leaves them that is killed between them: all have the window before. */
static PetscErrorCode test_a_run_goes_on_from_its_checkpoints_bit_for_bit(void)
{
  static const char *const folder[] = {"whole", "part", "later"};

  PetscReal   whole[2], part[2], again[2];
  PetscInt    solves, rest;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(folder) && !rank; ++i)
    PetscCall(PetscRMTree(folder[i])); /* of a run before */
  PetscCall(run_to("0.8", "checkpoint run 1\ntable t\noutput s 0.25", "whole", whole, &solves));
  if (!rank)
    CHECK(count_lines("whole/t_heat.csv") == 12 && count_lines("whole/t.events.csv") == 2 &&
          count_lines("whole/s_heat.pvd") == 9); /* 5 times */
  PetscCall(run_to("0.4", "checkpoint run 1", "part", part, &rest));
  PetscCall(run_to("0.8", "restart part/run.h5", "none", again, &rest));
  CHECK(again[0] == whole[0] && again[1] == whole[1] && rest == solves);
  PetscCall(run_to("0.5", "checkpoint run 1", "later", part, &rest));
  if (!rank) CHECK(!rename("part/run_heat.h5", "later/run_heat.h5"));
  PetscCall(run_to("0.8", "restart later/run.h5", "none", again, &rest));
  CHECK(again[0] == whole[0] && again[1] == whole[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_events_that_have_not_happened_have_a_head(void)
{
  RungProblem problem;
  RungExit    status;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) PetscCall(PetscRMTree("calm")); /* of a run before */
  PetscCall(read_text("time 0 0.4 0.1\n" BAR_AND_METHOD "event never rising t - 9\ntable t\n" APART_HELD, &problem));
  PetscCall(RungProblemSetOutput(problem, "calm"));
  PetscCall(RungProblemRun(problem, &status));
  CHECK(status == RUNG_EXIT_DONE);
  if (!rank) CHECK(count_lines("calm/t.events.csv") == 1);
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A ball on a floor that moves: as one system, and as two. */
#define BALL_AND_FLOOR "points 1\nconstant g 9.81\nconstant e 0.8\ntime 0 1.3 0.02\nmethod esdirk43\n"
#define FALL           "unknown y v P0\ninitial y 1\nresidual (dt(y, 2) + g)*v*dx\nprobe y 0 y\nrate way dt(y)^2*dx\n"
#define FLOOR          "unknown z q P0\ninitial z 0.1\nresidual (dt(z, 2) + 40*z)*q*dx\nprobe z 0 z\n"
#define BOUNCE         "jump hit dt(y) dt(z) - e*(dt(y) - dt(z))\nchange ten g 20\n"
#define BALL_ON_FLOOR                                                                                                  \
  "number gap ball.y - floor.z\nevent hit falling ball.y - floor.z\nevent ten rising t - 0.95\nhappens ten 1 0.95\n"   \
  "reference gap 0 0.9\nsystem ball\n" FALL "couple z floor.z\n" BOUNCE "system floor\n" FLOOR

static PetscErrorCode test_events_of_several_systems_are_those_of_one(void)
{
  RungProblem      whole, apart;
  const PetscReal *t, *hit;
  PetscInt         n, hits, tens;

  PetscFunctionBegin;
  PetscCall(run_group(
    BALL_AND_FLOOR FALL FLOOR "probe gap 0 y - z\nevent hit falling gap\nevent ten rising t - 0.95\n" BOUNCE, &whole));
  PetscCall(run_group(BALL_AND_FLOOR "coupling lie 0.02\n" BALL_ON_FLOOR, &apart));
  PetscCall(RungStepperGetEvent(whole->stepper, "hit", &n, &t));
  PetscCall(RungCouplingGetEvent(apart->coupling, "hit", &hits, &hit));
  PetscCall(RungCouplingGetEvent(apart->coupling, "ten", &tens, NULL));
  CHECK(n == 2 && hits == 2 && tens == 1);
  for (PetscInt i = 0; i < n && i < hits; ++i) CHECK_NEAR(hit[i], t[i], 1e-10);
  for (int i = 0; i < 2; ++i) {
    const char *const name[2][2] = {{"gap", "way"}, {"gap", "ball.way"}};
    PetscInt          column[2];

    PetscCall(RungSeriesFind(whole, name[0][i], &column[0]));
    PetscCall(RungSeriesFind(apart, name[1][i], &column[1]));
    CHECK_NEAR(apart->series.value[(apart->series.rows - 1) * apart->series.n + column[1]],
               whole->series.value[(whole->series.rows - 1) * whole->series.n + column[0]], 1e-9);
  }
  PetscCall(RungProblemDestroy(&whole));
  PetscCall(RungProblemDestroy(&apart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last value of a column. */
static PetscErrorCode last_of(RungProblem problem, const char name[], PetscReal *value)
{
  const RungSeries *s = &problem->series;
  PetscInt          column;

  PetscFunctionBegin;
  PetscCall(RungSeriesFind(problem, name, &column));
  *value = s->value[(s->rows - 1) * s->n + column];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = m, m = 2 k; k is 1 and behind t = 0.5 3 in both systems, or in one of them, whose constant it is alone. */
static PetscErrorCode test_constants_of_all_follow_what_an_event_makes_of_those_of_each(void)
{
#define ALL                                                                                                            \
  "points 1\nconstant k 1\nconstant m 2*k\ncoupling lie 0.1\ntime 0 1 0.1\nmethod esdirk43\n"                          \
  "number both 10*k + 100*m + 0*a.y\nevent hit rising t - 0.5\n"
#define EACH                                                                                                           \
  "system a\nunknown y v P0\nresidual (dt(y) - m)*v*dx\nprobe y 0 y\n%ssystem b\nunknown z w P0\n"                     \
  "couple y a.y\nresidual (dt(z) - y)*w*dx\n"
  static const char *const text[]   = {ALL "change hit k 3\n" EACH, ALL EACH};
  const PetscReal          wanted[] = {630, 210};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungProblem problem;
    PetscReal   y, both;
    char        all[1024];

    (void)snprintf(all, sizeof all, text[i], i ? "change hit k 3\n" : "");
    PetscCall(run_group(all, &problem));
    PetscCall(last_of(problem, "a.y", &y));
    PetscCall(last_of(problem, "both", &both));
    CHECK_NEAR(y, 4, 1e-12);
    CHECK_NEAR(both, wanted[i], 1e-12);
    PetscCall(RungProblemDestroy(&problem));
  }
#undef ALL
#undef EACH
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = -k y, k = 1 and behind t = 0.33 0.7, which follows from its half. */
static PetscErrorCode test_events_of_a_system_know_its_numbers(void)
{
  RungProblem       problem;
  const RungSeries *s;
  PetscInt          y;

  PetscFunctionBegin;
  PetscCall(run_group(
    "points 1\ntime 0 1 0.1\nmethod esdirk43\ncoupling lie 0.1\nsystem a\nunknown y v P0\ninitial y 1\n"
    "constant half 0.5\nconstant k 2*half\nresidual (dt(y) + k*y)*v*dx\nprobe y 0 y\nnumber late t - 0.33 + 0*y\n"
    "number less 0.35 + 0*y\nevent hit rising late\nchange hit half less\n"
    "system b\nunknown z w P0\ncouple y a.y\nresidual (dt(z) - y)*w*dx\n",
    &problem));
  PetscCall(RungSeriesFind(problem, "a.y", &y));
  s = &problem->series;
  CHECK_NEAR(s->value[(s->rows - 1) * s->n + y], exp(-0.33 - 0.7 * 0.67), 1e-6);
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_does_not_go_together_is_told(void)
{
  PetscFunctionBegin;
  PetscCall(check_mistakes("points 1\ncoupling lie 1\ntime 0 1 1\nnumber n a.x + 1\nreference a.q 1 1\nhappens b 1 1\n"
                           "system a\nunknown y v P0\nresidual dt(y)*v*dx\nprobe y 0 y\nevent down falling y\n",
                           3, "test.rung:4:10: unknown name \"a.x\"; did you mean \"a.y\"?"));
  PetscCall(check_mistakes("points 1\ntime 0 1 1\nsystem a\nunknown y v P0\nresidual dt(y)*v*dx\n", 1,
                           "nothing says how the systems go together; write coupling explicit WINDOW"));
  PetscCall(check_mistakes("points 1\ncoupling li 1 1e-3\ntime 0 1 1\nsystem a\nunknown y v P0\nresidual dt(y)*v*dx\n",
                           1,
                           "test.rung:2:10: \"li\" is no way to couple systems; there are explicit, iterate, lie, "
                           "strang; did you mean \"lie\"?"));
  PetscCall(check_mistakes("points 1\ncoupling lie 1\ntime 0 1 1\nsystem a\nunknown y v P0\ncouple z b.z\n"
                           "residual dt(y)*v*dx\n",
                           1, "test.rung:6:10: no system is called \"b\""));
  PetscCall(check_mistakes("points 1\ncoupling lie 1\ntime 0 1 1\nsystem a\nunknown y v P0\ncouple z b.x\n"
                           "residual dt(y)*v*dx\nsystem b\nunknown z v P0\nresidual dt(z)*v*dx\n",
                           1, "test.rung:6:12: the other system has no unknown \"x\""));
  PetscCall(check_mistakes("points 1\ncoupling iterate 1\ntime 0 1 1\nsystem a\nunknown y v P0\nresidual dt(y)*v*dx\n"
                           "system b\nunknown y v P0\nresidual dt(y)*v*dx\n",
                           1, "test.rung:8:9: system a has \"y\" too: that is a splitting"));
  PetscCall(check_mistakes("unknown y v P0\npoints 1\ncoupling iterate 1\ntime 0 1 1\nsystem a\nresidual dt(y)*v*dx\n"
                           "system b\nresidual dt(y)*v*dx\n",
                           1, "test.rung:1:1: an unknown of all systems is one that is split"));
  PetscCall(check_mistakes("points 1\ncoupling lie 1\ntime 0 1 1\nunknown y v P0\nsystem a\nresidual dt(y)*v*dx\n"
                           "system b\nresidual dt(y)*v*dx\ntime 0 2 1\n",
                           1, "test.rung:2:1: system a goes from t = 0 to t = 1, system b from t = 0 to t = 2"));
  PetscCall(check_mistakes("points 1\ncoupling lie 0.5\ntime 0 1 1\nunknown y v P0\nsystem a\nresidual dt(y)*v*dx\n"
                           "probe y 0 y\nreference y 0.7 0\nsystem b\nresidual dt(y)*v*dx\n",
                           1, "test.rung:8:13: t = 0.7 is inside of a window"));
  PetscCall(check_mistakes("reference n 0.7 0\npoints 1\ncoupling lie 0.5\ntime 0 1 1\nunknown y v P0\nnumber n a.y\n"
                           "system a\nresidual dt(y)*v*dx\nprobe y 0 y\nsystem b\nresidual dt(y)*v*dx\n",
                           1, "test.rung:1:13: t = 0.7 is inside of a window"));
  PetscCall(check_mistakes("points 1\ncoupling lie 1\ncheckpoint c 1 5\ntime 0 1 1\nsystem a\nunknown y v P0\n"
                           "residual dt(y)*v*dx\n",
                           1, "test.rung:3:16: checkpoints of several systems are made by windows alone"));
  PetscCall(check_mistakes("points 1\ncoupling lie 2\ntime 0 1 1\nsystem a\nunknown y v P0\nresidual dt(y)*v*dx\n", 1,
                           "test.rung:2:1: a window of 2., and the run goes from t = 0 to t = 1"));
  PetscCall(check_mistakes("points 1\nunknown y v P0\nresidual dt(y)*v*dx\ncouple z b.z\ntime 0 1 1\n", 1,
                           "this file has one system"));
  PetscCall(
    check_mistakes("points 1\ntime 0 1 1\ncoupling lie 1\nsystem a\nstep b\nunknown y v P0\nresidual dt(y)*v*dx\n", 2,
                   "a run has steps, one after the other, or systems, side by side, not both"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_iterations_that_do_not_end_are_given_up(void)
{
  RungProblem problem;
  RungExit    status;

  PetscFunctionBegin;
  PetscCall(read_text("points 1\ncoupling iterate 1 1e-10 5\ntime 0 1 1\nmethod euler\n"
                      "system a\nunknown y v P0\ncouple z b.z\nresidual (y - 3*z - 1)*v*dx\norder 1\n"
                      "system b\nunknown z v P0\ncouple y a.y\nresidual (z - 3*y)*v*dx\norder 1\n",
                      &problem));
  CHECK_RAISES(RungProblemRun(problem, &status), "after 6 solves of each system to t = 1 a.y still changes");
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_orders_in_time_are_those_of_the_schemes), RUNG_TEST(test_iterated_systems_are_one_system),
               RUNG_TEST(test_terms_of_one_unknown_are_split), RUNG_TEST(test_methods_and_steps_are_each_systems_own),
               RUNG_TEST(test_a_run_that_begins_late_has_the_windows_of_others),
               RUNG_TEST(test_sums_of_rates_go_on_from_window_to_window),
               RUNG_TEST(test_rates_of_other_systems_are_seen_however_they_are_written),
               RUNG_TEST(test_a_run_goes_on_from_its_checkpoints_bit_for_bit),
               RUNG_TEST(test_events_that_have_not_happened_have_a_head),
               RUNG_TEST(test_events_of_several_systems_are_those_of_one),
               RUNG_TEST(test_events_of_a_system_know_its_numbers),
               RUNG_TEST(test_constants_of_all_follow_what_an_event_makes_of_those_of_each),
               RUNG_TEST(test_what_does_not_go_together_is_told),
               RUNG_TEST(test_iterations_that_do_not_end_are_given_up))
