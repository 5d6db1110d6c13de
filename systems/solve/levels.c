/* levels.c - coarser levels of a system: degrees p, p/2, .., 1 on its own mesh, then degree 1 on the meshes whose cells were cut into
   it, until a level is small; or the degrees of -system_levels alone.

   A level has the same forms in other spaces (coarse.c); it is made once and kept as long as the system.  What the levels cannot be
   made for is refused with the reason. */
#include "levels_impl.h"
#include <runglanes_room.h>
#include <rungscope_room.h>

/* ---- what has levels ------------------------------------------------------------------------------------------------ */

static PetscErrorCode highest_degree(RungSystem sys, PetscInt *degree)
{
  PetscFunctionBegin;
  *degree = 0;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    if (!space->single && !space->quadrature) *degree = PetscMax(*degree, space->degree);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mesh_of(RungSystem sys, RungMesh *mesh)
{
  const RungSpaceData *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[0], &space));
  *mesh = space->mesh;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is there a coarser mesh?  Fields and values at points live on the mesh that they were made on.  sure: without looking at cells */
static PetscErrorCode may_coarsen(RungSystem sys, PetscBool *may, PetscBool *sure)
{
  RungMesh mesh;

  PetscFunctionBegin;
  PetscCall(mesh_of(sys, &mesh));
  PetscCall(RungMeshMayCoarsen(mesh, may, sure));
  if (sys->level_degrees || RungScopeHasFields(sys->form->scope)) *may = PETSC_FALSE;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    if (space->quadrature) *may = PETSC_FALSE;
  }
  *sure = *sure && *may ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsBelow(RungSystem sys, PetscBool *below, PetscBool *sure)
{
  PetscInt degree = 0;

  PetscFunctionBegin;
  *below = *sure = PETSC_FALSE;
  if (!sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(highest_degree(sys, &degree));
  *below = *sure = degree > 1 ? PETSC_TRUE : PETSC_FALSE;
  if (degree == 1) PetscCall(may_coarsen(sys, below, sure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsAreSmall(RungSystem coarse, PetscInt times, PetscBool *small)
{
  const RungMeshData *mesh;
  RungMesh            own;

  PetscFunctionBegin;
  PetscCall(mesh_of(coarse, &own));
  PetscCall(RungMeshGetData(own, &mesh));
  *small = coarse->global / times <= (mesh->dim == 3   ? RUNG_LEVELS_SMALL
                                      : mesh->dim == 2 ? RUNG_LEVELS_PLANE
                                                       : RUNG_LEVELS_LINE)
             ? PETSC_TRUE
             : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of degree 1 there have to be coarser cells. */
static PetscErrorCode explain_meshes(RungSystem sys, char why[], size_t size)
{
  PetscBool  may, sure;
  RungMesh   mesh;
  RungFamily family;

  PetscFunctionBegin;
  PetscCall(may_coarsen(sys, &may, &sure));
  if (sure) PetscFunctionReturn(PETSC_SUCCESS);
  if (may) {
    PetscCall(mesh_of(sys, &mesh));
    PetscCall(RungMeshCoarsen(mesh, &family));
    if (!family) may = PETSC_FALSE;
    PetscCall(RungFamilyDestroy(&family));
  }
  if (!may)
    PetscCall(PetscStrncpy(why,
                           "no unknown has a degree above 1, and its mesh has not been cut out of another one on every "
                           "rank: there is no lower degree and no coarser mesh",
                           size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one unknown: values at points have to be eliminated, what has no term of its own on the diagonal has no smoother. */
static PetscErrorCode explain_unknown(RungSystem sys, PetscInt f, char why[], size_t size)
{
  const RungFormSide   form = sys->form;
  const char          *name = form->name[f];
  const PetscBool     *couple, *fixed;
  const RungSpaceData *space;
  PetscInt             n = 0;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(form->space[f], &space));
  RungCondensePattern(sys, form->condense ? PETSC_TRUE : PETSC_FALSE, &couple, &fixed);
  for (PetscInt g = 0; g < form->unknowns; ++g) n += couple[f * form->unknowns + g] ? 1 : 0;
  if (space->quadrature && (n || sys->matrix_free))
    PetscCall(PetscSNPrintf(why, size,
                            "\"%s\" at the points of a rule stays in the matrix; wanted -system_mat_type aij and "
                            "-system_condense true",
                            name));
  else if (space->quadrature && !sys->traits.linear)
    PetscCall(
      PetscSNPrintf(why, size,
                    "\"%s\" at the points of a rule has been found for the unknowns of the system, not for those of a "
                    "coarser level; of a linear system it needs no state",
                    name));
  else if (!space->quadrature && !couple[f * form->unknowns + f])
    PetscCall(PetscSNPrintf(why, size,
                            "\"%s\" has no term of its own in its equation, which leaves zeros on the diagonal; "
                            "take -pc_type %s",
                            name, space->single ? "lu" : "fieldsplit"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the constraint say anything of the unknown, RUNG_WHOLE: of any? */
static PetscBool concerns(RungSystem sys, const RungConstraintText *text, PetscInt unknown)
{
  if (unknown == RUNG_WHOLE) return PETSC_TRUE;
  for (PetscInt k = 0; k < text->n; ++k)
    if (!strcmp(text->names[k], sys->form->name[unknown])) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode RungLevelsExplain(RungSystem sys, char why[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(RungLevelsExplainBlock(sys, RUNG_WHOLE, why, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsExplainBlock(RungSystem sys, PetscInt unknown, char why[], size_t size)
{
  PetscInt degree;

  PetscFunctionBegin;
  why[0] = 0;
  PetscCall(RungSystemSetUp(sys));
  if (!sys->form) {
    PetscCall(PetscStrncpy(why, "it has callbacks, and nobody knows them on a coarser level", size));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(highest_degree(sys, &degree));
  if (degree < 1)
    PetscCall(PetscStrncpy(why, "no unknown has a degree above 0: there is no lower one", size));
  else if (degree < 2)
    PetscCall(explain_meshes(sys, why, size));
  if (!why[0] && sys->form->bounds)
    PetscCall(PetscStrncpy(why, "its unknowns have bounds, and rows at a bound leave the matrix", size));
  for (PetscInt i = 0; i < sys->form->constraint_texts && !why[0]; ++i) {
    if (sys->form->constraint_text[i].kind == RUNG_CONSTRAINT_POINTS &&
        concerns(sys, &sys->form->constraint_text[i], unknown))
      PetscCall(
        PetscStrncpy(why, "a constraint names nodes by their places, which a coarser level need not have", size));
  }
  for (PetscInt f = 0; f < sys->form->unknowns && !why[0]; ++f)
    if (unknown == RUNG_WHOLE || unknown == f) PetscCall(explain_unknown(sys, f, why, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- levels --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode destroy(RungContainerArg arg)
{
  RungLevels *levels = (RungLevels *)RungContainerPointer(arg);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < RUNG_LEVELS_MOST; ++i) {
    PetscCall(MatDestroy(&levels->P[i]));
    PetscCall(RungNestedDestroy(&levels->down[i]));
    PetscCall(RungFamilyDestroy(&levels->family[i]));
    if (i < levels->n - 1) PetscCall(RungSystemDestroy(&levels->sys[i]));
  }
  PetscCall(PetscFree(levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* degree[n], ascending, the system's own behind them */
static PetscErrorCode choose_degrees(RungSystem sys, PetscInt degree[], PetscInt *n)
{
  PetscInt highest, down[RUNG_LEVELS_MOST];

  PetscFunctionBegin;
  PetscCall(highest_degree(sys, &highest));
  *n = 0;
  if (sys->level_degrees) {
    for (PetscInt i = 0; i < sys->level_degrees; ++i) {
      PetscCheck(sys->level_degree[i] >= 1 && sys->level_degree[i] < (i ? sys->level_degree[i - 1] : highest),
                 sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
                 "-system_levels: degree %" PetscInt_FMT " below %" PetscInt_FMT "; wanted degrees of at least 1 that "
                 "descend from below that of the unknowns, as in -system_levels 2,1",
                 sys->level_degree[i], i ? sys->level_degree[i - 1] : highest);
      down[(*n)++] = sys->level_degree[i];
    }
  } else
    for (PetscInt p = highest / 2; p >= 1 && *n < RUNG_LEVELS_MOST - 1; p /= 2) down[(*n)++] = p;
  for (PetscInt i = 0; i < *n; ++i) degree[i] = down[*n - 1 - i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts the system in spec on mesh, NULL: its own, below all levels that there are; level 0 is the finest one while they are made.
   Levels of higher degrees have no matrix either where the finest one has none. */
static PetscErrorCode add_level(RungSystem sys, const char spec[], RungMesh mesh, PetscBool matrix, RungLevels *levels)
{
  RungSystem *made = &levels->sys[levels->n];

  PetscFunctionBegin;
  PetscCall(RungCoarseCreate(sys, spec, mesh, PETSC_FALSE, made));
  ++levels->n;
  (*made)->matrix_free = !matrix && (sys->matrix_free || sys->action) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungSystemSetUp(*made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the level small, or would all its ranks have few unknowns? */
static PetscErrorCode is_last(RungSystem coarse, PetscBool *last)
{
  PetscInt    ranks;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(RungLevelsAreSmall(coarse, 1, last));
  PetscCall(RungCoarsestRanks(coarse, &ranks));
  PetscCallMPI(MPI_Comm_size(coarse->comm, &size));
  if (ranks < size) *last = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Degree 1 on coarser meshes. */
static PetscErrorCode add_meshes(RungSystem sys, RungLevels *levels)
{
  RungMesh  mesh;
  PetscBool may, sure, last;

  PetscFunctionBegin;
  PetscCall(may_coarsen(sys, &may, &sure));
  PetscCall(mesh_of(sys, &mesh));
  while (may && levels->n < RUNG_LEVELS_MOST) {
    RungFamily *family = &levels->family[levels->n];

    PetscCall(is_last(levels->sys[levels->n - 1], &last));
    if (last && levels->n > 1) break;
    PetscCall(RungMeshCoarsen(mesh, family));
    if (!*family) break;
    mesh = (*family)->coarse;
    PetscCall(add_level(sys, "1", mesh, PETSC_TRUE, levels));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coarsest one first, and families beside the finer mesh of theirs. */
static void reverse(RungLevels *levels)
{
  for (PetscInt i = 0; i < levels->n / 2; ++i) {
    const RungSystem sys = levels->sys[i];

    levels->sys[i]                 = levels->sys[levels->n - 1 - i];
    levels->sys[levels->n - 1 - i] = sys;
  }
  for (PetscInt i = 1; i < levels->n - i; ++i) {
    const RungFamily family = levels->family[i];

    levels->family[i]             = levels->family[levels->n - i];
    levels->family[levels->n - i] = family;
  }
}

static PetscErrorCode connect_levels(RungSystem sys, RungLevels *levels)
{
  PetscFunctionBegin;
  for (PetscInt i = 1; i < levels->n; ++i) {
    const RungLayout coarse = levels->sys[i - 1]->form->layout, fine = levels->sys[i]->form->layout;

    PetscCall(RungTransferCreate(levels->family[i], levels->sys[i - 1], levels->sys[i], &levels->P[i]));
    if (!sys->traits.linear) PetscCall(RungNestedCreateBetween(levels->family[i], fine, coarse, &levels->down[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In space, above the coarsest level, where the finest one has no matrix: kernels on vectors of eight numbers are made and applied faster
   than matrices of degree 1, but for those of scalars on tetrahedra.  274625 unknowns, CPU seconds of a solve, with matrices and without: Q2^d
   elastic 0.66, 0.41, P2^d 0.87, 0.72, P2 0.37, 0.43; Q1 and Q2 the same, their set-up from the mesh on 0.19, 0.16 and 0.105, 0.082. */
static PetscErrorCode spare_matrices(RungSystem sys, RungLevels *levels)
{
  const RungSpaceData *space;
  const RungMeshData  *mesh;

  PetscFunctionBegin;
  if (!(sys->matrix_free || sys->action) || sys->form->unknowns > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceGetData(sys->form->space[0], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  if (mesh->dim < 3 || (space->components == 1 && RungCellGet(mesh->type)->simplex)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 1; i < levels->n - 1; ++i) {
    const RungForm form  = RungFormOfPart(levels->sys[i], RUNG_ALL);
    PetscInt       lanes = form ? RungFormLanes(form) : 0;

    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lanes, 1, MPIU_INT, MPI_MIN, sys->comm));
    if (lanes >= 8) levels->sys[i]->matrix_free = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_levels(RungSystem sys, RungLevels *levels)
{
  PetscInt       degree[RUNG_LEVELS_MOST], n;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(choose_degrees(sys, degree, &n));
  levels->sys[0] = sys;
  levels->n      = 1;
  for (PetscInt i = n - 1; i >= 0 && !code; --i) {
    char spec[32];

    PetscCall(PetscSNPrintf(spec, sizeof spec, "%" PetscInt_FMT, degree[i]));
    code = add_level(sys, spec, NULL, i ? PETSC_FALSE : PETSC_TRUE, levels);
  }
  if (!code) code = add_meshes(sys, levels);
  reverse(levels); /* whatever there is: the last one is lent */
  PetscCall(code);
  PetscCall(spare_matrices(sys, levels));
  PetscCall(connect_levels(sys, levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsGet(RungSystem sys, PetscInt unknown, RungLevels **levels)
{
  char           why[512];
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(RungLevelsExplainBlock(sys, unknown, why, sizeof why));
  PetscCheck(!why[0], sys->comm, PETSC_ERR_SUP, "-pc_type mg: the system has no coarser levels: %s", why);
  if (sys->levels) {
    PetscCall(PetscContainerGetPointer(sys->levels, (void **)levels));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscNew(levels));
  PetscCall(PetscContainerCreate(sys->comm, &container));
  PetscCall(PetscContainerSetPointer(container, *levels));
  PetscCall(PetscContainerSetCtxDestroy(container, destroy));
  RungCallOrUndo(make_levels(sys, *levels), PetscCall(PetscContainerDestroy(&container)));
  sys->levels      = container;
  sys->keep_filled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
