/* test_emit_sum.c - sum factorised kernels against the interpreter: matrices, vectors, actions, of any degree. */
#include "kernel_tools.h"

static const PetscReal sigma[6] = {1, 1.2, 0.7, 0.9, 1.1, 0.8}; /* [k][unknown] */

static PetscErrorCode check_vecs(Vec a, Vec b)
{
  PetscReal norm, difference;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecAXPY(a, -1, b));
  PetscCall(VecNorm(a, NORM_2, &difference));
  CHECK(norm > 1e-6);
  CHECK_NEAR(difference, 0, 1e-13 * norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_vectors(Tools *tools, RungForm c, RungForm interpreter)
{
  Vec x, y, z;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(tools->u[0], &x));
  PetscCall(VecDuplicate(tools->u[0], &y));
  PetscCall(VecDuplicate(tools->u[0], &z));
  PetscCall(VecCopy(tools->u[2], x));
  PetscCall(RungFormAssembleVec(c, 0.3, tools->u, y));
  PetscCall(RungFormAssembleVec(interpreter, 0.3, tools->u, z));
  PetscCall(check_vecs(y, z));
  PetscCall(RungFormApply(c, 0.3, tools->u, sigma, x, y));
  PetscCall(RungFormApply(interpreter, 0.3, tools->u, sigma, x, z));
  PetscCall(check_vecs(y, z));
  PetscCall(RungFormAssembleDiagonal(c, 0.3, tools->u, sigma, y));
  PetscCall(RungFormAssembleDiagonal(interpreter, 0.3, tools->u, sigma, z));
  PetscCall(check_vecs(y, z));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_matrices(Tools *tools, RungForm c, RungForm interpreter)
{
  const PetscBool couple[] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  Mat             A, B;
  PetscReal       norm, difference;

  PetscFunctionBegin;
  PetscCall(RungLayoutCreateMat(tools->layout, couple, NULL, &A));
  PetscCall(RungLayoutCreateMat(tools->layout, couple, NULL, &B));
  PetscCall(RungFormAssembleMat(c, 0.3, tools->u, sigma, A));
  PetscCall(RungFormAssembleMat(interpreter, 0.3, tools->u, sigma, B));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(A, -1, B, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &difference));
  CHECK(norm > 1e-6);
  CHECK_NEAR(difference, 0, 1e-13 * norm);
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compiled against interpreted, on affine or bent cells: each kind of form sees both. */
static PetscErrorCode compare(RungCellType type, PetscBool bent, const char u[], const char p[], const char text[],
                              PetscInt degree)
{
  Tools    tools;
  RungForm c, interpreter;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, bent, u, p, &tools));
  PetscCall(tools_form(&tools, text, PETSC_TRUE, &c));
  PetscCall(tools_form(&tools, text, PETSC_FALSE, &interpreter));
  PetscCall(tools_quick_compiler(c));
  c->degree = interpreter->degree = degree;
  PetscCall(RungFormSetUpParts(c, 1u << RUNG_FORM_VALUE | 1u << RUNG_FORM_JACOBIAN | 1u << RUNG_FORM_ACTION |
                                    1u << RUNG_FORM_DIAGONAL));
  PetscCall(compare_vectors(&tools, c, interpreter));
  CHECK(c->part[0].plan[0]->tensor);
  CHECK(c->part[0].kernel[0]->compiled);
  PetscCall(compare_matrices(&tools, c, interpreter));
  PetscCall(RungFormDestroy(&c));
  PetscCall(RungFormDestroy(&interpreter));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_symmetric_scalar_forms_agree(void)
{
  static const char *const form = "inner(grad(u), grad(v))*dx + 2*dt(u)*v*dx + sin(x[0])*u*v*dx(degree: 5)";

  PetscCall(compare(RUNG_QUADRILATERAL, PETSC_FALSE, "2", NULL, form, -1));
  PetscCall(compare(RUNG_QUADRILATERAL, PETSC_TRUE, "3", NULL, form, -1));
  PetscCall(compare(RUNG_HEXAHEDRON, PETSC_TRUE, "2", NULL, form, -1));
  PetscCall(compare(RUNG_HEXAHEDRON, PETSC_FALSE, "1", NULL, form, -1));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_vectors_and_elasticity_agree(void)
{
  static const char *const form = "inner(2*mu*sym(grad(u)) + kappa*div(u)*I, grad(v))*dx + inner(dt(dt(u)), v)*dx";

  PetscCall(compare(RUNG_QUADRILATERAL, PETSC_FALSE, "3^d", NULL, form, -1));
  PetscCall(compare(RUNG_HEXAHEDRON, PETSC_TRUE, "2^d", NULL, form, -1));
  PetscCall(compare(RUNG_HEXAHEDRON, PETSC_TRUE, "1^d", NULL, form, -1));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_nonlinear_forms_of_several_unknowns_agree(void)
{
  static const char *const solid =
    "F = I + grad(u); J = det(F); inner(dt(dt(u)), v)*dx"
    " + inner(mu*(F - inv(transpose(F))) + kappa*log(J)*inv(transpose(F)), grad(v))*dx"
    " + (1 + p^2)*inner(grad(p), grad(q))*dx + dt(p)*exp(p)*J*q*dx + p*div(v)*dx - q*div(u)*dx";

  static const char *const mixed = "(1 + u^2)*inner(grad(u), grad(v))*dx + p*grad(u)[2]*q*dx + dt(u)*p*v*dx";

  PetscCall(compare(RUNG_QUADRILATERAL, PETSC_TRUE, "2^d", "1", solid, 5));
  PetscCall(compare(RUNG_HEXAHEDRON, PETSC_FALSE, "2", "1", mixed, 4));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_reduced_rules_agree(void)
{
  static const char *const form = "(1 + u^2)*inner(grad(u), grad(v))*dx + u*grad(u)[0]*v*dx";

  PetscCall(compare(RUNG_QUADRILATERAL, PETSC_TRUE, "4", NULL, form, 5)); /* fewer points than nodes on a line */
  PetscCall(compare(RUNG_HEXAHEDRON, PETSC_FALSE, "2", NULL, form, 2));
  PetscCall(compare(RUNG_HEXAHEDRON, PETSC_TRUE, "2", NULL, "grad(u)[2]*grad(v)[2]*dx", -1)); /* the last axis alone */
  PetscCall(compare(RUNG_HEXAHEDRON, PETSC_TRUE, "2", NULL, form, 7));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_symmetric_scalar_forms_agree), RUNG_TEST(test_vectors_and_elasticity_agree),
               RUNG_TEST(test_nonlinear_forms_of_several_unknowns_agree), RUNG_TEST(test_reduced_rules_agree))
