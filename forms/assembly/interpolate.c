/* interpolate.c - fields made of expressions: by values at nodes, or by L2 projection.

   At a node that several cells share the mean over these cells is taken, which is the value itself where the expression
   is continuous.  The projection p of e solves (p, v) = (e, v) for all v of the space, both sides by one rule. */
#include "sample_impl.h"

static PetscErrorCode check_target(RungField field, RungSampler s)
{
  const RungSpaceData *space;
  RungSpace            of;
  const char          *name;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(field, &of));
  PetscCall(RungFieldGetName(field, &name));
  PetscCall(RungSpaceGetData(of, &space));
  PetscCheck(space->mesh == s->mesh, s->comm, PETSC_ERR_ARG_INCOMP, "\"%s\" lives on another mesh", name);
  PetscCheck(space->components == s->tape.outputs, s->comm, PETSC_ERR_ARG_INCOMP,
             "\"%s\" of %s has %" PetscInt_FMT " components, the expression has %" PetscInt_FMT "; wanted equal shapes",
             name, space->spec, space->components, s->tape.outputs);
  PetscCheck(s->quadrature < 0 || (space->quadrature && space->degree == s->quadrature), s->comm, PETSC_ERR_SUP,
             "values of Quad(%" PetscInt_FMT ") have none at the nodes of %s; project them", s->quadrature,
             space->spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum[] and count[] += values and one at the nodes of the cells of the part */
static PetscErrorCode add_nodes(RungSampler s, const RungSpaceData *space, const RungLayoutData *layout,
                                const RungPlaces *cells, PetscScalar sum[], PetscBool count)
{
  const PetscInt   n = space->cell_nodes * space->components;
  RungSampleTables tables;
  PetscScalar     *value;

  PetscFunctionBegin;
  PetscCall(RungSampleTablesCreate(s, space->cell_nodes, space->node, &tables));
  PetscCall(PetscMalloc1(n, &value));
  for (PetscInt i = 0; i < n && count; ++i) value[i] = 1;
  for (PetscInt i = 0; i < cells->count; ++i) {
    const PetscInt c = cells->cell[0][i], *dof = layout->cell_dof + c * layout->cell_dofs;

    if (!count) RungSamplerRun(s, c, &tables, value);
    for (PetscInt k = 0; k < n; ++k) sum[dof[k]] += value[k];
  }
  PetscCall(PetscFree(value));
  PetscCall(RungSampleTablesDestroy(&tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = sum/count where count is not 0 */
static PetscErrorCode take_means(Vec sum, Vec count, Vec u)
{
  const PetscScalar *a, *b;
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetArrayRead(sum, &a));
  PetscCall(VecGetArrayRead(count, &b));
  PetscCall(VecGetArray(u, &to));
  for (PetscInt i = 0; i < n; ++i)
    if (PetscRealPart(b[i]) > 0) to[i] = a[i] / b[i];
  PetscCall(VecRestoreArray(u, &to));
  PetscCall(VecRestoreArrayRead(count, &b));
  PetscCall(VecRestoreArrayRead(sum, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldInterpolate(RungField field, RungSampler s, PetscReal t, const Vec u[], const char part[])
{
  const RungPlaces     *cells;
  const RungSpaceData  *space;
  const RungLayoutData *data;
  RungLayout            layout;
  RungSpace             of;
  PetscScalar          *local;
  Vec                   values, work[2];

  PetscFunctionBegin;
  RungNeed(field);
  PetscCall(check_target(field, s));
  PetscCall(RungFieldGetSpace(field, &of));
  PetscCall(RungFieldGetVec(field, &values));
  PetscCall(RungSpaceGetData(of, &space));
  PetscCall(RungMeshGetPlaces(s->mesh, RUNG_CELLS, part, &cells));
  PetscCall(RungSamplerBegin(s, t, u)); /* nothing is refused from here on */
  PetscCall(RungLayoutCreate(s->comm, 1, &of, &layout));
  PetscCall(RungLayoutGetData(layout, &data));
  for (int i = 0; i < 2; ++i) {
    PetscCall(VecDuplicate(values, &work[i]));
    PetscCall(VecZeroEntries(work[i]));
    PetscCall(RungLayoutScatterBegin(layout, work[i], &local));
    PetscCall(add_nodes(s, space, data, cells, local, (PetscBool)i));
    PetscCall(RungLayoutScatterEnd(layout, work[i], &local));
  }
  PetscCall(RungSamplerEnd(s, u));
  PetscCall(take_means(work[0], work[1], values));
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&work[i]));
  PetscCall(RungLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- projection --------------------------------------------------------------------------------------------------- */

/* The sides of the equation, cell by cell: block[i][j] = int v_i v_j, load[i] = int e v_i. */
typedef struct {
  const RungQuadrature *rule;   /* lent                                         */
  RungSampleTables      tables; /* owned                                        */
  PetscReal            *basis;  /* owned, [point][node]                         */
  PetscScalar          *value;  /* owned, [point][component]                    */
  PetscScalar          *block;  /* owned, [dof][dof]                            */
  PetscScalar          *load;   /* owned, [dof]                                 */
} Sides;

static PetscErrorCode sides_create(RungSampler s, RungSpace of, PetscInt degree, Sides *sides)
{
  const RungSpaceData *space;
  PetscInt             n;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(of, &space));
  n = space->cell_nodes * space->components;
  PetscCall(RungQuadratureGet(s->data->type, degree, &sides->rule));
  PetscCall(RungSampleTablesCreate(s, sides->rule->points, sides->rule->x, &sides->tables));
  PetscCall(PetscMalloc4(sides->rule->points * space->cell_nodes, &sides->basis,
                         sides->rule->points * space->components, &sides->value, n * n, &sides->block, n,
                         &sides->load));
  PetscCall(RungSpaceTabulate(of, sides->rule->points, sides->rule->x, 0, sides->basis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sides_of(RungSampler s, const RungSpaceData *space, PetscInt cell, Sides *sides)
{
  const PetscInt nodes = space->cell_nodes, m = space->components, n = nodes * m;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(sides->block, n * n));
  PetscCall(PetscArrayzero(sides->load, n));
  RungSamplerRun(s, cell, &sides->tables, sides->value);
  for (PetscInt q = 0; q < sides->rule->points; ++q) {
    const PetscReal *phi = sides->basis + q * nodes;
    RungSamplePlace  place;
    PetscReal        weight;

    RungSamplerPlace(s, cell, &sides->tables, q, &place);
    weight = sides->rule->weight[q] * PetscAbsReal(place.det);
    for (PetscInt i = 0; i < nodes; ++i) {
      for (PetscInt a = 0; a < m; ++a) sides->load[i * m + a] += weight * phi[i] * sides->value[q * m + a];
      for (PetscInt j = 0; j < nodes; ++j)
        for (PetscInt a = 0; a < m; ++a) sides->block[(i * m + a) * n + j * m + a] += weight * phi[i] * phi[j];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(RungSampler s, RungSpace of, RungLayout layout, PetscInt degree, Mat M, Vec b)
{
  const RungSpaceData  *space;
  const RungLayoutData *data;
  PetscScalar          *local;
  Sides                 sides;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(of, &space));
  PetscCall(RungLayoutGetData(layout, &data));
  PetscCall(sides_create(s, of, degree, &sides));
  PetscCall(RungLayoutInsertBegin(layout, M));
  PetscCall(RungLayoutScatterBegin(layout, b, &local));
  for (PetscInt c = 0; c < s->data->cells; ++c) {
    PetscCall(sides_of(s, space, c, &sides));
    PetscCall(RungLayoutInsertCell(layout, M, c, sides.block, data->cell_dofs, 1));
    for (PetscInt i = 0; i < data->cell_dofs; ++i) local[data->cell_dof[c * data->cell_dofs + i]] += sides.load[i];
  }
  PetscCall(RungLayoutScatterEnd(layout, b, &local));
  PetscCall(RungLayoutInsertEnd(layout, M));
  PetscCall(PetscFree4(sides.basis, sides.value, sides.block, sides.load));
  PetscCall(RungSampleTablesDestroy(&sides.tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M u = b: the mass matrix is well conditioned once its diagonal is scaled. */
static PetscErrorCode solve(RungSampler s, const char name[], Mat M, Vec b, Vec u)
{
  KSP                ksp;
  PC                 pc;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPCreate(s->comm, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "project_"));
  PetscCall(KSPSetOperators(ksp, M, M));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, 2000));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, u));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPDestroy(&ksp));
  PetscCheck(reason > 0, s->comm, PETSC_ERR_NOT_CONVERGED,
             "the projection into \"%s\" was not solved (%s); are all values finite?", name,
             KSPConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldProject(RungField field, RungSampler s, PetscReal t, const Vec u[], PetscInt degree)
{
  const PetscBool      couple = PETSC_TRUE;
  const RungSpaceData *space;
  const char          *name;
  RungLayout           layout;
  RungSpace            of;
  Mat                  M;
  Vec                  values, b;

  PetscFunctionBegin;
  RungNeed(field);
  PetscCall(RungFieldGetSpace(field, &of));
  PetscCall(RungFieldGetName(field, &name));
  PetscCall(RungFieldGetVec(field, &values));
  PetscCall(RungSpaceGetData(of, &space));
  if (space->quadrature) { /* values at points are their own projection */
    PetscCall(RungFieldInterpolate(field, s, t, u, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(space->mesh == s->mesh && space->components == s->tape.outputs, s->comm, PETSC_ERR_ARG_INCOMP,
             "\"%s\" of %s cannot take the projection: another mesh, or %" PetscInt_FMT
             " components for %" PetscInt_FMT,
             name, space->spec, space->components, s->tape.outputs);
  if (s->quadrature >= 0) degree = s->quadrature;
  if (degree < 0) degree = 2 * space->degree + 2 + 2 * (s->data->geometry_degree > 1 ? s->data->geometry_degree : 0);
  PetscCall(RungSamplerBegin(s, t, u)); /* nothing but the solve is refused from here on */
  PetscCall(RungLayoutCreate(s->comm, 1, &of, &layout));
  PetscCall(RungLayoutCreateMat(layout, &couple, NULL, &M));
  PetscCall(VecDuplicate(values, &b));
  PetscCall(VecZeroEntries(b));
  PetscCall(assemble(s, of, layout, degree, M, b));
  PetscCall(RungSamplerEnd(s, u));
  RungCallFinally(solve(s, name, M, b, values), PetscCall(VecDestroy(&b)); PetscCall(MatDestroy(&M));
                  PetscCall(RungLayoutDestroy(&layout)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
