/* test_mesh_slice.c - a binary file that all ranks read in parts gives the mesh, or the message, that it gives when rank 0 alone
   sees it: to the last bit.

   A case is a grid of cells over the unit cube, with parts of all dimensions, written in an order that scatters nodes and cells. */
#include "fe_impl.h"
#include "mesh_tools.h"

/* ---- files ------------------------------------------------------------------------------------------------------ */

typedef struct {
  PetscBool swap;
  size_t    n;
  char      bytes[1 << 19];
} File;

static void put(File *f, size_t n, const void *value)
{
  for (size_t i = 0; i < n; ++i) f->bytes[f->n + i] = ((const char *)value)[f->swap ? n - 1 - i : i];
  f->n += n;
}

static void put_text(File *f, const char text[])
{
  memcpy(f->bytes + f->n, text, strlen(text));
  f->n += strlen(text);
}

static void put_int(File *f, int v)
{
  const int32_t value = v;

  put(f, 4, &value);
}

static void put_size(File *f, long v)
{
  const int64_t value = v;

  put(f, 8, &value);
}

static void put_real(File *f, double v)
{
  put(f, 8, &v);
}

/* ---- grids ------------------------------------------------------------------------------------------------------ */

typedef struct {
  int       code, n;             /* Gmsh's type of the cells, how many along an axis          */
  PetscBool swap, parted, along; /* byte order; cut by Gmsh; nodes with parameters            */
  int       gap;                 /* between tags; 0: they ascend by 1, in the order of the file */
  double    bend, knee, lift;    /* of what would be straight; of one node of order 2 alone; in z */
  int       fault;               /* one of those of test_faults_..                            */
  PetscInt  refine;
  int       periodic; /* axes: the first ones */
  int       degree;   /* cells weigh their dofs of it, and two parts more; 0: all the same */
} Case;

typedef struct {
  int dim, tag, code, width, n, node[4096]; /* [n][width] places of the fine grid, of twice as many cells */
} Block;

typedef struct {
  Case  c;
  int   dim, side, blocks, nodes; /* side: of the fine grid */
  Block block[10];
  int   order[4096], tag[4096]; /* [nodes] places of the fine grid in the order of the file; [place] */
} Grid;

/* Between which vertices the further nodes are, and how many there are. */
static int middles(int code, const int **pair)
{
  static const int tri[] = {0, 1, 1, 2, 2, 0}, tet[] = {0, 1, 1, 2, 2, 0, 3, 0, 3, 2, 3, 1};
  static const int quad[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2};
  static const int hex[]  = {0, 1, 0, 3, 0, 4, 1, 2, 1, 5, 2, 3, 2, 6, 3, 7, 4, 5, 4, 7, 5, 6, 6, 7};

  *pair = code == 11 ? tet : code == 17 ? hex : code == 10 || code == 16 ? quad : tri;
  return code == 8 ? 1 : code == 9 ? 3 : code == 11 ? 6 : code == 16 ? 4 : code == 10 ? 5 : code == 17 ? 12 : 0;
}

static Block *add_block(Grid *g, int dim, int tag, int code)
{
  Block *b = &g->block[g->blocks++];

  *b = (Block){.dim = dim, .tag = tag, .code = code, .width = (int)RungGmshTypeGet(code)->nodes};
  return b;
}

static void add_element(Block *b, const int vertex[], int vertices)
{
  const int *pair, n = middles(b->code, &pair);
  int       *node = b->node + b->n++ * b->width;

  for (int v = 0; v < vertices; ++v) node[v] = vertex[v];
  for (int k = 0; k < n; ++k) node[vertices + k] = (vertex[pair[2 * k]] + vertex[pair[2 * k + 1]]) / 2;
}

static int place_of(const Grid *g, const int at[3])
{
  return at[0] + g->side * (at[1] + g->side * at[2]);
}

static int along_x(const Grid *g, int place)
{
  return place % g->side;
}

/* The facet of a cell whose nodes have x = plane, if there is one. */
static void add_facet(const Grid *g, Block *b, const int vertex[], int vertices, int plane)
{
  int node[4], n = 0;

  for (int v = 0; v < vertices; ++v)
    if (along_x(g, vertex[v]) == plane && n < 4) node[n++] = vertex[v];
  if (n == (g->dim == 1 ? 1 : vertices == 8 ? 4 : g->dim == 3 ? 3 : 2)) add_element(b, node, n);
}

/* A cell goes into the blocks of cells 0 and 1, its facets at x = 0 and inside into 2 and 3. */
static void add_cell(Grid *g, const int vertex[], int vertices, const int at[3])
{
  const int half = g->c.n / 2;

  add_element(&g->block[at[0] < half ? 0 : 1], vertex, vertices);
  if (at[0] == 0) add_facet(g, &g->block[2], vertex, vertices, 0);
  if (at[0] == half) add_facet(g, &g->block[3], vertex, vertices, 2 * half);
  if (at[0] == 0 && !g->block[4].n) add_facet(g, &g->block[4], vertex, vertices, 0);
}

static void add_cube(Grid *g, const int at[3])
{
  static const int turn[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const int around[8]  = {0, 1, 3, 2, 4, 5, 7, 6};
  const PetscBool  simplex    = RungCellGet(RungGmshTypeGet(g->c.code)->cell)->simplex;
  int              vertex[8];

  for (int v = 0; v < 1 << g->dim && !simplex; ++v) {
    const int to[3] = {2 * (at[0] + (around[v] & 1)), 2 * (at[1] + (around[v] >> 1 & 1)),
                       2 * (at[2] + (around[v] >> 2))};

    vertex[v] = place_of(g, to);
  }
  if (!simplex) add_cell(g, vertex, 1 << g->dim, at);
  for (int t = 0; t < (g->dim == 3 ? 6 : g->dim) && simplex;
       ++t) { /* Kuhn's simplices, one for every order of the axes */
    int to[3] = {2 * at[0], 2 * at[1], 2 * at[2]};

    vertex[0] = place_of(g, to);
    for (int k = 0; k < g->dim; ++k) {
      to[turn[t][k]] += 2;
      vertex[k + 1] = place_of(g, to);
    }
    add_cell(g, vertex, g->dim + 1, at);
  }
}

/* Rows are scattered, as Gmsh may leave them. */
static void scatter(int n, int width, int a[])
{
  for (int i = n - 1; i > 0; --i) {
    const int j = (i * 7919 + 31) % (i + 1);

    for (int k = 0; k < width; ++k) {
      const int swap = a[i * width + k];

      a[i * width + k] = a[j * width + k];
      a[j * width + k] = swap;
    }
  }
}

/* Nodes of elements, and two of none. */
static void list_nodes(Grid *g)
{
  for (int p = 0; p < 4096; ++p) g->tag[p] = 0;
  for (int b = 0; b < g->blocks; ++b)
    for (int i = 0; i < g->block[b].n * g->block[b].width; ++i) g->tag[g->block[b].node[i]] = 1;
  g->tag[4094] = g->tag[4095] = 1;
  g->tag[4093]                = 0;
  for (int p = 0; p < 4096; ++p)
    if (g->tag[p]) g->order[g->nodes++] = p;
  scatter(g->nodes, 1, g->order);
  for (int i = 0; i < g->nodes; ++i)
    g->tag[g->order[i]] = g->c.gap ? 5 + g->c.gap * (i * 37 % g->nodes)
                                   : 100 + i; /* the number of nodes has no factor 37 */
}

/* Mistakes of elements: 3 a cell twice, 4 three cells at a facet, 5 a facet of no cell, 6 one with a node of no cell, 7 a cell
   with a node that is not listed. */
static void spoil(Grid *g)
{
  Block *cells = &g->block[g->block[0].n ? 0 : 1], *facets = &g->block[3];

  if (g->c.fault == 3)
    add_element(&g->block[1], cells->node, (int)RungCellGet(RungGmshTypeGet(cells->code)->cell)->vertices);
  if (g->c.fault == 4) add_element(cells, (int[3]){cells->node[0], cells->node[1], place_of(g, (int[3]){1, 0, 0})}, 3);
  if (g->c.fault == 5) add_element(facets, (int[2]){0, 2 * g->c.n}, 2);
  if (g->c.fault == 6) add_element(facets, (int[2]){0, 4095}, 2);
  if (g->c.fault == 7) cells->node[4] = 4093;
}

static void make_grid(Grid *g, const Case *c)
{
  static const int facet[4] = {0, 15, 1, 2};

  memset(g, 0, sizeof *g);
  g->c    = *c;
  g->dim  = (int)RungGmshTypeGet(c->code)->dim;
  g->side = 2 * c->n + 1;
  add_block(g, g->dim, 2, c->code);
  add_block(g, g->dim, 1, c->code);
  for (int i = 0; i < 3; ++i)
    add_block(g, g->dim - 1, 11 + i,
              c->code == 5 || c->code == 17   ? 3
              : c->code == 9 || c->code == 16 ? 8
                                              : facet[g->dim]);
  for (int i = 0; i < c->n; ++i)
    for (int j = 0; j < (g->dim > 1 ? c->n : 1); ++j)
      for (int k = 0; k < (g->dim > 2 ? c->n : 1); ++k) add_cube(g, (int[3]){i, j, k});
  for (int b = 0; b < 2; ++b) scatter(g->block[b].n, g->block[b].width, g->block[b].node);
  add_block(g, g->dim, 3, c->code); /* nothing */
  if (g->dim == 3) {
    Block *b = add_block(g, 1, 21, 1);

    for (int i = 0; i < c->n; ++i) add_element(b, (int[2]){2 * i, 2 * i + 2}, 2);
  }
  if (g->dim > 1) add_element(add_block(g, 0, 31, 15), (int[1]){2 * c->n}, 1);
  spoil(g);
  list_nodes(g);
  if (c->fault == 2) g->tag[4095] = g->tag[4094];
}

/* ---- grid -> file ----------------------------------------------------------------------------------------------- */

/* An entity in `groups` of 0 to 2 groups. */
static void put_entity(File *f, const Grid *g, int dim, int tag, int groups, int first, int second)
{
  put_int(f, tag);
  if (g->c.parted) {
    put_int(f, dim), put_int(f, tag);
    put_size(f, 2), put_int(f, 1), put_int(f, 2);
  }
  for (int i = 0; i < (dim ? 6 : 3); ++i) put_real(f, 0);
  put_size(f, groups);
  if (groups) put_int(f, first);
  if (groups > 1) put_int(f, second);
  if (dim) put_size(f, 0);
}

static void put_entities(File *f, const Grid *g)
{
  const int counts[4][4] = {{0}, {3, 3, 0, 0}, {1, 3, 3, 0}, {1, 1, 3, 3}};

  put_text(f, g->c.parted ? "$PartitionedEntities\n" : "$Entities\n");
  if (g->c.parted) put_size(f, 2), put_size(f, 0);
  for (int d = 0; d < 4; ++d) put_size(f, counts[g->dim][d]);
  if (g->dim > 1) put_entity(f, g, 0, 31, 2, 31, 30);
  if (g->dim > 2) put_entity(f, g, 1, 21, 1, 20, 0);
  put_entity(f, g, g->dim - 1, 11, 1, -10, 0);
  put_entity(f, g, g->dim - 1, 12, 2, 12, 11);
  put_entity(f, g, g->dim - 1, 13, 2, 13, 10);
  put_entity(f, g, g->dim, 1, 2, 1, -1);
  put_entity(f, g, g->dim, 2, 2, 3, 2);
  put_entity(f, g, g->dim, 3, 1, 9, 0);
  put_text(f, g->c.parted ? "\n$EndPartitionedEntities\n" : "\n$EndEntities\n");
}

static void put_node(File *f, const Grid *g, int place)
{
  const double h    = 1 / (double)(g->side - 1);
  double       x[3] = {h * (place % g->side), g->dim > 1 ? h * (place / g->side % g->side) : 0,
                 g->dim > 2 ? h * (place / g->side / g->side) : 0};

  x[0] += g->c.bend * (g->dim > 1 ? x[1] * (1 - x[1]) : x[0] * (1 - x[0]));
  if (place == g->side * g->side - 2) x[1] += g->c.knee;
  x[2] += g->c.lift * x[0];
  for (int a = 0; a < 3; ++a) put_real(f, x[a]);
  for (int a = 0; a < (g->c.along ? 2 : 0); ++a) put_real(f, x[a]);
}

/* Blocks of two nodes, and all that are left. */
static void put_nodes(File *f, const Grid *g)
{
  put_text(f, "$Nodes\n");
  put_size(f, 3), put_size(f, g->nodes), put_size(f, 1), put_size(f, 1000000);
  for (int b = 0, i = 0; b < 3; ++b) {
    const int end = b < 2 ? i + 2 : g->nodes;

    put_int(f, 2), put_int(f, b + 1), put_int(f, g->c.along), put_size(f, end - i);
    for (int k = i; k < end; ++k) put_size(f, g->tag[g->order[k]]);
    for (; i < end; ++i) put_node(f, g, g->order[i]);
  }
  put_text(f, "\n$EndNodes\n");
}

static void put_elements(File *f, const Grid *g)
{
  int total = 0;

  put_text(f, "$Elements\n");
  for (int b = 0; b < g->blocks; ++b) total += g->block[b].n;
  put_size(f, g->blocks), put_size(f, total), put_size(f, 1), put_size(f, total);
  total = 0;
  for (int k = 0; k < g->blocks; ++k) {
    const Block *b = &g->block[(k + 3) % g->blocks]; /* the cells are neither first nor last */

    put_int(f, b->dim), put_int(f, b->tag), put_int(f, b->code), put_size(f, b->n);
    for (int i = 0; i < b->n; ++i) {
      put_size(f, ++total);
      for (int v = 0; v < b->width; ++v) put_size(f, g->tag[b->node[i * b->width + v]]);
    }
  }
  put_text(f, "\n$EndElements\n");
}

/* Nodes at the upper end of an axis are those at its lower one; corners come several times. */
static void put_links(File *f, const Grid *g)
{
  int step[3] = {1, g->side, g->side * g->side};

  put_text(f, "$Periodic\n");
  put_size(f, g->c.periodic);
  for (int a = 0; a < g->c.periodic; ++a) {
    long n = 0;

    put_int(f, g->dim - 1), put_int(f, 12), put_int(f, 11);
    put_size(f, 2), put_real(f, 1), put_real(f, 0); /* a map that is not looked at */
    for (int pass = 0; pass < 2; ++pass) {
      if (pass) put_size(f, n);
      for (int p = 0; p < 4093; ++p) {
        if (!g->tag[p] || p / step[a] % g->side != g->side - 1) continue;
        if (!pass) ++n;
        if (pass) put_size(f, g->tag[p]), put_size(f, g->tag[p - step[a] * (g->side - 1)]);
      }
    }
  }
  put_text(f, "\n$EndPeriodic\n");
}

static void put_grid(File *f, const Grid *g)
{
  f->n    = 0;
  f->swap = g->c.swap;
  put_text(f, "$MeshFormat\n4.1 1 8\n");
  put_int(f, 1);
  put_text(f, "\n$EndMeshFormat\n$PhysicalNames\n3\n");
  put_text(f, g->c.fault == 1 ? "1 10 \"boundary\"\n"
              : g->dim == 1   ? "0 10 \"low\"\n"
              : g->dim == 2   ? "1 10 \"low\"\n"
                              : "2 10 \"low\"\n");
  put_text(f, g->dim == 1 ? "1 3 \"hot\"\n" : g->dim == 2 ? "2 3 \"hot\"\n" : "3 3 \"hot\"\n");
  put_text(f, "0 77 \"no one\"\n$EndPhysicalNames\n$Remark\nthese 17 bytes are of nobody\n$EndRemark\n");
  put_entities(f, g);
  put_nodes(f, g);
  put_elements(f, g);
  if (g->c.periodic) put_links(f, g);
}

/* ---- two ways --------------------------------------------------------------------------------------------------- */

/* The mesh of a file of which the other ranks have their own path.  Out  the error of its set-up */
static PetscErrorCode read_mesh(const char path[], const char others[], const Case *c, RungMesh *mesh,
                                PetscErrorCode *code, char message[4096])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetFile(*mesh, rank ? others : path));
  PetscCall(RungMeshSetRefinement(*mesh, c->refine));
  PetscCall(RungMeshSetWeightDegree(*mesh, c->degree));
  if (c->degree && c->n > 1) PetscCall(RungMeshSetPartWeight(*mesh, "hot", 2.7));
  if (c->degree && c->n > 1) PetscCall(RungMeshSetPartWeight(*mesh, "2", 1.1));
  message[0] = 0;
  PetscCall(PetscPushErrorHandler(check_keep_message, message));
  *code = RungMeshSetUp(*mesh);
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define CHECK_SAME(n, a, b)                                                                                            \
  do {                                                                                                                 \
    PetscBool same_ = PETSC_TRUE;                                                                                      \
    CHECK(!(a) == !(b));                                                                                               \
    if ((a) && (b)) PetscCall(PetscMemcmp(a, b, (size_t)(n) * sizeof *(a), &same_));                                   \
    CHECK(same_);                                                                                                      \
  } while (0)

static PetscErrorCode check_parts(const RungParts *a, const RungParts *b)
{
  PetscFunctionBegin;
  CHECK(a->n == b->n);
  for (PetscInt p = 0; p < a->n && a->n == b->n; ++p) {
    const RungPart *q = &a->part[p], *r = &b->part[p];

    CHECK(!strcmp(q->name, r->name) && q->number == r->number && q->dim == r->dim);
    CHECK(q->total == r->total && q->interior == r->interior && q->count == r->count);
    if (q->count != r->count) continue;
    CHECK_SAME(q->count, q->cell, r->cell);
    CHECK_SAME(q->count, q->entity, r->entity);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_same(RungMesh a, RungMesh b)
{
  const RungMeshData *p, *q;
  const RungCell     *cell;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(a, &p));
  PetscCall(RungMeshGetData(b, &q));
  CHECK(p->type == q->type && p->dim == q->dim && p->cells == q->cells && p->cell_start == q->cell_start);
  CHECK(p->geometry_degree == q->geometry_degree && p->nodes == q->nodes && p->nodes_per_cell == q->nodes_per_cell);
  CHECK(a->edge_cut == b->edge_cut && a->glued == b->glued);
  if (p->type != q->type || p->cells != q->cells || p->nodes != q->nodes) PetscFunctionReturn(PETSC_SUCCESS);
  cell = RungCellGet(p->type);
  for (PetscInt d = 0; d <= cell->dim; ++d) {
    const PetscInt *corner;
    PetscInt        n = 1, m, stride;

    if (d < cell->dim) PetscCall(RungCellEntities(cell, d, &n, &m, &corner, &stride));
    PetscCall(RungMeshNeedEntities(a, d));
    PetscCall(RungMeshNeedEntities(b, d));
    CHECK(p->entities[d] == q->entities[d] && p->owned[d] == q->owned[d]);
    if (p->entities[d] != q->entities[d]) continue;
    CHECK_SAME(p->entities[d], p->global[d], q->global[d]);
    CHECK_SAME(p->entities[d], p->owner[d], q->owner[d]);
    CHECK_SAME(p->cells * n, p->cell_entity[d], q->cell_entity[d]);
  }
  CHECK_SAME(p->cells, p->cell_number, q->cell_number);
  CHECK_SAME(p->cells, a->exterior, b->exterior);
  CHECK_SAME(p->nodes * p->dim, p->x, q->x);
  PetscCall(check_parts(&a->parts, &b->parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same mesh or the same message on both ways; *sliced: all ranks have read a part of it. */
static PetscErrorCode check_ways(const char path[], const char others[], const Case *c, PetscBool *sliced)
{
  RungMesh       a, b;
  PetscErrorCode code[2];
  char           message[2][4096];

  PetscFunctionBegin;
  PetscCall(read_mesh(path, others, c, &a, &code[0], message[0]));
  PetscCall(read_mesh(path, "absent.msh", c, &b, &code[1], message[1]));
  CHECK(code[0] == code[1] && !b->sliced);
  if (code[0]) {
    char *absent = strstr(message[1], "absent.msh");

    CHECK(!absent && !strcmp(message[0], message[1]));
  } else if (!code[1]) {
    PetscCall(check_same(a, b));
  }
  *sliced = a->sliced;
  PetscCall(RungMeshDestroy(&a));
  PetscCall(RungMeshDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Grid grid;
static File file;

static PetscErrorCode check_case(const Case *c)
{
  PetscBool sliced;

  PetscFunctionBegin;
  make_grid(&grid, c);
  put_grid(&file, &grid);
  PetscCall(write_file("grid.msh", file.n, file.bytes));
  PetscCall(check_ways("grid.msh", "grid.msh", c, &sliced));
  CHECK(sliced == !check_alone());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode test_meshes_of_all_cells_are_the_same_on_both_ways(void)
{
  static const Case cases[] = {{.code = 1, .n = 9, .gap = 3}, {.code = 2, .n = 5}, {.code = 3, .n = 5, .gap = 1},
                               {.code = 4, .n = 3, .gap = 5}, {.code = 5, .n = 3}, {.code = 4, .n = 4}};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(cases); ++i) PetscCall(check_case(&cases[i]));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_curved_meshes_are_the_same_on_both_ways(void)
{
  static const int code[] = {8, 9, 10, 16, 11, 17};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(code); ++i) {
    const int n = code[i] == 11 || code[i] == 17 ? 2 : 4;

    PetscCall(check_case(&(Case){.code = code[i], .n = n, .gap = 2, .bend = 0.1}));
    PetscCall(check_case(&(Case){.code = code[i], .n = n}));
  }
  PetscCall(check_case(&(Case){.code = 9, .n = 4, .knee = 0.02}));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_other_bytes_of_the_same_mesh_are_read_in_parts(void)
{
  PetscCall(check_case(&(Case){.code = 4, .n = 2, .swap = PETSC_TRUE, .gap = 1}));
  PetscCall(check_case(&(Case){.code = 2, .n = 3, .along = PETSC_TRUE}));
  PetscCall(check_case(&(Case){.code = 5, .n = 2, .parted = PETSC_TRUE, .gap = 100}));
  PetscCall(check_case(&(Case){.code = 4, .n = 2, .refine = 1}));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_ranks_without_cells_or_nodes_are_no_trouble(void)
{
  PetscCall(check_case(&(Case){.code = 1, .n = 1}));
  PetscCall(check_case(&(Case){.code = 3, .n = 1, .gap = 2}));
  PetscCall(check_case(&(Case){.code = 2, .n = 1}));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_faults_are_told_as_by_rank_0(void)
{
  PetscBool sliced;

  for (int fault = 1; fault <= 8; ++fault) {
    for (int gap = 0; gap < 2; ++gap) {
      make_grid(&grid, &(Case){.code = 2, .n = 5, .gap = gap, .fault = fault, .lift = fault == 8 ? 0.1 : 0});
      put_grid(&file, &grid);
      PetscCall(write_file("fault.msh", file.n, file.bytes));
      PetscCall(check_ways("fault.msh", "fault.msh", &grid.c, &sliced));
      CHECK(!sliced);
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_periodic_meshes_are_the_same_on_both_ways(void)
{
  PetscCall(check_case(&(Case){.code = 1, .n = 7, .periodic = 1}));
  PetscCall(check_case(&(Case){.code = 2, .n = 4, .periodic = 1, .gap = 2, .bend = 0.1}));
  PetscCall(check_case(&(Case){.code = 3, .n = 5, .periodic = 2}));
  PetscCall(check_case(&(Case){.code = 4, .n = 3, .periodic = 3}));
  PetscCall(check_case(&(Case){.code = 5, .n = 3, .periodic = 2, .gap = 1, .refine = 1}));
  PetscCall(check_case(&(Case){.code = 9, .n = 4, .periodic = 1, .bend = 0.1}));
  return PETSC_SUCCESS;
}

/* A fan of three triangles around node 1, whose ends 2 and 5 are called the same: its two outer edges would become one, in
   cells of different slices, without that node 1 is linked. */
static PetscErrorCode test_edges_that_become_one_by_accident_are_told_as_by_rank_0(void)
{
  static const double x[] = {0, 0, 1, 0, 0, 1, -1, 0, 0, -1};
  PetscBool           sliced;

  grid.c = (Case){.code = 2};
  file.n = 0, file.swap = PETSC_FALSE;
  put_text(&file, "$MeshFormat\n4.1 1 8\n");
  put_int(&file, 1);
  put_text(&file, "\n$EndMeshFormat\n$Nodes\n");
  put_size(&file, 1), put_size(&file, 5), put_size(&file, 1), put_size(&file, 5);
  put_int(&file, 2), put_int(&file, 1), put_int(&file, 0), put_size(&file, 5);
  for (int i = 1; i <= 5; ++i) put_size(&file, i);
  for (int i = 0; i < 5; ++i) put_real(&file, x[2 * i]), put_real(&file, x[2 * i + 1]), put_real(&file, 0);
  put_text(&file, "\n$EndNodes\n$Elements\n");
  put_size(&file, 1), put_size(&file, 3), put_size(&file, 1), put_size(&file, 3);
  put_int(&file, 2), put_int(&file, 1), put_int(&file, 2), put_size(&file, 3);
  for (int i = 1; i <= 3; ++i) put_size(&file, i), put_size(&file, 1), put_size(&file, i + 1), put_size(&file, i + 2);
  put_text(&file, "\n$EndElements\n$Periodic\n");
  put_size(&file, 1), put_int(&file, 0), put_int(&file, 1), put_int(&file, 2);
  put_size(&file, 0), put_size(&file, 1), put_size(&file, 5), put_size(&file, 2);
  put_text(&file, "\n$EndPeriodic\n");
  PetscCall(write_file("fan.msh", file.n, file.bytes));
  PetscCall(check_ways("fan.msh", "fan.msh", &grid.c, &sliced));
  CHECK(!sliced);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_cells_weigh_the_same_on_both_ways(void)
{
  PetscCall(check_case(&(Case){.code = 1, .n = 1, .degree = 2}));
  PetscCall(check_case(&(Case){.code = 1, .n = 9, .degree = 2}));
  PetscCall(check_case(&(Case){.code = 2, .n = 5, .gap = 1, .degree = 3}));
  PetscCall(check_case(&(Case){.code = 4, .n = 3, .degree = 2}));
  PetscCall(check_case(&(Case){.code = 5, .n = 4, .degree = 1}));
  PetscCall(check_case(&(Case){.code = 3, .n = 5, .degree = 2, .periodic = 1}));
  return PETSC_SUCCESS;
}

/* Two cells from a periodic end to the other: their facets between would be one. */
static PetscErrorCode test_periodic_meshes_of_too_few_cells_are_refused_by_rank_0(void)
{
  static const Case cases[] = {{.code = 2, .n = 2, .periodic = 1}, {.code = 3, .n = 1, .periodic = 1}};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(cases); ++i) {
    RungMesh mesh;

    make_grid(&grid, &cases[i]);
    put_grid(&file, &grid);
    PetscCall(write_file("few.msh", file.n, file.bytes));
    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetFile(mesh, "few.msh"));
    CHECK_RAISES(RungMeshSetUp(mesh), "is too large for a periodic mesh");
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

/* A cell that has its double behind all of its facets. */
static PetscErrorCode test_a_cell_alone_that_comes_twice_is_one(void)
{
  PetscBool sliced;

  make_grid(&grid, &(Case){.code = 3, .n = 1, .fault = 3});
  put_grid(&file, &grid);
  PetscCall(write_file("fault.msh", file.n, file.bytes));
  PetscCall(check_ways("fault.msh", "fault.msh", &grid.c, &sliced));
  CHECK(!sliced);
  return PETSC_SUCCESS;
}

/* A copy of it, and another mesh: what rank 0 sees counts. */
static PetscErrorCode test_ranks_that_see_another_file_do_not_read(void)
{
  PetscBool sliced;

  make_grid(&grid, &(Case){.code = 3, .n = 4});
  put_grid(&file, &grid);
  PetscCall(write_file("grid.msh", file.n, file.bytes));
  PetscCall(write_file("copy.msh", file.n, file.bytes));
  PetscCall(check_ways("grid.msh", "copy.msh", &grid.c, &sliced));
  CHECK(!sliced);
  make_grid(&grid, &(Case){.code = 3, .n = 4, .bend = 0.1});
  put_grid(&file, &grid);
  PetscCall(write_file("other.msh", file.n, file.bytes));
  PetscCall(check_ways("grid.msh", "other.msh", &grid.c, &sliced));
  CHECK(!sliced);
  return PETSC_SUCCESS;
}

/* Cut off, with other bytes, with the number -1: whatever a slice may think of it, the verdict is that of rank 0. */
static PetscErrorCode test_damaged_files_end_as_they_do_on_rank_0(void)
{
  PetscBool sliced;

  make_grid(&grid, &(Case){.code = 2, .n = 2, .gap = 1});
  put_grid(&file, &grid);
  for (size_t k = 31; k < file.n; k += check_alone() ? 997 : 211) {
    char kept[8];

    memcpy(kept, file.bytes + k, 8);
    PetscCall(write_file("damaged.msh", k, file.bytes));
    PetscCall(check_ways("damaged.msh", "damaged.msh", &grid.c, &sliced));
    file.bytes[k] = (char)(file.bytes[k] ^ 1);
    PetscCall(write_file("damaged.msh", file.n, file.bytes));
    PetscCall(check_ways("damaged.msh", "damaged.msh", &grid.c, &sliced));
    memset(file.bytes + k, 0xff, 8);
    PetscCall(write_file("damaged.msh", file.n, file.bytes));
    PetscCall(check_ways("damaged.msh", "damaged.msh", &grid.c, &sliced));
    memcpy(file.bytes + k, kept, 8);
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_meshes_of_all_cells_are_the_same_on_both_ways),
               RUNG_TEST(test_curved_meshes_are_the_same_on_both_ways),
               RUNG_TEST(test_other_bytes_of_the_same_mesh_are_read_in_parts),
               RUNG_TEST(test_ranks_without_cells_or_nodes_are_no_trouble),
               RUNG_TEST(test_ranks_that_see_another_file_do_not_read), RUNG_TEST(test_faults_are_told_as_by_rank_0),
               RUNG_TEST(test_periodic_meshes_are_the_same_on_both_ways),
               RUNG_TEST(test_periodic_meshes_of_too_few_cells_are_refused_by_rank_0),
               RUNG_TEST(test_edges_that_become_one_by_accident_are_told_as_by_rank_0),
               RUNG_TEST(test_cells_weigh_the_same_on_both_ways), RUNG_TEST(test_a_cell_alone_that_comes_twice_is_one),
               RUNG_TEST(test_damaged_files_end_as_they_do_on_rank_0))
