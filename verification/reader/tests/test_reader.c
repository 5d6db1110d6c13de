/* test_reader.c - files, good and bad: what is made of them, and what is said about them and where. */
#include "files.h"

#include <sys/stat.h>

#define HEAD "box triangle 4,4\nunknown u v P1\n"
#define HEAT HEAD "residual dt(u)*v*dx + inner(grad(u), grad(v))*dx\ntime 0 1 0.5\n"

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode test_a_caret_points_into_a_line_that_goes_on(void)
{
  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_mistakes(HEAD
                           "residual dt(u)*v*dx \\ # a remark\n  + inner(grad(u), \\\n    grad(w))*dx\ntime 0 1 1\n",
                           1, "test.rung:5:10: unknown name \"w\"\n        grad(w))*dx\n             ^"));
  PetscCall(
    check_mistakes(HEAD "residual dt(u)*v*dx = 2*gg*v*dx\ntime 0 1 1\n", 1, "test.rung:3:25: unknown name \"gg\""));
  PetscCall(
    check_mistakes(HEAD "residual dt(u)*v*dx=2*gg*v*dx\ntime 0 1 1\n", 1, "test.rung:3:23: unknown name \"gg\""));
  PetscCall(
    check_mistakes(HEAD "quantity q gg*dx\nresidual dt(u)*v*dx - gg*v*dx\nresidual gg*u*v*dx\ntime 0 1 1\n", 1,
                   "test.rung:3:12: unknown name \"gg\"\n    quantity q gg*dx\n               ^~\n    and in other "
                   "places"));
  PetscCall(check_mistakes("points 1\nunknown u v Q7x\nmax top u\nresidual dt(u)*v*dx\ntime 0 1 1\n", 1,
                           "test.rung:2:13: space \"Q7x\""));
  /* a part is pointed at where it is one, not at a constant of its name */
  PetscCall(check_mistakes(HEAD "constant left 4\nresidual dt(u)*v*dx + left*u*v*dS( \"left\" )\ntime 0 1 1\n", 1,
                           "test.rung:4:37: part \"left\" holds no interior facets"));
  /* the numbers too many are underlined, and nothing behind them */
  PetscCall(check_mistakes("box triangle 4,4,4,44 2,1\nunknown u v P1 P2\nresidual dt(u)*v*dx\ntime 0 1 1\n", 2,
                           "test.rung:1:20: more than 3 numbers\n    box triangle 4,4,4,44 2,1\n"
                           "                       ^~\ntest.rung:2:16: "));
  PetscCall(
    check_mistakes("box triangle 4 4\nunknown u v P1\nresidual dt(u)*v*dx\ntime 0 1 1\n", 1,
                   "test.rung:1:14: a box of cells of type triangle has 2 axes, and cells are counted along 1; wanted "
                   "a count for each, with commas between, as 4,4\n"));
  PetscCall(check_mistakes(HEAT "residual u*v*dx \\", 1, "test.rung:5:16: the file ends where a line goes on"));
  PetscCall(check_mistakes("\xef\xbb\xbf" HEAD "define \xc3\xa4 1\r\nresidual dt(u)*v*dx\r\ntime 0 1 1\r\n", 1,
                           "test.rung:3:8: "));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_words_are_told_with_their_usage(void)
{
  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_mistakes(HEAT "residul u*v*dx\n", 1,
                           "test.rung:5:1: no statement is called \"residul\"; did you mean \"residual\"?"));
  PetscCall(check_mistakes(HEAT "fields u\n", 1, "no statement is called \"fields\"; did you mean \"field\"?"));
  PetscCall(check_mistakes(HEAT "unknown w\n", 1, "test.rung:5:10: TEST is missing; wanted unknown NAME TEST SPACE"));
  PetscCall(check_mistakes(HEAT "unknown w q P1 P2\n", 1,
                           "test.rung:5:16: \"P2\" is too much; wanted unknown NAME TEST SPACE"));
  PetscCall(check_mistakes(HEAT "quantity \"heat u*dx\n", 1, "test.rung:5:11: the quote in front is not closed"));
  PetscCall(check_mistakes(HEAT "quantity \"\" u*dx\n", 1, "test.rung:5:11: a name is missing between the quotes"));
  PetscCall(check_mistakes(HEAT "time 0 1 1\n", 1, "test.rung:5:1: time was said already"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What would be taken for something else, without a word. */
static PetscErrorCode test_what_is_said_twice_or_of_nothing_is_refused(void)
{
#define CLAY HEAT "constant m 2\nquantity m u*dx\n"
  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_mistakes(HEAT "initial u 1\ninitial u 2\n", 1, "test.rung:6:1: initial u was said already"));
  PetscCall(check_mistakes(HEAT "bounds u 0 -\nbounds u - 1\n", 1, "test.rung:6:1: bounds u was said already"));
  PetscCall(check_mistakes(HEAT "exact u 1\nexact u 2\n", 1, "test.rung:6:1: exact u was said already"));
  PetscCall(check_mistakes(
    HEAD "residual dt(u)*v*dx\ninitial u 1\nstep a\ntime 0 1 1\ninitial u 2\nstep b\ntime 1 2 1\ninitial u 3\n", 0,
    ""));
  PetscCall(check_mistakes(HEAT "constant stepper_dt 1\n", 1, "test.rung:5:10: options begin with -stepper_; take"));
  PetscCall(check_mistakes(CLAY "number k 2*m\n", 1, "test.rung:7:10: \"m\" is a constant and a quantity"));
  PetscCall(check_mistakes(CLAY "summary s max m 2 3\n", 1, "test.rung:7:17: from 2 to 3 is outside of the run"));
  PetscCall(check_mistakes(HEAD "residual inner(grad(u), grad(v))*dx\ndirichlet u left 1\nquantity m u*dx\nstatic\n"
                                "reference m 1 1\n",
                           1, "test.rung:7:13: no time passes in a static step: t = 0, not 1"));
#undef CLAY
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_events_are_told_at_their_place(void)
{
#define HIT HEAT "constant load 2\nevent hit falling t - 0.25\n"
  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_mistakes(HEAT "event hit down t\n", 1, "test.rung:5:11: \"down\" is no way through 0"));
  PetscCall(check_mistakes(HEAT "event hit both stop after x t\n", 1, "test.rung:5:27: wanted `stop after N TEXT`"));
  PetscCall(check_mistakes(HEAT "event hit falling u\n", 1, "test.rung:5:"));
  PetscCall(check_mistakes(HEAT "event hit falling 1 + tt\n", 1, "test.rung:5:23: unknown name \"tt\""));
  PetscCall(check_mistakes(HIT "event hit rising t\n", 1, "test.rung:7:7: there is an event \"hit\" already"));
  PetscCall(
    check_mistakes(HIT "jump hot u 0\n", 1, "test.rung:7:6: no event is called \"hot\"; did you mean \"hit\"?"));
  PetscCall(check_mistakes(HIT "jump hit u 1 + gg\n", 1, "test.rung:7:16: unknown name \"gg\""));
  PetscCall(
    check_mistakes(HIT "jump hit load 1\n", 1, "test.rung:7:10: \"load\" is a constant; write change hit load"));
  PetscCall(check_mistakes(HIT "change hit lod 1\n", 1, "test.rung:7:12: no constant is called \"lod\", did you mean"));
  PetscCall(check_mistakes(HIT "jump hit dt(u) 1\n", 1, "test.rung:7:"));
  PetscCall(check_mistakes(HIT "happens hut 1 0.25\n", 1, "test.rung:7:9: no event is called \"hut\""));
  PetscCall(check_mistakes(HIT "happens hit 0 0.25\n", 1, "test.rung:7:13: events are counted from 1 on"));
  PetscCall(check_mistakes(HIT "jump hit u u/2\nchange hit load load + 1\nhappens hit 1 0.25\n", 0, ""));
  PetscCall(check_mistakes(HIT "quantity load u*dx\nevent far rising load - 1\n", 1,
                           "\"load\", which is a constant and a quantity; give one of both another name"));
  for (int i = 0; i < 4; ++i) {
    static const char *const leaf[] = {"d", "I", "pi", "volume"};
    char                     text[256], wanted[64];

    (void)snprintf(wanted, sizeof wanted, "\"%s\"", leaf[i]);
    (void)snprintf(text, sizeof text, HEAT "quantity %s u*dx\nevent hit rising 2*%s - 1\n", leaf[i], leaf[i]);
    PetscCall(check_mistakes(text, 1, wanted));
    PetscCall(check_mistakes(text, 1, "a meaning of its own in expressions, it is not the quantity of that name"));
    (void)snprintf(text, sizeof text, HEAT "quantity %s u*dx\nnumber b 2*%s\n", leaf[i], leaf[i]);
    PetscCall(check_mistakes(text, 1, "a meaning of its own in expressions, it is not the quantity of that name"));
    (void)snprintf(text, sizeof text, HEAT "quantity %s u*dx\nevent hit rising %s\n", leaf[i], leaf[i]);
    PetscCall(check_mistakes(text, 0, ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_all_mistakes_of_a_file_are_told_at_once(void)
{
  char        text[4096] = HEAT;
  RungProblem problem;
  const char *found;
  PetscInt    n;

  PetscFunctionBegin;
  PetscCall(check_mistakes(
    HEAD "residual dt(u)*v*dx + k*v*dx\ninitial u foo\nquantity q bar*dx\ndirichlet u lft 0\ntime 0 x 1\n"
         "output ../a 1\n",
    6, "test.rung:6:13: boundary part \"lft\" does not exist"));
  PetscCall(check_mistakes("points 1\nunknown h z P0\nresidual dt(h)*z*dx\nprobe level 0 h\ntime 0 1 1\n", 1,
                           "test.rung:2:9: \"h\" is reserved"));
  PetscCall(check_mistakes(
    "points 1\nconstant tr 1\nconstant K 2\nconstant min 3\nunknown y z P0\nresidual (dt(y) - K)*z*dx\ntime 0 1 1\n", 2,
    "test.rung:4:10: \"min\" is reserved"));
  for (int i = 0; i < 25; ++i) strcat(text, "nonsense\n");
  PetscCall(read_text(text, &problem));
  PetscCall(RungProblemGetMistakes(problem, &n, &found));
  CHECK(n == 25 && strstr(found, "test.rung:14:1:") && !strstr(found, "test.rung:15:1:") &&
        strstr(found, "(and 15 more)"));
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_of_the_libraries_are_told_at_their_statement(void)
{
  RungProblem problem;
  RungExit    status;

  PetscFunctionBegin;
  PetscCall(check_mistakes(HEAT "dirichlet u left vector(1, 2)\n", 1, "test.rung:5:18: Dirichlet u on left"));
  PetscCall(check_mistakes(HEAT "unknown w z P1\n", 1, "test.rung:5:9: unknown \"w\" has no equation"));
  PetscCall(
    check_mistakes(HEAT "method newmark\n", 1, "test.rung:5:8: alpha method \"newmark\" advances systems of order 2"));
  PetscCall(check_mistakes(HEAT "probe p 2,2 u\n", 1, "test.rung:5:1: probe p"));
  PetscCall(check_mistakes(HEAT "constant view 1\n", 1, "test.rung:5:10: constant \"view\" would be the option"));
  PetscCall(
    check_mistakes("mesh nothing.msh\nunknown u v P1\nresidual dt(u)*v*dx\ntime 0 1 1\n", 1, "test.rung:1:6: "));
  PetscCall(check_mistakes("mesh box triangle 2,2\nunknown u v P1\nresidual u*v*dx\nstatic\n", 1,
                           "test.rung:1:6: `mesh` reads a file"));
  PetscCall(
    check_mistakes("mesh interval 8\nunknown u v P1\nresidual u*v*dx\nstatic\n", 1, "are `box CELL N,.. [SIZE,..]`"));
  PetscCall(
    check_mistakes("mesh plate.geo\nunknown u v P1\nresidual dt(u)*v*dx\ntime 0 1 1\n", 1, "make the mesh with: gmsh"));
  PetscCall(check_mistakes("unknown u v P1\nresidual dt(u)*v*dx\ntime 0 1 1\n", 1, "nothing says what the cells are"));
  PetscCall(check_mistakes(HEAD "residual dt(u)*v*dx\n", 1, "nothing says how long"));
  PetscCall(
    check_mistakes(HEAD "residual dt(u)*v*dx\ntime 0 1\n", 1, "test.rung:4:1: nothing says how long a step is"));
  PetscCall(
    check_mistakes(HEAD "residual u*v*dx\ntime 0 1 1\n", 1, "test.rung:4:1: the equations hold no dt(), and time"));
  PetscCall(read_text(HEAD "residual u*v*dx\nresidual -exp(1000*u+1000)*v*dx\nstatic\n", &problem));
  CHECK_RAISES(RungProblemRun(problem, &status),
               "test.rung:4:11: no solution at t = 0.: the residual is not finite: form \"residual\" is not finite");
  PetscCall(RungProblemDestroy(&problem));
  PetscCall(check_mistakes(HEAT "output o 0.5\noutput o 1\n", 1, "test.rung:6:8: output \"o\" is there already"));
  PetscCall(check_mistakes(HEAT "table o\noutput o 1\ntable o\n", 1, "test.rung:7:7: table \"o\" is there already"));
  PetscCall(check_mistakes(HEAT "quantity q u*dx\nnumber q 2\nnumber r 3\nnumber r q\n", 2,
                           "test.rung:6:8: there is a quantity or number \"q\" already"));
  PetscCall(PetscOptionsSetValue(NULL, "-kappa", "3"));
  PetscCall(check_mistakes("constant kappa 1\nconstant Kappa 2\n" HEAT, 2, "options know no case"));
  PetscCall(PetscOptionsClearValue(NULL, "-kappa"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_options_of_the_file_are_told_at_their_line(void)
{
  PetscBool stays;

  PetscFunctionBegin;
  PetscCall(check_mistakes("option -mg_k\nconstant mg_k 1\n" HEAT, 1, "test.rung:2:10: option -mg_k has no value"));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mg_k", &stays));
  CHECK(!stays); /* another file does not see it */
  PetscCall(check_mistakes("option -system_keep_blocks maybe\n" HEAT, 1, "\"maybe\" is neither true nor false"));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-system_keep_blocks", &stays));
  CHECK(!stays);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_file_cannot_reach_outside_of_its_run(void)
{
  static const char *const bad[] = {"output /tmp/x 0.1",           "table a/b",
                                    "checkpoint ../x 10",          "option -ksp_view ascii:x",
                                    "option -form_cc x",           "option -snes_type python",
                                    "option -options_file x",      "option -ksp_monitor ascii:/tmp/x",
                                    "option -ksp_type cg -info",   "option -stepper_output /tmp/x",
                                    "option -system_view :/tmp/x", "option -pc_hypre_file x"};

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(bad); ++i) {
    char text[512];

    (void)snprintf(text, sizeof text, HEAT "%s\n", bad[i]);
    PetscCall(check_mistakes(text, 1, "test.rung:5:"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- constants ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_constant(const char text[], const char name[], PetscReal wanted)
{
  RungProblem problem;
  PetscBool   there = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(read_text(text, &problem));
  CHECK(problem->mistakes == 0);
  for (PetscInt i = 0; i < problem->constants; ++i) {
    if (strcmp(problem->constant[i].name, name) != 0) continue;
    CHECK_NEAR(problem->constant[i].value, wanted, 0);
    there = PETSC_TRUE;
  }
  CHECK(there);
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_constants_are_arithmetic_of_earlier_ones(void)
{
  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_constant("constant E 210e9 [Pa]\nconstant nu 0.3\nconstant mu E/(2*(1 + nu)) [Pa] # a remark\n", "mu",
                           210e9 / (2 * (1 + 0.3))));
  PetscCall(check_constant("constant T 2*pi\n", "T", 2 * PETSC_PI));
  PetscCall(check_constant("constant c exp(1) + atan2(3, -max(2, 1))\n", "c", exp(1) + atan2(3, -2)));
  PetscCall(check_mistakes("constant a [m] 2\n" HEAT, 1, "test.rung:1:12: a unit ends the line"));
  PetscCall(check_mistakes("constant a [m]\n" HEAT, 1, "test.rung:1:12: a value is missing in front of its unit"));
  PetscCall(
    check_mistakes("constant a b + 1\nconstant b 1\n" HEAT, 1, "test.rung:1:12: no constant above is called \"b\""));
  PetscCall(check_mistakes("constant a 1 + t\n" HEAT, 1, "test.rung:1:16: \"t\" is no number"));
  PetscCall(check_mistakes("constant a 1/0\n" HEAT, 1, "test.rung:1:12: "));
  PetscCall(check_mistakes("constant a nan\n" HEAT, 1, "test.rung:1:12: "));
  PetscCall(
    check_mistakes("constant a 1\nconstant a 2\n" HEAT, 1, "test.rung:2:10: constant \"a\" has a value already"));
  PetscCall(check_mistakes("constant help 1\n" HEAT, 1, "test.rung:1:10: -help is an option"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nearest name is looked for among 256 of them. */
static PetscErrorCode test_a_wrong_name_is_told_behind_many_constants(void)
{
  char   text[300 * 20 + 256];
  size_t n = 0;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 300; ++i) n += (size_t)snprintf(text + n, sizeof text - n, "constant k%d %d\n", i, i);
  (void)snprintf(text + n, sizeof text - n, "constant a k299 + K17\n" HEAT);
  PetscCall(check_mistakes(text, 1, "test.rung:301:19: no constant above is called \"K17\"; did you mean \"k17\"?"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_command_line_changes_a_constant_and_what_follows_from_it(void)
{
  static const char text[] = "constant E 210e9\nconstant nu 0.3\nconstant mu E/(2*(1 + nu))\n";

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-E", "2"));
  PetscCall(check_constant(text, "mu", 2 / (2 * (1 + 0.3))));
  PetscCall(PetscOptionsSetValue(NULL, "-E", "2*nu"));
  PetscCall(check_mistakes("constant E 1\n" HEAT, 1, "test.rung:1:10: option -E 2*nu is no number: "));
  PetscCall(PetscOptionsClearValue(NULL, "-E"));
  PetscCall(PetscOptionsSetValue(NULL, "-kapa", "2"));
  PetscCall(check_mistakes("constant kappa 1\n" HEAT, 1, "there is no option -kapa"));
  PetscCall(PetscOptionsClearValue(NULL, "-kapa"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mu is E/2 behind the event as before it; own is what the event says, and one that the command line says is left alone. */
static PetscErrorCode test_what_follows_from_a_constant_follows_what_an_event_makes_of_it(void)
{
  static const char text[] =
    "points 1\nunknown y z R\nconstant E 2\nconstant mu +E/(+2) [Pa]\nconstant E2 1e0*7\n"
    "constant nu min(mu, 9)^2\nconstant own 3*E\nresidual (dt(y) - mu - nu - own - E2)*z*dR\n"
    "method euler\ntime 0 2 0.5\nevent hit rising t - 1\nchange hit E 4*E\nchange hit own y - 14\n";
  RungExit  status;
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(run_text(text, &status, &value)); /* slopes 1 + 1 + 6 + 7, then 4 + 16 + 1 + 7 */
  CHECK_NEAR(value, 43, 1e-12);
  PetscCall(PetscOptionsSetValue(NULL, "-mu", "3"));
  PetscCall(run_text(text, &status, &value)); /* slopes 3 + 9 + 6 + 7, then 3 + 9 + 11 + 7 */
  CHECK_NEAR(value, 55, 1e-12);
  PetscCall(PetscOptionsClearValue(NULL, "-mu"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode test_includes_are_followed_and_circles_refused(void)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) (void)mkdir("part", 0777);
  PetscCall(write_file("part/head.rung", HEAD "include more.rung\n"));
  PetscCall(write_file("part/more.rung", "residual dt(u)*v*dx\n"));
  PetscCall(check_mistakes("include part/head.rung\ntime 0 1 1\nnone\n", 1, "test.rung:3:1: "));
  PetscCall(write_file("part/more.rung", "residual dt(u)*w*dx\n"));
  PetscCall(check_mistakes("include part/head.rung\ntime 0 1 1\n", 1, "part/more.rung:1:16: unknown name \"w\""));
  PetscCall(write_file("part/more.rung", "include ../test.rung\n"));
  PetscCall(check_mistakes("include part/head.rung\n", 1,
                           "part/more.rung:1:9: the file includes itself: test.rung -> part/head.rung -> "
                           "part/more.rung -> part/../test.rung"));
  PetscCall(check_mistakes(HEAT "include nothing.rung\n", 1,
                           "test.rung:5:9: file \"nothing.rung\" cannot be read: No such file"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_characters_and_numbers_that_nobody_means_are_refused(void)
{
  PetscFunctionBegin;
  PetscCall(check_mistakes(HEAT "# \x1b[2J\n", 1,
                           "test.rung:5:3: a control character (number 27), which a terminal obeys; take it out"));
  PetscCall(check_mistakes(HEAT "# a\xe2\x80\xae z\n", 1, "# a? z\n")); /* the direction of writing */
  PetscCall(check_mistakes("points 1e30\nunknown u v P0\nresidual dt(u)*v*dx\ntime 0 1 1\n", 1,
                           "test.rung:1:8: 1e+30 is beyond the whole numbers"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- runs --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode test_an_energy_is_the_residual_of_its_derivatives(void)
{
  static const char head[] =
    "box quadrilateral 3,3\nunknown u v Q1\nunknown w z Q1\nquantity q (u + 2*w)*dx\ntime 0 1 0.5\n"
    "method trbdf2\ninitial u x[0]\ninitial w x[1]\nresidual dt(u)*v*dx + dt(w)*z*dx\n";
  char      text[2][1024];
  RungExit  status;
  PetscReal energy, residual;

  PetscFunctionBegin;
  (void)snprintf(text[0], sizeof text[0],
                 "%senergy W*dx + u*w*ds(left)\ndefine W u^2/2 + u^2*w^2 + inner(grad(w), grad(w))/2\n", head);
  (void)snprintf(text[1], sizeof text[1],
                 "%sresidual derive(W*dx + u*w*ds(left), u)\nresidual derive(W*dx + u*w*ds(left), w)\n"
                 "define W u^2/2 + u^2*w^2 + inner(grad(w), grad(w))/2\n",
                 head);
  PetscCall(run_text(text[0], &status, &energy));
  PetscCall(run_text(text[1], &status, &residual));
  CHECK_NEAR(energy, residual, 1e-13 * PetscAbsReal(energy)); /* MUMPS on several ranks gives no bits twice */
  CHECK(energy != 0);
  PetscCall(check_mistakes(HEAT "energy u*v*dx\n", 1, "test.rung:5:1: energy 1 holds a test function"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integral of u (1 + x + 3 y) where w begins with 1 + x + 3 y and stays: of two fields, the second unknown from both. */
static PetscErrorCode test_fields_have_values_and_unknowns_begin_with_them(void)
{
  static const char head[] = "box quadrilateral 3,3\nunknown u v Q1\nunknown w z Q1\nquantity q w*(f + 3*g)*dx\n"
                             "time 0 1 0.5\ndefine sum f + 3*g\nresidual dt(u)*v*dx + dt(w)*z*dx\n";
  char              text[1024];
  RungExit          status;
  PetscReal         value;

  PetscFunctionBegin;
  (void)snprintf(text, sizeof text, "%sfield f Q1 1 + x[0]\nfield g Q1 0\ninitial w from sum\n", head);
  PetscCall(run_text(text, &status, &value));
  CHECK_NEAR(value, 7. / 3, 1e-13);
  (void)snprintf(text, sizeof text, "%sfield f Q1 1 + x[0]\nfield g Q1 x[1]\ninitial w from sum\n", head);
  PetscCall(run_text(text, &status, &value));
  CHECK_NEAR(value, 9 + 5. / 6, 1e-13);
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(text, sizeof text, "%sfield f Q1 1 + yy\nfield g Q1 x[1]\ninitial ww from sum\n", head);
  PetscCall(check_mistakes(text, 2, "test.rung:8:16: unknown name \"yy\""));
  PetscCall(check_mistakes(text, 2, "test.rung:10:9: initial ww: \"ww\" is no unknown; did you mean \"w\""));
  (void)snprintf(text, sizeof text, "%sfield f Q1 0\ndefine g )\nunknown y q R7\norder 5\n", head);
  PetscCall(check_mistakes(text, 2, "test.rung:10:13: space \"R7\""));
  PetscCall(check_mistakes(text, 2, "test.rung:11:1: order 5 in time, wanted 0, 1 or 2"));
  (void)snprintf(text, sizeof text, "%sfield f Q1 file no.h5\nfield g Q1 f\ninitial w from checkpoint no.h5\n", head);
  PetscCall(check_mistakes(text, 2, "test.rung:8:17: field file \"no.h5\" is refused"));
  PetscCall(check_mistakes(text, 2, "test.rung:10:27: checkpoint \"no.h5\" is refused"));
  PetscCall(check_mistakes(HEAT "field f P1\n", 1, "test.rung:5:11: field f has no values here; wanted an expression"));
  PetscCall(check_mistakes(HEAT "field f P1 P0 P0\n", 1, "test.rung:5:17: field f has no values here"));
  PetscCall(check_mistakes(HEAT "field f P1 x[0]*sin(u)\n", 1, "test.rung:5:21: \"u\" is an unknown, and field f has"));
  PetscCall(check_mistakes(HEAT "field f P1 x[0]*t\n", 1, "test.rung:5:17: \"t\" goes on, and field f has its values"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a file with bounds on two unknowns, on any ranks. */
static PetscErrorCode test_bounds_are_intervals_before_a_run(void)
{
  static const char text[] = HEAT "unknown w z P1^2\nresidual inner(dt(w), z)*dx\nbounds w[0] 0 1\nbounds u %s\n"
                                  "bounds w[1] %s\n";
  char              said[512];

  PetscFunctionBegin;
  (void)snprintf(said, sizeof said, text, "1 0", "0 1");
  PetscCall(check_mistakes(said, 1, "test.rung:8:1: the lower and the upper bound of u at "));
  (void)snprintf(said, sizeof said, text, "- x[0]", "t x[0]-1/2");
  PetscCall(check_mistakes(said, 1, "test.rung:9:1: the lower and the upper bound of w at "));
  (void)snprintf(said, sizeof said, text, "0 x[0]", "- 1");
  PetscCall(check_mistakes(said, 0, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_constraint_is_written_as_an_equation(void)
{
  RungExit  status;
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(
    run_text(HEAT "constraint 2 u(0,0) - 4*u(1,1) = 6 + 0*t\nhold u 1,1 0.25\nprobe p 0,0 u\n", &status, &value));
  CHECK_NEAR(value, 3.5, 1e-12);
  PetscCall(check_mistakes(HEAT "constraint u(0,0)\n", 1, "test.rung:5:12: a constraint is an equation"));
  PetscCall(check_mistakes(HEAT "constraint 2 + u(0,0) = 1\n", 1, "test.rung:5:12: this is no value at a node"));
  PetscCall(check_mistakes(HEAT "constraint u(0,0) = 2 + 3*u(1,1)\n", 1,
                           "test.rung:5:27: values at nodes stand in front of ="));
  PetscCall(check_mistakes(HEAT "constraint u(0,0) - 2*w[1](1,1) = 0\n", 1,
                           "test.rung:5:23: constraint u: \"w\" is no unknown; wanted a name, name[i] or dt(name)\n"
                           "    constraint u(0,0) - 2*w[1](1,1) = 0\n                          ^"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_expected_is_tested(void)
{
  static const char decay[] =
    "points 1\nunknown y z P0\nresidual dt(y)*z*dx + y*z*dx\ninitial y 1\nprobe y 0 y\nmethod esdirk54\n"
    "time 0 1 0.1\nnumber twice 2*y\n";
  static const struct {
    const char *line;
    RungExit    status;
  } rows[] = {{"reference y 1 0.36787944117 1e-7", RUNG_EXIT_DONE},
              {"reference y 1 0.3678 1e-7", RUNG_EXIT_FAILED},
              {"reference twice 0.55 1.15389962 1e-5", RUNG_EXIT_DONE},
              {"exact y exp(-t)\nexpect error 1e-8 10", RUNG_EXIT_DONE},
              {"exact y sin(2*pi*t)\nexpect error 0.37734 1e-4", RUNG_EXIT_DONE}, /* exp(-1)/sin(4/7 pi) */
              {"summary m mean y\nreference m 1 0.632120559 1e-2", RUNG_EXIT_DONE},
              {"summary m min twice 0 0.5\nreference m 1 1.213061319 1e-6", RUNG_EXIT_DONE},
              {"expect constant y 0.5", RUNG_EXIT_FAILED},
              {"expect constant y 0.7", RUNG_EXIT_DONE}};
  char     text[1024];
  RungExit status;

  PetscFunctionBegin;
  for (size_t i = 0; i < (check_alone() ? PETSC_STATIC_ARRAY_LENGTH(rows) : 2); ++i) {
    (void)snprintf(text, sizeof text, "%s%s\n", decay, rows[i].line);
    PetscCall(run_text(text, &status, NULL));
    if (status != rows[i].status) fprintf(stderr, "%s\n", rows[i].line);
    CHECK(status == rows[i].status);
  }
  for (int i = 0; i < 2; ++i) { /* u is half of what is called exact, in a step without time */
    (void)snprintf(
      text, sizeof text,
      "box interval 4\nunknown u v P2\nresidual inner(grad(u), grad(v))*dx - 2*v*dx\ndirichlet u boundary 0\n"
      "quantity q u*dx\nstatic\nexact u 2*x[0]*(1 - x[0])\nexpect error %s 1e-9\n",
      i ? "0.5" : "0.4");
    PetscCall(run_text(text, &status, NULL));
    CHECK(status == (i ? RUNG_EXIT_DONE : RUNG_EXIT_FAILED));
  }
  (void)snprintf(text, sizeof text,
                 "%sreference y 2 1\nreference x 1 1\nexpect ordre 2 1\nsummary s maximum y\nladder k 1 2\n", decay);
  PetscCall(check_mistakes(text, 5, "test.rung:9:13: t = 2 is not in the run, which goes from 0 to 1"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step of y' = -y, h = 1: of theta (1 - (1 - theta))/(1 + theta), of theta = 1, damped as two halves, 1/1.5^2. */
static PetscErrorCode test_numbers_of_a_method_stand_behind_it(void)
{
  static const char decay[] = "points 1\nconstant half 0.5\nunknown y z P0\nresidual (dt(y) + y)*z*dx\ninitial y 1\n"
                              "probe y 0 y\ntime 0 1 1\n";
  static const char *const row[][2] = {{"theta theta half+0.25", "0.42857142857142857"},
                                       {"crank_nicolson damped_steps 0", "0.33333333333333333"},
                                       {"crank_nicolson damped_steps 1", "0.44444444444444444"}};
  char                     text[1024];
  RungExit                 status;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    (void)snprintf(text, sizeof text, "%smethod %s\nreference y 1 %s 1e-12\n", decay, row[i][0], row[i][1]);
    PetscCall(run_text(text, &status, NULL));
    CHECK(status == RUNG_EXIT_DONE);
  }
  (void)snprintf(text, sizeof text, "%smethod theta rho_inf 0.5\n", decay);
  PetscCall(
    check_mistakes(text, 1, "test.rung:8:8: theta method \"theta\" has no parameter \"rho_inf\"; it has theta or"));
  (void)snprintf(text, sizeof text, "%smethod theta theta 2\n", decay);
  PetscCall(check_mistakes(text, 1, "test.rung:8:1: -stepper_theta is 2; wanted a number from 0.5 to 1"));
  (void)snprintf(text, sizeof text, "%smethod chung_hulbert beta 0.3\n", decay);
  PetscCall(check_mistakes(text, 1, "test.rung:8:1: beta and gamma come together"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_frequencies_are_those_of_an_oscillation(void)
{
  RungExit status;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    run_text("points 1\nunknown y z P0\nresidual (dt(y, 2) + 4*pi^2*y)*z*dx\ninitial y 1\nprobe y 0 y\nmethod newmark\n"
             "time 0 5 0.01\nsummary f frequency y\nsummary T period y 1 4\nsummary a amplitude y\nsummary r rms y\n"
             "reference f 5 1 2e-3\nreference T 5 1 2e-3\nreference a 5 1 1e-3\nreference r 5 0.70710678 1e-3\n",
             &status, NULL));
  CHECK(status == RUNG_EXIT_DONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = 2 t, and twice as much: between two times that are no ends of steps, nor of windows. */
static PetscErrorCode test_summaries_go_from_bound_to_bound(void)
{
  static const char alone[] = "points 1\nunknown y z P0\nresidual (dt(y) - 2)*z*dx\nprobe y 0 y\ntime 5 6 0.4\n";
  static const char two[] =
    "points 1\ncoupling lie 0.4\ntime 5 6 0.4\nsystem a\nunknown y z P0\nresidual (dt(y) - 2)*z*dx\nprobe y 0 y\n%s"
    "system b\nunknown w v P0\ncouple y a.y\nresidual (dt(w) - y)*v*dx\nprobe w 0 w\n";
  static const char wanted[] =
    "summary a mean y 5.3 5.75\nreference a 6 1.05 1e-12\nsummary b min y 5.3 5.75\nreference b 6 0.6 1e-12\n"
    "summary c max y 5.3 5.75\nreference c 6 1.5 1e-12\nsummary d last y 5.5 5.6\nreference d 6 1.2 1e-12\n"
    "summary e mean y 5 5.1\nreference e 6 0.1 1e-12\nsummary f rms y 5.1 5.1001\nreference f 6 0.2001 1e-6\n";
  char     text[2048];
  RungExit status;

  PetscFunctionBegin;
  (void)snprintf(text, sizeof text, "%s%s", alone, wanted);
  PetscCall(run_text(text, &status, NULL));
  CHECK(status == RUNG_EXIT_DONE);
  (void)snprintf(text, sizeof text, two, wanted);
  PetscCall(run_text(text, &status, NULL));
  CHECK(status == RUNG_EXIT_DONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line, 4 of a file, that is wrong: where the message begins and what it says; only that one mistake. */
static PetscErrorCode test_what_is_wrong_with_a_line_is_told_at_its_place(void)
{
  static const char head[] = "box quadrilateral 4,4\nconstant k 2\nunknown u v Q1\n";
  static const char tail[] = "residual dt(u)*v*dx + k*inner(grad(u), grad(v))*dx\nquantity q u*dx\ntime 0 1 0.5\n"
                             "event low falling q - 1\n";
  static const struct {
    const char *line, *wanted;
  } rows[] = {
    {"dirichlet u left u", "4:18: given data hold \"u\", they may depend on x, t and constants only"},
    {"dirichlet u left 1 + k*grad(u)[0]", "4:29: given data hold \"u\""},
    {"initial u 2*u", "4:13: given data hold \"u\", they may depend on x, t and constants only\n"},
    {"field f Q1 x[0]\ninitial u 1 + f", "5:15: given data hold \"f\", they may depend on x, t and constants only; "
                                         "of fields and other unknowns: initial u from 1 + f\n"},
    {"bounds u 0 u", "given data hold \"u\""},
    {"weight nowhere 2", "4:8: a weight for \"nowhere\", which is no part of this mesh's cells"},
    {"constant m 1 u", "4:14: wanted an operator here, or nothing"},
    {"ladder dt 0.25,0.125", "4:15: one number is wanted here; those of a list stand apart by blanks"},
    {"constant m 1/0\nconstant p 2*m", "4:12: the value is not finite"},
    {"happens low 1 10", "4:15: t = 10 is not in the run, which goes from 0 to 1"},
    {"reference q 10 1", "4:13: t = 10 is not in the run, which goes from 0 to 1"},
    {"reference q 1234567.5 1", "4:13: t = 1234567.5 is not in the run, which goes from 0 to 1"},
    {"expect ordr 2 0.1", "4:8: wanted expect order P SLACK"},
    {"ladder tol 1e-3 1e-4\nexpect order 2 0.1",
     "5:8: expect order is tested on a ladder of steps, and the file has none"},
    {"ladder dt 0.1 0.05\nexpect tolerance 1 2", "5:8: expect tolerance is tested on a ladder of tolerances, and the"},
    {"exact u 2*u", "4:7: the exact solution 2*u holds the unknown"},
    {"output a 0.5 \"u, , speed = 2*u\"", "4:17: a field is missing here, or its name"},
    {"output a 0.5 \"u, = 2*u\"", "4:17: a field is missing here, or its name"},
    {"output a 0.5 \"u, speed = 2*speed\"", "4:28: field \"2*speed\": unknown name \"speed\""},
    {"output a 0.5 \"u, fast one = 2*u\"", "4:18: a field's name is one word"},
    {"output a 0.5 \"u, fast=2*fast\"", "4:25: field \"2*fast\": unknown name \"fast\""},
    {"output a 0.5 \"u, 2u = u\"", "4:18: a field's name is one word"},
    {"output a 0.5 u, v", "4:17: \"v\" holds a test function; wanted a value at points"},
    {"output a 0.5 u, u*dx", "4:17: \"u*dx\" is an integral"},
    {"output a -1", "4:10: -1, wanted a positive number, or 0 for each step"},
    {"output a 0.5 \"u\" on nowhere", "4:21: part \"nowhere\" does not exist"},
    {"output a 0.5 \"u\" on \"no where\"", "4:21: part \"no where\" does not exist"},
    {"output a 0.5 on 0,0 1,1 1", "4:17: 1 points along a line"},
    {"restart nowhere.h5", "4:9: checkpoint \"nowhere.h5\" cannot be read"},
    {"output a 0.5 1e400 on top", "4:14: field \"1e400\": the number 1e400 is too large"},
    {"dirichlet u nowhere 0", "4:13: part \"nowhere\" does not exist"},
    {"include nowhere.rung", "4:9: file \"nowhere.rung\" cannot be read: No such file or directory"},
    {"include pipe.rung", "4:9: file \"pipe.rung\" cannot be read: it is a pipe, which may never end; wanted a file"},
    {"include .", "4:9: file \".\" cannot be read: Is a directory"},
    {"quantity m u*dV", "4:14: unknown name \"dV\""},
    {"summary m max q 1 0", "4:19: from 1 to 0 is no interval"}};
  char        text[1024];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) (void)mkfifo("pipe.rung", 0600);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); ++i) {
    (void)snprintf(text, sizeof text, "%s%s\n%s", head, rows[i].line, tail);
    PetscCall(check_mistakes(text, 1, rows[i].wanted));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first step and the absolute tolerance may be left to the stepper, the step of a grid may not. */
static PetscErrorCode test_a_first_step_and_a_tolerance_may_be_found(void)
{
  RungExit  status;
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(run_text("points 3\nunknown u v P0\nresidual (dt(u) + u)*v*dx\ninitial u 1e-9\nquantity q u*dx\n"
                     "time 0 1\ntolerances 1e-7\n",
                     &status, &value));
  CHECK(status == RUNG_EXIT_DONE);
  CHECK_NEAR(value, 3e-9 * exp(-1), 3e-15);
  PetscCall(check_mistakes("points 3\nunknown u v P0\nresidual (dt(u) + u)*v*dx\ntime 0 1\n", 1,
                           "test.rung:4:1: nothing says how long a step is"));
  PetscCall(check_mistakes("points 3\nunknown u v P0\nresidual (dt(u) + u)*v*dx\ntime 0\n", 1,
                           "END is missing; wanted time START END [STEP]"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_a_caret_points_into_a_line_that_goes_on),
  RUNG_TEST(test_what_is_wrong_with_a_line_is_told_at_its_place), RUNG_TEST(test_words_are_told_with_their_usage),
  RUNG_TEST(test_what_is_said_twice_or_of_nothing_is_refused), RUNG_TEST(test_events_are_told_at_their_place),
  RUNG_TEST(test_all_mistakes_of_a_file_are_told_at_once),
  RUNG_TEST(test_errors_of_the_libraries_are_told_at_their_statement),
  RUNG_TEST(test_options_of_the_file_are_told_at_their_line), RUNG_TEST(test_a_file_cannot_reach_outside_of_its_run),
  RUNG_TEST(test_constants_are_arithmetic_of_earlier_ones), RUNG_TEST(test_a_wrong_name_is_told_behind_many_constants),
  RUNG_TEST(test_the_command_line_changes_a_constant_and_what_follows_from_it),
  RUNG_TEST(test_what_follows_from_a_constant_follows_what_an_event_makes_of_it),
  RUNG_TEST(test_includes_are_followed_and_circles_refused),
  RUNG_TEST(test_characters_and_numbers_that_nobody_means_are_refused),
  RUNG_TEST(test_an_energy_is_the_residual_of_its_derivatives),
  RUNG_TEST(test_fields_have_values_and_unknowns_begin_with_them), RUNG_TEST(test_bounds_are_intervals_before_a_run),
  RUNG_TEST(test_a_constraint_is_written_as_an_equation), RUNG_TEST(test_what_is_expected_is_tested),
  RUNG_TEST(test_summaries_go_from_bound_to_bound), RUNG_TEST(test_numbers_of_a_method_stand_behind_it),
  RUNG_TEST(test_frequencies_are_those_of_an_oscillation), RUNG_TEST(test_a_first_step_and_a_tolerance_may_be_found))
