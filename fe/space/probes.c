/* probes.c - points anywhere, asked for by any rank: found once, evaluated often.

   A point goes to the ranks whose box has it; where no cell of theirs has it, to all ranks that can be nearest: those
   whose box is no farther than the farthest place of some rank's box.  Of the answers the best is kept, by distance and
   then by the place of the cell in the mesh, and its rank is told.  Values travel back along the same way. */
#include <rungown_room.h>
#include "fe_space_impl.h"
#include "locate_impl.h"

struct _p_RungProbes {
  MPI_Comm     comm;     /* owned (PetscCommDuplicate)                                       */
  RungMesh     mesh;     /* referenced                                                       */
  PetscInt     n;        /* points of this rank                                              */
  RungSpot    *spot;     /* owned, [n]                                                       */
  PetscReal   *distance; /* owned, [n]                                                    */
  PetscInt    *sent;     /* owned, [n] the point that is i-th on its way, rank by rank       */
  PetscMPIInt  size;
  PetscMPIInt *sends, *send_start; /* owned, [size], [size + 1] points to each rank       */
  PetscMPIInt *recvs, *recv_start; /* owned, the same: points that lie in cells here      */
  PetscInt     local;              /* points that lie in cells of this rank                            */
  PetscInt    *cell;               /* owned, [local]                                                   */
  PetscReal   *X;                  /* owned, [local][dim of the reference cell]                        */
};

/* ---- items that go to ranks and answers that come back ------------------------------------------------------------ */

/* Who sends how many items to whom. */
typedef struct {
  PetscMPIInt  size;
  PetscMPIInt *sends, *send_start, *recvs, *recv_start; /* parts of memory */
  PetscMPIInt *memory;                                  /* owned           */
} Route;

static PetscErrorCode route_create(MPI_Comm comm, Route *route)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &route->size));
  PetscCall(PetscCalloc1(4 * route->size + 2, &route->memory));
  route->sends      = route->memory;
  route->recvs      = route->sends + route->size;
  route->send_start = route->recvs + route->size;
  route->recv_start = route->send_start + route->size + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode route_destroy(Route *route)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(route->memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After sends[] are counted. */
static PetscErrorCode route_complete(MPI_Comm comm, Route *route)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Alltoall(route->sends, 1, MPI_INT, route->recvs, 1, MPI_INT, comm));
  for (PetscMPIInt r = 0; r < route->size; ++r) {
    route->send_start[r + 1] = route->send_start[r] + route->sends[r];
    route->recv_start[r + 1] = route->recv_start[r] + route->recvs[r];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Items there, or answers back, of so many bytes each. */
static PetscErrorCode route_items(MPI_Comm comm, const Route *route, PetscBool back, size_t bytes, const void *from,
                                  void *to)
{
  PetscMPIInt  count;
  MPI_Datatype type;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast((PetscInt)bytes, &count));
  PetscCallMPI(MPI_Type_contiguous(count, MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  if (back)
    PetscCallMPI(
      MPI_Alltoallv(from, route->recvs, route->recv_start, type, to, route->sends, route->send_start, type, comm));
  else
    PetscCallMPI(
      MPI_Alltoallv(from, route->sends, route->send_start, type, to, route->recvs, route->recv_start, type, comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- looking ------------------------------------------------------------------------------------------------------ */

/* Ranks that may have the point, or be nearest to it. */
static PetscInt ranks_of(PetscMPIInt size, const PetscReal box[], PetscInt dim, const PetscReal x[], PetscBool nearest,
                         PetscMPIInt rank[])
{
  PetscReal bound = 0;
  PetscInt  n     = 0;

  for (PetscMPIInt r = 0; r < size && nearest; ++r) {
    if (box[6 * r] > box[6 * r + 3]) continue; /* no cells */
    bound = bound == 0 ? RungBoxDistance(box + 6 * r, dim, x, PETSC_TRUE)
                       : PetscMin(bound, RungBoxDistance(box + 6 * r, dim, x, PETSC_TRUE));
  }
  for (PetscMPIInt r = 0; r < size; ++r) {
    if (box[6 * r] <= box[6 * r + 3] && RungBoxDistance(box + 6 * r, dim, x, PETSC_FALSE) <= bound * (1 + 1e-8))
      rank[n++] = r;
  }
  return n;
}

/* [rank][6] boxes of all cells of each rank */
static PetscErrorCode gather_boxes(RungProbes p, RungLocator locator, PetscReal **box)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(6 * p->size, box));
  PetscCallMPI(MPI_Allgather(locator->node[0].box, 6, MPIU_REAL, *box, 6, MPIU_REAL, p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Asks the ranks in question about the points open[i]; the best answers go into p->spot and rank[]. */
static PetscErrorCode ask(RungProbes p, RungLocator locator, const PetscReal box[], PetscInt open,
                          const PetscInt point[], const PetscReal x[], PetscBool nearest, PetscMPIInt rank[])
{
  const PetscInt                  dim       = locator->mesh->dim;
  RUNG_FREE PetscMPIInt          *candidate = NULL, *next = NULL;
  RUNG_OWNED(route_destroy) Route route    = {0};
  RUNG_FREE PetscReal            *question = NULL, *asked = NULL;
  RUNG_FREE RungSpot             *answer = NULL, *answered = NULL;
  RUNG_FREE PetscInt             *who = NULL;

  PetscFunctionBegin;
  PetscCall(route_create(p->comm, &route));
  PetscCall(PetscMalloc1(p->size, &candidate));
  PetscCall(PetscMalloc1(p->size, &next));
  for (PetscInt i = 0; i < open; ++i) {
    const PetscInt n = ranks_of(p->size, box, dim, x + dim * point[i], nearest, candidate);

    for (PetscInt k = 0; k < n; ++k) ++route.sends[candidate[k]];
  }
  PetscCall(route_complete(p->comm, &route));
  PetscCall(PetscArraycpy(next, route.send_start, p->size));
  PetscCall(PetscMalloc1(dim * route.send_start[p->size], &question));
  PetscCall(PetscMalloc1(route.send_start[p->size], &answered));
  PetscCall(PetscMalloc1(route.send_start[p->size], &who));
  PetscCall(PetscMalloc1(dim * route.recv_start[p->size], &asked));
  PetscCall(PetscMalloc1(route.recv_start[p->size], &answer));
  for (PetscInt i = 0; i < open; ++i) {
    const PetscInt n = ranks_of(p->size, box, dim, x + dim * point[i], nearest, candidate);

    for (PetscInt k = 0; k < n; ++k) {
      const PetscInt at = next[candidate[k]]++;

      who[at] = point[i];
      for (PetscInt a = 0; a < dim; ++a) question[dim * at + a] = x[dim * point[i] + a];
    }
  }
  PetscCall(route_items(p->comm, &route, PETSC_FALSE, (size_t)dim * sizeof(PetscReal), question, asked));
  PetscCall(RungLocatorFind(locator, route.recv_start[p->size], asked, nearest, answer));
  PetscCall(route_items(p->comm, &route, PETSC_TRUE, sizeof(RungSpot), answer, answered));
  for (PetscMPIInt r = 0; r < p->size; ++r) {
    for (PetscMPIInt i = route.send_start[r]; i < route.send_start[r + 1]; ++i) {
      if (!RungSpotIsBetter(&answered[i], &p->spot[who[i]])) continue;
      p->spot[who[i]] = answered[i];
      rank[who[i]]    = r;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p->spot and the rank of each point */
static PetscErrorCode find(RungProbes p, const PetscReal x[], PetscMPIInt rank[])
{
  RungLocator          locator;
  RUNG_FREE PetscReal *box  = NULL;
  PetscInt             n    = p->n;
  RUNG_FREE PetscInt  *open = NULL;

  PetscFunctionBegin;
  PetscCall(RungMeshGetLocator(p->mesh, &locator));
  PetscCall(gather_boxes(p, locator, &box));
  PetscCall(PetscMalloc1(p->n, &open));
  for (PetscInt i = 0; i < p->n; ++i) {
    open[i]    = i;
    p->spot[i] = (RungSpot){.number = -1};
  }
  PetscCall(ask(p, locator, box, n, open, x, PETSC_FALSE, rank));
  n = 0;
  for (PetscInt i = 0; i < p->n; ++i)
    if (p->spot[i].number < 0) open[n++] = i;
  PetscCall(ask(p, locator, box, n, open, x, PETSC_TRUE, rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life --------------------------------------------------------------------------------------------------------- */

/* Tells the ranks which points they have, and keeps the way. */
static PetscErrorCode settle(RungProbes p, PetscInt dim, const PetscMPIInt rank[])
{
  RUNG_OWNED(route_destroy) Route route = {0};
  RUNG_FREE RungSpot             *spot  = NULL;
  RUNG_FREE RungSpot             *mine  = NULL;
  RUNG_FREE PetscMPIInt          *next  = NULL;

  PetscFunctionBegin;
  PetscCall(route_create(p->comm, &route));
  for (PetscInt i = 0; i < p->n; ++i) ++route.sends[rank[i]];
  PetscCall(route_complete(p->comm, &route));
  p->local = route.recv_start[p->size];
  PetscCall(PetscMalloc1(p->n, &mine));
  PetscCall(PetscMalloc1(p->local, &spot));
  PetscCall(PetscMalloc1(p->n, &p->sent));
  PetscCall(PetscMalloc1(p->size, &next));
  PetscCall(PetscArraycpy(next, route.send_start, p->size));
  for (PetscInt i = 0; i < p->n; ++i) {
    const PetscInt at = next[rank[i]]++;

    mine[at]    = p->spot[i];
    p->sent[at] = i;
  }
  PetscCall(route_items(p->comm, &route, PETSC_FALSE, sizeof(RungSpot), mine, spot));
  PetscCall(PetscMalloc1(p->local, &p->cell));
  PetscCall(PetscMalloc1(p->local * dim, &p->X));
  for (PetscInt i = 0; i < p->local; ++i) {
    p->cell[i] = spot[i].cell;
    for (PetscInt a = 0; a < dim; ++a) p->X[i * dim + a] = spot[i].X[a];
  }
  p->sends      = route.sends;
  p->recvs      = route.recvs;
  p->send_start = route.send_start;
  p->recv_start = route.recv_start;
  route.memory  = NULL; /* now the probes' */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProbesCreate(RungMesh mesh, PetscInt n, const PetscReal x[], RungProbes *probes)
{
  const RungMeshData                      *data;
  RUNG_OWNED(RungProbesDestroy) RungProbes p    = NULL;
  RUNG_FREE PetscMPIInt                   *rank = NULL;
  PetscInt                                 bad  = 0;

  PetscFunctionBegin;
  RungNeed(mesh);
  RungNeed(probes);
  PetscCall(RungMeshGetData(mesh, &data));
  RungCheckAll(n >= 0 && (x || !n), mesh->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "%" PetscInt_FMT " points%s, wanted an array of 0 or more on each rank", n, x ? "" : " in no array");
  while (bad < n * data->dim && !PetscIsInfOrNanReal(x[bad])) ++bad;
  RungCheckAll(bad == n * data->dim, mesh->comm, PETSC_ERR_FP,
               "point %" PetscInt_FMT " has a coordinate that is not finite", bad / data->dim);
  PetscCall(PetscNew(&p));
  p->n    = n;
  p->comm = MPI_COMM_NULL;
  p->mesh = mesh;
  PetscCall(RungMeshReference(mesh));
  PetscCall(PetscCommDuplicate(mesh->comm, &p->comm, NULL));
  PetscCallMPI(MPI_Comm_size(p->comm, &p->size));
  PetscCall(PetscMalloc1(n, &p->spot));
  PetscCall(PetscMalloc1(n, &p->distance));
  PetscCall(PetscCalloc1(n, &rank));
  PetscCall(find(p, x, rank));
  for (PetscInt i = 0; i < n; ++i) p->distance[i] = p->spot[i].distance;
  PetscCall(settle(p, RungCellGet(data->type)->dim, rank));
  *probes = p;
  p       = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProbesDestroy(RungProbes *probes)
{
  RungNeedArgument(probes);
  RungProbes p = *probes;

  PetscFunctionBegin;
  *probes = NULL;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(p->spot));
  PetscCall(PetscFree(p->distance));
  PetscCall(PetscFree(p->sent));
  PetscCall(PetscFree(p->sends));
  PetscCall(PetscFree(p->cell));
  PetscCall(PetscFree(p->X));
  PetscCall(RungMeshDestroy(&p->mesh));
  PetscCall(PetscCommDestroy(&p->comm));
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProbesGetDistance(RungProbes probes, const PetscReal **distance)
{
  PetscFunctionBegin;
  RungNeed(probes);
  RungNeedArgument(distance);
  *distance = probes->distance;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProbesGetLocal(RungProbes probes, PetscInt *count, const PetscInt **cell, const PetscReal **X)
{
  PetscFunctionBegin;
  RungNeed(probes);
  *count = probes->local;
  *cell  = probes->cell;
  *X     = probes->X;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungProbesReturn(RungProbes p, PetscInt components, const PetscScalar local[], PetscScalar values[])
{
  RungNeed(p);
  const Route route = {
    .size = p->size, .sends = p->sends, .recvs = p->recvs, .send_start = p->send_start, .recv_start = p->recv_start};
  PetscScalar *arrived;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->n * components, &arrived));
  PetscCall(route_items(p->comm, &route, PETSC_TRUE, (size_t)components * sizeof(PetscScalar), local, arrived));
  for (PetscInt i = 0; i < p->n; ++i)
    PetscCall(PetscArraycpy(values + p->sent[i] * components, arrived + i * components, components));
  PetscCall(PetscFree(arrived));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum over the cell's nodes of basis and values, at every point here */
static PetscErrorCode evaluate_local(RungField field, RungProbes p, const PetscScalar u[], PetscScalar value[])
{
  const RungSpaceData  *space = &field->space->data;
  const RungLayoutData *layout;
  const PetscInt dim = RungCellGet(field->space->element->type)->dim, n = space->cell_nodes, m = space->components;
  PetscReal     *table;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(field->layout, &layout));
  PetscCall(PetscMalloc1(n, &table));
  for (PetscInt i = 0; i < p->local; ++i) {
    const PetscInt *dof = layout->cell_dof + p->cell[i] * layout->cell_dofs;

    PetscCall(RungElementTabulate(field->space->element, 1, p->X + i * dim, 0, table));
    for (PetscInt a = 0; a < m; ++a) {
      value[i * m + a] = 0;
      for (PetscInt k = 0; k < n; ++k) value[i * m + a] += table[k] * u[dof[k * m + a]];
    }
  }
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldEvaluate(RungField field, RungProbes probes, PetscScalar values[])
{
  RungNeed(field);
  const RungSpaceData *space = &field->space->data;
  const PetscScalar   *u;
  PetscScalar         *value;

  PetscFunctionBegin;
  RungNeed(probes);
  PetscCheck(values || !probes->n, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "no place for the values at %" PetscInt_FMT " points", probes->n);
  PetscCheck(space->mesh == probes->mesh, field->space->comm, PETSC_ERR_ARG_INCOMP,
             "\"%s\" lives on another mesh than the points were looked for in; make probes of its mesh", field->name);
  PetscCheck(!space->quadrature, field->space->comm, PETSC_ERR_SUP,
             "\"%s\" of %s has no values between the points of its rule; project it into a space first", field->name,
             space->spec);
  PetscCall(PetscMalloc1(probes->local * space->components, &value));
  PetscCall(RungLayoutGather(field->layout, field->u, 0, &u));
  PetscCall(evaluate_local(field, probes, u, value));
  PetscCall(RungLayoutGatherRestore(field->layout, field->u, 0, &u));
  PetscCall(RungProbesReturn(probes, space->components, value, values));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldTransfer(RungField from, RungField to, PetscReal *farthest)
{
  RungNeed(to);
  RungNeed(from);
  const RungSpaceData *source = &from->space->data, *target = &to->space->data;
  const RungMeshData  *mesh[2];
  RungProbes           probes;
  PetscScalar         *values;
  PetscReal            most = 0;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(source->mesh, &mesh[0]));
  PetscCall(RungMeshGetData(target->mesh, &mesh[1]));
  PetscCheck(
    source->rank == target->rank && source->shape[0] == target->shape[0] && source->shape[1] == target->shape[1],
    to->space->comm, PETSC_ERR_ARG_INCOMP, "\"%s\" of %s cannot take values of \"%s\" of %s; wanted equal shapes",
    to->name, target->spec, from->name, source->spec);
  PetscCheck(mesh[0]->dim == mesh[1]->dim && !target->single, to->space->comm, PETSC_ERR_ARG_INCOMP,
             "\"%s\" and \"%s\" have no places in common: meshes of %" PetscInt_FMT " and %" PetscInt_FMT
             " dimensions%s",
             from->name, to->name, mesh[0]->dim, mesh[1]->dim, target->single ? ", and R is nowhere" : "");
  PetscCall(RungProbesCreate(source->mesh, target->owned, target->x, &probes));
  PetscCall(VecGetArrayWrite(to->u, &values));
  PetscCall(RungFieldEvaluate(from, probes, values));
  PetscCall(VecRestoreArrayWrite(to->u, &values));
  for (PetscInt i = 0; i < target->owned; ++i) most = PetscMax(most, probes->distance[i]);
  PetscCall(RungProbesDestroy(&probes));
  if (farthest) PetscCallMPI(MPI_Allreduce(&most, farthest, 1, MPIU_REAL, MPIU_MAX, to->space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
