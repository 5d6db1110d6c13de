/* partition.c - METIS as the PetscPartitioner "metis": k-way cuts of a graph (Karypis and Kumar 1998).

   The graph is gathered on rank 0 and cut there; only the answer travels back. */
#include "base_impl.h"
#include <petsc/private/partitionerimpl.h>
#include <metis.h>

typedef struct {
  PetscMPIInt  rank, size;
  PetscMPIInt *vertices, *vertex_start; /* owned, rank 0: [rank] vertices that it has, and where they begin   */
  PetscMPIInt *ends, *end_start;        /* owned, rank 0: [rank] the same for the ends of edges               */
  PetscInt     n, m;                    /* rank 0: vertices and ends of edges, all ranks                      */
  PetscInt    *degree, *weight, *end;   /* owned, rank 0: [n], [n], [m]; gone when METIS has them             */
  PetscInt    *part;                    /* owned, rank 0: [n] the answer                                      */
} Graph;

static PetscErrorCode graph_sizes(MPI_Comm comm, PetscInt n, PetscInt m, Graph *g)
{
  PetscMPIInt mine[2];

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &mine[0]));
  PetscCall(PetscMPIIntCast(m, &mine[1]));
  PetscCall(PetscMalloc1(g->size, &g->vertices));
  PetscCall(PetscMalloc1(g->size + 1, &g->vertex_start));
  PetscCall(PetscMalloc1(g->size, &g->ends));
  PetscCall(PetscMalloc1(g->size + 1, &g->end_start));
  PetscCallMPI(MPI_Allgather(&mine[0], 1, MPI_INT, g->vertices, 1, MPI_INT, comm));
  PetscCallMPI(MPI_Allgather(&mine[1], 1, MPI_INT, g->ends, 1, MPI_INT, comm));
  g->vertex_start[0] = g->end_start[0] = 0;
  for (PetscMPIInt r = 0; r < g->size; ++r) {
    g->vertex_start[r + 1] = g->vertex_start[r] + g->vertices[r];
    g->end_start[r + 1]    = g->end_start[r] + g->ends[r];
  }
  g->n = g->vertex_start[g->size];
  g->m = g->end_start[g->size];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Degrees, ends and weights of all ranks onto rank 0. */
static PetscErrorCode graph_gather(MPI_Comm comm, PetscInt n, const PetscInt start[], const PetscInt adjacency[],
                                   PetscSection weight, Graph *g)
{
  PetscInt *degree, *heavy, m = n ? start[n] : 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &g->rank));
  PetscCallMPI(MPI_Comm_size(comm, &g->size));
  PetscCall(graph_sizes(comm, n, m, g));
  PetscCall(PetscMalloc2(n, &degree, n, &heavy));
  for (PetscInt v = 0; v < n; ++v) {
    degree[v] = start[v + 1] - start[v];
    heavy[v]  = 1;
    if (weight) PetscCall(PetscSectionGetDof(weight, v, &heavy[v]));
  }
  if (!g->rank) {
    PetscCall(PetscMalloc1(g->n, &g->degree));
    PetscCall(PetscMalloc1(g->n, &g->weight));
    PetscCall(PetscMalloc1(g->m, &g->end));
    PetscCall(PetscMalloc1(g->n, &g->part));
  }
  PetscCallMPI(
    MPI_Gatherv(degree, g->vertices[g->rank], MPIU_INT, g->degree, g->vertices, g->vertex_start, MPIU_INT, 0, comm));
  PetscCallMPI(
    MPI_Gatherv(heavy, g->vertices[g->rank], MPIU_INT, g->weight, g->vertices, g->vertex_start, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Gatherv(adjacency, g->ends[g->rank], MPIU_INT, g->end, g->ends, g->end_start, MPIU_INT, 0, comm));
  PetscCall(PetscFree2(degree, heavy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode graph_destroy(Graph *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(g->vertices));
  PetscCall(PetscFree(g->vertex_start));
  PetscCall(PetscFree(g->ends));
  PetscCall(PetscFree(g->end_start));
  PetscCall(PetscFree(g->degree));
  PetscCall(PetscFree(g->weight));
  PetscCall(PetscFree(g->end));
  PetscCall(PetscFree(g->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* METIS may leave parts of tiny graphs empty: then even blocks in the order of the vertices, whatever they weigh. */
static PetscErrorCode fill_empty_parts(Graph *g, PetscInt k)
{
  PetscInt *count, empty = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(k, &count));
  for (PetscInt v = 0; v < g->n; ++v) ++count[g->part[v]];
  for (PetscInt p = 0; p < k; ++p) empty += count[p] ? 0 : 1;
  for (PetscInt v = 0; v < g->n && empty; ++v) g->part[v] = (PetscInt)((PetscInt64)v * k / g->n);
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which parts are to have vertices, and how much of the whole weight each. */
typedef struct {
  PetscInt  n;
  PetscInt *part;  /* owned, [n]                  */
  real_t   *share; /* owned, [n], sums to 1       */
  PetscBool even;  /* nobody asked for other ones */
} Targets;

/* Without targets all parts are equal; a part whose target is 0 stays empty. */
static PetscErrorCode targets_create(PetscInt nparts, PetscSection target, Targets *t)
{
  double total = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nparts, &t->part));
  PetscCall(PetscMalloc1(nparts, &t->share));
  t->n    = 0;
  t->even = target ? PETSC_FALSE : PETSC_TRUE;
  for (PetscInt p = 0; p < nparts; ++p) {
    PetscInt weight = 1;

    if (target) PetscCall(PetscSectionGetDof(target, p, &weight));
    if (weight <= 0) continue;
    t->part[t->n]    = p;
    t->share[t->n++] = (real_t)weight;
    total += (double)weight;
  }
  for (PetscInt i = 0; i < t->n; ++i) t->share[i] = (real_t)((double)t->share[i] / total);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode targets_destroy(Targets *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->part));
  PetscCall(PetscFree(t->share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* METIS adds weights up in an idx_t: of a heavy graph it gets them in a coarser unit.  Out  is any of them not 0? */
static PetscBool take_weights(const Graph *g, idx_t heavy[])
{
  const double most  = sizeof(idx_t) > 4 ? 9e18 : 2e9;
  double       total = 0, unit;

  for (PetscInt v = 0; v < g->n; ++v) total += (double)g->weight[v];
  unit = total + (double)g->n > most ? total / (most - (double)g->n) : 1;
  for (PetscInt v = 0; v < g->n; ++v)
    heavy[v] = unit > 1 ? (idx_t)((double)g->weight[v] / unit + 0.5) : (idx_t)g->weight[v];
  return total > 0 ? PETSC_TRUE : PETSC_FALSE;
}

/* METIS divides by zero for one part, and prints and gives up for more parts than vertices: neither is asked for. */
static PetscErrorCode cut(Graph *g, const Targets *t, PetscBool weighted, int *status)
{
  idx_t  n = (idx_t)g->n, constraints = 1, k = (idx_t)PetscMin(t->n, g->n), edge_cut = 0;
  idx_t *row, *column, *heavy, *part, options[METIS_NOPTIONS];

  PetscFunctionBegin;
  *status = METIS_OK;
  for (PetscInt v = 0; v < g->n; ++v) g->part[v] = 0;
  PetscCall(PetscMalloc4(g->n + 1, &row, g->m, &column, g->n, &heavy, g->n, &part));
  row[0] = 0;
  for (PetscInt v = 0; v < g->n; ++v) row[v + 1] = row[v] + (idx_t)g->degree[v];
  for (PetscInt i = 0; i < g->m; ++i) column[i] = (idx_t)g->end[i];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  if (weighted) weighted = take_weights(g, heavy);
  PetscCall(PetscFree(g->degree));
  PetscCall(PetscFree(g->weight));
  PetscCall(PetscFree(g->end));
  if (k > 1)
    *status = METIS_PartGraphKway(&n, &constraints, row, column, weighted ? heavy : NULL, NULL, NULL, &k,
                                  k < t->n ? NULL : t->share, NULL, options, &edge_cut, part);
  for (PetscInt v = 0; v < g->n && k > 1 && *status == METIS_OK; ++v) g->part[v] = (PetscInt)part[v];
  if (k > 1 && t->even && *status == METIS_OK) PetscCall(fill_empty_parts(g, k));
  for (PetscInt v = 0; v < g->n; ++v) g->part[v] = t->part[g->part[v]];
  PetscCall(PetscFree4(row, column, heavy, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices of this rank, sorted by part, as PetscPartitioner wants the answer. */
static PetscErrorCode answer(PetscInt nparts, PetscInt n, const PetscInt part[], PetscSection section, IS *vertices)
{
  PetscInt *list, *fill, total = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &list));
  PetscCall(PetscCalloc1(nparts + 1, &fill));
  for (PetscInt v = 0; v < n; ++v) ++fill[part[v]];
  for (PetscInt p = 0; p < nparts; ++p) {
    const PetscInt count = fill[p];

    PetscCall(PetscSectionSetDof(section, p, count));
    fill[p] = total;
    total += count;
  }
  for (PetscInt v = 0; v < n; ++v) list[fill[part[v]]++] = v;
  PetscCall(PetscFree(fill));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, list, PETSC_OWN_POINTER, vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts of all vertices, on rank 0. */
static PetscErrorCode find_parts(MPI_Comm comm, PetscInt nparts, PetscBool weighted, const Targets *t, Graph *g)
{
  int status = METIS_OK;

  PetscFunctionBegin;
  RungCheckAll(sizeof(idx_t) > 4 || (g->n < INT32_MAX && g->m < INT32_MAX), comm, PETSC_ERR_ARG_OUTOFRANGE,
               "a graph of %" PetscInt_FMT " cells is too large for this METIS of 32 bits; use ptscotch", g->n);
  RungCheckAll(t->n > 0 || !g->n, comm, PETSC_ERR_ARG_OUTOFRANGE,
               "partitioner \"metis\" has no part with a target above 0 for %" PetscInt_FMT " vertices; wanted one",
               g->n);
  if (!g->rank) PetscCall(cut(g, t, weighted, &status));
  RungCheckAll(status == METIS_OK, comm, PETSC_ERR_LIB,
               "METIS could not cut the mesh into %" PetscInt_FMT " parts (status %d); try -mesh_partitioner ptscotch",
               nparts, status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode partition_metis(PetscPartitioner partitioner, PetscInt nparts, PetscInt n, PetscInt start[],
                                      PetscInt adjacency[], PetscSection weight,
                                      RUNG_EDGE_WEIGHT(edges) PetscSection target, PetscSection section, IS *vertices)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)partitioner);
  PetscErrorCode code;
  PetscInt      *part;
  Graph          g = {0};
  Targets        t = {0};

  PetscFunctionBegin;
  PetscCheck(RUNG_NO_EDGE_WEIGHT(edges), comm, PETSC_ERR_SUP,
             "partitioner \"metis\" takes no edge weights; use ptscotch");
  PetscCall(graph_gather(comm, n, start, adjacency, weight, &g));
  PetscCall(targets_create(nparts, target, &t));
  code = find_parts(comm, nparts, weight ? PETSC_TRUE : PETSC_FALSE, &t, &g);
  PetscCall(targets_destroy(&t));
  if (code) PetscCall(graph_destroy(&g)); /* refused */
  PetscCall(code);
  PetscCall(PetscMalloc1(n, &part));
  PetscCallMPI(MPI_Scatterv(g.part, g.vertices, g.vertex_start, MPIU_INT, part, g.vertices[g.rank], MPIU_INT, 0, comm));
  PetscCall(answer(nparts, n, part, section, vertices));
  PetscCall(PetscFree(part));
  PetscCall(graph_destroy(&g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Debian's PETSc of 64 bits finds, under the same name, a PT-Scotch of 32: it would write into foreign memory. */
PetscErrorCode RungPartitionerCheck(MPI_Comm comm, const char name[])
{
  void *address = NULL;
  int   bytes   = sizeof(PetscInt);

  PetscFunctionBegin;
  if (!strcmp(name, "ptscotch")) PetscCall(PetscDLSym(NULL, "SCOTCH_numSizeof", &address));
  if (address) {
    int (*size_of)(void);

    memcpy(&size_of, &address, sizeof size_of);
    bytes = size_of();
  }
  PetscCheck(
    bytes == sizeof(PetscInt), comm, PETSC_ERR_SUP,
    "-mesh_partitioner ptscotch: the PT-Scotch of this system counts with %d bits, its PETSc with %d; use metis or "
    "simple, or let LD_LIBRARY_PATH name a PT-Scotch of %d bits (Debian's folder scotch-int%d)",
    8 * bytes, 8 * (int)sizeof(PetscInt), 8 * (int)sizeof(PetscInt), 8 * (int)sizeof(PetscInt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_metis(PetscPartitioner partitioner)
{
  PetscFunctionBegin;
  partitioner->noGraph        = PETSC_FALSE;
  partitioner->ops->partition = partition_metis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPartitionerRegister(void)
{
  PetscFunctionBegin;
  PetscCall(PetscPartitionerInitializePackage()); /* which sees to it that the list is freed */
  PetscCall(PetscPartitionerRegister("metis", create_metis));
  PetscFunctionReturn(PETSC_SUCCESS);
}
