/* front_tools.h - a scope to read texts in: on a mesh of triangles (or of another dimension) the unknowns u, p (tests v, q),
   vectors U (test W), tensors S (test R), constants kappa and mu, a few definitions. */
#pragma once

#include "check.h"
#include "scope_impl.h"

static RungScope scope;

static inline PetscErrorCode front_unknown(RungMesh mesh, const char name[], const char test[], const char spec[])
{
  PetscErrorCode raised;
  RungSpace      space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  raised = RungScopeAddUnknown(scope, name, test, space);
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(raised);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dim 0: a mesh of points */
static inline PetscErrorCode front_mesh(PetscInt dim, RungMesh *mesh)
{
  static const char *const cell[] = {"", "interval", "triangle", "tetrahedron"};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  if (!dim)
    PetscCall(RungMeshSetPoints(*mesh, 3));
  else
    PetscCall(RungMeshSetBox(*mesh, cell[dim], dim, (PetscInt[]){1, 1, 1}, (PetscReal[]){1, 1, 1}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode front_begin(PetscInt dim)
{
  RungMesh mesh;

  PetscFunctionBegin;
  PetscCall(front_mesh(dim, &mesh));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &scope));
  PetscCall(front_unknown(mesh, "u", "v", dim ? "P1" : "P0"));
  PetscCall(front_unknown(mesh, "p", "q", dim ? "P1" : "P0"));
  PetscCall(front_unknown(mesh, "U", "W", dim ? "P1^d" : "P0^d"));
  PetscCall(front_unknown(mesh, "S", "R", dim ? "P1^dxd" : "P0^dxd"));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungScopeSetConstant(scope, "kappa", 0.1));
  PetscCall(RungScopeSetConstant(scope, "mu", 2));
  PetscCall(RungScopeDefine(scope, "eps", "sym(grad(U))"));
  PetscCall(RungScopeDefine(scope, "sigma", "tr(eps)*I + 2*mu*eps"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode front_end(void)
{
  PetscFunctionBegin;
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode front_read(const char text[], PetscInt *node)
{
  RungExpr expr = {scope, -1};

  PetscFunctionBegin;
  PetscCall(RungScopeParse(scope, "text", text, &expr));
  *node = expr.node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both texts are one node. */
#define CHECK_SAME(first, second)                                                                                      \
  do {                                                                                                                 \
    PetscInt first_, second_;                                                                                          \
    PetscCall(front_read(first, &first_));                                                                             \
    PetscCall(front_read(second, &second_));                                                                           \
    if (first_ != second_) {                                                                                           \
      fprintf(stderr, "%s:%d: \"%s\" and \"%s\" are two nodes\n", __FILE__, __LINE__, first, second);                  \
      ++check_failures;                                                                                                \
    }                                                                                                                  \
  } while (0)

#define CHECK_OTHER(first, second)                                                                                     \
  do {                                                                                                                 \
    PetscInt first_, second_;                                                                                          \
    PetscCall(front_read(first, &first_));                                                                             \
    PetscCall(front_read(second, &second_));                                                                           \
    if (first_ == second_) {                                                                                           \
      fprintf(stderr, "%s:%d: \"%s\" and \"%s\" are one node\n", __FILE__, __LINE__, first, second);                   \
      ++check_failures;                                                                                                \
    }                                                                                                                  \
  } while (0)

/* The text is printed as wanted, and what is printed is read as the same node. */
#define CHECK_PRINTS(text, wanted)                                                                                     \
  do {                                                                                                                 \
    PetscInt node_, again_;                                                                                            \
    char    *found_;                                                                                                   \
    PetscCall(front_read(text, &node_));                                                                               \
    PetscCall(RungExprToText((RungExpr){scope, node_}, &found_));                                                      \
    PetscCall(front_read(found_, &again_));                                                                            \
    if (strcmp(found_, wanted) || node_ != again_) {                                                                   \
      fprintf(stderr, "%s:%d: \"%s\" prints as \"%s\"%s, wanted \"%s\"\n", __FILE__, __LINE__, text, found_,           \
              node_ == again_ ? "" : ", which is another node", wanted);                                               \
      ++check_failures;                                                                                                \
    }                                                                                                                  \
    PetscCall(PetscFree(found_));                                                                                      \
  } while (0)

#define CHECK_REFUSED(text, message)                                                                                   \
  do {                                                                                                                 \
    PetscInt refused_;                                                                                                 \
    CHECK_RAISES(front_read(text, &refused_), message);                                                                \
  } while (0)

/* The shape and arity of a text: "vector[2] 1". */
#define CHECK_SHAPE(written, wanted)                                                                                   \
  do {                                                                                                                 \
    PetscInt node_;                                                                                                    \
    char     found_[80];                                                                                               \
    PetscCall(front_read(written, &node_));                                                                            \
    snprintf(found_, sizeof found_, "%s %" PetscInt_FMT, RungNodeShapeText(RungScopeNode(scope, node_)).text,          \
             RungScopeNode(scope, node_)->arity);                                                                      \
    if (strcmp(found_, wanted)) {                                                                                      \
      fprintf(stderr, "%s:%d: \"%s\" is a %s, wanted %s\n", __FILE__, __LINE__, written, found_, wanted);              \
      ++check_failures;                                                                                                \
    }                                                                                                                  \
  } while (0)
