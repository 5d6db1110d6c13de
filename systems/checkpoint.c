/* checkpoint.c - all accepted levels to a binary viewer and back, bit for bit. */
#include "system_impl.h"

#define RUNG_CHECKPOINT_MAGIC 1380271687 /* 'RUNG' */

/* [magic, order, global size, carried, conserved, levels] */
#define RUNG_CHECKPOINT_HEADER 6

static void describe(RungTransientSystem ts, PetscInt levels, PetscInt header[])
{
  header[0] = RUNG_CHECKPOINT_MAGIC;
  header[1] = ts->order;
  header[2] = ts->sys->global;
  header[3] = ts->carried;
  header[4] = ts->sys->traits.conserved ? 1 : 0;
  header[5] = levels;
}

static PetscErrorCode save_vec(Vec v, void *viewer)
{
  PetscFunctionBegin;
  PetscCall(VecView(v, (PetscViewer)viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_vec(Vec v, void *viewer)
{
  PetscFunctionBegin;
  PetscCall(VecLoad(v, (PetscViewer)viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_viewer(RungTransientSystem ts, PetscViewer viewer)
{
  PetscBool binary;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERBINARY, &binary));
  PetscCheck(binary, ts->sys->comm, PETSC_ERR_ARG_WRONG,
             "levels go through a binary viewer; use PetscViewerBinaryOpen");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemSave(RungTransientSystem ts, PetscViewer viewer)
{
  PetscInt header[RUNG_CHECKPOINT_HEADER];

  PetscFunctionBegin;
  PetscCall(check_viewer(ts, viewer));
  PetscCheck(!ts->open, ts->sys->comm, PETSC_ERR_ORDER, "a save while a proposal is out; accept it or roll back");
  describe(ts, ts->count, header);
  PetscCall(PetscViewerBinaryWrite(viewer, header, RUNG_CHECKPOINT_HEADER, PETSC_INT));
  for (PetscInt back = ts->count - 1; back >= 0; --back) { /* the oldest first, as they are accepted again */
    RungState *state = RungTransientSystemLevel(ts, back);

    PetscCall(PetscViewerBinaryWrite(viewer, &state->t, 1, PETSC_REAL));
    PetscCall(RungStateVisit(ts, state, save_vec, viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemLoad(RungTransientSystem ts, PetscViewer viewer)
{
  static const char *const what[] = {"mark", "order in time", "number of entries", "number of carried vectors",
                                     "conserved terms"};
  PetscInt                 found[RUNG_CHECKPOINT_HEADER], wanted[RUNG_CHECKPOINT_HEADER];

  PetscFunctionBegin;
  PetscCall(check_viewer(ts, viewer));
  PetscCall(PetscViewerBinaryRead(viewer, found, RUNG_CHECKPOINT_HEADER, NULL, PETSC_INT));
  describe(ts, 0, wanted);
  for (PetscInt i = 0; i < RUNG_CHECKPOINT_HEADER - 1; ++i) {
    PetscCheck(found[i] == wanted[i], ts->sys->comm, PETSC_ERR_FILE_UNEXPECTED,
               "saved levels have %s %" PetscInt_FMT ", this system has %" PetscInt_FMT
               "; load what was saved by the same problem and method",
               what[i], found[i], wanted[i]);
  }
  PetscCheck(found[5] >= 0 && found[5] <= ts->depth, ts->sys->comm, PETSC_ERR_FILE_UNEXPECTED,
             "%" PetscInt_FMT " saved levels for a history of %" PetscInt_FMT
             "; load what was saved by the same problem and method",
             found[5], ts->depth);
  PetscCall(RungTransientSystemForget(ts));
  for (PetscInt i = 0; i < found[5]; ++i) {
    RungState *state;

    PetscCall(RungTransientSystemGetProposal(ts, &state));
    PetscCall(PetscViewerBinaryRead(viewer, &state->t, 1, NULL, PETSC_REAL));
    PetscCall(RungStateVisit(ts, state, load_vec, viewer));
    PetscCall(RungTransientSystemPush(ts));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
