/* test_advice.c - what a stepper takes that was given no type, what it says of that, and that methods which are advised are there. */
#include "../step_impl.h"
#include "points.h"

/* The method of a stepper that was given none, and what its view says; it is destroyed. */
static PetscErrorCode compare(RungStepper stepper, PetscReal rtol, const char method[], const char said[])
{
  PetscViewer viewer;
  const char *found, *text;

  PetscFunctionBegin;
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungStepperGetMethod(stepper, &found, NULL));
  if (strcmp(found, method) != 0) fprintf(stderr, "%s: %s, wanted %s\n", said, found, method);
  CHECK(!strcmp(found, method));
  PetscCall(PetscViewerCreate(PETSC_COMM_WORLD, &viewer));
  PetscCall(PetscViewerSetType(viewer, PETSCVIEWERASCII));
  PetscCall(PetscViewerFileSetMode(viewer, FILE_MODE_WRITE));
  PetscCall(PetscViewerFileSetName(viewer, "advice.txt"));
  PetscCall(RungStepperView(stepper, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  {
    char   page[4096] = "";
    FILE  *file       = fopen("advice.txt", "re");
    size_t n          = file ? fread(page, 1, sizeof page - 1, file) : 0;

    text = strstr(page, said);
    CHECK(n > 0 && text);
    if (file) (void)fclose(file);
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode taken(const char spec[], const char residual[], PetscReal rtol, const char method[],
                            const char said[])
{
  const char *const name[] = {"y"}, *const start[] = {strstr(spec, "^3")  ? "vector(1, 1, 1)"
                                                      : strchr(spec, '^') ? "vector(1, 1)"
                                                                          : "1"};
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(points_create(1, name, &spec, start, residual, &stepper));
  PetscCall(compare(stepper, rtol, method, said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of an unknown on an interval. */
static PetscErrorCode taken_on_cells(const char residual[], PetscReal rtol, const char method[], const char said[])
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){4}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(compare(stepper, rtol, method, said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_stepper_without_a_type_takes_one_for_its_class(void)
{
  PetscFunctionBegin;
  PetscCall(taken("P0", "(dt(y) + y^2)*v*dx", 0, "esdirk43", "taken by itself for order 1"));
  PetscCall(taken("P0", "dt(y)*v*dx + explicit(y^2*v*dx)", 0, "esdirk43", "taken by itself for order 1"));
  PetscCall(taken("P0", "(y - t)*v*dx", 0, "bdf1", "one solve a step"));
  PetscCall(taken("P0", "(dt(y, 2) + y)*v*dx", 0, "chung_hulbert", "taken by itself for unknowns of order 2"));
  PetscCall(taken("P0", "(dt(y) + y^2)*v*dx", 1e-4, "dopri54", "rodas5p goes on where"));
  PetscCall(taken("P0", "(dt(y, 2) + y)*v*dx", 1e-4, "dopri54", "ordinary differential equations"));
  PetscCall(taken("R", "(dt(y) + y^2)*v*dx", 1e-4, "dopri54", "rodas5p goes on where"));
  PetscCall(taken("P0", "dt(y^2)*v*dx + y*v*dx", 1e-4, "esdirk43", "taken by itself for dt() of nonlinear terms"));
  PetscCall(taken("P0^2", "inner(dt(y), vector(v[0], 0))*dx + (y[0]*v[0] + (y[1] - y[0]^2)*v[1])*dx", 1e-4, "rodas5p",
                  "some of them without a rate"));
  PetscCall(taken("R^2", "inner(dt(y), vector(v[0], 0))*dx + (y[0]*v[0] + (y[1] - y[0]^2)*v[1])*dx", 1e-4, "rodas5p",
                  "some of them without a rate"));
  PetscCall(taken("P0^2", "inner(dt(y), vector(v[0], 0))*dx + (y[0]*v[0] + (y[1] - y[0])*v[1])*dx", 1e-4, "esdirk54",
                  "taken by itself for tolerances"));
  /* a capacitor between two nodes: rates of both, and the mass is singular; then with a source, whose current has none */
  PetscCall(taken("P0^2", "(dt(y[0]) - dt(y[1]))*(v[0] - v[1])*dx + (y[0]^3*v[0] + (y[1] - t)*v[1])*dx", 1e-4,
                  "esdirk54", "taken by itself for tolerances"));
  PetscCall(taken("R^3",
                  "(dt(y[0]) - dt(y[1]))*(v[0] - v[1])*dx + (y[0]^3*v[0] + y[1]*v[1] + y[2]*v[1] + (y[1] - t)*v[2])*dx",
                  1e-4, "esdirk54", "taken by itself for tolerances"));
  PetscCall(taken("P0^2", "((2*dt(y[0]) - dt(y[1]))*v[0] + (dt(y[1]) - dt(y[0]))*v[1] + y[0]^3*v[0])*dx", 1e-4,
                  "dopri54", "rodas5p goes on where"));
  PetscCall(taken_on_cells("dt(u)*v*dx + inner(grad(u), grad(v))*dx + u^2*v*dx", 1e-4, "esdirk54", "for tolerances"));
  PetscCall(taken_on_cells("dt(u)*v*dx + explicit(u^2*v*dx)", 1e-4, "ark548b", "terms inside of explicit"));
  PetscCall(taken_on_cells("dt(u)*v*dx + explicit(u^2*v*dx)", 0, "esdirk43", "taken by itself for order 1"));
  PetscCall(taken_on_cells("(2 + sin(t))*dt(u)*v*dx + explicit(u^2*v*dx)", 1e-4, "esdirk54", "for tolerances"));
  PetscCall(taken("P0", "dt(y, 2)*v*dx + explicit(y*v*dx)", 0, "chung_hulbert", "unknowns of order 2"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_method_that_was_said_is_not_explained(void)
{
  static const char *const name[] = {"y"}, *const start[] = {"1"}, *const spec[] = {"P0"};
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(points_create(1, name, spec, start, "dt(y)*v*dx + explicit(y*v*dx)", &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  PetscCall(RungStepperSetMethod(stepper, "trbdf2"));
  PetscCall(RungStepperSetUp(stepper));
  CHECK(!stepper->advice);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_methods_that_are_advised_are_there(void)
{
  static const char *const lists[] = {
#define RUNG_ADVICE(name, words, is, type, methods, why) methods,
#include "../advice.def"
#undef RUNG_ADVICE
  };
  char text[128];

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(lists); ++i) {
    char word[64];
    int  n;

    for (const char *at = lists[i]; sscanf(at, " %63s%n", word, &n) == 1; at += n) {
      const char *type, *name;

      PetscCall(RungStepperTypeOf(word, &type, &name));
      if (!type) fprintf(stderr, "%s is advised, and no method\n", word);
      CHECK(type);
    }
  }
  RungAdviceOf("esdirk43", text, sizeof text);
  CHECK(strstr(text, "first"));
  RungAdviceOf("ros2", text, sizeof text);
  CHECK(!strcmp(text, "studies"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_stepper_without_a_type_takes_one_for_its_class),
               RUNG_TEST(test_a_method_that_was_said_is_not_explained),
               RUNG_TEST(test_methods_that_are_advised_are_there))
