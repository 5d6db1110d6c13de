/* mesh_slice.c - the part of a binary Gmsh file that this rank reads: nodes and cells.

   Rank 0 looks for the blocks of the file and tells the others; every rank reads its share of them.  A node of a cell is known by
   its tag, and may have been read by any rank: tags become places in the file, by a subtraction where the file has no gaps, else
   through a directory; then its reader is asked. */
#include "mesh_slice_impl.h"
#include "mesh_import_impl.h"

PetscErrorCode RungSliceAgree(RungSlice *s)
{
  PetscMPIInt bad = s->finding.text[0] ? 1 : 0, any;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, s->comm));
  s->refused = any ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the plan --------------------------------------------------------------------------------------------------- */

/* Do all ranks see the file that rank 0 sees? */
static PetscErrorCode open_file(RungMesh mesh, RungSlice *s)
{
  PetscInt64 stamp[4];

  PetscFunctionBegin;
  s->reader = (RungReader){.path = mesh->path, .section = "", .finding = &s->finding};
  PetscCall(RungReaderOpen(&s->reader));
  PetscCall(PetscArraycpy(stamp, s->reader.stamp, 4));
  PetscCallMPI(MPI_Bcast(stamp, 4, MPIU_INT64, 0, s->comm));
  for (int i = 0; i < 4; ++i)
    if (stamp[i] != s->reader.stamp[i]) RungFound(&s->finding, "another file than that of rank 0");
  PetscCall(RungSliceAgree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type of the cells and how many there are.  Rank 0 */
static PetscErrorCode find_cells(RungSlice *s, PetscInt *order)
{
  const RungGmshBlocks *b = &s->plan.element_blocks;
  RungPiece            *p = &s->piece;
  PetscInt64            n = 0, groups = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < b->n; ++i) p->dim = PetscMax(p->dim, b->block[i].n ? b->block[i].dim : 0);
  if (!p->dim) RungFound(&s->finding, "no cells");
  for (PetscInt i = 0; i < b->n; ++i) {
    const RungGmshType *type = RungGmshTypeGet(b->block[i].type);

    groups += (PetscInt64)b->block[i].n * b->block[i].groups;
    if (type->dim != p->dim || !b->block[i].n) continue;
    if (n && (type->cell != p->type || type->order != *order)) RungFound(&s->finding, "cells of two kinds");
    if (type->cell == RUNG_CELL_TYPES || type->order > 2) RungFound(&s->finding, "cells that a mesh cannot have");
    p->type = type->cell;
    *order  = type->order;
    n += b->block[i].n;
  }
  for (PetscInt i = 0; i < b->n && !s->finding.text[0]; ++i) {
    const RungGmshType *type = RungGmshTypeGet(b->block[i].type);

    if (b->block[i].n && b->block[i].groups && type->dim == 2 && p->dim == 3 &&
        type->cell != RungCellGet(p->type)->facet_type)
      RungFound(&s->finding, "a part of faces that no cell has");
  }
  if (!s->finding.text[0] && (n > PETSC_MAX_INT / PetscMax(4, *order == 2 ? RungCellNodes(p->type, 2) * p->dim
                                                                          : RungCellGet(p->type)->vertices) ||
                              groups > PETSC_MAX_INT / 4 || s->plan.nodes / s->size > PETSC_MAX_INT / 27))
    RungFound(&s->finding, "more than can be counted");
  s->total = (PetscInt)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0 looks at all blocks and makes the parts, in the order in which elements name them. */
static PetscErrorCode make_plan(RungMesh mesh, RungSlice *s, PetscInt *order)
{
  PetscFunctionBegin;
  PetscCall(RungGmshPlan(&s->reader, &s->plan));
  if (!s->finding.text[0]) PetscCall(find_cells(s, order));
  if (!s->finding.text[0]) PetscCall(RungImportPlanParts(mesh->path, &s->plan, &mesh->parts, &s->part, &s->finding));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode share_blocks(RungSlice *s, RungGmshBlocks *blocks)
{
  PetscMPIInt bytes;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(blocks->n * (PetscInt)sizeof *blocks->block, &bytes));
  if (s->rank) PetscCall(PetscMalloc1(blocks->n, &blocks->block));
  PetscCallMPI(MPI_Bcast(blocks->block, bytes, MPI_BYTE, 0, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode share_plan(RungMesh mesh, RungSlice *s, PetscInt *order)
{
  RungGmsh *g        = &s->plan;
  PetscInt  fact[10] = {g->nodes,     g->node_blocks.n, g->element_blocks.n, g->physicals, (PetscInt)s->piece.type,
                        s->piece.dim, s->total,         s->reader.swap,      *order};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(fact, 10, MPIU_INT, 0, s->comm));
  g->nodes         = fact[0];
  g->node_blocks.n = fact[1], g->element_blocks.n = fact[2];
  g->physicals   = fact[3];
  s->piece.type  = (RungCellType)fact[4];
  s->piece.dim   = fact[5];
  s->total       = fact[6];
  s->reader.swap = fact[7] ? PETSC_TRUE : PETSC_FALSE;
  *order         = fact[8];
  s->reader.four = s->reader.binary = PETSC_TRUE;
  PetscCall(share_blocks(s, &g->node_blocks));
  PetscCall(share_blocks(s, &g->element_blocks));
  if (s->rank) PetscCall(PetscMalloc1(g->physicals, &s->part));
  PetscCallMPI(MPI_Bcast(s->part, (PetscMPIInt)g->physicals, MPIU_INT, 0, s->comm));
  PetscCall(RungPartsBroadcast(&mesh->parts, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what the file says ----------------------------------------------------------------------------------------- */

/* What this rank has read, in tags; all arrays are owned. */
typedef struct {
  PetscInt   nodes, first; /* and where the first one is in the file                                    */
  PetscInt  *node_tag;     /* [node]                                                                    */
  PetscReal *x;            /* [node][3]                                                                 */
  PetscInt   vertices;     /* of all cells of the slice                                                 */
  PetscInt   extra;        /* further nodes of a cell of order 2, as many as any cell has               */
  PetscInt  *given;        /* [cell] nodes that the file gives it, if it is of order 2; else NULL       */
  PetscInt   tags, *tag;   /* those of cells [cell][vertex], [cell][extra], of tagged entities [entity][4], of links */
} Read;

/* from .. to - 1: those things of a block, which are numbers first .. first + n - 1, that are among low .. high - 1. */
static PetscBool overlap(PetscInt first, PetscInt n, PetscInt low, PetscInt high, PetscInt *from, PetscInt *to)
{
  *from = PetscMax(low - first, 0);
  *to   = PetscMin(high - first, n);
  return *from < *to ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode read_nodes(RungSlice *s, Read *read)
{
  const PetscInt low  = RungSliceShare(s->plan.nodes, s->rank, s->size),
                 high = RungSliceShare(s->plan.nodes, s->rank + 1, s->size);
  RungReader *r       = &s->reader;
  PetscInt    first = 0, k = 0, from, to;

  PetscFunctionBegin;
  r->section  = "Nodes";
  read->first = low;
  read->nodes = high - low;
  PetscCall(PetscMalloc1(high - low, &read->node_tag));
  PetscCall(PetscMalloc1(3 * (high - low), &read->x));
  for (PetscInt b = 0; b < s->plan.node_blocks.n && !RungReaderFailed(r); first += s->plan.node_blocks.block[b++].n) {
    const RungGmshBlock *block = &s->plan.node_blocks.block[b];

    if (!overlap(first, block->n, low, high, &from, &to)) continue;
    RungReaderSeek(r, block->place + (PetscInt64)8 * from);
    for (PetscInt i = from; i < to; ++i) {
      read->node_tag[k + i - from] = RungReaderSize(r);
      if (read->node_tag[k + i - from] < 0) RungFound(&s->finding, "a negative node");
    }
    RungReaderSeek(r, block->place + 8 * ((PetscInt64)block->n + (PetscInt64)from * block->numbers));
    for (PetscInt i = from; i < to; ++i, ++k) {
      for (int a = 0; a < 3; ++a) read->x[3 * k + a] = RungReaderFinite(r);
      for (PetscInt a = 3; a < block->numbers; ++a) (void)RungReaderReal(r);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the k-th group of a block named before? */
static PetscBool group_again(const RungSlice *s, const RungGmshBlock *block, PetscInt k)
{
  for (PetscInt j = 0; j < k; ++j)
    if (s->part[block->group + j] == s->part[block->group + k]) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Cells (low[0] ..) and smaller elements (low[1] ..) of this rank; counts what they need. */
static PetscErrorCode count_elements(RungSlice *s, PetscInt low[2], PetscInt high[2], Read *read)
{
  const RungGmshBlocks *blocks   = &s->plan.element_blocks;
  PetscInt              first[2] = {0, 0}, all[2] = {s->total, 0}, n[2] = {0, 0}, from, to;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < blocks->n; ++b) all[1] += blocks->block[b].dim < s->piece.dim ? blocks->block[b].n : 0;
  for (int i = 0; i < 2; ++i)
    low[i] = RungSliceShare(all[i], s->rank, s->size), high[i] = RungSliceShare(all[i], s->rank + 1, s->size);
  for (PetscInt b = 0; b < blocks->n; ++b) {
    const RungGmshBlock *block = &blocks->block[b];
    const int            i     = block->dim < s->piece.dim ? 1 : 0;

    if (!i && block->n) read->extra = PetscMax(read->extra, block->numbers - RungCellGet(s->piece.type)->vertices);
    if (overlap(first[i], block->n, low[i], high[i], &from, &to)) n[i] += (to - from) * block->groups;
    first[i] += block->n;
  }
  s->first       = low[0];
  s->piece.cells = high[0] - low[0];
  read->vertices = s->piece.cells * RungCellGet(s->piece.type)->vertices;
  PetscCall(PetscMalloc1(3 * n[0], &s->piece.mark));
  PetscCall(PetscMalloc1(4 * n[1], &s->piece.tagged_node));
  PetscCall(PetscMalloc1(n[1], &s->piece.tagged_part));
  read->tags = read->vertices + s->piece.cells * read->extra + 4 * n[1] + 2 * s->plan.links;
  PetscCall(PetscMalloc1(read->tags, &read->tag));
  if (read->extra) PetscCall(PetscMalloc1(s->piece.cells, &read->given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n cells of a block, the first of them as number c of the slice. */
static void read_cells(RungSlice *s, const RungGmshBlock *block, PetscInt c, PetscInt n, Read *read)
{
  const PetscInt nv = RungCellGet(s->piece.type)->vertices;
  PetscInt       vertex[8];

  for (PetscInt k = 0; k < nv; ++k) vertex[k] = RungGmshVertex(s->piece.type, k);
  for (PetscInt end = c + n; c < end && !RungReaderFailed(&s->reader); ++c) {
    PetscInt *further = read->tag + read->vertices + c * read->extra;

    (void)RungReaderSize(&s->reader); /* its own number */
    for (PetscInt k = 0; k < nv; ++k) read->tag[c * nv + vertex[k]] = RungReaderSize(&s->reader);
    for (PetscInt k = nv; k < block->numbers; ++k) further[k - nv] = RungReaderSize(&s->reader);
    for (PetscInt k = block->numbers; k < nv + read->extra; ++k) further[k - nv] = read->tag[c * nv];
    if (read->given) read->given[c] = block->numbers;
    for (PetscInt k = 0; k < block->groups; ++k) {
      PetscInt *mark = s->piece.mark + 3 * s->piece.marks;

      if (group_again(s, block, k)) continue;
      mark[0] = s->part[block->group + k], mark[1] = c, mark[2] = -1;
      ++s->piece.marks;
    }
  }
}

/* n smaller elements: those of groups are tagged, by their vertices. */
static void read_tagged(RungSlice *s, const RungGmshBlock *block, PetscInt n, Read *read)
{
  const PetscInt vertices = RungCellGet(RungGmshTypeGet(block->type)->cell)->vertices;

  for (PetscInt i = 0; i < n && !RungReaderFailed(&s->reader); ++i) {
    PetscInt node[4] = {0};

    (void)RungReaderSize(&s->reader); /* its own number */
    for (PetscInt k = 0; k < block->numbers; ++k) {
      const PetscInt tag = RungReaderSize(&s->reader);

      if (k < vertices) node[k] = tag;
    }
    for (PetscInt k = vertices; k < 4; ++k) node[k] = node[0];
    for (PetscInt k = 0; k < block->groups; ++k) {
      for (int v = 0; v < 4; ++v)
        read->tag[read->vertices + s->piece.cells * read->extra + 4 * s->piece.tagged + v] = node[v];
      s->piece.tagged_part[s->piece.tagged++] = s->part[block->group + k];
    }
  }
}

static PetscErrorCode read_elements(RungSlice *s, Read *read)
{
  PetscInt low[2], high[2], first[2] = {0, 0}, cells = 0, from, to;

  PetscFunctionBegin;
  s->reader.section = "Elements";
  PetscCall(count_elements(s, low, high, read));
  for (PetscInt b = 0; b < s->plan.element_blocks.n && !RungReaderFailed(&s->reader); ++b) {
    const RungGmshBlock *block = &s->plan.element_blocks.block[b];
    const int            i     = block->dim < s->piece.dim ? 1 : 0;

    if (overlap(first[i], block->n, low[i], high[i], &from, &to)) {
      RungReaderSeek(&s->reader, block->place + (PetscInt64)8 * (1 + block->numbers) * from);
      if (i)
        read_tagged(s, block, to - from, read);
      else
        read_cells(s, block, cells, to - from, read);
      cells += i ? 0 : to - from;
    }
    first[i] += block->n;
  }
  read->tags = read->vertices + s->piece.cells * read->extra + 4 * s->piece.tagged;
  for (PetscInt i = 0; i < 2 * s->plan.links; ++i) read->tag[read->tags++] = s->plan.link[i]; /* rank 0 alone has any */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_destroy(Read *read)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(read->node_tag));
  PetscCall(PetscFree(read->x));
  PetscCall(PetscFree(read->given));
  PetscCall(PetscFree(read->tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

/* Different nodes that the elements of this rank name, those of cells' vertices first; all arrays are owned. */
typedef struct {
  PetscInt      n, vertices; /* all, and vertices of cells                          */
  PetscInt     *of;          /* [tag of Read] which                                 */
  PetscInt     *tag;         /* [n]                                                 */
  PetscInt     *place;       /* [n] in the file                                     */
  RungExchange *exchange;    /* these, and who has read them                        */
} Named;

/* The tag of the first node, if the tags of the file have no gaps and ascend; *even says so. */
static PetscErrorCode find_gaps(RungSlice *s, const Read *read, PetscInt *least, PetscBool *even)
{
  PetscInt range[2] = {-PETSC_MAX_INT, -PETSC_MAX_INT}; /* most of tag - place and place - tag */

  PetscFunctionBegin;
  for (PetscInt i = 0; i < read->nodes; ++i) {
    const PetscInt off = read->node_tag[i] - (read->first + i);

    range[0] = PetscMax(range[0], off);
    range[1] = PetscMax(range[1], -off);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPIU_INT, MPI_MAX, s->comm));
  *least = range[0];
  *even  = range[0] == -range[1] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Readers and askers of a tag meet: the readers bring its place. */
static PetscErrorCode ask_places(RungSlice *s, const Read *read, Named *named)
{
  static const PetscInt self = 0;
  PetscInt             *both, *of, *key, *place, n;
  RungDirectory         dir;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(read->nodes + named->n, &both));
  PetscCall(PetscArraycpy(both, read->node_tag, read->nodes));
  PetscCall(PetscArraycpy(both + read->nodes, named->tag, named->n));
  PetscCall(RungNumberEntities(read->nodes + named->n, 1, both, 1, 1, &self, 1, &n, &of, &key));
  PetscCall(PetscMalloc1(n, &place));
  for (PetscInt i = 0; i < n; ++i) place[i] = -1;
  for (PetscInt i = 0; i < read->nodes; ++i) place[of[i]] = read->first + i;
  PetscCall(RungDirectoryCreate(s->comm, 1, n, key, &dir));
  PetscCall(RungDirectoryMax(dir, place));
  for (PetscInt i = 0; i < read->nodes; ++i)
    if (place[of[i]] != read->first + i) RungFound(&s->finding, "two nodes of one number");
  for (PetscInt i = 0; i < named->n; ++i) named->place[i] = place[of[read->nodes + i]];
  PetscCall(RungDirectoryDestroy(&dir));
  PetscCall(PetscFree(both));
  PetscCall(PetscFree(of));
  PetscCall(PetscFree(key));
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_places(RungSlice *s, const Read *read, Named *named)
{
  PetscInt  least;
  PetscBool even;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(named->n, &named->place));
  PetscCall(find_gaps(s, read, &least, &even));
  if (even) {
    for (PetscInt i = 0; i < named->n; ++i) named->place[i] = named->tag[i] < least ? -1 : named->tag[i] - least;
  } else {
    PetscCall(ask_places(s, read, named));
  }
  for (PetscInt i = 0; i < named->n; ++i)
    if (named->place[i] < 0 || named->place[i] >= s->plan.nodes) RungFound(&s->finding, "a node that is not there");
  PetscCall(RungSliceAgree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rank that reads a node: the last one whose share begins at it or before. */
static PetscMPIInt reader_of(const RungSlice *s, PetscInt place)
{
  PetscMPIInt rank = (PetscMPIInt)((PetscInt64)place * s->size / s->plan.nodes);

  while (rank + 1 < s->size && RungSliceShare(s->plan.nodes, rank + 1, s->size) <= place) ++rank;
  while (rank && RungSliceShare(s->plan.nodes, rank, s->size) > place) --rank;
  return rank;
}

static PetscErrorCode name_nodes(RungSlice *s, Read *read, Named *named)
{
  static const PetscInt self = 0;
  PetscMPIInt          *reader;

  PetscFunctionBegin;
  PetscCall(RungNumberEntities(read->tags, 1, read->tag, 1, 1, &self, 1, &named->n, &named->of, &named->tag));
  PetscCall(PetscFree(read->tag));
  for (PetscInt i = 0; i < read->vertices; ++i) named->vertices = PetscMax(named->vertices, named->of[i] + 1);
  PetscCall(find_places(s, read, named));
  if (s->refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(named->n, &reader));
  for (PetscInt i = 0; i < named->n; ++i) reader[i] = reader_of(s, named->place[i]);
  PetscCall(RungExchangeCreate(s->comm, named->n, reader, named->place, read->first, &named->exchange));
  PetscCall(PetscFree(reader));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode named_destroy(Named *named)
{
  PetscFunctionBegin;
  PetscCall(RungExchangeDestroy(&named->exchange));
  PetscCall(PetscFree(named->of));
  PetscCall(PetscFree(named->tag));
  PetscCall(PetscFree(named->place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What its reader knows of a node. */
typedef struct {
  PetscInt number;  /* in the mesh, -1: no cell has it      */
  PetscInt holders; /* slices whose cells have it           */
  PetscInt met;     /* as in RungSlice                      */
} Fact;

/* Numbers the nodes of cells in the order of the file, and keeps their coordinates.  Out fact[node that was read] */
static PetscErrorCode number_nodes(RungSlice *s, const RungParts *parts, const Read *read, const Named *named,
                                   Fact fact[])
{
  const RungExchange *ex  = named->exchange;
  const PetscInt      dim = s->piece.dim, tagged = read->vertices + s->piece.cells * read->extra, *mine;
  PetscInt            n = 0, *flag;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(named->n, &flag)); /* bit 3: a cell has it, bit d: a tagged entity of dimension d has it */
  for (PetscInt i = 0; i < named->vertices; ++i) flag[i] = 8;
  for (PetscInt i = 0; i < 4 * s->piece.tagged; ++i)
    flag[named->of[tagged + i]] |= (PetscInt)1 << parts->part[s->piece.tagged_part[i / 4]].dim;
  PetscCall(RungExchangeReverse(named->exchange, sizeof *flag, flag, (const void **)&mine));
  for (PetscInt i = 0; i < read->nodes; ++i) fact[i] = (Fact){.number = -1};
  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i) {
    fact[ex->item[RUNG_OWNERS][i]].holders += mine[i] >> 3;
    fact[ex->item[RUNG_OWNERS][i]].met |= mine[i] & 7;
  }
  PetscCall(PetscFree(flag));
  for (PetscInt i = 0; i < read->nodes; ++i) n += fact[i].holders ? 1 : 0;
  PetscCall(PetscMalloc1(s->size + 1, &s->start));
  PetscCall(PetscMalloc1(n * dim, &s->x));
  s->start[0] = 0;
  PetscCallMPI(MPI_Allgather(&n, 1, MPIU_INT, s->start + 1, 1, MPIU_INT, s->comm));
  for (PetscMPIInt r = 0; r < s->size; ++r) s->start[r + 1] += s->start[r];
  n = 0;
  for (PetscInt i = 0; i < read->nodes; ++i) {
    if (!fact[i].holders) continue;
    for (PetscInt a = 0; a < dim; ++a) s->x[n * dim + a] = read->x[3 * i + a];
    fact[i].number = s->start[s->rank] + n++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The facts of the nodes that this rank names; tagged entities and links get the mesh's numbers, -1 where no
   cell has the node. */
static PetscErrorCode learn_facts(RungSlice *s, const Read *read, const Named *named, const Fact fact[])
{
  const PetscInt n = named->vertices, tagged = read->vertices + s->piece.cells * read->extra,
                 links = tagged + 4 * s->piece.tagged;
  Fact *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(named->n, &mine));
  PetscCall(RungExchangeForward(named->exchange, sizeof *fact, fact, mine));
  s->piece.nodes = n;
  PetscCall(PetscMalloc1(n, &s->piece.node_id));
  PetscCall(PetscMalloc1(n + 1, &s->holders));
  PetscCall(PetscMalloc1(n, &s->met));
  for (PetscInt i = 0; i < n; ++i) {
    s->piece.node_id[i] = mine[i].number;
    s->holders[i]       = mine[i].holders;
    s->met[i]           = mine[i].met;
  }
  for (PetscInt i = 0; i < 4 * s->piece.tagged; ++i) s->piece.tagged_node[i] = mine[named->of[tagged + i]].number;
  s->links = s->plan.links;
  PetscCall(PetscMalloc1(2 * s->links, &s->link));
  for (PetscInt i = 0; i < 2 * s->links; ++i) s->link[i] = mine[named->of[links + i]].number;
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes x[named][3] of cells of order 2 as those of the cells' maps, if any cell of the mesh is curved; *off grows as in
   RungImport. */
static PetscErrorCode keep_shape(RungSlice *s, const Read *read, const Named *named, const PetscReal x[],
                                 PetscReal *off)
{
  const PetscInt nv = RungCellGet(s->piece.type)->vertices, dim = s->piece.dim;
  PetscMPIInt    curved = 0, any;
  RungShapeOrder order;

  PetscFunctionBegin;
  PetscCall(RungShapeOrderCreate(s->piece.type, &order));
  PetscCall(PetscMalloc1(s->piece.cells * order.nodes * dim, &s->piece.shape));
  for (PetscInt c = 0; c < s->piece.cells; ++c) {
    PetscReal from[27 * 3];

    for (PetscInt k = 0; k < read->given[c]; ++k) {
      const PetscInt i = k < nv ? c * nv + RungGmshVertex(s->piece.type, k) : read->vertices + c * read->extra + k - nv;

      for (int a = 0; a < 3; ++a) from[3 * k + a] = x[3 * named->of[i] + a];
      for (PetscInt a = dim; a < 3; ++a) *off = PetscMax(*off, PetscAbsReal(from[3 * k + a]));
    }
    if (RungShapeFill(&order, read->given[c], dim, from, s->piece.shape + c * order.nodes * dim)) curved = 1;
  }
  PetscCallMPI(MPI_Allreduce(&curved, &any, 1, MPI_INT, MPI_MAX, s->comm));
  s->piece.degree = any ? 2 : 0;
  if (!any) PetscCall(PetscFree(s->piece.shape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates of the nodes; those beyond the dimension of the cells must be zero, as in mesh_file.c. */
static PetscErrorCode place_nodes(RungSlice *s, PetscInt order, const Read *read, const Named *named)
{
  const PetscInt dim = s->piece.dim;
  PetscReal     *x, far[2] = {0, 0}; /* extent of the mesh, and off its plane */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * named->n, &x));
  PetscCall(RungExchangeForward(named->exchange, 3 * sizeof *x, read->x, x));
  PetscCall(PetscMalloc1(s->piece.nodes * dim, &s->piece.x));
  for (PetscInt i = 0; i < s->piece.nodes; ++i) {
    for (PetscInt a = 0; a < 3; ++a) far[a < dim ? 0 : 1] = PetscMax(far[a < dim ? 0 : 1], PetscAbsReal(x[3 * i + a]));
    for (PetscInt a = 0; a < dim; ++a) s->piece.x[i * dim + a] = x[3 * i + a];
  }
  if (order == 2) PetscCall(keep_shape(s, read, named, x, &far[1]));
  PetscCall(PetscFree(x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, far, 2, MPIU_REAL, MPIU_MAX, s->comm));
  if (far[1] > 1e-12 * far[0]) RungFound(&s->finding, "a mesh that lies in space");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the slice -------------------------------------------------------------------------------------------------- */

static PetscErrorCode resolve(RungSlice *s, const RungParts *parts, PetscInt order, Read *read, Named *named)
{
  Fact *fact;

  PetscFunctionBegin;
  PetscCall(name_nodes(s, read, named));
  if (s->refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(read->nodes, &fact));
  PetscCall(number_nodes(s, parts, read, named, fact));
  PetscCall(learn_facts(s, read, named, fact));
  PetscCall(PetscFree(fact));
  PetscCall(place_nodes(s, order, read, named));
  PetscCall(PetscMalloc1(read->vertices, &s->piece.cell_node));
  PetscCall(PetscArraycpy(s->piece.cell_node, named->of, read->vertices));
  PetscCall(PetscMalloc1(s->piece.cells, &s->piece.cell_id));
  for (PetscInt c = 0; c < s->piece.cells; ++c) s->piece.cell_id[c] = s->first + c;
  PetscCall(RungPieceOrient(&s->piece, "", &s->finding));
  PetscCall(RungSliceAgree(s));
  if (!s->refused) PetscCall(RungSliceGlue(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSliceRead(RungMesh mesh, RungSlice *s)
{
  PetscInt order = 1;
  Read     read  = {0};
  Named    named = {0};

  PetscFunctionBegin;
  PetscCall(open_file(mesh, s));
  if (s->refused) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s->rank) PetscCall(make_plan(mesh, s, &order));
  PetscCall(RungSliceAgree(s));
  if (s->refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(share_plan(mesh, s, &order));
  PetscCall(read_nodes(s, &read));
  PetscCall(read_elements(s, &read));
  PetscCall(RungSliceAgree(s));
  if (!s->refused) PetscCall(resolve(s, &mesh->parts, order, &read, &named));
  PetscCall(read_destroy(&read));
  PetscCall(named_destroy(&named));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSliceDestroy(RungSlice *s)
{
  PetscFunctionBegin;
  PetscCall(RungReaderClose(&s->reader));
  PetscCall(RungGmshDestroy(&s->plan));
  PetscCall(RungPieceDestroy(&s->piece));
  PetscCall(PetscFree(s->part));
  PetscCall(PetscFree(s->holders));
  PetscCall(PetscFree(s->met));
  PetscCall(PetscFree(s->start));
  PetscCall(PetscFree(s->link));
  PetscCall(RungClassesDestroy(&s->classes));
  PetscCall(PetscFree(s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
