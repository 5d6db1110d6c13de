/* expression.c - texts of a system evaluated on a state: into fields, in norms. */
#include "form_side_impl.h"

RungMesh RungSystemMesh(RungSystem sys)
{
  const RungSpaceData *space;

  (void)RungSpaceGetData(sys->form->space[0], &space);
  return space->mesh;
}

PetscErrorCode RungSystemReadExpr(RungSystem sys, const char label[], const char text[], RungExpr *expr)
{
  PetscInt  rank, shape[2], arity;
  PetscBool integral;

  PetscFunctionBegin;
  PetscCheck(text, sys->comm, PETSC_ERR_ARG_NULL, "%s without a text", label);
  PetscCheck(sys->form, sys->comm, PETSC_ERR_SUP, "%s: a system of callbacks has no expressions", label);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungScopeParse(sys->form->scope, label, text, expr));
  PetscCall(RungExprGetShape(*expr, &rank, shape, &integral, &arity));
  PetscCheck(!integral && !arity, sys->comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" holds %s; wanted a value at points",
             label, text, integral ? "an integral" : "a test function");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sampler_create(RungSystem sys, const char text[], RungSampler *sampler)
{
  RungExpr expr;

  PetscFunctionBegin;
  PetscCall(RungSystemReadExpr(sys, "expression", text, &expr));
  PetscCall(RungSamplerCreate(expr, RungSystemMesh(sys), sys->form->layout, sampler));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemInterpolate(RungSystem sys, const char text[], const char part[], PetscReal t, const Vec u[],
                                     RungField field)
{
  RungSampler sampler;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(field);
  PetscCall(sampler_create(sys, text, &sampler));
  RungCallFinally(RungFieldInterpolate(field, sampler, t, u, part), PetscCall(RungSamplerDestroy(&sampler)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemProject(RungSystem sys, const char text[], PetscReal t, const Vec u[], RungField field)
{
  RungSampler sampler;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(field);
  PetscCall(sampler_create(sys, text, &sampler));
  RungCallFinally(RungFieldProject(field, sampler, t, u, -1), PetscCall(RungSamplerDestroy(&sampler)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemNorm(RungSystem sys, const char text[], const char part[], RungNormType type, PetscReal t,
                              const Vec u[], PetscReal *value)
{
  RungExpr             expr;
  PetscInt             degree = 4;
  const RungSpaceData *space;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(value);
  PetscCall(RungSystemReadExpr(sys, "expression", text, &expr));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    degree = PetscMax(degree, 2 * space->degree + 4);
  }
  PetscCall(RungExprNorm(expr, RungSystemMesh(sys), sys->form->layout, t, u, part, type, degree, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
