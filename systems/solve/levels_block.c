/* levels_block.c - the block of one unknown in what levels have for all: its entries, and a transfer of them.

   The entries of an unknown stand together on each rank.  With E, which takes them for a vector of all with zeros elsewhere,

       P_f = E_f^T P E_f,   P_f^T = E_f^T P^T E_f. */
#include "levels_impl.h"

typedef struct {
  Mat      P;            /* referenced, of all unknowns                  */
  PetscInt first[2];     /* of the unknown, on the coarse and fine level */
  Vec      coarse, fine; /* owned, of all                             */
} Block;

PetscErrorCode RungBlockIS(RungSystem sys, PetscInt unknown, IS *is)
{
  const PetscInt       n = sys->range[unknown + 1] - sys->range[unknown];
  const RungSpaceData *space;
  PetscInt             start = 0;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[unknown], &space));
  PetscCallMPI(MPI_Exscan(&sys->local, &start, 1, MPIU_INT, MPI_SUM, sys->comm));
  PetscCall(ISCreateStride(sys->comm, n, start + sys->range[unknown], 1, is));
  PetscCall(ISSetBlockSize(*is, space->components));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* all = E block, 0 elsewhere */
static PetscErrorCode expand(Vec block, PetscInt first, Vec all)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(all));
  PetscCall(VecGetLocalSize(block, &n));
  PetscCall(VecGetArrayRead(block, &from));
  PetscCall(VecGetArray(all, &to));
  PetscCall(PetscArraycpy(to + first, from, n));
  PetscCall(VecRestoreArray(all, &to));
  PetscCall(VecRestoreArrayRead(block, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* block = E^T all */
static PetscErrorCode cut(Vec all, PetscInt first, Vec block)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(block, &n));
  PetscCall(VecGetArrayRead(all, &from));
  PetscCall(VecGetArrayWrite(block, &to));
  PetscCall(PetscArraycpy(to, from + first, n));
  PetscCall(VecRestoreArrayWrite(block, &to));
  PetscCall(VecRestoreArrayRead(all, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prolong(Mat P, Vec x, Vec y)
{
  Block *block;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &block));
  PetscCall(expand(x, block->first[0], block->coarse));
  PetscCall(MatMult(block->P, block->coarse, block->fine));
  PetscCall(cut(block->fine, block->first[1], y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restrict_residual(Mat P, Vec x, Vec y)
{
  Block *block;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &block));
  PetscCall(expand(x, block->first[1], block->fine));
  PetscCall(MatMultTranspose(block->P, block->fine, block->coarse));
  PetscCall(cut(block->coarse, block->first[0], y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Mat P)
{
  Block *block;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &block));
  PetscCall(MatDestroy(&block->P));
  PetscCall(VecDestroy(&block->coarse));
  PetscCall(VecDestroy(&block->fine));
  PetscCall(PetscFree(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransferClearBlock(Mat P, Vec fine)
{
  Block *block;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &block));
  PetscCall(expand(fine, block->first[1], block->fine));
  PetscCall(RungTransferClear(block->P, block->fine));
  PetscCall(cut(block->fine, block->first[1], fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransferOfBlock(Mat P, RungSystem coarse, RungSystem fine, PetscInt unknown, Mat *transfer)
{
  const PetscInt rows    = fine->range[unknown + 1] - fine->range[unknown],
                 columns = coarse->range[unknown + 1] - coarse->range[unknown];
  Block *block;

  PetscFunctionBegin;
  PetscCall(PetscNew(&block));
  PetscCall(PetscObjectReference((PetscObject)P));
  block->P        = P;
  block->first[0] = coarse->range[unknown];
  block->first[1] = fine->range[unknown];
  PetscCall(MatCreateVecs(P, &block->coarse, &block->fine));
  PetscCall(MatCreateShell(fine->comm, rows, columns, PETSC_DETERMINE, PETSC_DETERMINE, block, transfer));
  PetscCall(MatShellSetOperation(*transfer, MATOP_MULT, (void (*)(void))prolong));
  PetscCall(MatShellSetOperation(*transfer, MATOP_MULT_TRANSPOSE, (void (*)(void))restrict_residual));
  PetscCall(MatShellSetOperation(*transfer, MATOP_DESTROY, (void (*)(void))destroy));
  PetscCall(MatSetUp(*transfer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
