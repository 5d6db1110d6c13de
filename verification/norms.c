/* norms.c - norms of unknowns and distances to exact solutions.

   L2 and H1 are integrals of forms, made and destroyed with the call; max looks at degrees of freedom and nodes. */
#include "verify_impl.h"

typedef enum { NORM_L2, NORM_H1, NORM_LARGEST } NormKind;

static PetscErrorCode find_norm(MPI_Comm comm, const char norm[], NormKind *kind)
{
  const char *const names[] = {"L2", "H1", "max"};
  const char       *nearest;

  PetscFunctionBegin;
  PetscCheck(norm, comm, PETSC_ERR_ARG_NULL, "a norm without a name; use L2, H1 or max");
  for (int i = 0; i < 3; ++i) {
    if (strcmp(norm, names[i]) == 0) {
      *kind = (NormKind)i;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(RungSuggest(norm, 3, names, &nearest));
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "norm \"%s\" is unknown; use L2, H1 or max%s%s", norm,
          nearest ? "; did you mean " : "", nearest ? nearest : "");
}

static PetscErrorCode find_unknown(RungSystem sys, const char name[], PetscInt *unknown, RungSpace *space)
{
  RungTraits  traits;
  RungLayout  layout;
  const char *names[RUNG_MAX_UNKNOWNS], *nearest;

  PetscFunctionBegin;
  PetscCheck(name, RungSystemComm(sys), PETSC_ERR_ARG_NULL, "a norm of an unknown without a name");
  PetscCall(RungSystemGetTraits(sys, &traits));
  PetscCall(RungSystemGetLayout(sys, &layout));
  PetscCheck(layout, RungSystemComm(sys), PETSC_ERR_SUP,
             "norms are integrals over a mesh, and a system of callbacks has none; take VecNorm()");
  for (*unknown = 0; *unknown < traits.unknowns; ++*unknown) {
    PetscCall(RungSystemGetUnknown(sys, *unknown, &names[*unknown], space));
    if (strcmp(name, names[*unknown]) == 0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSuggest(name, traits.unknowns, names, &nearest));
  SETERRQ(RungSystemComm(sys), PETSC_ERR_ARG_UNKNOWN_TYPE, "no unknown is named \"%s\"; did you mean \"%s\"?", name,
          nearest ? nearest : names[0]);
}

/* Rules for the square of a difference: twice the degree, and four more for an exact solution that is no polynomial. */
static PetscErrorCode squared_norm_text(RungSpace space, NormKind kind, const char difference[], char text[],
                                        size_t size)
{
  const RungSpaceData *data;
  const RungMeshData  *mesh;
  PetscInt             degree;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungMeshGetData(data->mesh, &mesh));
  degree = data->quadrature ? data->degree : 2 * data->degree + 4;
  if (mesh->type == RUNG_POINT)
    PetscCall(PetscSNPrintf(text, size, "inner(%s, %s)*dx", difference, difference));
  else {
    PetscCall(PetscSNPrintf(text, size, "inner(%s, %s)*dx(\"\", %" PetscInt_FMT ")", difference, difference, degree));
    if (kind == NORM_H1) {
      size_t used = strlen(text);

      PetscCall(PetscSNPrintf(text + used, size - used, " + inner(grad(%s), grad(%s))*dx(\"\", %" PetscInt_FMT ")",
                              difference, difference, degree));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode integrate(RungForm form, PetscReal t, const Vec levels[], PetscReal *value)
{
  PetscFunctionBegin;
  PetscCall(RungFormSetFromOptions(form));
  PetscCall(RungFormIntegrate(form, t, levels, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An exact solution that is made of unknowns would be compared with itself. */
static PetscErrorCode check_exact(RungSystem sys, RungForm form, const char exact[])
{
  RungFormTraits traits;
  RungTraits     of_system;

  PetscFunctionBegin;
  PetscCall(RungFormGetTraits(form, &traits));
  PetscCall(RungSystemGetTraits(sys, &of_system));
  for (PetscInt f = 0; f < of_system.unknowns; ++f) {
    const char *name;

    if (traits.unknown_order[f] < 0) continue;
    PetscCall(RungSystemGetUnknown(sys, f, &name, NULL));
    SETERRQ(RungSystemComm(sys), PETSC_ERR_ARG_WRONG,
            "the exact solution %s holds the unknown \"%s\", which is what is tested; write it in x, t and constants",
            exact, name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode integrate_exact(RungSystem sys, RungForm form, const char exact[], PetscReal t,
                                      const Vec levels[], PetscReal *value)
{
  PetscFunctionBegin;
  if (exact) PetscCall(check_exact(sys, form, exact));
  PetscCall(integrate(form, t, levels, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* exact: the text is made of this alone; NULL: of what it wants. */
static PetscErrorCode root_of_integral(RungSystem sys, const char text[], const char exact[], PetscReal t, Vec u,
                                       PetscReal *value)
{
  RungScope  scope;
  RungLayout layout;
  RungExpr   expr;
  RungForm   form;
  const Vec  levels[RUNG_MAX_ORDER + 1] = {u, NULL, NULL};

  PetscFunctionBegin;
  PetscCall(RungSystemGetScope(sys, &scope));
  PetscCall(RungSystemGetLayout(sys, &layout));
  PetscCall(RungScopeParse(scope, "norm", text, &expr));
  PetscCall(RungFormCreate(expr, "norm", layout, &form));
  RungCallFinally(integrate_exact(sys, form, exact, t, levels, value), PetscCall(RungFormDestroy(&form)));
  *value = PetscSqrtReal(PetscMax(*value, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate_exact(RungSystem sys, const char exact[], PetscReal t, const RungSpaceData *data,
                                     PetscScalar wanted[])
{
  RungScope     scope;
  RungExpr      expr;
  RungPointwise function;

  PetscFunctionBegin;
  PetscCall(RungSystemGetScope(sys, &scope));
  PetscCall(RungScopeParse(scope, "exact solution", exact, &expr));
  PetscCall(RungPointwiseCreate(expr, &function));
  RungCallFinally(RungPointwiseEvaluate(function, t, data->owned, data->x, wanted),
                  PetscCall(RungPointwiseDestroy(&function)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest | u_h - exact | and | exact | over the nodes this rank owns, then over ranks.  exact NULL is zero. */
static PetscErrorCode max_norm(RungSystem sys, PetscInt unknown, RungSpace space, const char exact[], PetscReal t,
                               Vec u, PetscReal value[2])
{
  const RungSpaceData *data;
  const PetscScalar   *array;
  PetscScalar         *wanted;
  PetscInt             start, end;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungSystemGetRange(sys, unknown, &start, &end));
  PetscCall(PetscCalloc1(end - start, &wanted));
  if (exact) RungCallOrUndo(evaluate_exact(sys, exact, t, data, wanted), PetscCall(PetscFree(wanted)));
  PetscCall(VecGetArrayRead(u, &array));
  value[0] = value[1] = 0;
  for (PetscInt i = 0; i < end - start; ++i) {
    value[0] = PetscMax(value[0], PetscAbsScalar(array[start + i] - wanted[i]));
    value[1] = PetscMax(value[1], PetscAbsScalar(wanted[i]));
  }
  PetscCall(VecRestoreArrayRead(u, &array));
  PetscCall(PetscFree(wanted));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, 2, MPIU_REAL, MPIU_MAX, RungSystemComm(sys)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNorm(RungSystem sys, const char name[], const char norm[], Vec u, PetscReal *value)
{
  NormKind  kind;
  PetscInt  unknown;
  RungSpace space;
  char      text[1024];
  PetscReal pair[2];

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(u);
  RungNeedArgument(value);
  PetscCall(find_norm(RungSystemComm(sys), norm, &kind));
  PetscCall(find_unknown(sys, name, &unknown, &space));
  if (kind == NORM_LARGEST) {
    PetscCall(max_norm(sys, unknown, space, NULL, 0, u, pair));
    *value = pair[0];
  } else {
    PetscCall(squared_norm_text(space, kind, name, text, sizeof text));
    PetscCall(root_of_integral(sys, text, NULL, 0, u, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* difference, text: work of that room. */
static PetscErrorCode compare(RungSystem sys, RungSpace space, NormKind kind, const char name[], const char exact[],
                              PetscReal t, Vec u, char difference[], char text[], size_t room, PetscReal pair[2])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(difference, room, "(%s - (%s))", name, exact));
  PetscCall(squared_norm_text(space, kind, difference, text, room));
  PetscCall(root_of_integral(sys, text, NULL, t, u, &pair[0]));
  PetscCall(PetscSNPrintf(difference, room, "(%s)", exact));
  PetscCall(squared_norm_text(space, kind, difference, text, room));
  PetscCall(root_of_integral(sys, text, exact, t, u, &pair[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungError(RungSystem sys, const char name[], const char norm[], const char exact[], PetscReal t, Vec u,
                         PetscReal *error, PetscReal *size)
{
  RungNeedArgument(name);
  RungNeedArgument(exact);
  NormKind  kind;
  PetscInt  unknown;
  RungSpace space;
  char     *difference, *text;
  size_t    room = 4 * (strlen(exact) + strlen(name)) + 512;
  PetscReal pair[2];

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(u);
  RungNeedArgument(error);
  RungNeedArgument(size);
  PetscCall(find_norm(RungSystemComm(sys), norm, &kind));
  PetscCall(find_unknown(sys, name, &unknown, &space));
  if (kind == NORM_LARGEST)
    PetscCall(max_norm(sys, unknown, space, exact, t, u, pair));
  else {
    PetscCall(PetscMalloc2(room, &difference, room, &text));
    RungCallFinally(compare(sys, space, kind, name, exact, t, u, difference, text, room, pair),
                    PetscCall(PetscFree2(difference, text)));
  }
  *error = pair[0];
  *size  = pair[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}
