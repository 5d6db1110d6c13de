/* split.c - a Jacobian in two parts:  J(sigma) = sum_k sigma_k K_k + V(t, u, sigma),  K of what stays, V of the rest.

   Traits tell of every domain and part of the mesh which pairs of unknowns have entries and which have some that vary.
   What V costs against all of J is counted in values that places add: a load on a boundary that depends on the state visits
   its facets alone, constant terms of interior facets are visited once and for all. */
#include "kernel_impl.h"

static PetscBool varies(const RungBlocksOf *b, PetscInt f, PetscInt g, PetscBool fields)
{
  return ((b->varying[f] | (fields ? b->fields[f] : 0)) >> g & 1) ? PETSC_TRUE : PETSC_FALSE;
}

/* Facets add blocks of two cells; vertices and the like those of a cell that shows them. */
PetscErrorCode RungFormCountValues(RungForm form, PetscBool fields, PetscReal *all, PetscReal *varying)
{
  const RungLayoutData *data;
  const RungSpaceData  *space;
  PetscReal             mine[2] = {0, 0}, sum[2];

  PetscFunctionBegin;
  RungNeed(form);
  PetscCall(RungLayoutGetData(form->layout, &data));
  PetscCall(RungSpaceGetData(data->space[0], &space));
  for (const RungBlocksOf *b = form->blocks; b; b = b->next) {
    const char       *part = b->part < 0 ? "" : RungScopeString(form->expr.scope, b->part);
    const PetscReal   each = b->domain == RUNG_INTERIOR_FACETS ? 4 : 1;
    const RungPlaces *places;

    PetscCall(RungMeshGetPlaces(space->mesh, b->domain, part, &places));
    for (PetscInt f = 0; f < data->unknowns; ++f)
      for (PetscInt g = 0; g < data->unknowns; ++g) {
        const PetscReal values = each * (PetscReal)places->count * (PetscReal)(data->offset[f + 1] - data->offset[f]) *
                                 (PetscReal)(data->offset[g + 1] - data->offset[g]);

        if (b->all[f] >> g & 1) mine[0] += values;
        if (varies(b, f, g, fields)) mine[1] += values;
      }
  }
  PetscCallMPI(MPI_Allreduce(mine, sum, 2, MPIU_REAL, MPIU_SUM, form->comm));
  *all     = sum[0];
  *varying = sum[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSplitJacobian(RungForm form, PetscBool fields)
{
  PetscFunctionBegin;
  RungNeed(form);
  PetscCheck(!form->part[RUNG_FORM_JACOBIAN].ready, form->comm, PETSC_ERR_ORDER,
             "form \"%s\" is set up already; split its Jacobian before", form->name);
  form->split       = PETSC_TRUE;
  form->fields_vary = fields;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what V adds to ----------------------------------------------------------------------------------------------- */

/* Cells of all places of the kernels of V, ascending. */
static PetscErrorCode list_cells(RungForm form, const RungFormPart *part, PetscInt cells)
{
  PetscBool *in;
  PetscInt   n = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(cells, &in));
  for (PetscInt i = 0; i < part->groups; ++i)
    for (PetscInt k = 0; k < part->batches[i]->places; ++k) in[part->batches[i]->cell[k]] = PETSC_TRUE;
  for (PetscInt c = 0; c < cells; ++c) n += in[c] ? 1 : 0;
  PetscCall(PetscMalloc1(n + 1, &form->visit));
  form->visits = 0;
  for (PetscInt c = 0; c < cells; ++c)
    if (in[c]) form->visit[form->visits++] = c;
  PetscCall(PetscFree(in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormVisits(RungForm form, RungForm also, const PetscInt **cell, PetscInt *cells)
{
  const RungFormPart   *part = &form->part[RUNG_FORM_VARYING];
  const RungLayoutData *data;
  PetscBool             all = PETSC_FALSE;

  PetscFunctionBegin;
  *cell = NULL;
  PetscCall(RungLayoutGetData(form->layout, &data));
  *cells = also ? -1 : data->cells;
  for (PetscInt i = 0; i < part->groups; ++i) {
    if (part->batches[i]->number) *cells = -1;
    if (part->batches[i]->plan->integral->domain == RUNG_CELLS && part->batches[i]->places == data->cells)
      all = PETSC_TRUE;
  }
  if (*cells < 0 || all) PetscFunctionReturn(PETSC_SUCCESS);
  if (!form->visit) PetscCall(list_cells(form, part, data->cells));
  *cell  = form->visit;
  *cells = form->visits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormVaryingPairs(RungForm form, RungForm also, PetscBool couple[])
{
  const PetscInt n = RungScopeUnknowns(form->expr.scope);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n * n; ++i) {
    couple[i] = also && also->traits.couple[i / n][i % n] ? PETSC_TRUE : PETSC_FALSE;
    for (const RungBlocksOf *b = form->blocks; b; b = b->next)
      couple[i] = couple[i] || varies(b, i / n, i % n, form->fields_vary) ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
