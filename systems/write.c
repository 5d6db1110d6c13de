/* write.c - a state -> one field for each unknown (and its rates) -> a time series for ParaView. */
#include "form_side_impl.h"

struct _p_RungWriter {
  RungSystem sys;        /* reference                                        */
  RungOutput output;     /* owned                                            */
  PetscInt   n;          /* fields                                           */
  RungField *field;      /* owned, [n]                                       */
  PetscInt  *unknown;    /* owned, [n]                                       */
  PetscInt  *derivative; /* owned, [n]                                      */
};

static PetscErrorCode add_field(RungWriter writer, PetscInt f, PetscInt k)
{
  static const char *const pattern[] = {"%s", "dt(%s)", "dt(%s, 2)"};
  RungFormSide             form      = writer->sys->form;
  char                     name[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, pattern[k], form->name[f]));
  PetscCall(RungFieldCreate(form->space[f], name, &writer->field[writer->n]));
  writer->unknown[writer->n]      = f;
  writer->derivative[writer->n++] = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterCreate(RungSystem sys, const char path[], RungWriter *writer)
{
  RungWriter w;
  PetscBool  fields = PETSC_FALSE; /* there are others than numbers */

  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(sys->form, sys->comm, PETSC_ERR_SUP,
             "\"%s\": a system of callbacks has no mesh to write; write its numbers with a monitor", path);
  PetscCall(PetscNew(&w));
  PetscCall(RungSystemReference(sys));
  w->sys = sys;
  PetscCall(PetscMalloc3(sys->traits.unknowns * (RUNG_MAX_ORDER + 1), &w->field,
                         sys->traits.unknowns * (RUNG_MAX_ORDER + 1), &w->unknown,
                         sys->traits.unknowns * (RUNG_MAX_ORDER + 1), &w->derivative));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) fields = (PetscBool)(fields || !RungGlobalUnknown(sys, f));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    const PetscInt order = sys->output_rates ? sys->traits.unknown_order[f] : 0;

    if (RungGlobalUnknown(sys, f) && fields) continue; /* its values are quantities */
    for (PetscInt k = 0; k <= order; ++k) PetscCall(add_field(w, f, k));
  }
  PetscCall(RungOutputCreate(sys->comm, path, &w->output));
  *writer = w;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An unknown's entries have one order in the system's Vec and in the field's. */
static PetscErrorCode copy_entries(RungWriter writer, PetscInt i, const Vec u[])
{
  const PetscInt    *range = &writer->sys->range[writer->unknown[i]];
  const PetscScalar *from;
  PetscScalar       *to;
  Vec                field;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(writer->field[i], &field));
  PetscCall(VecGetArrayRead(u[writer->derivative[i]], &from));
  PetscCall(VecGetArrayWrite(field, &to));
  PetscCall(PetscArraycpy(to, from + range[0], range[1] - range[0]));
  PetscCall(VecRestoreArrayWrite(field, &to));
  PetscCall(VecRestoreArrayRead(u[writer->derivative[i]], &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterWrite(RungWriter writer, PetscReal t, const Vec u[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < writer->n; ++i) PetscCall(copy_entries(writer, i, u));
  PetscCall(RungOutputWrite(writer->output, t, writer->n, writer->field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterResume(RungWriter writer, PetscReal t)
{
  PetscFunctionBegin;
  PetscCall(RungOutputResume(writer->output, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWriterDestroy(RungWriter *writer)
{
  RungWriter w = *writer;

  PetscFunctionBegin;
  *writer = NULL;
  if (!w) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungOutputDestroy(&w->output));
  for (PetscInt i = 0; i < w->n; ++i) PetscCall(RungFieldDestroy(&w->field[i]));
  PetscCall(PetscFree3(w->field, w->unknown, w->derivative));
  PetscCall(RungSystemDestroy(&w->sys));
  PetscCall(PetscFree(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
