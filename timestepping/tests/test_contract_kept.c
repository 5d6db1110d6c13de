/* test_contract_kept.c - whole runs with constant blocks kept (-system_keep_blocks true) and assembled anew are one run:
   phases that part in a box that closes on itself, and warm fluid that rises between a moving lid and slipping walls. */
#include <check.h>
#include <rungstep.h>

#define STEPS 12
#define END   1.2e-3 /* later the phases would grow by what rounding leaves */

static PetscErrorCode add_unknown(RungMesh mesh, const char name[], const char test[], const char spec[],
                                  RungSystem sys)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemAddUnknown(sys, name, test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cahn-Hilliard; of the four blocks that of q and c alone varies. */
static PetscErrorCode add_phases(RungMesh mesh, RungSystem sys)
{
  PetscFunctionBegin;
  PetscCall(add_unknown(mesh, "c", "v", "P1", sys));
  PetscCall(add_unknown(mesh, "mu", "q", "P1", sys));
  PetscCall(RungSystemAddResidual(sys, "(dt(c)*v + inner(grad(mu), grad(v)))*dx"));
  PetscCall(RungSystemAddResidual(sys, "(mu*q - 100*(c^3 - c)*q - 0.5*inner(grad(c), grad(q)))*dx"));
  for (int f = 0; f < 2; ++f) {
    PetscCall(RungSystemAddPeriodic(sys, f ? "mu" : "c", "left", "right", NULL, NULL));
    PetscCall(RungSystemAddPeriodic(sys, f ? "mu" : "c", "bottom", "top", NULL, NULL));
  }
  PetscCall(RungSystemSetInitial(sys, "c", "0.3*cos(2*pi*x[0])*cos(4*pi*x[1]) + 0.1*sin(2*pi*x[0])"));
  PetscCall(RungSystemAddQuantity(sys, "mass", "c*dx"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Creeping flow with a load T^2; of the five blocks that of w and T alone varies. */
static PetscErrorCode add_convection(RungMesh mesh, RungSystem sys)
{
  PetscFunctionBegin;
  PetscCall(add_unknown(mesh, "u", "w", "P2^d", sys));
  PetscCall(add_unknown(mesh, "T", "s", "P1", sys));
  PetscCall(RungSystemAddResidual(sys, "(inner(dt(u), w) + inner(grad(u), grad(w)) + 10*div(u)*div(w))*dx"));
  PetscCall(RungSystemAddResidual(sys, "-30*T^2*w[1]*dx + (dt(T)*s + 0.2*inner(grad(T), grad(s)) + u[1]*s)*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "top", "vector(sin(100*t)*x[0]*(1 - x[0]), 0)"));
  PetscCall(RungSystemSetDirichlet(sys, "T", "bottom", "1 + sin(200*t)*x[0]"));
  for (int i = 0; i < 3; ++i)
    PetscCall(RungSystemSetSlip(sys, "u", (const char *[]){"left", "right", "bottom"}[i], NULL));
  PetscCall(RungSystemSetInitial(sys, "T", "1 - x[1]"));
  PetscCall(RungSystemAddQuantity(sys, "heat", "T*dx"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Were Jacobians made of kept blocks where they were asked for, and only there? */
static PetscErrorCode check_view(RungSystem sys, PetscBool keep)
{
  char        text[8192] = "";
  FILE       *file       = tmpfile();
  PetscInt    kept;
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  PetscCall(RungSystemView(sys, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  (void)fclose(file);
  kept = strstr(text, "constant blocks: kept in") ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &kept, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  CHECK(kept == (keep ? 1 : 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last level of a run. */
static PetscErrorCode run(PetscBool keep, PetscErrorCode (*add)(RungMesh, RungSystem), const char method[], Vec *last)
{
  const RungState      *state;
  RungMesh              mesh;
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics did;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_keep_blocks", keep ? "true" : "false"));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){8, 7}, (PetscReal[]){1, 1}));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(add(mesh, sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, END, END / STEPS));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(PetscOptionsClearValue(NULL, "-system_keep_blocks"));
  PetscCall(RungStepperGetStatistics(stepper, &did));
  CHECK(did.jacobians >= STEPS);
  PetscCall(check_view(sys, keep));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecDuplicate(state->u[0], last));
  PetscCall(VecCopy(state->u[0], *last));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method ends where its norm is small, so both runs differ by less than its tolerance alone. */
static PetscErrorCode check_runs(PetscErrorCode (*add)(RungMesh, RungSystem), const char method[])
{
  PetscReal size, distance;
  Vec       u[2];

  PetscFunctionBegin;
  PetscCall(run(PETSC_FALSE, add, method, &u[0]));
  PetscCall(run(PETSC_TRUE, add, method, &u[1]));
  PetscCall(VecNorm(u[0], NORM_INFINITY, &size));
  PetscCall(VecAXPY(u[1], -1, u[0]));
  PetscCall(VecNorm(u[1], NORM_INFINITY, &distance));
  CHECK(size > 0.5);
  CHECK_NEAR(distance / size, 0, 1e-11);
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&u[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_phases_part_in_a_periodic_box(void)
{
  PetscFunctionBegin;
  PetscCall(check_runs(add_phases, "bdf2"));
  if (check_alone()) PetscCall(check_runs(add_phases, "trbdf2"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_warm_fluid_rises_between_a_moving_lid_and_slipping_walls(void)
{
  PetscFunctionBegin;
  PetscCall(check_runs(add_convection, "bdf2"));
  if (check_alone()) PetscCall(check_runs(add_convection, "esdirk43"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_phases_part_in_a_periodic_box),
               RUNG_TEST(test_warm_fluid_rises_between_a_moving_lid_and_slipping_walls))
