/* nested.c - functions of one layout at the nodes of another one on the same mesh or on one of a family, and the transpose of that.

   Every node that a rank owns lies in a cell of this rank, the first that has it; a table of the reference cell gives the
   function there from the cell's own values.  Of a continuous function all cells of a node tell the same.  Nothing is searched,
   and ghosts are those of the layout whose functions are read:

       y_i = sum_j T_aj x_j,   node i is node a of its cell, j runs over the cell's nodes;   T is sparse: nodes on a facet
                                                                                           see the facet alone.

   Of a mesh and the one whose cells were cut into it every child lies in its parent in one of few places, each with a table of its own:
   of the parent's functions at the child's nodes or, downwards, of the child's functions at those nodes of the parent that it has.

   Rows with few entries are taken one by one (nested_rows.c).  Else some cells with one table go at a time, each in its lane of a vector: all rows for all of them, of which each cell takes those of its
   nodes.  Sums over cells follow the order of the list of cells, whatever vectors the machine has. */
#include "nested_impl.h"

#define NOTHING 1e-13 /* of a table whose largest entries are 1 */
#define LANES   8     /* cells at a time                        */
#define NEAR    512   /* cells among which those of one place are collected: their values stay in the cache */

/* Copies for vectors of 2, 4 and 8 numbers: the one that the machine has is taken when the program starts. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&                       \
  !defined(__SANITIZE_ADDRESS__)
  #define COPIES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
  #define COPIES
#endif

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_part(RungNested nested, const RungSpaceData *from, const RungSpaceData *to, PetscBool same)
{
  const RungFamily family = nested->family;
  const MPI_Comm   comm   = nested->from->data.comm;
  const PetscBool  fits   = !family        ? from->mesh == to->mesh
                            : nested->down ? from->mesh == family->fine && to->mesh == family->coarse
                                           : from->mesh == family->coarse && to->mesh == family->fine;

  PetscFunctionBegin;
  PetscCheck(fits, comm, PETSC_ERR_ARG_INCOMP, "spaces %s and %s lie on different meshes", from->spec, to->spec);
  PetscCheck(from->components == to->components, comm, PETSC_ERR_ARG_INCOMP,
             "a function of %s has %" PetscInt_FMT " components, one of %s has %" PetscInt_FMT, from->spec,
             from->components, to->spec, to->components);
  PetscCheck(same || !(from->quadrature || to->quadrature || from->single || to->single), comm, PETSC_ERR_SUP,
             "a function of %s has no values at the nodes of %s; wanted P, Q, DP or DQ for both, or one space",
             from->spec, to->spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The affine map X = x + A xi of a child into its parent, from three corners at most; directions that there are not stay. */
static PetscErrorCode child_map(RungFamily family, PetscInt place, PetscReal x[3], PetscReal A[3][3])
{
  const RungMeshData *mesh;
  const RungCell     *cell;
  RungElement        *map;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(family->fine, &mesh));
  cell = RungCellGet(mesh->type);
  PetscCall(RungElementCreateMap(mesh->type, 2, &map));
  for (PetscInt a = 0; a < 3; ++a) {
    x[a] = a < cell->dim ? map->node[family->corner[place][0] * cell->dim + a] : 0;
    for (PetscInt b = 0; b < 3; ++b) {
      const PetscInt v = cell->simplex ? b + 1 : (PetscInt)1 << b;

      A[a][b] = a == b ? 1 : 0;
      if (PetscMax(a, b) < cell->dim) A[a][b] = map->node[family->corner[place][v] * cell->dim + a] - x[a];
    }
  }
  PetscCall(RungElementDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void invert(PetscReal A[3][3])
{
  PetscReal B[3][3], det = 0;

  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const int p = (b + 1) % 3, q = (b + 2) % 3, r = (a + 1) % 3, s = (a + 2) % 3;

      B[a][b] = A[p][r] * A[q][s] - A[p][s] * A[q][r];
    }
  }
  for (int b = 0; b < 3; ++b) det += A[0][b] * B[b][0];
  for (int a = 0; a < 9; ++a) A[a / 3][a % 3] = B[a / 3][a % 3] / det;
}

/* Where the nodes of a cell of `to` lie in the cell of `from`.  Out X[node][dim]; inside[node]: in it at all */
static PetscErrorCode place_nodes(RungNested nested, const RungSpaceData *to, const RungCell *cell, PetscInt place,
                                  PetscReal X[], PetscBool inside[])
{
  PetscReal x[3], A[3][3];

  PetscFunctionBegin;
  if (nested->family) PetscCall(child_map(nested->family, place, x, A));
  if (nested->down) invert(A);
  for (PetscInt i = 0; i < to->cell_nodes; ++i) {
    const PetscReal *node = to->node + i * cell->dim;
    PetscReal        sum  = 0;

    inside[i] = PETSC_TRUE;
    for (PetscInt a = 0; a < cell->dim; ++a) {
      PetscReal *at = &X[i * cell->dim + a];

      *at = nested->family && !nested->down ? x[a] : nested->family ? 0 : node[a];
      for (PetscInt b = 0; b < cell->dim && nested->family; ++b)
        *at += A[a][b] * (nested->down ? node[b] - x[b] : node[b]);
      sum += *at;
      if (*at < -NOTHING || *at > 1 + NOTHING) inside[i] = PETSC_FALSE;
    }
    if (cell->simplex && sum > 1 + NOTHING) inside[i] = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nonzero entries of T[place][row][n]; transposed: rows are its columns. */
static PetscErrorCode compress(const PetscReal T[], PetscInt places, PetscInt rows, PetscInt n, PetscBool transposed,
                               RungNestedTable *table)
{
  const PetscInt lines = transposed ? n : rows, length = transposed ? rows : n;
  PetscInt       count = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < places * rows * n; ++i) count += T[i] != 0 ? 1 : 0;
  PetscCall(PetscMalloc3(places * lines + 1, &table->start, count, &table->column, count, &table->value));
  table->rows = lines;
  count       = 0;
  for (PetscInt i = 0; i < places * lines; ++i) {
    const PetscReal *here = T + i / lines * rows * n;

    table->start[i] = count;
    for (PetscInt j = 0; j < length; ++j) {
      const PetscReal value = transposed ? here[j * n + i % lines] : here[i % lines * n + j];

      if (value == 0) continue;
      table->column[count]  = j;
      table->value[count++] = value;
    }
  }
  table->start[places * lines] = count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tables of all places. */
static PetscErrorCode set_tables(RungNested nested, RungSpace from, const RungSpaceData *to, RungNestedPart *part)
{
  const PetscInt n = from->data.cell_nodes, rows = to->cell_nodes, places = nested->family ? nested->family->places : 1;
  const PetscInt size = RungSpaceTableSize(from, rows, 0), m = from->data.components;
  const RungMeshData *mesh;
  PetscReal          *table, *all, *X;
  PetscBool          *inside;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(from->data.mesh, &mesh));
  PetscCall(PetscMalloc4(size, &table, places * rows * n, &all, rows * 3, &X, rows, &inside));
  for (PetscInt p = 0; p < places; ++p) {
    PetscCall(place_nodes(nested, to, RungCellGet(mesh->type), p, X, inside));
    PetscCall(RungSpaceTabulate(from, rows, X, 0, table));
    for (PetscInt i = 0; i < rows * n; ++i)
      all[p * rows * n + i] = !inside[i / n] || PetscAbsReal(table[i]) <= NOTHING ? 0 : table[i];
  }
  PetscCall(compress(all, places, rows, n, PETSC_FALSE, &part->table));
  PetscCall(compress(all, places, rows, n, PETSC_TRUE, &part->transpose));
  PetscCall(PetscFree4(table, all, X, inside));
  PetscCall(PetscCalloc2(n * m * LANES, &part->from, rows * m * LANES, &part->to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cells, those without ghosts first, near ones of one place beside each other. */
static PetscErrorCode order_cells(RungNested nested, PetscInt cell[])
{
  const PetscInt cells = RungNestedCells(nested), places = nested->family ? nested->family->places : 1;
  PetscInt      *next, *list, n = 0; /* next[place], list[cells] */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(places + 1, &next, cells, &list));
  for (int ghosts = 0; ghosts < 2; ++ghosts)
    for (PetscInt c = 0; c < cells; ++c)
      if (RungNestedHasGhosts(nested, c) == (PetscBool)ghosts) list[n++] = c;
  for (PetscInt start = 0, end; start < cells; start = end) {
    for (end = start; end < PetscMin(start + NEAR, cells); ++end)
      if (RungNestedHasGhosts(nested, list[end]) != RungNestedHasGhosts(nested, list[start])) break;
    PetscCall(PetscArrayzero(next, places + 1));
    for (PetscInt i = start; i < end; ++i) ++next[RungNestedPlace(nested, list[i]) + 1];
    for (PetscInt p = 0; p < places; ++p) next[p + 1] += next[p];
    for (PetscInt i = start; i < end; ++i) cell[start + next[RungNestedPlace(nested, list[i])]++] = list[i];
  }
  PetscCall(PetscFree2(next, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Owned entries of `from` in cells with ghosts. */
static PetscErrorCode set_rim(RungNested nested)
{
  const RungLayoutData *from = &nested->from->data;
  PetscBool            *mark;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(from->owned, &mark));
  for (PetscInt i = 0; from->cell_edge && i < from->cells * from->cell_dofs; ++i)
    if (from->cell_edge[i / from->cell_dofs] && from->cell_dof[i] < from->owned) mark[from->cell_dof[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < from->owned; ++i) nested->rims += mark[i] ? 1 : 0;
  PetscCall(PetscMalloc1(nested->rims, &nested->rim));
  for (PetscInt i = 0, n = 0; i < from->owned; ++i)
    if (mark[i]) nested->rim[n++] = i;
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Owned nodes by the first cell that has them; cells without such nodes are left out. */
static PetscErrorCode set_nodes(RungNested nested, PetscInt f, const RungSpaceData *to, RungNestedPart *part)
{
  const PetscInt cells = RungNestedCells(nested), m = part->components, at = nested->to->data.range[f];
  PetscBool     *seen;
  PetscInt       n = 0;

  PetscFunctionBegin;
  PetscCall(
    PetscMalloc4(cells, &part->cell, cells + 1, &part->first, to->owned * m, &part->row, to->owned * m, &part->entry));
  PetscCall(order_cells(nested, part->cell));
  PetscCall(PetscCalloc1(to->owned, &seen));
  for (PetscInt i = 0; i < cells; ++i) {
    const PetscInt  c     = part->cell[i];
    const PetscInt *node  = &to->cell_node[RungNestedCell(nested, nested->down, c) * to->cell_nodes];
    const PetscInt *start = part->table.start + RungNestedPlace(nested, c) * part->table.rows;

    part->first[part->cells] = n;
    for (PetscInt a = 0; a < to->cell_nodes; ++a) {
      if (node[a] >= to->owned || seen[node[a]] || start[a] == start[a + 1]) continue;
      seen[node[a]] = PETSC_TRUE;
      for (PetscInt k = 0; k < m; ++k, ++n) {
        part->row[n]   = a * m + k;
        part->entry[n] = at + node[a] * m + k;
      }
    }
    if (n == part->first[part->cells]) continue;
    part->cell[part->cells++] = c;
    if (!RungNestedHasGhosts(nested, c)) part->inner = part->cells;
  }
  part->first[part->cells] = n;
  PetscCall(PetscFree(seen));
  PetscCheck(n == to->owned * m, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " of %" PetscInt_FMT " nodes of %s lie in a cell of their rank", n / m, to->owned,
             to->spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One space: all owned entries, as if of one cell. */
static PetscErrorCode set_same(RungNested nested, PetscInt f, RungNestedPart *part)
{
  const PetscInt *range = &nested->to->data.range[f], n = range[1] - range[0];

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(1, &part->cell, 2, &part->first, 0, &part->row, n, &part->entry));
  part->cells    = 1;
  part->cell[0]  = 0;
  part->first[0] = 0;
  part->first[1] = n;
  for (PetscInt i = 0; i < n; ++i) part->entry[i] = range[0] + i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_parts(RungNested nested)
{
  const RungLayoutData *from = &nested->from->data, *to = &nested->to->data;

  PetscFunctionBegin;
  PetscCheck(from->unknowns == to->unknowns, from->comm, PETSC_ERR_ARG_INCOMP,
             "one layout has %" PetscInt_FMT " unknowns, the other one %" PetscInt_FMT, from->unknowns, to->unknowns);
  PetscCall(PetscCalloc1(from->unknowns, &nested->part));
  for (PetscInt f = 0; f < from->unknowns; ++f) {
    const RungSpaceData *a = &from->space[f]->data, *b = &to->space[f]->data;
    RungNestedPart      *part = &nested->part[f];

    part->same       = from->space[f] == to->space[f] || (a->mesh == b->mesh && !strcmp(a->spec, b->spec)) ||
                     (nested->family && a->single && b->single)
                         ? PETSC_TRUE
                         : PETSC_FALSE;
    part->components = a->components;
    PetscCall(check_part(nested, a, b, part->same));
    if (part->same) {
      PetscCall(set_same(nested, f, part));
      continue;
    }
    PetscCall(set_tables(nested, from->space[f], b, part));
    part->single = RungNestedHasFew(&part->table, nested->family ? nested->family->places : 1);
    if (part->single)
      PetscCall(RungNestedSetRows(nested, f, b, part));
    else
      PetscCall(set_nodes(nested, f, b, part));
  }
  PetscCall(set_rim(nested));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedCreate(RungLayout from, RungLayout to, RungNested *nested)
{
  PetscFunctionBegin;
  RungNeed(from);
  PetscCall(RungNestedCreateBetween(NULL, from, to, nested));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedCreateBetween(RungFamily family, RungLayout from, RungLayout to, RungNested *nested)
{
  RungNested n;

  PetscFunctionBegin;
  RungNeed(from);
  RungNeed(to);
  PetscCall(PetscNew(&n));
  n->family = family;
  n->down   = family && from->data.space[0]->data.mesh == family->fine ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungLayoutReference(n->from = from));
  PetscCall(RungLayoutReference(n->to = to));
  RungCallOrUndo(set_parts(n), PetscCall(RungNestedDestroy(&n)));
  *nested = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedSetZeros(RungNested nested, PetscInt n, const PetscInt entry[])
{
  PetscBool *is;

  PetscFunctionBegin;
  RungNeed(nested);
  PetscCall(PetscFree(nested->zero));
  PetscCall(PetscMalloc1(n, &nested->zero));
  PetscCall(PetscArraycpy(nested->zero, entry, n));
  nested->zeros = n;
  PetscCall(PetscCalloc1(nested->to->data.range[nested->to->data.unknowns] + 1, &is));
  for (PetscInt i = 0; i < n; ++i) is[entry[i]] = PETSC_TRUE;
  for (PetscInt f = 0; f < nested->from->data.unknowns; ++f) RungNestedDrop(&nested->part[f], is);
  PetscCall(PetscFree(is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedDestroy(RungNested *nested)
{
  RungNested n = *nested;

  PetscFunctionBegin;
  *nested = NULL;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; n->part && f < n->from->data.unknowns; ++f) {
    RungNestedPart *part = &n->part[f];

    PetscCall(PetscFree3(part->table.start, part->table.column, part->table.value));
    PetscCall(PetscFree3(part->transpose.start, part->transpose.column, part->transpose.value));
    PetscCall(PetscFree4(part->cell, part->first, part->row, part->entry));
    PetscCall(PetscFree(part->column));
    PetscCall(PetscFree2(part->from, part->to));
  }
  PetscCall(PetscFree(n->zero));
  PetscCall(PetscFree(n->rim));
  PetscCall(PetscFree(n->part));
  PetscCall(RungLayoutDestroy(&n->from));
  PetscCall(RungLayoutDestroy(&n->to));
  PetscCall(PetscFree(n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values and their transpose ----------------------------------------------------------------------------------- */

/* y = T x of all components and lanes. */
COPIES static void multiply(const RungNestedTable *table, PetscInt place, PetscInt components, const PetscScalar x[],
                            PetscScalar y[])
{
  const PetscInt *start = table->start + place * table->rows;

  for (PetscInt i = 0; i < table->rows; ++i) {
    for (PetscInt k = 0; k < components; ++k, y += LANES) {
      PetscScalar sum[LANES] = {0};

      for (PetscInt e = start[i]; e < start[i + 1]; ++e) {
        const PetscScalar *column = x + (table->column[e] * components + k) * LANES;

        for (int l = 0; l < LANES; ++l) sum[l] += table->value[e] * column[l];
      }
      for (int l = 0; l < LANES; ++l) y[l] = sum[l];
    }
  }
}

/* How many cells from the one at c on, before `end`, go together. */
static PetscInt count_lanes(RungNested nested, const RungNestedPart *part, PetscInt c, PetscInt end)
{
  PetscInt n = 1;

  while (n < LANES && c + n < end &&
         RungNestedPlace(nested, part->cell[c + n]) == RungNestedPlace(nested, part->cell[c]))
    ++n;
  return n;
}

/* The cells of a part with ghosts of `from`, or the others. */
static void cells_with(const RungNestedPart *part, PetscBool ghosts, PetscInt range[2])
{
  range[0] = ghosts ? part->inner : 0;
  range[1] = ghosts ? part->cells : part->inner;
}

/* y = T x of one unknown, or y += T x, in cells with ghosts or in others */
static void apply_part(RungNested nested, PetscInt f, PetscBool ghosts, PetscBool add, const PetscScalar x[],
                       PetscScalar y[])
{
  const RungLayoutData *from = &nested->from->data;
  const RungNestedPart *part = &nested->part[f];
  const PetscInt        n    = from->offset[f + 1] - from->offset[f];
  PetscInt              range[2];

  if (part->single) {
    RungNestedApplyRows(part, ghosts, add, x, y);
    return;
  }
  cells_with(part, ghosts, range);
  for (PetscInt c = range[0], lanes; c < range[1]; c += lanes) {
    lanes = count_lanes(nested, part, c, range[1]);
    for (PetscInt l = 0; l < lanes; ++l) {
      const PetscInt *dof = RungNestedDofs(nested, f, part->cell[c + l]);

      for (PetscInt j = 0; j < n; ++j) part->from[j * LANES + l] = x[dof[j]];
    }
    multiply(&part->table, RungNestedPlace(nested, part->cell[c]), part->components, part->from, part->to);
    for (PetscInt l = 0; l < lanes; ++l) {
      for (PetscInt i = part->first[c + l]; i < part->first[c + l + 1]; ++i) {
        const PetscScalar value = part->to[part->row[i] * LANES + l];

        y[part->entry[i]] = add ? y[part->entry[i]] + value : value;
      }
    }
  }
}

/* y += T^T x of one unknown, in cells with ghosts or in others */
static void apply_transpose(RungNested nested, PetscInt f, PetscBool ghosts, const PetscScalar x[], PetscScalar y[])
{
  const RungLayoutData *from = &nested->from->data;
  const RungNestedPart *part = &nested->part[f];
  const PetscInt        n    = from->offset[f + 1] - from->offset[f];
  PetscInt              range[2];

  if (part->single) {
    RungNestedTransposeRows(part, ghosts, x, y);
    return;
  }
  cells_with(part, ghosts, range);
  for (PetscInt c = range[0], lanes; c < range[1]; c += lanes) {
    lanes = count_lanes(nested, part, c, range[1]);
    for (PetscInt i = 0; i < part->table.rows * part->components * LANES; ++i) part->to[i] = 0;
    for (PetscInt l = 0; l < lanes; ++l)
      for (PetscInt i = part->first[c + l]; i < part->first[c + l + 1]; ++i)
        part->to[part->row[i] * LANES + l] = x[part->entry[i]];
    multiply(&part->transpose, RungNestedPlace(nested, part->cell[c]), part->components, part->to, part->from);
    for (PetscInt l = 0; l < lanes; ++l) {
      const PetscInt *dof = RungNestedDofs(nested, f, part->cell[c + l]);

      for (PetscInt j = 0; j < n; ++j) y[dof[j]] += part->from[j * LANES + l];
    }
  }
}

/* The same where both have one space, whose values are copied. */
static void move_same(RungNested nested, PetscInt f, PetscBool add, const PetscScalar x[], PetscScalar y[])
{
  const RungNestedPart *part = &nested->part[f];
  const PetscInt        back = nested->from->data.range[f] - nested->to->data.range[f];

  for (PetscInt i = 0; i < part->first[1]; ++i) {
    const PetscInt entry = part->entry[i];

    y[entry] = add ? y[entry] + x[entry + back] : x[entry + back];
  }
}

static void move_same_transpose(RungNested nested, PetscInt f, const PetscScalar x[], PetscScalar y[])
{
  const RungNestedPart *part = &nested->part[f];
  const PetscInt        back = nested->from->data.range[f] - nested->to->data.range[f];

  for (PetscInt i = 0; i < part->first[1]; ++i) y[part->entry[i] + back] += x[part->entry[i]];
}

/* y = T x, or y += T x */
static PetscErrorCode apply(RungNested nested, PetscBool add, Vec x, Vec y)
{
  const PetscScalar *own, *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(RungLayoutCheckVec(nested->to, y));
  PetscCall(RungLayoutGatherSome(nested->from, x, 0, nested->rims, nested->rim, &own, &from));
  PetscCall(VecGetArray(y, &to));
  for (PetscInt f = 0; f < nested->from->data.unknowns; ++f) { /* while ghosts are under way */
    if (nested->part[f].same)
      move_same(nested, f, add, own, to);
    else
      apply_part(nested, f, PETSC_FALSE, add, own, to);
  }
  PetscCall(RungLayoutGatherEnd(nested->from, 0));
  for (PetscInt f = 0; f < nested->from->data.unknowns; ++f)
    if (!nested->part[f].same) apply_part(nested, f, PETSC_TRUE, add, from, to);
  for (PetscInt i = 0; !add && i < nested->zeros; ++i) to[nested->zero[i]] = 0;
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(RungLayoutGatherRestore(nested->from, x, 0, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedApply(RungNested nested, Vec x, Vec y)
{
  PetscFunctionBegin;
  RungNeed(nested);
  PetscCall(apply(nested, PETSC_FALSE, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedApplyAdd(RungNested nested, Vec x, Vec y)
{
  PetscFunctionBegin;
  RungNeed(nested);
  PetscCall(apply(nested, PETSC_TRUE, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNestedApplyTranspose(RungNested nested, Vec r, Vec y)
{
  const PetscScalar *from;
  PetscScalar       *own, *to;

  PetscFunctionBegin;
  RungNeed(nested);
  PetscCall(RungLayoutCheckVec(nested->to, r));
  PetscCall(RungLayoutCheckVec(nested->from, y));
  PetscCall(VecZeroEntries(y));
  PetscCall(VecGetArrayRead(r, &from));
  PetscCall(RungLayoutScatterSome(nested->from, y, nested->rims, nested->rim, &own, &to));
  for (PetscInt f = 0; f < nested->from->data.unknowns; ++f)
    if (!nested->part[f].same) apply_transpose(nested, f, PETSC_TRUE, from, to);
  PetscCall(RungLayoutScatterSend(nested->from));
  for (PetscInt f = 0; f < nested->from->data.unknowns; ++f) { /* while ghosts are under way */
    if (nested->part[f].same)
      move_same_transpose(nested, f, from, own);
    else
      apply_transpose(nested, f, PETSC_FALSE, from, own);
  }
  PetscCall(RungLayoutScatterEnd(nested->from, y, &to));
  PetscCall(VecRestoreArrayRead(r, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}
