/* mat_type.c - matrices other than AIJ: those of -system_mat_type, and the one that a kept Jacobian has by itself.

   BAIJ and SBAIJ read one column index for a block of components x components values; the kernels' results go straight into
   their blocks.  Other types of PETSc are given a list of coordinates.  What systems do with rows and columns besides, the
   elimination of constraints and consistent starts, stays with AIJ.

   Conjugate gradients with a matrix that is made once spend their time on reading it: products and incomplete factors of
   SBAIJ read half of AIJ's values and, with vectors, a ninth of its indices. */
#include "form_side_impl.h"

static const char *root_of(const char type[])
{
  return !strncmp(type, "seq", 3) || !strncmp(type, "mpi", 3) ? type + 3 : type;
}

/* Of the matrices that stay. */
static const char *type_of(RungSystem sys)
{
  return sys->typed ? sys->mat_type : sys->halved ? MATSBAIJ : MATAIJ;
}

PetscErrorCode RungTypedIs(RungSystem sys, Mat J, PetscBool *flag)
{
  MatType type;

  PetscFunctionBegin;
  PetscCall(MatGetType(J, &type));
  *flag = !strcmp(root_of(type), root_of(type_of(sys))) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTypedCreate(RungSystem sys, const PetscBool couple[], const PetscBool fixed[], Mat *J)
{
  PetscFunctionBegin;
  PetscCall(RungLayoutCreateMatOfType(sys->form->layout, type_of(sys), couple, fixed, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method with bounds solves on the rows that the bounds leave free: it wants single rows, and a norm. */
PetscErrorCode RungTypedCheckBounds(RungSystem sys)
{
  const char          *type = root_of(sys->mat_type);
  const RungSpaceData *space;
  PetscBool            fits;

  PetscFunctionBegin;
  if (!sys->form->bounds) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceGetData(sys->form->space[0], &space));
  fits = !strcmp(type, MATDENSE) || (space->components == 1 && (!strcmp(type, MATBAIJ) || !strcmp(type, MATSBAIJ)))
           ? PETSC_TRUE
           : PETSC_FALSE;
  PetscCheck(fits, sys->comm, PETSC_ERR_SUP,
             "-system_mat_type %s beside bounds, which are solved for on single rows of the matrix, and it gives none; "
             "take -system_mat_type aij",
             sys->mat_type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTypedCheckFit(RungSystem sys)
{
  PetscFunctionBegin;
  PetscCheck(sys->form, sys->comm, PETSC_ERR_SUP,
             "-system_mat_type %s wants weak forms; this system is made of callbacks: make the matrix in "
             "RungSystemSetMatCallback()",
             sys->mat_type);
  PetscCheck(
    !sys->form->constraints, sys->comm, PETSC_ERR_SUP,
    "-system_mat_type %s cannot eliminate constraints (periodic, tied, slip), which change the rows that there "
    "are; take -system_mat_type aij",
    sys->mat_type);
  PetscCall(RungTypedCheckBounds(sys));
  PetscCheck(
    sys->traits.symmetric || strcmp(root_of(sys->mat_type), MATSBAIJ), sys->comm, PETSC_ERR_SUP,
    "-system_mat_type %s holds one half of a symmetric matrix, but the Jacobian of this system is not evidently "
    "symmetric; take -system_mat_type baij or aij",
    sys->mat_type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTypedCreateMat(RungSystem sys, Mat *J)
{
  MatInfo   info;
  PetscBool counts;

  PetscFunctionBegin;
  if (sys->typed) PetscCall(RungTypedCheckFit(sys));
  PetscCall(RungTypedCreate(sys, sys->form->couple, sys->form->fixed, J));
  if (sys->traits.symmetric) PetscCall(MatSetOption(*J, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatHasOperation(*J, MATOP_GETINFO, &counts));
  if (counts) {
    PetscCall(MatGetInfo(*J, MAT_LOCAL, &info));
    sys->form->nonzeros = (strcmp(root_of(type_of(sys)), MATSBAIJ) ? 1 : 2) * info.nz_used;
    sys->form->counted  = PETSC_TRUE;
  }
  PetscCall(RungNullSpacesAttach(sys, *J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTypedMakeWhole(RungSystem sys, Mat *J)
{
  PetscBool half;

  PetscFunctionBegin;
  if (sys->halved) PetscCall(RungConstantForget(sys)); /* blocks have the type, too */
  sys->halved = PETSC_FALSE;
  sys->whole  = PETSC_TRUE;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)*J, &half, MATSEQSBAIJ, MATMPISBAIJ, ""));
  if (!half) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(J));
  PetscCall(RungSystemCreateMat(sys, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTypedCheckSolver(RungSystem sys, PCType type)
{
  static const PCType fit[] = {PCCHOLESKY, PCICC};

  PetscFunctionBegin;
  if (strcmp(root_of(sys->mat_type), MATSBAIJ) || !type) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(strcmp(type, PCLU) && strcmp(type, PCILU), sys->comm, PETSC_ERR_SUP,
             "-pc_type %s does not fit -system_mat_type %s, which holds one half of the matrix; take -pc_type %s, or "
             "-system_mat_type baij",
             type, sys->mat_type, fit[!strcmp(type, PCILU)]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
