/* kernel_tools.h - what the tests of kernels share: small meshes of every cell, bent ones too, and forms on them. */
#pragma once

#include "kernel_impl.h"
#include <check.h>

/* Unknowns u (test v) and, if asked for, p (test q); constants kappa, mu; some numbers as u, u', u''. */
typedef struct {
  RungMesh            mesh;
  const RungMeshData *data;
  RungSpace           space[3];
  PetscInt            unknowns;
  RungScope           scope;
  RungLayout          layout;
  Vec                 u[3];
} Tools;

static const char *const tools_cell[] = {"point", "interval", "triangle", "quadrilateral", "tetrahedron", "hexahedron"};
static const PetscInt    tools_dim[]  = {0, 1, 2, 2, 3, 3};

/* Moves the nodes by a smooth function.  Rung offers no way to bend a mesh, so the arrays are written to as the mesh's
   owner would, before any space exists. */
static inline PetscErrorCode tools_bend(RungMesh mesh)
{
  const RungMeshData *data;
  RungMeshData       *own;
  PetscReal          *x;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  memcpy(&own, &data, sizeof own);
  memcpy(&x, &data->x, sizeof x);
  for (PetscInt i = 0; i < data->nodes; ++i) {
    PetscReal y[3] = {0, 0, 0};

    for (PetscInt a = 0; a < data->dim; ++a) y[a] = x[i * data->dim + a];
    for (PetscInt a = 0; a < data->dim; ++a) x[i * data->dim + a] += 0.06 * sin(3 * y[0] + 2 * y[1] - y[2] + a);
  }
  own->affine   = RungCellGet(data->type)->simplex;
  own->straight = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode tools_mesh(MPI_Comm comm, RungCellType type, PetscBool bent, RungMesh *mesh)
{
  const PetscInt  count[3] = {2, 3, 2};
  const PetscReal size[3]  = {1, 1.5, 0.75};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, mesh));
  if (type == RUNG_POINT)
    PetscCall(RungMeshSetPoints(*mesh, 11));
  else
    PetscCall(RungMeshSetBox(*mesh, tools_cell[type], tools_dim[type], count, size));
  PetscCall(RungMeshSetUp(*mesh));
  if (bent) PetscCall(tools_bend(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "2^d" -> "P2^d" or "Q2^d" */
static inline PetscErrorCode tools_space(RungMesh mesh, RungCellType type, const char spec[], RungSpace *space)
{
  char whole[32];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(whole, sizeof whole, "%s%s", RungCellGet(type)->simplex ? "P" : "Q", spec));
  PetscCall(RungSpaceCreate(mesh, whole, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode tools_fill(Tools *tools)
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) {
    PetscInt     start, end;
    PetscScalar *u;

    PetscCall(RungLayoutCreateVec(tools->layout, &tools->u[k]));
    PetscCall(VecGetOwnershipRange(tools->u[k], &start, &end));
    PetscCall(VecGetArray(tools->u[k], &u));
    for (PetscInt i = start; i < end; ++i) u[i - start] = 0.03 * sin(1.3 * (double)i + k + 0.2);
    PetscCall(VecRestoreArray(tools->u[k], &u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the mesh. */
static inline PetscErrorCode tools_create_on(MPI_Comm comm, RungMesh mesh, RungCellType type, const char u[],
                                             const char p[], Tools *tools)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(tools, sizeof *tools));
  tools->mesh = mesh;
  PetscCall(RungMeshGetData(tools->mesh, &tools->data));
  PetscCall(tools_space(tools->mesh, type, u, &tools->space[tools->unknowns++]));
  if (p) PetscCall(tools_space(tools->mesh, type, p, &tools->space[tools->unknowns++]));
  PetscCall(RungScopeCreate(comm, &tools->scope));
  PetscCall(RungScopeAddUnknown(tools->scope, "u", "v", tools->space[0]));
  if (p) PetscCall(RungScopeAddUnknown(tools->scope, "p", "q", tools->space[1]));
  PetscCall(RungScopeSetConstant(tools->scope, "kappa", 0.7));
  PetscCall(RungScopeSetConstant(tools->scope, "mu", 1.3));
  PetscCall(RungLayoutCreate(comm, tools->unknowns, tools->space, &tools->layout));
  PetscCall(tools_fill(tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode tools_create(MPI_Comm comm, RungCellType type, PetscBool bent, const char u[],
                                          const char p[], Tools *tools)
{
  RungMesh mesh;

  PetscFunctionBegin;
  PetscCall(tools_mesh(comm, type, bent, &mesh));
  PetscCall(tools_create_on(comm, mesh, type, u, p, tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode tools_destroy(Tools *tools)
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&tools->u[k]));
  PetscCall(RungLayoutDestroy(&tools->layout));
  PetscCall(RungScopeDestroy(&tools->scope));
  for (PetscInt f = 0; f < tools->unknowns; ++f) PetscCall(RungSpaceDestroy(&tools->space[f]));
  PetscCall(RungMeshDestroy(&tools->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A form of text.  Compiled objects stay in the folder that RUNG_TEST_KERNELS names, one for a program on all numbers of ranks,
   or in the one that the test runs in. */
static inline PetscErrorCode tools_form(Tools *tools, const char text[], PetscBool compile, RungForm *form)
{
  const char *kernels = getenv("RUNG_TEST_KERNELS");
  RungExpr    expr;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(tools->scope, "test", text, &expr));
  PetscCall(RungFormCreate(expr, "test", tools->layout, form));
  (*form)->compile = compile;
  PetscCall(PetscFree((*form)->options.cache));
  PetscCall(PetscStrallocpy(kernels ? kernels : "cache", &(*form)->options.cache));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For large or many kernels: the compiler takes half of the time, and loops over lanes are vectors all the same. */
static inline PetscErrorCode tools_quick_compiler(RungForm form)
{
  char flags[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(flags, sizeof flags, "-O1 -ftree-vectorize %s", RungIsaFlags(RUNG_ISA_NATIVE)));
  PetscCall(PetscFree(form->options.flags));
  PetscCall(PetscStrallocpy(flags, &form->options.flags));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The value of an integral, interpreted. */
static inline PetscErrorCode tools_value(Tools *tools, const char text[], PetscReal *value)
{
  RungForm form;

  PetscFunctionBegin;
  PetscCall(tools_form(tools, text, PETSC_FALSE, &form));
  PetscCall(RungFormIntegrate(form, 0.3, tools->u, value));
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals of text with their plans. */
typedef struct {
  PetscInt      n;
  RungIntegral *integral;
  RungPlan     *plan;
} ToolsPlans;

static inline PetscErrorCode tools_lower(Tools *tools, const char text[], PetscBool jacobian, PetscInt degree,
                                         ToolsPlans *plans)
{
  RungExpr expr;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(tools->scope, "test", text, &expr));
  PetscCall(RungLower(expr, jacobian, degree, &plans->n, &plans->integral));
  PetscCall(PetscCalloc1(plans->n, &plans->plan));
  for (PetscInt i = 0; i < plans->n; ++i) {
    PetscCall(RungPlanCreate(&plans->integral[i], tools->scope, tools->layout, &plans->plan[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode tools_plans_destroy(ToolsPlans *plans)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < plans->n; ++i) PetscCall(RungPlanDestroy(&plans->plan[i]));
  PetscCall(PetscFree(plans->plan));
  PetscCall(RungIntegralsDestroy(plans->n, &plans->integral));
  PetscFunctionReturn(PETSC_SUCCESS);
}
