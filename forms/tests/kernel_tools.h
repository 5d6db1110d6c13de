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

/* A form of text; compiled it works on two places at a time, which the compiler is quickest with.  Compiled objects stay in the folder that RUNG_TEST_KERNELS names, one for a program on all numbers of ranks,
   or in the one that the test runs in. */
static inline PetscErrorCode tools_form(Tools *tools, const char text[], PetscBool compile, RungForm *form)
{
  const char *kernels = getenv("RUNG_TEST_KERNELS");
  RungExpr    expr;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(tools->scope, "test", text, &expr));
  PetscCall(RungFormCreate(expr, "test", tools->layout, form));
  (*form)->compile       = compile;
  (*form)->options.lanes = 2;
  PetscCall(PetscFree((*form)->options.cache));
  PetscCall(PetscStrallocpy(kernels ? kernels : "cache", &(*form)->options.cache));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For large or many kernels: the compiler takes a third of the time for them, and they compute the same. */
static inline PetscErrorCode tools_quick_compiler(RungForm form)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(form->options.flags));
  PetscCall(PetscStrallocpy("-O0", &form->options.flags));
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

/* All entries of all places by one kernel, whatever its lanes: out[place][entry], which the caller frees by PetscFree() */
static inline PetscErrorCode tools_run(Tools *tools, RungKernel kernel, const double sigma[], double **out)
{
  RungBatches        batches;
  const PetscScalar *u[3];
  PetscInt           entries;

  PetscFunctionBegin;
  PetscCall(RungBatchesCreate(1, &kernel, tools->layout, NULL, &batches));
  entries = kernel->plan->rows * kernel->plan->cols;
  PetscCall(PetscMalloc1(batches->places * entries, out));
  for (int k = 0; k < 3; ++k) PetscCall(RungLayoutGather(tools->layout, tools->u[k], k, &u[k]));
  (void)RungScopeConstants(tools->scope, &batches->args.constant);
  batches->args.t     = 0.3;
  batches->args.sigma = sigma;
  batches->args.table = RungScopeTables(tools->scope);
  for (PetscInt b = 0; b < batches->batches; ++b) {
    const PetscInt count = RungBatchRun(batches, b, u, NULL);

    for (PetscInt l = 0; l < count; ++l) {
      for (PetscInt e = 0; e < entries; ++e) {
        (*out)[(batches->first[b] + l) * entries + e] = batches->args.out[e * batches->lanes + l];
      }
    }
  }
  for (int k = 0; k < 3; ++k) PetscCall(RungLayoutGatherRestore(tools->layout, tools->u[k], k, &u[k]));
  PetscCall(RungBatchesDestroy(&batches));
  PetscFunctionReturn(PETSC_SUCCESS);
}
