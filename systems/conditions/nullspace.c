/* nullspace.c - what dF/du leaves alone, found by trying: constants of every unknown, rotations of vectors.

   A candidate c belongs to the near null space (for multigrid) if the derivative of F by the unknowns, without any
   boundary data, maps it to zero at the reference state 0; it belongs to the null space if with boundary data and
   constraints every dF/du^(k) does, of nonlinear forms at a rough state too: u^3 has no derivative at 0, and one elsewhere.  Where the mesh falls into bodies that no cell joins, each is tried by itself for
   the null space as well; sums of candidates are tried by nullspace_joint.c.  Derivatives are differences of F, exact for linear forms; nothing is inferred from
   the text but that F(0) is 0, or that it reads no values of an unknown, whose constants then change nothing: of a body that is held two of
   four evaluations are left. */
#include <rungown_room.h>
#include "nullspace_impl.h"

#define BESIDE    0.7310585786 /* any number: what of both parts cancels is a null vector of neither */
#define RUNG_NULL (RUNG_CANDIDATES * (2 + RUNG_BODIES))

struct _RungNullSpaces {
  MatNullSpace whole_near, whole;     /* owned, over all entries                                                    */
  IS           is[RUNG_MAX_UNKNOWNS]; /* owned, [unknown] its entries, composed with their own part of both spaces   */
};

PetscErrorCode RungNullSpacesDestroy(RungNullSpaces *spaces)
{
  RungNullSpaces s = *spaces;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < RUNG_MAX_UNKNOWNS; ++f) {
    PetscCall(ISDestroy(&s->is[f]));
  }
  PetscCall(MatNullSpaceDestroy(&s->whole_near));
  PetscCall(MatNullSpaceDestroy(&s->whole));
  PetscCall(PetscFree(*spaces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- candidates ----------------------------------------------------------------------------------------------------
 */

/* Of unknown f: a constant in each component, then, for vectors of the mesh's dimension, rotations. */
PetscErrorCode RungNullCount(RungSystem sys, PetscInt f, PetscInt *n)
{
  const PetscInt       dim = RungSystemDim(sys);
  const RungSpaceData *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  *n = space->components <= 3 ? space->components : 0;
  if (space->rank == 1 && space->components == dim && dim > 1 && !space->single) *n += dim == 2 ? 1 : 3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest entry of a rotation is 1, as that of a constant: what is small is so by J alone, whatever the size of the body. */
PetscErrorCode RungNullFill(RungSystem sys, PetscInt f, PetscInt i, Vec c)
{
  const PetscInt       dim = RungSystemDim(sys);
  const RungSpaceData *space;
  PetscReal            size;
  PetscScalar         *x;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  PetscCall(VecZeroEntries(c));
  PetscCall(VecGetArray(c, &x));
  for (PetscInt node = 0; node < space->owned; ++node) {
    PetscScalar     *u  = x + sys->range[f] + node * space->components;
    const PetscReal *at = space->x + node * dim;
    const PetscInt   r  = i - space->components;

    if (r < 0) {
      u[i] = 1;
      continue;
    }
    u[(r + 1) % dim] = dim == 2 ? at[0] : at[r]; /* around axis r + 2 */
    u[r]             = dim == 2 ? -at[1] : -at[(r + 1) % dim];
  }
  PetscCall(VecRestoreArray(c, &x));
  PetscCall(VecNorm(c, NORM_INFINITY, &size));
  if (i >= space->components && size > 0) PetscCall(VecScale(c, 1 / size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing of the candidate is left but what one body has.  In  body[vertex] */
static PetscErrorCode cut_candidate(RungSystem sys, PetscInt f, const PetscInt body[], PetscInt which, Vec c)
{
  const RungSpaceData *space;
  const RungMeshData  *mesh;
  PetscScalar         *x;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(VecGetArray(c, &x));
  for (PetscInt i = 0; i < mesh->cells * space->cell_nodes; ++i) {
    const PetscInt cell = i / space->cell_nodes, node = space->cell_node[i];

    if (node >= space->owned || body[mesh->cell_entity[0][cell * RungCellGet(mesh->type)->vertices]] == which) continue;
    for (PetscInt k = 0; k < space->components; ++k) x[sys->range[f] + node * space->components + k] = 0;
  }
  PetscCall(VecRestoreArray(c, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the test ------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode evaluate(RungNullTest *test, Vec r)
{
  RungSystem sys  = test->sys;
  RungForm   form = RungFormOfPart(sys, RUNG_ALL);

  PetscFunctionBegin;
  if (form)
    PetscCall(RungFormAssembleVec(form, 0, test->u, r));
  else
    PetscCall(VecZeroEntries(r));
  if (sys->form->implicit) { /* what the matrix of either part does not map to 0 is no null vector */
    PetscCall(RungFormAssembleVec(sys->form->implicit, 0, test->u, test->part));
    PetscCall(VecAXPY(r, BESIDE, test->part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are the entries of unknown f those of a constant, 0 where F reads values of its k-th rate? */
static PetscErrorCode is_unseen(RungNullTest *test, PetscInt k, PetscInt f, const PetscScalar x[], PetscBool *unseen)
{
  const RungSystem     sys   = test->sys;
  const PetscBool      seen  = test->values[k * sys->form->unknowns + f];
  const PetscInt       n     = sys->range[f + 1] - sys->range[f];
  PetscBool            mine  = PETSC_TRUE;
  RUNG_FREE PetscReal *value = NULL; /* [component] */
  const RungSpaceData *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  PetscCall(PetscMalloc1(space->components, &value));
  for (PetscInt c = 0; c < space->components; ++c) value[c] = n ? PetscRealPart(x[c]) : PETSC_NINFINITY;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, (PetscMPIInt)space->components, MPIU_REAL, MPIU_MAX, sys->comm));
  for (PetscInt i = 0; i < n && mine; i += space->components)
    for (PetscInt c = 0; c < space->components; ++c)
      if (PetscRealPart(x[i + c]) != (seen ? 0 : value[c])) mine = PETSC_FALSE;
  PetscCallMPI(MPI_Allreduce(&mine, unseen, 1, RUNG_MPI_BOOL, MPI_LAND, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does c consist of constants that F does not see, as it reads derivatives in space of them alone?  Bases are nodal: their functions add up
   to 1.  Where F is not finite nothing is known. */
static PetscErrorCode are_unseen(RungNullTest *test, PetscInt k, Vec c, PetscBool *unseen)
{
  const PetscInt     n = test->sys->form->unknowns;
  const PetscScalar *x;

  PetscFunctionBegin;
  *unseen = test->scaled > k ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt g = 0; g < n && *unseen; ++g)
    if (PetscIsInfReal(test->scale[k][g])) *unseen = PETSC_FALSE;
  PetscCall(VecGetArrayRead(c, &x));
  for (PetscInt f = 0; f < n && *unseen; ++f) PetscCall(is_unseen(test, k, f, x + test->sys->range[f], unseen));
  PetscCall(VecRestoreArrayRead(c, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* test->r = dF/du^(k) c at test->base, without boundary data: of linear forms (F(h c) - F(0)) / h, of others (F(base + h c) - F(base - h c)) / 2h */
PetscErrorCode RungNullDerivative(RungNullTest *test, PetscInt k, Vec c)
{
  const PetscBool linear = test->sys->traits.linear;
  const PetscReal h      = test->step[k];
  PetscBool       unseen;

  PetscFunctionBegin;
  PetscCall(are_unseen(test, k, c, &unseen));
  if (unseen) {
    PetscCall(VecZeroEntries(test->r));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (linear && !test->at_zero && test->vanishes)
    PetscCall(VecZeroEntries(test->other));
  else if (linear && !test->at_zero)
    PetscCall(evaluate(test, test->other));
  test->at_zero = linear;
  PetscCall(VecAXPY(test->u[k], h, c));
  PetscCall(evaluate(test, test->r));
  if (!linear) {
    PetscCall(VecAXPY(test->u[k], -2 * h, c));
    PetscCall(evaluate(test, test->other));
  }
  PetscCall(VecAXPY(test->r, -1, test->other));
  if (!linear || h != 1) PetscCall(VecScale(test->r, 1 / (linear ? h : 2 * h)));
  if (test->base)
    PetscCall(VecCopy(test->base, test->u[k]));
  else
    PetscCall(VecZeroEntries(test->u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What F and its implicit part do not see. */
static PetscErrorCode ask_forms(RungNullTest *test)
{
  const RungForm form[2] = {RungFormOfPart(test->sys, RUNG_ALL), test->sys->form->implicit};
  PetscBool      values[RUNG_PARTS * RUNG_MAX_UNKNOWNS], vanishes;

  PetscFunctionBegin;
  test->vanishes = PETSC_TRUE;
  for (int i = 0; i < 2; ++i) {
    if (!form[i]) continue;
    PetscCall(RungFormUnseen(form[i], &vanishes, values));
    test->vanishes = test->vanishes && vanishes ? PETSC_TRUE : PETSC_FALSE;
    for (PetscInt v = 0; v < RUNG_PARTS * test->sys->form->unknowns; ++v)
      test->values[v] = test->values[v] || values[v] ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_create(RungSystem sys, RungNullTest *test)
{
  PetscFunctionBegin;
  *test = (RungNullTest){.sys = sys, .tolerance = sys->traits.linear ? 1e-9 : 1e-6};
  for (PetscInt k = 0; k < RUNG_PARTS; ++k) test->step[k] = RUNG_NULL_STEP(sys);
  for (PetscInt k = 0; k <= sys->traits.order; ++k) {
    PetscCall(RungLayoutCreateVec(sys->form->layout, &test->u[k]));
    PetscCall(VecZeroEntries(test->u[k]));
  }
  PetscCall(VecDuplicate(test->u[0], &test->r));
  PetscCall(VecDuplicate(test->u[0], &test->other));
  PetscCall(VecDuplicate(test->u[0], &test->rough));
  if (sys->form->implicit) PetscCall(VecDuplicate(test->u[0], &test->part));
  PetscCall(ask_forms(test));
  if (sys->traits.linear) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(test->u[0], &test->base));
  PetscCall(VecZeroEntries(test->base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_destroy(RungNullTest *test)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&test->u[k]));
  PetscCall(VecDestroy(&test->r));
  PetscCall(VecDestroy(&test->other));
  PetscCall(VecDestroy(&test->part));
  PetscCall(VecDestroy(&test->base));
  PetscCall(VecDestroy(&test->rough));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the size of the candidates. */
PetscErrorCode RungNullRough(RungNullTest *test, PetscInt f, Vec rough)
{
  PetscInt     start;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(rough));
  PetscCall(VecGetOwnershipRange(rough, &start, NULL));
  PetscCall(VecGetArray(rough, &x));
  for (PetscInt i = test->sys->range[f]; i < test->sys->range[f + 1]; ++i)
    x[i] = ((start + i) * 7 % 11 < 5 ? -1 : 1) * (1 + (PetscReal)((start + i) * 5 % 13) / 13);
  PetscCall(VecRestoreArray(rough, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNullLargest(RungSystem sys, Vec v, PetscReal most[])
{
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    most[f] = 0;
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) {
      const PetscReal size = PetscAbsScalar(x[i]);

      most[f] = PetscIsNanReal(size) ? PETSC_INFINITY : PetscMax(most[f], size);
    }
  }
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, (PetscMPIInt)sys->form->unknowns, MPIU_REAL, MPIU_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What dF/du^(0) .. dF/du^(last) make of something rough of test->unknown, as a measure for zero in each equation: those of others may
   have other units. */
static PetscErrorCode need_scale(RungNullTest *test, PetscInt last)
{
  const PetscInt n = test->sys->form->unknowns;
  PetscReal      most[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  for (PetscInt k = test->scaled; k <= last; ++k) {
    PetscCall(RungNullMeasure(test, test->unknown, k, test->scale[k]));
    PetscCall(RungConstraintsReduce(test->sys, test->r)); /* what slaves hand to equations of another unknown */
    PetscCall(RungNullLargest(test->sys, test->r, most));
    for (PetscInt g = 0; g < n; ++g) test->scale[k][g] = PetscMax(test->scale[k][g], most[g]);
  }
  test->scaled = PetscMax(test->scaled, last + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is test->r = dF/du^(k) c zero?  Of what is in no equation nothing is known, nor where F is not finite. */
static PetscErrorCode is_zero(const RungNullTest *test, PetscInt k, PetscBool *zero)
{
  PetscReal most[RUNG_MAX_UNKNOWNS];
  PetscBool known = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungNullLargest(test->sys, test->r, most));
  *zero = PETSC_TRUE;
  for (PetscInt g = 0; g < test->sys->form->unknowns; ++g) {
    known = known || test->scale[0][g] > 0;
    if (!(most[g] <= test->tolerance * test->scale[k][g]) || PetscIsInfReal(most[g])) *zero = PETSC_FALSE;
  }
  *zero = *zero && known;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state that F is differentiated at: `size` times something rough, in every derivative. */
static PetscErrorCode set_base(RungNullTest *test, PetscReal size)
{
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(test->base));
  for (PetscInt f = 0; f < test->sys->form->unknowns && size > 0; ++f) {
    PetscCall(RungNullRough(test, f, test->rough));
    PetscCall(VecAXPY(test->base, size, test->rough));
  }
  for (PetscInt k = 0; k <= test->sys->traits.order; ++k) PetscCall(VecCopy(test->base, test->u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest entries of each component of each unknown: most[first component of unknown g + i] */
static PetscErrorCode largest_of_components(RungSystem sys, Vec v, PetscInt n, PetscReal most[])
{
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(most, n));
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt f = 0, first = 0; f < sys->form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) {
      PetscReal *of = &most[first + (i - sys->range[f]) % space->components];

      *of = PetscMax(*of, PetscAbsScalar(x[i]));
    }
    first += space->components;
  }
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, (PetscMPIInt)n, MPIU_REAL, MPIU_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of components that have[] has not become 0. */
static PetscErrorCode restrict_to(RungSystem sys, const PetscReal have[], Vec v)
{
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &x));
  for (PetscInt f = 0, first = 0; f < sys->form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i)
      if (have[first + (i - sys->range[f]) % space->components] == 0) x[i] = 0;
    first += space->components;
  }
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Components of one unknown may have other units, too: r = dF/du^(k) c, zero beside what all of them make, is measured by what those make that
   c has, component by component.  Of candidates with all components, as rotations, nothing is asked. */
static PetscErrorCode confirm(RungNullTest *test, PetscInt k, Vec c, PetscReal *list, PetscInt n, PetscBool *zero)
{
  RungSystem sys  = test->sys;
  PetscReal *made = list, *have = list + n, *own = list + 2 * n, sum = 0;
  PetscInt   parts = 0;

  PetscFunctionBegin;
  PetscCall(largest_of_components(sys, test->r, n, made));
  PetscCall(largest_of_components(sys, c, n, have));
  for (PetscInt i = 0; i < n; ++i) {
    sum += made[i];
    parts += have[i] > 0 ? 1 : 0;
  }
  if (sum == 0 || parts != 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNullRough(test, test->unknown, test->rough));
  PetscCall(restrict_to(sys, have, test->rough));
  PetscCall(RungNullDerivative(test, k, test->rough));
  PetscCall(largest_of_components(sys, test->r, n, own));
  PetscCall(RungConstraintsReduce(sys, test->r));
  PetscCall(largest_of_components(sys, test->r, n, have));
  for (PetscInt i = 0; i < n; ++i)
    if (!(made[i] <= test->tolerance * PetscMax(own[i], have[i]))) *zero = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode confirm_components(RungNullTest *test, PetscInt k, Vec c, PetscBool *zero)
{
  RUNG_FREE PetscReal *list = NULL;
  const RungSpaceData *space;
  PetscInt             n = 0;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(test->sys->form->space[test->unknown], &space));
  if (!*zero || space->components == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt g = 0; g < test->sys->form->unknowns; ++g) {
    PetscCall(RungSpaceGetData(test->sys->form->space[g], &space));
    n += space->components;
  }
  PetscCall(PetscMalloc1(3 * n, &list));
  PetscCall(confirm(test, k, c, list, n, zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does every dF/du^(k) at test->base map c to zero? */
static PetscErrorCode all_vanish(RungNullTest *test, Vec c, PetscBool *null)
{
  RungSystem sys = test->sys;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= (sys->form->at_rest ? 0 : sys->traits.order) && *null; ++k) {
    PetscCall(need_scale(test, k)); /* at the state 0: another one is looked at when all are known */
    PetscCall(RungNullDerivative(test, k, c));
    PetscCall(RungConstraintsReduce(sys, test->r));
    PetscCall(RungSystemZeroDirichlet(sys, test->r));
    PetscCall(is_zero(test, k, null));
    PetscCall(confirm_components(test, k, c, null));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ROUGH 0.1 /* a state of nonlinear forms, far from 0 beside the differences */

/* With boundary data and constraints: c vanishes where data are given, its slaves follow, residuals are reduced.  A null
   vector of the matrix, which holds the identity for slaves, is 0 there: they follow after each solve. */
PetscErrorCode RungNullIs(RungNullTest *test, Vec c, PetscBool *null)
{
  RungSystem sys = test->sys;
  PetscReal  size;

  PetscFunctionBegin;
  PetscCall(RungSystemZeroDirichlet(sys, c));
  PetscCall(RungConstraintsExtend(sys, c));
  PetscCall(VecNorm(c, NORM_INFINITY, &size));
  *null = size > 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(all_vanish(test, c, null));
  if (*null && !sys->traits.linear) {
    PetscCall(set_base(test, ROUGH));
    PetscCall(all_vanish(test, c, null));
    PetscCall(set_base(test, 0));
  }
  if (sys->traits.conserved && !sys->form->at_rest) *null = PETSC_FALSE; /* dm/du is not looked at */
  PetscCall(RungSystemZeroDirichlet(sys, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is found -------------------------------------------------------------------------------------------------
 */

/* Orthonormal in the order found; those that depend on earlier ones are dropped. */
PetscErrorCode RungNullKeep(Vec c, PetscInt *n, Vec list[])
{
  PetscReal before, after;

  PetscFunctionBegin;
  PetscCall(VecNorm(c, NORM_2, &before));
  for (int twice = 0; twice < 2; ++twice) {
    for (PetscInt i = 0; i < *n; ++i) {
      PetscScalar dot;

      PetscCall(VecDot(c, list[i], &dot));
      PetscCall(VecAXPY(c, -dot, list[i]));
    }
  }
  PetscCall(VecNorm(c, NORM_2, &after));
  if (!(after > 1e-8 * before)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(c, &list[*n]));
  PetscCall(VecCopy(c, list[*n]));
  PetscCall(VecScale(list[(*n)++], 1 / after));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_space(MPI_Comm comm, PetscInt n, Vec list[], MatNullSpace *space)
{
  PetscFunctionBegin;
  if (n) PetscCall(MatNullSpaceCreate(comm, PETSC_FALSE, n, list, space));
  for (PetscInt i = 0; i < n; ++i) PetscCall(VecDestroy(&list[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names by which PCFIELDSPLIT asks the entries of a part for its spaces. */
#define NEAR  "nearnullspace"
#define EXACT "nullspace"

/* The entries of unknown f of vectors over all, as vectors of their own, composed with its entries. */
static PetscErrorCode restrict_space(RungSystem sys, PetscInt f, PetscInt from, PetscInt to, const Vec list[],
                                     const char name[])
{
  RungNullSpaces s     = sys->form->null_spaces;
  MatNullSpace   space = NULL;
  Vec            own[RUNG_NULL];

  PetscFunctionBegin;
  for (PetscInt i = from; i < to; ++i) {
    Vec part;

    PetscCall(VecGetSubVector(list[i], s->is[f], &part));
    PetscCall(VecDuplicate(part, &own[i - from]));
    PetscCall(VecCopy(part, own[i - from]));
    PetscCall(VecRestoreSubVector(list[i], s->is[f], &part));
  }
  PetscCall(make_space(sys->comm, to - from, own, &space));
  if (space) PetscCall(PetscObjectCompose((PetscObject)s->is[f], name, (PetscObject)space));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All n candidates in every body by itself. */
static PetscErrorCode try_bodies(RungNullTest *test, PetscInt f, PetscInt n, Vec c, PetscInt *null, Vec null_list[])
{
  const RungSpaceData *space;
  PetscInt             bodies, *body;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(test->sys->form->space[f], &space));
  if (space->single) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungBodiesFind(space->mesh, &bodies, &body));
  for (PetscInt i = 0; i < n * bodies && bodies > 1; ++i) {
    PetscBool zero;

    PetscCall(RungNullFill(test->sys, f, i % n, c));
    PetscCall(cut_candidate(test->sys, f, body, i / n, c));
    PetscCall(RungNullIs(test, c, &zero));
    if (zero) PetscCall(RungNullKeep(c, null, null_list));
  }
  PetscCall(PetscFree(body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode try_unknown(RungNullTest *test, PetscInt f, PetscInt *near, Vec near_list[], PetscInt *null,
                                  Vec null_list[])
{
  const PetscInt first[2] = {*near, *null};
  PetscInt       n;
  Vec            c;

  PetscFunctionBegin;
  PetscCall(RungNullCount(test->sys, f, &n));
  test->unknown = f;
  test->scaled  = 0;
  PetscCall(need_scale(test, 0));
  PetscCall(VecDuplicate(test->r, &c));
  for (PetscInt i = 0; i < n; ++i) {
    PetscBool zero;

    PetscCall(RungNullFill(test->sys, f, i, c));
    PetscCall(RungNullDerivative(test, 0, c));
    PetscCall(is_zero(test, 0, &zero));
    if (zero) PetscCall(RungNullKeep(c, near, near_list));
    PetscCall(RungNullFill(test->sys, f, i, c));
    PetscCall(RungNullIs(test, c, &zero));
    if (zero) PetscCall(RungNullKeep(c, null, null_list));
  }
  PetscCall(try_bodies(test, f, n, c, null, null_list));
  PetscCall(VecDestroy(&c));
  if (test->sys->form->unknowns == 1) PetscFunctionReturn(PETSC_SUCCESS); /* all entries are its own */
  PetscCall(restrict_space(test->sys, f, first[0], *near, near_list, NEAR));
  PetscCall(restrict_space(test->sys, f, first[1], *null, null_list, EXACT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(RungSystem sys)
{
  Vec            near_list[RUNG_CANDIDATES], null_list[RUNG_NULL];
  PetscInt       near = 0, null = 0, start;
  RungNullSpaces s;
  RungNullTest   test;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  sys->form->null_spaces = s;
  PetscCall(test_create(sys, &test));
  PetscCall(VecGetOwnershipRange(test.r, &start, NULL));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    PetscCall(ISCreateStride(sys->comm, sys->range[f + 1] - sys->range[f], start + sys->range[f], 1, &s->is[f]));
    PetscCall(ISSetBlockSize(s->is[f], space->components));
    PetscCall(try_unknown(&test, f, &near, near_list, &null, null_list));
  }
  PetscCall(RungNullJoint(&test, &null, null_list));
  PetscCall(make_space(sys->comm, near, near_list, &s->whole_near));
  PetscCall(make_space(sys->comm, null, null_list, &s->whole));
  if (sys->form->unknowns == 1) {
    PetscCall(PetscObjectCompose((PetscObject)s->is[0], NEAR, (PetscObject)s->whole_near));
    PetscCall(PetscObjectCompose((PetscObject)s->is[0], EXACT, (PetscObject)s->whole));
  }
  PetscCall(test_destroy(&test));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNullSpacesAttach(RungSystem sys, Mat J)
{
  RungNullSpaces s;

  PetscFunctionBegin;
  if (!sys->form->null_spaces) PetscCall(set_up(sys));
  s = sys->form->null_spaces;
  if (s->whole_near) PetscCall(MatSetNearNullSpace(J, s->whole_near));
  if (s->whole) PetscCall(MatSetNullSpace(J, s->whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNullSpacesGet(RungSystem sys, MatNullSpace *whole)
{
  PetscFunctionBegin;
  *whole = NULL;
  if (!sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sys->form->null_spaces) PetscCall(set_up(sys));
  *whole = sys->form->null_spaces->whole;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNullSpacesRest(RungSystem sys, PetscBool rest)
{
  PetscFunctionBegin;
  if (!sys->form || !sys->traits.order || sys->form->at_rest == rest) PetscFunctionReturn(PETSC_SUCCESS);
  sys->form->at_rest = rest;
  PetscCall(RungNullSpacesDestroy(&sys->form->null_spaces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Splits are made while -pc_type fieldsplit is read, before its own options are.  Those without a term of their own come last, as a
   Schur complement wants it. */
PetscErrorCode RungNullSpacesSplit(RungSystem sys, PC pc)
{
  const PetscBool *couple;
  RungNullSpaces   s;

  PetscFunctionBegin;
  if (!sys->form || sys->form->unknowns < 2) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sys->form->null_spaces) PetscCall(set_up(sys));
  s      = sys->form->null_spaces;
  couple = sys->form->couple;
  for (int last = 0; last < 2; ++last) {
    for (PetscInt f = 0; f < sys->form->unknowns; ++f)
      if (couple[f * sys->form->unknowns + f] == (last ? PETSC_FALSE : PETSC_TRUE))
        PetscCall(PCFieldSplitSetIS(pc, sys->form->name[f], s->is[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNullSpacesGetNear(RungSystem sys, PetscInt f, MatNullSpace *near)
{
  PetscFunctionBegin;
  if (!sys->form->null_spaces) PetscCall(set_up(sys));
  PetscCall(PetscObjectQuery((PetscObject)sys->form->null_spaces->is[f], NEAR, (PetscObject *)near));
  PetscFunctionReturn(PETSC_SUCCESS);
}
