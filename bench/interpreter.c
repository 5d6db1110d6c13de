/* interpreter.c - the interpreter against the compiled C back end: whole assembly, microseconds per cell.

   rung is the interpreter, twin the C back end of the same form in the same run: the ratio is what a machine without a
   compiler has of a machine with one. */
#include "bench.h"

#define REPEATS 5

static const BenchForm forms[] = {
  {"p1_tet_poisson", "tetrahedron", "P1", {{NULL, NULL}}, "inner(grad(u), grad(v))*dx", 16},
  {"p2_tet_poisson", "tetrahedron", "P2", {{NULL, NULL}}, "inner(grad(u), grad(v))*dx", 10},
  {"p1_tet_neohookean",
   "tetrahedron",
   "P1^d",
   {{"F", "I + grad(u)"}, {"P", "(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F))"}},
   "inner(P, grad(v))*dx",
   12},
  {"p2_tet_neohookean",
   "tetrahedron",
   "P2^d",
   {{"F", "I + grad(u)"}, {"P", "(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F))"}},
   "inner(P, grad(v))*dx",
   6},
  {"q2_hex_laplace", "hexahedron", "Q2", {{NULL, NULL}}, "inner(grad(u), grad(v))*dx", 6},
};

/* A small smooth displacement, so that no form is at its trivial point. */
static PetscErrorCode FillState(Vec u)
{
  PetscInt     n;
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetArray(u, &array));
  for (PetscInt i = 0; i < n; ++i) array[i] = 1e-3 * PetscSinReal(0.01 * (PetscReal)i);
  PetscCall(VecRestoreArray(u, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(const BenchForm *form, double cells)
{
  static const char *const backend[] = {"interpreter", "c"};
  const PetscReal          sigma[]   = {1, 0, 0};
  RungSystem               sys[2];
  Vec                      u[2], r[2];
  Mat                      J[2];
  double                   least[2][2] = {{1e30, 1e30}, {1e30, 1e30}};
  char                     name[128];

  PetscFunctionBegin;
  for (int b = 0; b < 2; ++b) {
    PetscCall(BenchSystem(form, backend[b], &sys[b]));
    PetscCall(RungSystemCreateVec(sys[b], &u[b]));
    PetscCall(VecDuplicate(u[b], &r[b]));
    PetscCall(RungSystemCreateMat(sys[b], &J[b]));
    PetscCall(FillState(u[b]));
  }
  for (int i = 0; i < REPEATS; ++i) {
    for (int b = 0; b < 2; ++b) {
      double start = BenchClock();

      PetscCall(RungSystemResidual(sys[b], 0, &u[b], r[b]));
      least[0][b] = PetscMin(least[0][b], BenchClock() - start);
      start       = BenchClock();
      PetscCall(RungSystemJacobian(sys[b], 0, &u[b], sigma, J[b]));
      least[1][b] = PetscMin(least[1][b], BenchClock() - start);
    }
  }
  PetscCall(PetscSNPrintf(name, sizeof name, "%s_residual", form->name));
  PetscCall(BenchLine(name, 1e6 * least[0][0] / cells, 1e6 * least[0][1] / cells));
  PetscCall(PetscSNPrintf(name, sizeof name, "%s_matrix", form->name));
  PetscCall(BenchLine(name, 1e6 * least[1][0] / cells, 1e6 * least[1][1] / cells));
  for (int b = 0; b < 2; ++b) {
    PetscCall(MatDestroy(&J[b]));
    PetscCall(VecDestroy(&r[b]));
    PetscCall(VecDestroy(&u[b]));
    PetscCall(RungSystemDestroy(&sys[b]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(RungInitialize(&argc, &argv, "Interpreter against C back end.\n"));
  PetscCall(
    PetscPrintf(PETSC_COMM_WORLD, "# interpreter (rung) against the C back end (twin), whole assembly, us per cell\n"));
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
    const double n = (double)forms[i].count;

    PetscCall(Measure(&forms[i], n * n * n * (strcmp(forms[i].cell, "tetrahedron") == 0 ? 6 : 1)));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscCall(RungFinalize());
  return 0;
}
