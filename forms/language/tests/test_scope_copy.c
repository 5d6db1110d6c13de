/* test_scope_copy.c - the same names and nodes with other spaces; runs on several ranks. */
#include "front_tools.h"
#include <rungscope_room.h>

/* Copies the scope of front_begin with other degrees of u and U. */
static PetscErrorCode copy(RungScope *other)
{
  const RungSpaceData *data;
  RungSpace            space[4];

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(RungScopeUnknownSpace(scope, 0), &data));
  PetscCall(RungSpaceCreate(data->mesh, "P3", &space[0]));
  PetscCall(RungSpaceCreate(data->mesh, "P2^d", &space[2]));
  for (PetscInt f = 1; f < 4; f += 2) {
    space[f] = RungScopeUnknownSpace(scope, f);
    PetscCall(RungSpaceReference(space[f]));
  }
  PetscCall(RungScopeCopy(scope, space, other));
  CHECK_RAISES(RungScopeCopy(scope, (RungSpace[]){space[2], space[1], space[2], space[3]}, other),
               "\"u\" in P1 cannot live in P2^d");
  CHECK(RungScopeUnknownSpace(*other, 0) == space[0] && RungScopeUnknownSpace(*other, 1) == space[1]);
  for (PetscInt f = 0; f < 4; ++f) PetscCall(RungSpaceDestroy(&space[f]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_text(RungExpr expr, const char wanted[])
{
  char *text;

  PetscFunctionBegin;
  PetscCall(RungExprToText(expr, &text));
  CHECK(!strcmp(text, wanted));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nodes_are_the_same_expressions(void)
{
  static const char form[] = "kappa*inner(grad(u), grad(v))*dx(left) + table(\"copy.csv\", t)*v*ds";
  RungScope         other;
  RungExpr          expr, again;
  char             *text;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  {
    PetscMPIInt rank;
    FILE       *file;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    file = rank ? NULL : fopen("copy.csv", "w");
    if (file) fprintf(file, "t,a\n0,1\n1,2\n"), fclose(file);
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  }
  PetscCall(RungScopeParse(scope, "form", form, &expr));
  PetscCall(RungExprToText(expr, &text));
  PetscCall(copy(&other));
  PetscCall(check_text((RungExpr){other, expr.node}, text));
  PetscCall(RungScopeParse(other, "form", form, &again));
  CHECK(again.node == expr.node); /* found, not made again */
  PetscCall(RungScopeParse(scope, "new", "u^7*v*dx", &again));
  PetscCall(RungScopeParse(other, "new", "sigma[0, 0]*v*dx", &again)); /* a definition that nobody has read yet */
  PetscCall(RungScopeDefine(other, "mine", "2*u"));
  PetscCall(RungScopeParse(other, "new", "mine*v*dx", &again));
  CHECK_RAISES(RungScopeParse(scope, "new", "mine*v*dx", &again), "mine");
  PetscCall(front_end()); /* the copy has what it needs */
  PetscCall(check_text((RungExpr){other, expr.node}, text));
  PetscCall(RungScopeDestroy(&other));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_constants_follow_when_they_are_asked_to(void)
{
  RungScope other;
  PetscReal value;
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(copy(&other));
  PetscCall(RungScopeSetConstant(scope, "kappa", 7));
  PetscCall(RungScopeSetConstant(scope, "later", 1)); /* no text of the copy can hold it */
  PetscCall(RungScopeGetConstant(other, "kappa", &value));
  CHECK(value == 0.1);
  PetscCall(RungScopeFollow(other, &changed));
  PetscCall(RungScopeGetConstant(other, "kappa", &value));
  CHECK(changed && value == 7);
  PetscCall(RungScopeFollow(other, &changed));
  CHECK(!changed);
  PetscCall(RungScopeDestroy(&other));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_nodes_are_the_same_expressions), RUNG_TEST(test_constants_follow_when_they_are_asked_to))
