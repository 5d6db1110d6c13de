/* saddle.c - -pc_type fieldsplit of two unknowns u, p: the Schur complement of p, and levels for the block of u.

   With J = [A B; C D], a Krylov method of J is preconditioned by [A~ B; 0 S~], where A~ is a cycle of multigrid on the levels
   that u has (levels_pc.c), and

       S~ = D + s M,   s = -(x, C diag(A)^-1 B x) / (x, M x),

   M the mass matrix of p.  S = D - C A^-1 B is one in the norm of p up to a factor where A is an operator of second order that
   does not vanish beside its mass: Stokes, Navier and Stokes at moderate Reynolds numbers, Biot.  x has entries of either sign, so
   that s is right for functions that change from node to node, where diag(A) is A up to a factor: units, viscosity and the sign
   of the equation of p are in s.  Where D is zero and rates or convection rule A, S~ is the least squares commutator
   (saddle_commutator.c).  p is the unknown without a term of its own, or the second one if it has fewer components or
   a lower degree than the first.
   -pc_fieldsplit_type leaves all to the user. */
#include "levels_impl.h"
#include <petsc/private/pcimpl.h> /* ops->setup: the complement is made before the blocks are */

#define HOOK    "RungSaddle"
#define RESTART 60
/* Below CONVECTION and above FITS the mass matrix of p is enough: the commutator's iterations are half as dear again.  One rank,
   Q2 on quadrilaterals and hexahedra, P2 on tetrahedra; iterations and seconds by the mass matrix, by the commutator:
                                 CONVECTION  FITS
     4096, cavity      Re = 10   2.3         0.90   17, 0.15   20, 0.27
                       Re = 30   6.8         0.68   27, 0.26   22, 0.31
                       Re = 100  22                 85, 0.77   32, 0.42
     2048, channel     Stokes    0           0.47   21, 0.07   26, 0.13
                       Re = 10               0.21   41, 0.15   26, 0.14
     512, cavity       Re = 10   1.0         0.59   23, 0.29   11, 0.18
                       Re = 60   6.1         0.35   59, 0.80   35, 0.64
     432, channel      Re = 10               0.22   34, 0.34   14, 0.19
                       Re = 50               0.09  136, 1.60   31, 0.44
     3072 tetrahedra, cavity  Re = 10        0.56   29, 0.16   38, 0.26
                       Re = 60               0.32   59, 0.33   49, 0.35
     2592, channel     Re = 10               0.18   54, 0.26   38, 0.22
   Steps: 2304, cavity of Re = 10, of 0.1 and of 0.01: 0.09, 0.012; 6.3 and 3.1 s, 25 and 2.8 s; 512: of 0.1: 0.19; 0.35 and 0.14 s. */
#define CONVECTION 5
#define FITS       0.4

/* Of one preconditioner; hangs on it. */
typedef struct {
  RungSystem     sys;           /* lent                                            */
  PetscInt       unknown[2];    /* u, p                                            */
  IS             is[2];         /* owned, their entries                            */
  Mat            M;             /* owned, mass of p                                */
  Vec            slope;         /* owned, x_0 less its mean; NULL: p is no scalar  */
  PetscScalar    scale;         /* s of S~                                         */
  PetscBool      own;           /* D is not zero                                   */
  RungCommutator commutator;    /* owned; NULL: no block of u has had convection    */
  Mat            B, C, D;       /* owned                                           */
  PetscErrorCode (*set_up)(PC); /* of PCFIELDSPLIT                         */
} Saddle;

static PetscErrorCode destroy(RungContainerArg arg)
{
  Saddle *saddle = (Saddle *)RungContainerPointer(arg);

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) PetscCall(ISDestroy(&saddle->is[i]));
  PetscCall(MatDestroy(&saddle->M));
  PetscCall(VecDestroy(&saddle->slope));
  PetscCall(RungCommutatorDestroy(&saddle->commutator));
  PetscCall(MatDestroy(&saddle->B));
  PetscCall(MatDestroy(&saddle->C));
  PetscCall(MatDestroy(&saddle->D));
  PetscCall(PetscFree(saddle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the complement ------------------------------------------------------------------------------------------------- */

/* slope: NULL, or what is interpolated where it is a scalar */
static PetscErrorCode fill_mass(RungSystem mass, Mat *M, Vec *slope)
{
  PetscScalar product[2];
  Vec         u, one;

  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(mass));
  PetscCall(RungSystemCreateMat(mass, M));
  PetscCall(RungSystemCreateVec(mass, &u));
  PetscCall(VecZeroEntries(u));
  PetscCall(RungSystemJacobian(mass, 0, &u, (const PetscReal[]){1}, *M));
  if (slope) {
    PetscCall(RungSystemInitial(mass, 0, 0, u));
    PetscCall(VecDuplicate(u, &one));
    PetscCall(VecDuplicate(u, slope));
    PetscCall(VecSet(one, 1));
    PetscCall(MatMult(*M, one, *slope));
    PetscCall(VecDot(*slope, u, &product[0]));
    PetscCall(VecDot(*slope, one, &product[1]));
    PetscCall(VecCopy(u, *slope));
    PetscCall(VecShift(*slope, -product[0] / product[1]));
    PetscCall(VecDestroy(&one));
  }
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_mass(RungSystem sys, PetscInt p, Mat *M, Vec *slope)
{
  const RungFormSide   form = sys->form;
  const RungSpaceData *space;
  RungSystem           mass;
  char                 text[256];

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(form->space[p], &space));
  PetscCall(PetscSNPrintf(text, sizeof text, space->components > 1 ? "inner(%s, %s)*dx" : "%s*%s*dx", form->name[p],
                          form->test[p]));
  PetscCall(RungSystemCreate(sys->comm, &mass));
  PetscCall(RungSystemAddUnknown(mass, form->name[p], form->test[p], form->space[p]));
  PetscCall(RungSystemAddResidual(mass, text));
  if (space->components > 1) slope = NULL;
  if (slope) PetscCall(RungSystemSetInitial(mass, form->name[p], "x[0]"));
  RungCallOrUndo(fill_mass(mass, M, slope), PetscCall(RungSystemDestroy(&mass)));
  PetscCall(RungSystemDestroy(&mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of either sign that depend on their number alone. */
PetscErrorCode RungFillSigns(Vec x)
{
  PetscScalar *a;
  PetscInt     from, to;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(x, &from, &to));
  PetscCall(VecGetArrayWrite(x, &a));
  for (PetscInt i = from; i < to; ++i) a[i - from] = ((unsigned)i * 2654435761u >> 16 & 1) ? 1 : -1;
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* diag(A)^-1: rows of given values are those of the identity, whatever the units of the others are. */
PetscErrorCode RungMatTurn(Mat A, PetscReal *turn)
{
  PetscReal size;
  Vec       diagonal, x, y, z;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecDuplicate(y, &diagonal));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(RungFillSigns(x));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMultTranspose(A, x, z));
  PetscCall(VecAXPY(z, -1, y));
  PetscCall(VecPointwiseDivide(y, y, diagonal));
  PetscCall(VecPointwiseDivide(z, z, diagonal));
  PetscCall(VecNorm(y, NORM_2, &size));
  PetscCall(VecNorm(z, NORM_2, turn));
  *turn /= size;
  PetscCall(VecDestroy(&diagonal));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -(x, C diag(A)^-1 B x) / (x, M x); 1 where that is nothing */
static PetscErrorCode scale_of(Saddle *saddle, Mat J, PetscScalar *scale)
{
  PetscScalar product[2];
  Vec         diagonal, d, x, y, z;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(J, &diagonal, NULL));
  PetscCall(MatGetDiagonal(J, diagonal));
  PetscCall(MatCreateVecs(saddle->B, &x, &y));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(RungFillSigns(x));
  PetscCall(MatMult(saddle->B, x, y));
  PetscCall(VecGetSubVector(diagonal, saddle->is[0], &d));
  PetscCall(VecPointwiseDivide(y, y, d));
  PetscCall(VecRestoreSubVector(diagonal, saddle->is[0], &d));
  PetscCall(MatMult(saddle->C, y, z));
  PetscCall(VecDot(z, x, &product[0]));
  PetscCall(MatMult(saddle->M, x, z));
  PetscCall(VecDot(z, x, &product[1]));
  *scale = -product[0] / product[1];
  if (PetscIsInfOrNanScalar(*scale) || *scale == 0) *scale = 1;
  PetscCall(VecDestroy(&diagonal));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cut(Saddle *saddle, Mat J, int row, int column, Mat *block)
{
  PetscFunctionBegin;
  PetscCall(
    MatCreateSubMatrix(J, saddle->is[row], saddle->is[column], *block ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solvers of the blocks ------------------------------------------------------------------------------------------ */

/* (x, C A~^-1 B x) / (s (x, M x)) for x that varies over the body as a whole, beside functions that change from node to node,
   which have made s: it is small where rates or convection rule A. */
static PetscErrorCode mass_fits(Saddle *saddle, KSP first, PetscBool *fits)
{
  const Vec   x = saddle->slope;
  PetscScalar product[2];
  Vec         y, z, w;

  PetscFunctionBegin;
  *fits = PETSC_TRUE;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(saddle->B, NULL, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecDuplicate(x, &w));
  PetscCall(MatMult(saddle->B, x, y));
  PetscCall(KSPSolve(first, y, z));
  PetscCall(MatMult(saddle->C, z, w));
  PetscCall(VecDot(w, x, &product[0]));
  PetscCall(MatMult(saddle->M, x, w));
  PetscCall(VecDot(w, x, &product[1]));
  *fits = -PetscRealPart(product[0] / (product[1] * saddle->scale)) > FITS ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |A x - A^T x| / |A x| for x that changes from node to node is Re h, with h = n^(-1/dim) for n nodes: Re of the whole body. */
static PetscErrorCode is_viscous(Saddle *saddle, Mat A, PetscInt dim, PetscBool *viscous)
{
  const RungSpaceData *space;
  PetscReal            turn, nodes;
  PetscInt             n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(RungSpaceGetData(saddle->sys->form->space[saddle->unknown[0]], &space));
  nodes = PetscPowReal((PetscReal)n / (PetscReal)space->components, 1 / (PetscReal)dim);
  PetscCall(RungMatTurn(A, &turn));
  *viscous = turn * nodes <= CONVECTION ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_commutator(Saddle *saddle, KSP second, PetscInt dim, Mat A, PC pc)
{
  const char *prefix;
  char        own[160];
  Mat         Q;

  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCSHELL));
  if (!saddle->commutator) {
    PetscCall(KSPGetOptionsPrefix(second, &prefix));
    PetscCall(PetscSNPrintf(own, sizeof own, "%slsc_", prefix));
    PetscCall(create_mass(saddle->sys, saddle->unknown[0], &Q, NULL));
    RungCallFinally(RungCommutatorCreate(Q, dim, own, &saddle->commutator), PetscCall(MatDestroy(&Q)));
  }
  PetscCall(RungCommutatorSetUp(saddle->commutator, A, saddle->B, saddle->C, saddle->D, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What solves with S~. */
static PetscErrorCode set_second(Saddle *saddle, KSP first, KSP second)
{
  const RungSpaceData *space;
  const RungMeshData  *mesh;
  PetscBool            simple;
  Mat                  A;
  PC                   pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(second, &pc));
  PetscCall(KSPGetOperators(first, &A, NULL));
  PetscCall(RungSpaceGetData(saddle->sys->form->space[saddle->unknown[1]], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  if (!saddle->own) {
    PetscCall(is_viscous(saddle, A, mesh->dim, &simple));
    if (simple) PetscCall(mass_fits(saddle, first, &simple));
    if (simple)
      PetscCall(PCSetType(pc, PCSOR));
    else
      PetscCall(set_commutator(saddle, second, mesh->dim, A, pc));
  } else if (space->components == 1)
    PetscCall(RungCoarsestSetScalars(second, mesh->dim));
  else
    PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(PCSetFromOptions(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once PETSc has made the solvers of both blocks, with GMRES for either: what the user does not say is set. */
static PetscErrorCode set_solvers(Saddle *saddle, PC pc)
{
  static const char *const of_ksp[] = {"-ksp_type"}, *const of_pc[] = {"-pc_type"};
  PetscBool given;
  PetscInt  n;
  KSP      *list, sub[2];

  PetscFunctionBegin;
  PetscCall(PCFieldSplitSchurGetSubKSP(pc, &n, &list));
  for (int i = 0; i < 2; ++i) sub[i] = list[i];
  PetscCall(PetscFree(list));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungSolverIsGiven(sub[i], 1, of_ksp, &given));
    if (!given) PetscCall(KSPSetType(sub[i], KSPPREONLY));
  }
  PetscCall(RungSolverIsGiven(sub[1], 1, of_pc, &given));
  if (!given) PetscCall(set_second(saddle, sub[0], sub[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of PCFIELDSPLIT's own set-up, which it calls. */
static PetscErrorCode set_up(PC pc)
{
  Saddle *saddle;
  Mat     J, S;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)pc, HOOK, &saddle));
  PetscCall(PCGetOperators(pc, NULL, &J));
  PetscCall(cut(saddle, J, 0, 1, &saddle->B));
  PetscCall(cut(saddle, J, 1, 0, &saddle->C));
  PetscCall(cut(saddle, J, 1, 1, &saddle->D));
  PetscCall(scale_of(saddle, J, &saddle->scale));
  PetscCall(MatDuplicate(saddle->M, MAT_COPY_VALUES, &S));
  PetscCall(MatScale(S, saddle->scale));
  PetscCall(MatAXPY(S, 1, saddle->D, DIFFERENT_NONZERO_PATTERN));
  PetscCall(PCFieldSplitSetSchurPre(pc, PC_FIELDSPLIT_SCHUR_PRE_USER, S));
  PetscCall(MatDestroy(&S));
  PetscCall((*saddle->set_up)(pc));
  PetscCall(set_solvers(saddle, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which ---------------------------------------------------------------------------------------------------------- */

/* May unknown p be the second one of the two? */
static PetscBool is_second(PetscInt p, const PetscBool couple[], const RungSpaceData *const space[2])
{
  const PetscInt u = 1 - p;

  if (!couple[3 * u]) return PETSC_FALSE;
  if (!couple[3 * p]) return PETSC_TRUE;
  return p == 1 && (space[p]->components < space[u]->components || space[p]->degree < space[u]->degree) ? PETSC_TRUE
                                                                                                        : PETSC_FALSE;
}

/* u and p; *found: there are such two, *own: p has a term of its own */
static PetscErrorCode find_unknowns(RungSystem sys, PetscInt unknown[2], PetscBool *found, PetscBool *own)
{
  const RungSpaceData *space[2];
  const PetscBool     *couple, *fixed;

  PetscFunctionBegin;
  *found = *own = PETSC_FALSE;
  if (!sys->form || sys->form->unknowns != 2 || sys->matrix_free || sys->form->bounds)
    PetscFunctionReturn(PETSC_SUCCESS);
  for (int f = 0; f < 2; ++f) {
    PetscCall(RungSpaceGetData(sys->form->space[f], &space[f]));
    if (space[f]->single || space[f]->quadrature) PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungCondensePattern(sys, PETSC_FALSE, &couple, &fixed);
  for (PetscInt p = 1; p >= 0 && !*found; --p) {
    *found     = is_second(p, couple, space);
    *own       = couple[3 * p];
    unknown[0] = 1 - p, unknown[1] = p;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSaddleFits(RungSystem sys, PetscBool *fits)
{
  PetscInt  unknown[2];
  PetscBool own;
  char      why[512] = "";

  PetscFunctionBegin;
  PetscCall(find_unknowns(sys, unknown, fits, &own));
  if (*fits) PetscCall(RungLevelsExplainBlock(sys, unknown[0], why, sizeof why));
  if (why[0]) *fits = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_first(RungSystem sys, PetscInt unknown, KSP ksp, PC pc)
{
  char     why[512];
  PetscInt n;
  KSP     *sub;
  PC       block;

  PetscFunctionBegin;
  PetscCall(PCFieldSplitGetSubKSP(pc, &n, &sub));
  PetscCall(RungLevelsExplainBlock(sys, unknown, why, sizeof why));
  if (!why[0])
    PetscCall(RungLevelsAttachBlock(sys, unknown, ksp, sub[0]));
  else {
    PetscCall(KSPGetPC(sub[0], &block));
    PetscCall(PCSetType(block, PCGAMG));
  }
  PetscCall(PetscFree(sub));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSaddleIs(PC pc, PetscBool *is)
{
  PetscFunctionBegin;
  *is = pc->ops->setup == set_up ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSaddlePrepare(RungSystem sys, KSP ksp)
{
  const char *prefix;
  PetscInt    unknown[2];
  PetscBool   found, own, given;
  Saddle     *saddle;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(find_unknowns(sys, unknown, &found, &own));
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-pc_fieldsplit_type", &given));
  if (!found || given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetType(ksp, KSPFGMRES));
  PetscCall(KSPGMRESSetRestart(ksp, RESTART));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(set_first(sys, unknown[0], ksp, pc));
  PetscCall(PCFieldSplitSetType(pc, PC_COMPOSITE_SCHUR));
  PetscCall(PCFieldSplitSetSchurFactType(pc, PC_FIELDSPLIT_SCHUR_FACT_UPPER));
  if (pc->ops->setup == set_up) PetscFunctionReturn(PETSC_SUCCESS); /* asked for before */
  PetscCall(RungComposedCreate((PetscObject)pc, HOOK, sizeof *saddle, destroy, &saddle));
  saddle->sys    = sys;
  saddle->own    = own;
  saddle->set_up = pc->ops->setup;
  for (int i = 0; i < 2; ++i) PetscCall(RungBlockIS(sys, saddle->unknown[i] = unknown[i], &saddle->is[i]));
  PetscCall(create_mass(sys, unknown[1], &saddle->M, &saddle->slope));
  pc->ops->setup = set_up;
  PetscFunctionReturn(PETSC_SUCCESS);
}
