/* test_advice.c - what a stepper takes that was given no type, what it says of that, and that methods which are advised are there. */
#include "../step_impl.h"
#include "points.h"

/* The type and the method of a stepper that was given none, and what its view says. */
static PetscErrorCode taken(const char spec[], const char residual[], PetscReal rtol, const char method[],
                            const char said[])
{
  static const char *const name[] = {"y"}, *const start[] = {"1"};
  RungStepper stepper;
  PetscViewer viewer;
  const char *found, *text;

  PetscFunctionBegin;
  PetscCall(points_create(1, name, &spec, start, residual, &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungStepperGetMethod(stepper, &found, NULL));
  if (strcmp(found, method) != 0) fprintf(stderr, "%s: %s, wanted %s\n", residual, found, method);
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

static PetscErrorCode test_a_stepper_without_a_type_takes_one_for_its_class(void)
{
  PetscFunctionBegin;
  PetscCall(taken("P0", "(dt(y) + y^2)*v*dx", 0, "esdirk43", "taken by itself for order 1"));
  PetscCall(taken("P0", "dt(y)*v*dx + explicit(y^2*v*dx)", 0, "esdirk43", "taken by itself for order 1"));
  PetscCall(taken("P0", "(y - t)*v*dx", 0, "bdf1", "one solve a step"));
  PetscCall(taken("P0", "(dt(y, 2) + y)*v*dx", 0, "chung_hulbert", "taken by itself for unknowns of order 2"));
  PetscCall(taken("P0", "(dt(y) + y^2)*v*dx", 1e-4, "dopri54", "esdirk43 goes on where"));
  PetscCall(taken("P0", "(dt(y, 2) + y)*v*dx", 1e-4, "dopri54", "ordinary differential equations"));
  PetscCall(taken("P0", "dt(y^2)*v*dx + y*v*dx", 1e-4, "esdirk43", "taken by itself for order 1"));
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
