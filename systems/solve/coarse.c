/* coarse.c - the same system in spaces of lower degree or on a coarser mesh, and the transfer of its functions to the finer one.

   The coarse system has the names and nodes of the fine one (RungScopeCopy), its constants, fields, conditions and constraints;
   these are found anew at the nodes that it has.  A function of the coarse system is one of the fine system, so that the
   transfer takes its values at the fine nodes:

       P = Z_f T E_c,   P^T = E_c^T T^T Z_f,

   with T of RungNested, E_c what makes slaves of constraints follow (0 on Dirichlet entries), and Z_f the zeros of fine entries
   whose rows in the Jacobian are those of the identity: Dirichlet entries, slaves, internal variables. */
#include "levels_impl.h"
#include <rungscope_room.h>

/* ---- a coarser system --------------------------------------------------------------------------------------------- */

/* "P2+B^d" with "1": "P1^d", with "Q1": "Q1^d"; the family of a space without what enriches it */
static PetscErrorCode coarser_spec(RungSystem sys, const RungSpaceData *space, const char given[], PetscInt degree,
                                   char spec[], size_t size)
{
  const char *shape = strchr(space->spec, '^');
  char        family[32];
  size_t      n = 0;

  PetscFunctionBegin;
  if (given[0] < '0' || given[0] > '9') {
    PetscCall(PetscSNPrintf(spec, size, "%s%s", given, shape ? shape : ""));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  while (n + 1 < sizeof family && ((space->spec[n] >= 'A' && space->spec[n] <= 'Z'))) {
    family[n] = space->spec[n];
    ++n;
  }
  family[n] = 0;
  PetscCheck(n, sys->comm, PETSC_ERR_PLIB, "space %s without a family", space->spec);
  PetscCall(PetscSNPrintf(spec, size, "%s%" PetscInt_FMT "%s", family, degree, shape ? shape : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The degree at the end of "P1", "Q2", "1". */
static PetscErrorCode read_degree(RungSystem sys, const char spec[], PetscInt *degree)
{
  const char *at = spec;

  PetscFunctionBegin;
  PetscCheck(spec, sys->comm, PETSC_ERR_ARG_NULL, "a coarse system without a space; wanted \"P1\", \"Q2\" or \"1\"");
  while ((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z')) ++at;
  *degree = 0;
  for (size_t i = 0; i < 4 && *at >= '0' && *at <= '9'; ++i) *degree = 10 * *degree + (*at++ - '0');
  PetscCheck(!*at && *degree > 0, sys->comm, PETSC_ERR_ARG_WRONG,
             "\"%s\" is no space of a coarse system; wanted a degree of at least 1, with or without its family and "
             "without a shape: \"P1\", \"Q2\", \"1\"",
             spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unknowns of a higher degree get the lower one; all others, numbers and values at points keep their spaces, or get the same ones on
   the coarser mesh. */
static PetscErrorCode coarser_spaces(RungSystem sys, const char given[], RungMesh mesh, RungSpace space[],
                                     PetscInt *made)
{
  const RungFormSide form = sys->form;
  PetscInt           degree;

  PetscFunctionBegin;
  PetscCall(read_degree(sys, given, &degree));
  for (*made = 0; *made < form->unknowns; ++*made) {
    const PetscInt       f = *made;
    const RungSpaceData *data;
    char                 spec[128];
    PetscBool            stays;

    PetscCall(RungSpaceGetData(form->space[f], &data));
    stays = data->single || data->quadrature || data->degree <= degree ? PETSC_TRUE : PETSC_FALSE;
    if (stays && !mesh) {
      PetscCall(RungSpaceReference(form->space[f]));
      space[f] = form->space[f];
      continue;
    }
    if (stays)
      PetscCall(PetscStrncpy(spec, data->spec, sizeof spec));
    else
      PetscCall(coarser_spec(sys, data, given, degree, spec, sizeof spec));
    PetscCall(RungSpaceCreate(mesh ? mesh : data->mesh, spec, &space[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_constraint(RungSystem coarse, const RungConstraintText *text)
{
  PetscFunctionBegin;
  switch (text->kind) {
  case RUNG_CONSTRAINT_PERIODIC:
    PetscCall(RungSystemAddPeriodic(coarse, text->name, text->part, text->other, text->map, text->text));
    break;
  case RUNG_CONSTRAINT_TIE: PetscCall(RungSystemTie(coarse, text->name, text->part, text->other, text->text)); break;
  case RUNG_CONSTRAINT_POINTS:
    PetscCall(RungSystemAddConstraint(coarse, text->n, (const char *const *)text->names, text->x, text->coefficient,
                                      text->text));
    break;
  case RUNG_CONSTRAINT_SLIP: PetscCall(RungSystemSetSlip(coarse, text->name, text->part, text->text)); break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names, spaces, residuals, conditions. */
static PetscErrorCode copy_form(RungSystem sys, const RungSpace space[], PetscBool places, RungSystem coarse)
{
  const RungFormSide from = sys->form;
  RungFormSide       to;

  PetscFunctionBegin;
  PetscCall(RungSystemNeedForm(coarse, "RungSystemCreateCoarse"));
  to = coarse->form;
  PetscCall(RungScopeDestroy(&to->scope));
  PetscCall(RungScopeCopy(from->scope, space, &to->scope));
  for (PetscInt f = 0; f < from->unknowns; ++f) {
    PetscCall(RungSpaceReference(space[f]));
    to->space[f] = space[f];
    PetscCall(PetscStrallocpy(from->name[f], &to->name[f]));
    PetscCall(PetscStrallocpy(from->test[f], &to->test[f]));
    ++to->unknowns;
  }
  for (PetscInt i = 0; i < from->residuals; ++i)
    PetscCall(RungSystemAddResidualExpr(coarse, (RungExpr){to->scope, from->residual[i].expr.node}));
  for (PetscInt i = 0; i < from->conditions; ++i)
    PetscCall(
      RungSystemSetDirichlet(coarse, from->condition[i].name, from->condition[i].part, from->condition[i].text));
  for (PetscInt i = 0; i < from->initials; ++i)
    PetscCall(RungSystemSetInitial(coarse, from->initial[i].name, from->initial[i].text));
  for (PetscInt i = 0; i < from->constraint_texts; ++i) {
    if (places || from->constraint_text[i].kind != RUNG_CONSTRAINT_POINTS)
      PetscCall(copy_constraint(coarse, &from->constraint_text[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_coarse(RungSystem sys, const RungSpace space[], PetscBool places, RungSystem *coarse)
{
  RungSystem c;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(sys->comm, &c));
  c->least_order = sys->least_order;
  c->conserve    = sys->conserve;
  c->condense    = sys->condense;
  c->keep_blocks = sys->keep_blocks;
  c->reduced     = PETSC_TRUE; /* what there is to say was said of sys */
  c->level_rank  = sys->level_rank;
  RungCallOrUndo(copy_form(sys, space, places, c), PetscCall(RungSystemDestroy(&c)));
  *coarse = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCoarseCreate(RungSystem sys, const char spec[], RungMesh mesh, PetscBool places, RungSystem *coarse)
{
  RungSpace      space[RUNG_MAX_UNKNOWNS];
  PetscInt       n = 0;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(sys)); /* all texts are read */
  PetscCheck(sys->form, sys->comm, PETSC_ERR_SUP,
             "a coarse system is made of weak forms, this system has callbacks; make another one of callbacks");
  code = coarser_spaces(sys, spec, mesh, space, &n);
  if (!code) code = create_coarse(sys, space, places, coarse);
  for (PetscInt f = 0; f < n; ++f) PetscCall(RungSpaceDestroy(&space[f]));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCreateCoarse(RungSystem sys, const char spec[], RungSystem *coarse)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungCoarseCreate(sys, spec, NULL, PETSC_TRUE, coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCoarseFollow(RungSystem coarse)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(RungScopeFollow(coarse->form->scope, &changed));
  if (changed) ++coarse->form->constants_version;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- transfer ----------------------------------------------------------------------------------------------------- */

typedef struct {
  RungSystem sys; /* lent: a matrix does not outlive its systems                      */
  PetscInt   n;
  PetscInt  *entry; /* owned, [n] whose rows in the Jacobian are those of the identity  */
  Vec        work;  /* owned, of the coarse end; NULL where no rank has such entries    */
} End;

typedef struct {
  RungNested nested; /* owned */
  End        coarse, fine;
} Transfer;

static PetscErrorCode zero_entries(const End *end, Vec v)
{
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < end->n; ++i) x[end->entry[i]] = 0;
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v without these entries, v itself where there are none */
static PetscErrorCode without_entries(const End *end, Vec v, Vec *free)
{
  PetscFunctionBegin;
  *free = v;
  if (!end->work) PetscFunctionReturn(PETSC_SUCCESS);
  *free = end->work;
  PetscCall(VecCopy(v, *free));
  PetscCall(zero_entries(end, *free));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prolong(Mat P, Vec x, Vec y)
{
  Transfer *transfer;
  Vec       from;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &transfer));
  PetscCall(without_entries(&transfer->coarse, x, &from));
  PetscCall(RungConstraintsExtend(transfer->coarse.sys, from));
  PetscCall(RungNestedApply(transfer->nested, from, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = y + P x */
static PetscErrorCode prolong_add(Mat P, Vec x, Vec y, Vec z)
{
  Transfer *transfer;
  Vec       from;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &transfer));
  PetscCall(without_entries(&transfer->coarse, x, &from));
  PetscCall(RungConstraintsExtend(transfer->coarse.sys, from));
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(RungNestedApplyAdd(transfer->nested, from, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restrict_residual(Mat P, Vec x, Vec y)
{
  Transfer *transfer;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &transfer));
  PetscCall(RungNestedApplyTranspose(transfer->nested, x, y));
  PetscCall(RungConstraintsReduce(transfer->coarse.sys, y));
  PetscCall(zero_entries(&transfer->coarse, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_transfer(Transfer *transfer)
{
  PetscFunctionBegin;
  PetscCall(RungNestedDestroy(&transfer->nested));
  PetscCall(PetscFree(transfer->coarse.entry));
  PetscCall(PetscFree(transfer->fine.entry));
  PetscCall(VecDestroy(&transfer->coarse.work));
  PetscCall(PetscFree(transfer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_transfer(Mat P)
{
  Transfer *transfer;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &transfer));
  PetscCall(free_transfer(transfer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransferClear(Mat P, Vec fine)
{
  Transfer *transfer;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &transfer));
  PetscCall(zero_entries(&transfer->fine, fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransferScale(Mat P, Mat J)
{
  PetscReal    largest[RUNG_MAX_UNKNOWNS] = {0};
  Transfer    *transfer;
  RungSystem   sys;
  PetscScalar *x;
  Vec          d;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(P, &transfer));
  if (!transfer->coarse.work) PetscFunctionReturn(PETSC_SUCCESS);
  sys = transfer->coarse.sys;
  d   = transfer->coarse.work;
  PetscCall(MatGetDiagonal(J, d));
  PetscCall(zero_entries(&transfer->coarse, d));
  PetscCall(VecGetArray(d, &x));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f)
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i)
      largest[f] = PetscMax(largest[f], PetscAbsScalar(x[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, sys->form->unknowns, MPIU_REAL, MPI_MAX, sys->comm));
  for (PetscInt k = 0, f = 0; k < transfer->coarse.n; ++k) {
    const PetscInt i = transfer->coarse.entry[k];

    while (i >= sys->range[f + 1]) ++f;
    x[i] = largest[f] > 0 ? largest[f] : 1;
  }
  PetscCall(VecRestoreArray(d, &x));
  PetscCall(MatDiagonalSet(J, d, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_end(RungSystem sys, End *end)
{
  const RungFormSide form = sys->form;
  const PetscBool   *couple, *fixed;
  PetscBool         *mark;

  PetscFunctionBegin;
  end->sys = sys;
  RungCondensePattern(sys, form->condense ? PETSC_TRUE : PETSC_FALSE, &couple, &fixed);
  PetscCall(PetscCalloc1(sys->local + 1, &mark));
  RungConstraintsMark(sys, mark);
  for (PetscInt i = 0; i < sys->local; ++i) {
    if (fixed && fixed[i]) mark[i] = PETSC_TRUE;
    end->n += mark[i] ? 1 : 0;
  }
  PetscCall(PetscMalloc1(end->n, &end->entry));
  end->n = 0;
  for (PetscInt i = 0; i < sys->local; ++i) {
    if (mark[i]) end->entry[end->n++] = i;
  }
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_transfer(RungFamily family, RungSystem coarse, RungSystem sys, Transfer *transfer)
{
  PetscInt all;

  PetscFunctionBegin;
  PetscCall(RungNestedCreateBetween(family, coarse->form->layout, sys->form->layout, &transfer->nested));
  PetscCall(set_end(coarse, &transfer->coarse));
  PetscCall(set_end(sys, &transfer->fine));
  PetscCall(RungNestedSetZeros(transfer->nested, transfer->fine.n, transfer->fine.entry));
  PetscCallMPI(MPI_Allreduce(&transfer->coarse.n, &all, 1, MPIU_INT, MPI_SUM, sys->comm));
  if (all) PetscCall(RungSystemCreateVec(coarse, &transfer->coarse.work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCreateTransfer(RungSystem coarse, RungSystem sys, Mat *P)
{
  PetscFunctionBegin;
  RungNeed(coarse);
  PetscCall(RungTransferCreate(NULL, coarse, sys, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransferCreate(RungFamily family, RungSystem coarse, RungSystem sys, Mat *P)
{
  Transfer *transfer;

  PetscFunctionBegin;
  RungNeed(coarse);
  RungNeed(sys);
  PetscCall(RungSystemSetUp(coarse));
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(coarse->form && sys->form, sys->comm, PETSC_ERR_SUP,
             "a transfer is made for systems of weak forms, not of callbacks; fill a matrix of your own");
  PetscCall(PetscNew(&transfer));
  RungCallOrUndo(fill_transfer(family, coarse, sys, transfer), PetscCall(free_transfer(transfer)));
  PetscCall(MatCreateShell(sys->comm, sys->local, coarse->local, sys->global, coarse->global, transfer, P));
  PetscCall(MatShellSetOperation(*P, MATOP_MULT, (void (*)(void))prolong));
  PetscCall(MatShellSetOperation(*P, MATOP_MULT_ADD, (void (*)(void))prolong_add));
  PetscCall(MatShellSetOperation(*P, MATOP_MULT_TRANSPOSE, (void (*)(void))restrict_residual));
  PetscCall(MatShellSetOperation(*P, MATOP_DESTROY, (void (*)(void))destroy_transfer));
  PetscCall(MatSetUp(*P));
  PetscFunctionReturn(PETSC_SUCCESS);
}
