/* data.c - nodes of given data: a value for each part of the mesh, tables; their builders. */
#include "scope_impl.h"
#include <stdio.h>
#include <string.h>

PetscErrorCode RungNodePart(RungScope scope, PetscInt string, PetscInt *node)
{
  PetscFunctionBegin;
  PetscCall(RungNodeTerminal(scope, RUNG_OP_PART, string, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNodeTable(RungScope scope, PetscInt table, PetscInt argument, PetscInt derivative, PetscInt *node)
{
  const RungNode *of     = RungScopeNode(scope, argument);
  PetscInt        arg[3] = {argument, 0, 0};

  PetscFunctionBegin;
  if (of->rank || of->integral) {
    PetscCall(RungScopeFail(scope, node, "table() is a function of one number, got %s%s", RungNodeShapeText(of).text,
                            of->integral ? "" : "; take a component, like a[0]"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungNodeNumber(scope, (PetscReal)table, &arg[1]));
  PetscCall(RungNodeNumber(scope, (PetscReal)derivative, &arg[2]));
  PetscCall(RungNodeApply(scope, RUNG_OP_TABLE, 3, arg, NULL, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- builders ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode build_parts(RungScope scope, PetscInt n, const char *const part[], const RungExpr value[],
                                  PetscInt arg[], PetscInt *node)
{
  PetscFunctionBegin;
  *node = 0;
  for (PetscInt i = 0; i < n && *node >= 0; ++i) {
    PetscInt string = -1;

    if (value[i].scope != scope) {
      PetscCall(RungScopeFail(scope, node, "value() of expressions of two scopes"));
    } else if (!part[i] && i + 1 < n) {
      PetscCall(RungScopeFail(scope, node, "value() wants the value of all other places last"));
    } else if (part[i] && (!part[i][0] || strpbrk(part[i], "\"\n"))) {
      PetscCall(
        RungScopeFail(scope, node, "the part \"%.60s\"; names of parts have no quotes and no line breaks", part[i]));
    } else {
      for (PetscInt j = 0; j < i && part[i] && part[j]; ++j) {
        if (!strcmp(part[i], part[j]))
          PetscCall(RungScopeFail(scope, node, "two values for the part \"%.60s\"; one part has one", part[i]));
      }
      if (part[i]) PetscCall(RungScopeAddString(scope, part[i], strlen(part[i]), &string));
      PetscCall(RungNodePart(scope, string, &arg[2 * i]));
      arg[2 * i + 1] = value[i].node;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build_value(RungScope scope, PetscInt n, const char *const part[], const RungExpr value[],
                                  PetscInt *node)
{
  PetscInt *arg;

  PetscFunctionBegin;
  scope->place.text = -1;
  if (!part) {
    PetscCall(RungScopeFail(scope, node, "RungPerPart() was called with part = NULL; it wants the names of parts"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(2 * n, &arg));
  PetscCall(build_parts(scope, n, part, value, arg, node));
  if (*node >= 0) PetscCall(RungNodeApply(scope, RUNG_OP_VALUE, 2 * n, arg, NULL, node));
  PetscCall(PetscFree(arg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RungExpr RungPerPart(PetscInt n, const char *const part[], const RungExpr value[])
{
  PetscInt node = PETSC_MIN_INT;

  if (n < 1 || !value || !value[0].scope) return (RungExpr){NULL, PETSC_MIN_INT};
  return build_value(value[0].scope, n, part, value, &node) ? (RungExpr){value[0].scope, PETSC_MIN_INT}
                                                            : (RungExpr){value[0].scope, node};
}

static PetscErrorCode build_table(RungExpr a, const char path[], const char column[], PetscBool cubic, PetscInt *node)
{
  char     message[RUNG_MESSAGE];
  PetscInt table;

  PetscFunctionBegin;
  a.scope->place.text = -1;
  if (!path) {
    PetscCall(RungScopeFail(a.scope, node, "table() of no file; give its name"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (strpbrk(path, "\"\n") || strpbrk(column, "\"\n")) {
    PetscCall(RungScopeFail(a.scope, node,
                            "table() of \"%.60s\"; names of files and columns have no quotes and no line "
                            "breaks",
                            path));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungScopeAddTable(a.scope, path, column, cubic, &table, message));
  if (message[0])
    PetscCall(RungScopeFail(a.scope, node, "%s", message));
  else
    PetscCall(RungNodeTable(a.scope, table, a.node, 0, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RungExpr RungTable(RungExpr argument, const char path[], const char column[], PetscBool cubic)
{
  PetscInt node = PETSC_MIN_INT;

  if (!argument.scope || argument.node < 0) return argument;
  return build_table(argument, path, column ? column : "", cubic, &node) ? (RungExpr){argument.scope, PETSC_MIN_INT}
                                                                         : (RungExpr){argument.scope, node};
}
