/* test_isa.c - one answer on every instruction set that the machine has, interpreted and compiled, and in batches of
   every length. */
#include "kernel_tools.h"

#define TEXT                                                                                                           \
  "(exp(u) + log(2 + u) + (1 + u^2)^0.7 + sin(u)*tanh(u))*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx + u*v*ds"

/* lanes of compiled kernels, 0: of the instruction set */
static PetscErrorCode assemble(RungCellType type, PetscBool compile, RungIsa isa, PetscInt lanes, Vec *r, Mat *J)
{
  const PetscReal sigma[3]  = {1, 1, 1};
  const PetscBool couple[1] = {PETSC_TRUE};
  Tools           tools;
  RungForm        form;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, PETSC_TRUE, "2", NULL, &tools));
  PetscCall(tools_form(&tools, TEXT, compile, &form));
  form->options.isa   = isa;
  form->options.lanes = lanes;
  PetscCall(VecDuplicate(tools.u[0], r));
  PetscCall(RungFormAssembleVec(form, 0, tools.u, *r));
  PetscCall(RungLayoutCreateMat(tools.layout, couple, NULL, J));
  PetscCall(RungFormAssembleMat(form, 0, tools.u, sigma, *J));
  CHECK(!compile == !form->part[0].kernel[0]->compiled);
  CHECK(!compile || form->part[0].kernel[0]->lanes == (lanes ? lanes : RungIsaLanes(isa)));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual and Jacobian against those of the interpreter for this machine. */
static PetscErrorCode check_one(RungCellType type, PetscBool compile, RungIsa isa, PetscInt lanes, Vec r, Mat J)
{
  Vec       other;
  Mat       K;
  PetscReal norm[2], error[2];

  PetscFunctionBegin;
  PetscCall(VecNorm(r, NORM_2, &norm[0]));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &norm[1]));
  PetscCall(assemble(type, compile, isa, lanes, &other, &K));
  PetscCall(VecAXPY(other, -1, r));
  PetscCall(VecNorm(other, NORM_2, &error[0]));
  PetscCall(MatAXPY(K, -1, J, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(K, NORM_FROBENIUS, &error[1]));
  CHECK(error[0] <= 1e-13 * norm[0] && error[1] <= 1e-13 * norm[1]);
  PetscCall(VecDestroy(&other));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every instruction set; of compiled kernels also the lanes that none here has. */
static PetscErrorCode check_alike(RungCellType type, PetscBool compile)
{
  Vec r;
  Mat J;

  PetscFunctionBegin;
  PetscCall(assemble(type, PETSC_FALSE, RUNG_ISA_NATIVE, 0, &r, &J));
  for (int isa = RUNG_ISA_NATIVE; isa < RUNG_ISAS; ++isa)
    if (RungIsaIsHere((RungIsa)isa)) PetscCall(check_one(type, compile, (RungIsa)isa, 0, r, J));
  for (int isa = RUNG_ISA_SSE2; compile && isa < RUNG_ISAS; ++isa)
    if (!RungIsaIsHere((RungIsa)isa))
      PetscCall(check_one(type, compile, RUNG_ISA_NATIVE, RungIsaLanes((RungIsa)isa), r, J));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_interpreters_agree(void)
{
  for (int type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    PetscCall(check_alike((RungCellType)type, PETSC_FALSE));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_compiled_kernels_agree(void)
{
  return check_alike(RUNG_TETRAHEDRON, PETSC_TRUE);
}

static PetscErrorCode test_the_best_is_here(void)
{
  CHECK(RungIsaIsHere(RungIsaBest()) && RungIsaIsHere(RUNG_ISA_NATIVE));
  CHECK(!strcmp(RungIsaName(RUNG_ISA_AVX2), "avx2") && RungIsaLanes(RUNG_ISA_AVX2) == 4);
  CHECK(RungIsaLanes(RUNG_ISA_NATIVE) == RungMachineLanes());
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_the_machine_has_not_is_refused(void)
{
  Tools    tools;
  RungForm form;
  RungIsa  isa = RUNG_ISA_NATIVE;

  while (isa < RUNG_ISAS && RungIsaIsHere(isa)) ++isa;
  if (isa == RUNG_ISAS) return PETSC_SUCCESS; /* it has everything */
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "u*v*dx", PETSC_TRUE, &form));
  form->options.isa = isa;
  CHECK_RAISES(RungFormSetUp(form, PETSC_FALSE), "is not what every rank's processor has");
  form->compile = PETSC_FALSE;
  CHECK_RAISES(RungFormSetUp(form, PETSC_FALSE), "is not what every rank's processor has");
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_interpreters_agree), RUNG_TEST(test_compiled_kernels_agree),
               RUNG_TEST(test_the_best_is_here), RUNG_TEST(test_what_the_machine_has_not_is_refused))
