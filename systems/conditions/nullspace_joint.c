/* nullspace_joint.c - null vectors that are sums of candidates: (c, c) of two potentials that only their difference
   couples, the rotation about a pin, a displacement and the rotation field that follows it.

   Of the candidates z_i first the sums that boundary data and constraints admit, sum c_i D z_i = 0, D z being what they
   change of z; then, among these, those with sum c_i dF/du^(k) z_i = 0 for all k.  Both are found from the
   QR factors of the columns, the longest that is left first, down to columns that are rounding.  Unknowns and equations are measured by what the
   derivatives make of something rough, so that units do not matter.  What is found is tried like any candidate. */
#include <rungown_room.h>
#include "nullspace_impl.h"

#define ADMITTED 1e-9  /* of a candidate's size that data may change        */
#define NOTHING  1e-12 /* a part of a sum that is rounding                  */
#define SWEEPS   50    /* of sizes that are made to fit                     */

typedef struct {
  PetscInt  n, parts;                           /* candidates; derivatives                                     */
  PetscInt  unknown[RUNG_CANDIDATES];           /* [candidate]                                                 */
  Vec       z[RUNG_CANDIDATES];                 /* owned                                                       */
  Vec       y[RUNG_CANDIDATES][RUNG_PARTS];     /* owned, columns; NULL where not made                         */
  PetscReal column[RUNG_MAX_UNKNOWNS];          /* sizes of unknowns, as the derivatives see them              */
  PetscReal row[RUNG_PARTS][RUNG_MAX_UNKNOWNS]; /* sizes of equations                                          */
} Joint;

static PetscErrorCode scale_parts(RungSystem sys, Vec v, const PetscReal factor[], PetscBool divide)
{
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &x));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    const PetscReal by = !divide ? factor[f] : factor[f] > 0 ? 1 / factor[f] : 0;

    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) x[i] *= by;
  }
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscReal Sizes[RUNG_MAX_UNKNOWNS][RUNG_PARTS][RUNG_MAX_UNKNOWNS]; /* [unknown][derivative][equation] */

/* Sizes of unknowns and of equations whose products are near to what each derivative makes of each unknown: geometric means, which
   other units change as they change themselves. */
static void balance(PetscInt n, Sizes most, Joint *joint)
{
  for (PetscInt i = 0; i < n * joint->parts; ++i) joint->row[i / n][i % n] = 1;
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    for (PetscInt f = 0; f < n; ++f) {
      PetscReal sum   = 0;
      PetscInt  count = 0;

      for (PetscInt i = 0; i < n * joint->parts; ++i) {
        const PetscReal size = most[f][i / n][i % n], row = joint->row[i / n][i % n];

        if (size > 0 && row > 0) sum += PetscLogReal(size / row), ++count;
      }
      joint->column[f] = count ? PetscExpReal(sum / (PetscReal)count) : 0;
    }
    for (PetscInt i = 0; i < n * joint->parts; ++i) {
      PetscReal sum   = 0;
      PetscInt  count = 0;

      for (PetscInt f = 0; f < n; ++f) {
        const PetscReal size = most[f][i / n][i % n];

        if (size > 0 && joint->column[f] > 0) sum += PetscLogReal(size / joint->column[f]), ++count;
      }
      joint->row[i / n][i % n] = count ? PetscExpReal(sum / (PetscReal)count) : 0;
    }
  }
}

/* Sizes of unknowns and equations, if they are numbers. */
static PetscErrorCode measure(RungNullTest *test, Joint *joint, PetscBool *finite)
{
  RungSystem sys              = test->sys;
  PetscReal  step[RUNG_PARTS] = {0}; /* one that shows the derivatives by all unknowns */
  Sizes      most;

  PetscFunctionBegin;
  *finite = PETSC_TRUE;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    for (PetscInt k = 0; k < joint->parts; ++k) {
      PetscCall(RungNullMeasure(test, f, k, most[f][k]));
      step[k] = PetscMax(step[k], test->step[k]);
      for (PetscInt g = 0; g < sys->form->unknowns; ++g) *finite = *finite && !PetscIsInfReal(most[f][k][g]);
    }
  }
  for (PetscInt k = 0; k < joint->parts; ++k) test->step[k] = step[k];
  if (*finite) balance(sys->form->unknowns, most, joint);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dot(PetscInt parts, const Vec a[], const Vec b[], PetscReal *sum)
{
  PetscFunctionBegin;
  *sum = 0;
  for (PetscInt k = 0; k < parts; ++k) {
    PetscScalar part;

    PetscCall(VecDot(a[k], b[k], &part));
    *sum += PetscRealPart(part);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode swap(PetscInt n, PetscInt parts, Vec y[][RUNG_PARTS], PetscReal R[], PetscInt order[], PetscInt i,
                           PetscInt j)
{
  const PetscInt first = order[i];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < parts; ++k) {
    const Vec column = y[i][k];

    y[i][k] = y[j][k];
    y[j][k] = column;
  }
  for (PetscInt q = 0; q < n; ++q) {
    const PetscReal r = R[q + n * i];

    R[q + n * i] = R[q + n * j];
    R[q + n * j] = r;
  }
  order[i] = order[j];
  order[j] = first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns, the longest that is left first, become Q; R[i + n j] of the columns in this order.  Modified Gram-Schmidt, twice.
   Out  rank  how many are longer than `least` */
static PetscErrorCode factor(PetscInt n, PetscInt parts, Vec y[][RUNG_PARTS], PetscReal least, PetscInt order[],
                             PetscReal R[], PetscInt *rank)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(R, n * n));
  for (PetscInt j = 0; j < n; ++j) order[j] = j;
  for (*rank = 0; *rank < n; ++*rank) {
    const PetscInt i    = *rank;
    PetscInt       best = i;
    PetscReal      most = -1, r;

    for (PetscInt j = i; j < n; ++j) {
      PetscCall(dot(parts, y[j], y[j], &r));
      if (r > most) best = j, most = r;
    }
    if (!(most > least * least)) break;
    PetscCall(swap(n, parts, y, R, order, i, best));
    R[i + n * i] = PetscSqrtReal(most);
    for (PetscInt k = 0; k < parts; ++k) PetscCall(VecScale(y[i][k], 1 / R[i + n * i]));
    for (PetscInt j = i + 1; j < n; ++j) {
      for (int twice = 0; twice < 2; ++twice) {
        PetscCall(dot(parts, y[i], y[j], &r));
        for (PetscInt k = 0; k < parts; ++k) PetscCall(VecAXPY(y[j][k], -r, y[i][k]));
        R[i + n * j] += r;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of columns that vanish: m of them, sum[i + n j].  A column beyond the rank is a sum of those before. */
static PetscErrorCode null_sums(PetscInt n, PetscInt parts, Vec y[][RUNG_PARTS], PetscReal least, PetscInt *m,
                                PetscReal sum[])
{
  PetscReal *R, size;
  PetscInt  *order, rank;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n * n, &R, n, &order));
  PetscCall(factor(n, parts, y, least, order, R, &rank));
  for (PetscInt j = rank; j < n; ++j) {
    PetscReal *c = sum + n * (j - rank);

    PetscCall(PetscArrayzero(c, n));
    c[order[j]] = size = 1;
    for (PetscInt i = rank - 1; i >= 0; --i) { /* R11 c = -R12 */
      PetscReal left = R[i + n * j];

      for (PetscInt q = i + 1; q < rank; ++q) left += R[i + n * q] * c[order[q]];
      c[order[i]] = -left / R[i + n * i];
      size        = PetscMax(size, PetscAbsReal(c[order[i]]));
    }
    for (PetscInt i = 0; i < n; ++i) c[i] /= size;
  }
  *m = n - rank;
  PetscCall(PetscFree2(R, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all candidates z_i / size of their unknown, the sums that data and constraints admit. */
static PetscErrorCode admitted(RungNullTest *test, Joint *joint, PetscInt *m, PetscReal sum[])
{
  RungSystem sys = test->sys;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < joint->n; ++i) {
    const PetscInt f = joint->unknown[i];

    PetscCall(VecDuplicate(test->r, &joint->y[i][0]));
    PetscCall(VecCopy(joint->z[i], joint->y[i][0]));
    PetscCall(RungSystemZeroDirichlet(sys, joint->y[i][0]));
    PetscCall(RungConstraintsExtend(sys, joint->y[i][0]));
    PetscCall(VecAXPY(joint->y[i][0], -1, joint->z[i]));
    PetscCall(scale_parts(sys, joint->y[i][0], joint->column, PETSC_FALSE));
    PetscCall(VecScale(joint->y[i][0], 1 / joint->column[f]));
  }
  PetscCall(null_sums(joint->n, 1, joint->y, ADMITTED, m, sum));
  for (PetscInt i = 0; i < joint->n; ++i) PetscCall(VecDestroy(&joint->y[i][0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v = sum_i c_i z_i / size of its unknown */
static PetscErrorCode combine(const Joint *joint, const PetscReal c[], Vec v)
{
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(v));
  for (PetscInt i = 0; i < joint->n; ++i) {
    if (PetscAbsReal(c[i]) > NOTHING) PetscCall(VecAXPY(v, c[i] / joint->column[joint->unknown[i]], joint->z[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y[j][k] = dF/du^(k) of the j-th sum, without what data and constraints take */
static PetscErrorCode apply(RungNullTest *test, Joint *joint, PetscInt m, const PetscReal sum[])
{
  RungSystem sys = test->sys;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < m * joint->parts; ++j) {
    PetscCall(VecDuplicate(test->r, &joint->y[j / joint->parts][j % joint->parts]));
    PetscCall(VecZeroEntries(joint->y[j / joint->parts][j % joint->parts]));
  }
  for (PetscInt i = 0; i < joint->n; ++i) {
    PetscReal most = 0;

    for (PetscInt j = 0; j < m; ++j) most = PetscMax(most, PetscAbsReal(sum[i + joint->n * j]));
    for (PetscInt k = 0; k < joint->parts && most > NOTHING; ++k) {
      PetscCall(RungNullDerivative(test, k, joint->z[i]));
      PetscCall(RungConstraintsReduce(sys, test->r));
      PetscCall(RungSystemZeroDirichlet(sys, test->r));
      PetscCall(scale_parts(sys, test->r, joint->row[k], PETSC_TRUE));
      for (PetscInt j = 0; j < m; ++j)
        PetscCall(VecAXPY(joint->y[j][k], sum[i + joint->n * j] / joint->column[joint->unknown[i]], test->r));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sums of sums that the derivatives map to zero, tried and kept. */
static PetscErrorCode keep_null(RungNullTest *test, Joint *joint, PetscInt m, const PetscReal sum[], PetscInt *n,
                                Vec list[])
{
  PetscReal *again, c[RUNG_CANDIDATES], size;
  PetscInt   found, rows;
  Vec        v;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m * m, &again));
  PetscCall(VecGetSize(test->r, &rows));
  PetscCall(VecDuplicate(test->r, &v));
  PetscCall(null_sums(m, joint->parts, joint->y, test->tolerance * PetscSqrtReal((PetscReal)rows), &found, again));
  for (PetscInt q = 0; q < found; ++q) {
    PetscBool null;

    for (PetscInt i = 0; i < joint->n; ++i) {
      c[i] = 0;
      for (PetscInt j = 0; j < m; ++j) c[i] += sum[i + joint->n * j] * again[j + m * q];
    }
    PetscCall(combine(joint, c, v));
    PetscCall(VecNorm(v, NORM_INFINITY, &size));
    PetscCall(VecScale(v, 1 / size));
    for (PetscInt k = 0; k < joint->parts; ++k)
      for (PetscInt g = 0; g < test->sys->form->unknowns; ++g) test->scale[k][g] = joint->row[k][g] / size;
    test->scaled = joint->parts;
    PetscCall(RungNullIs(test, v, &null));
    if (null) PetscCall(RungNullKeep(v, n, list));
  }
  PetscCall(VecDestroy(&v));
  PetscCall(PetscFree(again));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_candidates(RungNullTest *test, Joint *joint)
{
  RungSystem sys = test->sys;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    PetscInt n;

    PetscCall(RungNullCount(sys, f, &n));
    for (PetscInt i = 0; i < n; ++i) {
      Vec z;

      PetscCall(VecDuplicate(test->r, &z));
      PetscCall(RungNullFill(sys, f, i, z));
      joint->unknown[joint->n] = f;
      joint->z[joint->n++]     = z;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_vecs(Joint *joint)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < joint->n; ++i) {
    PetscCall(VecDestroy(&joint->z[i]));
    for (PetscInt k = 0; k < RUNG_PARTS; ++k) PetscCall(VecDestroy(&joint->y[i][k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode joint_destroy(Joint **joint)
{
  PetscFunctionBegin;
  if (!*joint) PetscFunctionReturn(PETSC_SUCCESS);
  RungCallFinally(destroy_vecs(*joint), PetscCall(PetscFree(*joint)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many sums data and constraints admit does not depend on sizes, and is cheap to know. */
PetscErrorCode RungNullJoint(RungNullTest *test, PetscInt *n, Vec list[])
{
  RUNG_OWNED(joint_destroy) Joint *joint = NULL;
  RUNG_FREE PetscReal             *sum   = NULL;
  PetscInt                         m = 0, candidates = 0, more;

  PetscFunctionBegin;
  if (test->sys->traits.conserved) PetscFunctionReturn(PETSC_SUCCESS); /* dm/du is not looked at */
  for (PetscInt f = 0; f < test->sys->form->unknowns; ++f, candidates += more)
    PetscCall(RungNullCount(test->sys, f, &more));
  if (candidates < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&joint));
  joint->parts = test->sys->form->at_rest ? 1 : test->sys->traits.order + 1;
  for (PetscInt f = 0; f < test->sys->form->unknowns; ++f) joint->column[f] = 1;
  PetscCall(create_candidates(test, joint));
  PetscCall(PetscMalloc1(joint->n * joint->n, &sum));
  PetscCall(admitted(test, joint, &m, sum));
  if (m > *n) { /* else these are the ones that are known */
    PetscBool finite;

    PetscCall(measure(test, joint, &finite));
    if (finite) {
      PetscCall(admitted(test, joint, &m, sum));
      PetscCall(apply(test, joint, m, sum));
      PetscCall(keep_null(test, joint, m, sum, n, list));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
