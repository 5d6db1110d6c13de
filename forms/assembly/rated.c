/* rated.c - the dofs whose rates a form holds.  The columns of all others in dF/du' and dF/du'' are zero by structure: no
   integral that visits their places has the rate of their component, whatever values constants, fields and states take.
   value(iron: s, else: 0)*dt(u)*v*dx  holds no rates but those in iron, as  s*dt(u)*v*dx(iron)  does. */
#include <rungown_room.h>
#include "kernel_impl.h"
#include "scalar_impl.h"

#define ON 1e-10 /* of a reference cell: a node this near to a facet lies on it */

#define MOST 8 /* parts of value() that are looked at; with more of them no place is left out */

/* Where value() makes a coefficient 0: its parts, and which of them; zero[parts] is that of all other places. */
typedef struct {
  PetscInt  parts, part[MOST]; /* strings of the scope */
  PetscBool zero[MOST + 1];
} Holes;

/* One component in the integrals over one part. */
typedef struct {
  RungDomain domain;
  PetscInt   part; /* string of the scope, -1 all */
  PetscInt   unknown, component;
  PetscBool  inside; /* derivatives in space of its rate count, which see all nodes of a cell */
  Holes      holes;
} Rated;

typedef struct {
  RungForm   form;
  PetscInt   n;
  Rated     *rated; /* owned, [n] */
  PetscBool *mark;  /* lent, [local dof] */
} Search;

static PetscBool same_holes(const Holes *a, const Holes *b)
{
  if (a->parts != b->parts) return PETSC_FALSE;
  for (PetscInt i = 0; i < a->parts; ++i)
    if (a->part[i] != b->part[i]) return PETSC_FALSE;
  for (PetscInt i = 0; i <= a->parts; ++i)
    if (a->zero[i] != b->zero[i]) return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscErrorCode add(Search *search, const RungTerm *term, const RungSlot *slot, const Holes *holes)
{
  Rated *rated = search->rated;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < search->n; ++i) {
    if (rated[i].domain != term->domain || rated[i].part != term->part || rated[i].unknown != slot->unknown ||
        rated[i].component != slot->component || !same_holes(&rated[i].holes, holes))
      continue;
    if (slot->derivative) rated[i].inside = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if ((search->n & (search->n - 1)) == 0) /* room for one more: the next power of two */
    PetscCall(PetscRealloc(sizeof *rated * (size_t)(search->n ? 2 * search->n : 1), &search->rated));
  search->rated[search->n++] = (Rated){.domain    = term->domain,
                                       .part      = term->part,
                                       .unknown   = slot->unknown,
                                       .component = slot->component,
                                       .inside    = slot->derivative ? PETSC_TRUE : PETSC_FALSE,
                                       .holes     = *holes};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *zero says whether the scalar is 0 where the cell is in part `in` of all that are reached, or in none of them (-1).
   list[count] are the nodes that read parts, sizes of cells too, each behind what it reads. */
static PetscErrorCode is_zero_in(RungDag dag, RungScalar scalar, PetscInt count, const RungScalar list[], PetscInt in,
                                 PetscBool *zero)
{
  RUNG_FREE RungScalar *image = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(scalar + 1, &image));
  for (RungScalar s = 0; s <= scalar; ++s) image[s] = s;
  for (PetscInt i = 0; i < count; ++i) {
    const RungScalar     s     = list[i];
    const RungInput     *input = RungDagGetInput(dag, s);
    const RungScalarNode node  = dag->node[s]; /* a copy: new nodes may move the table */
    RungScalar           arg[3];

    if (input) {
      if (input->index >= RUNG_CELL_SIZES) image[s] = input->index - RUNG_CELL_SIZES == in ? dag->one : dag->zero;
      continue;
    }
    for (int a = 0; a < 3; ++a) arg[a] = node.arg[a] < 0 ? -1 : image[node.arg[a]];
    if (arg[0] != node.arg[0] || arg[1] != node.arg[1] || arg[2] != node.arg[2])
      image[s] = RungDagOp(dag, node.op, arg);
  }
  *zero = image[scalar] == dag->zero ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The holes of an entry of an integral over cells; parts of value() do not overlap. */
static PetscErrorCode find_holes(RungDag dag, RungScalar entry, Holes *holes)
{
  RUNG_FREE RungScalar *list = NULL;
  PetscInt              count, n = 0;

  PetscFunctionBegin;
  *holes = (Holes){0};
  PetscCall(RungDagReach(dag, 1, &entry, 1u << RUNG_IN_CELL, &count, &list));
  for (PetscInt i = 0; i < count; ++i) {
    const RungInput *input = RungDagGetInput(dag, list[i]);

    if (!input || input->index < RUNG_CELL_SIZES) continue;
    if (n == MOST) PetscFunctionReturn(PETSC_SUCCESS);
    holes->part[n++] = input->index - RUNG_CELL_SIZES;
  }
  for (PetscInt j = 0; n && j <= n; ++j)
    PetscCall(is_zero_in(dag, entry, count, list, j < n ? holes->part[j] : -1, &holes->zero[j]));
  for (PetscInt j = 0; n && j <= n; ++j)
    if (holes->zero[j]) holes->parts = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_term(Search *search, RungDag dag, const RungTerm *term)
{
  PetscFunctionBegin;
  for (PetscInt k = 1; k <= RUNG_MAX_ORDER; ++k) {
    PetscInt              cols;
    RUNG_FREE RungSlot   *col   = NULL;
    RUNG_FREE RungScalar *entry = NULL;

    PetscCall(RungTermJacobian(dag, term, -1, k, dag->one, PETSC_TRUE, &cols, &col, &entry));
    for (PetscInt i = 0; i < term->rows * cols; ++i) {
      Holes holes = {0};

      if (entry[i] == dag->zero) continue;
      if (term->domain == RUNG_CELLS) PetscCall(find_holes(dag, entry[i], &holes));
      PetscCall(add(search, term, &col[i % cols], &holes));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_each(Search *search, RungDag dag, PetscInt n, const RungTerm terms[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(add_term(search, dag, &terms[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_terms(Search *search, RungDag dag)
{
  RungTerm *terms;
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(RungTermsCreate(dag, search->form->expr.node, -1, &n, &terms));
  RungCallFinally(add_each(search, dag, n, terms), PetscCall(RungTermsDestroy(n, &terms)));
  PetscCall(RungDagCheck(dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool on_facet(const RungCell *cell, PetscInt facet, const PetscReal x[])
{
  PetscReal distance = 0;

  for (PetscInt a = 0; a < cell->dim; ++a)
    distance += cell->normal[facet][a] * (x[a] - cell->x[cell->facet[facet][0]][a]);
  return PetscAbsReal(distance) < ON ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool on_vertex(const RungCell *cell, PetscInt vertex, const PetscReal x[])
{
  PetscReal distance = 0;

  for (PetscInt a = 0; a < cell->dim; ++a) distance += PetscAbsReal(x[a] - cell->x[vertex][a]);
  return distance < ON ? PETSC_TRUE : PETSC_FALSE;
}

/* Does the integral over an entity of the cell see the values of its node?  Nodes of continuous spaces off it have functions
   that vanish there. */
static PetscBool sees(const Rated *rated, const RungSpaceData *space, const RungCell *cell, PetscInt entity,
                      PetscInt node)
{
  const PetscReal *x = &space->node[node * cell->dim];

  if (rated->inside || !space->continuous) return PETSC_TRUE;
  if (rated->domain == RUNG_BOUNDARY || rated->domain == RUNG_INTERIOR_FACETS) return on_facet(cell, entity, x);
  if (rated->domain == RUNG_VERTICES) return on_vertex(cell, entity, x);
  return PETSC_TRUE;
}

/* Integrals over all cells see all nodes, of which each has a cell here. */
static void mark_all(Search *search, const Rated *rated, const RungLayoutData *layout, PetscInt components)
{
  const PetscInt f = rated->unknown, first[2] = {layout->range[f], layout->ghost[f]},
                 end[2] = {layout->range[f + 1], layout->ghost[f + 1]};

  for (int ghosts = 0; ghosts < 2; ++ghosts)
    for (PetscInt i = first[ghosts] + rated->component; i < end[ghosts]; i += components) search->mark[i] = PETSC_TRUE;
}

/* hole[cell of this rank]: the coefficient is 0 there */
static PetscErrorCode mark_holes(Search *search, RungMesh mesh, const Holes *holes, PetscInt cells, PetscBool hole[])
{
  RUNG_FREE PetscInt  *cell = NULL;
  RUNG_FREE PetscBool *in   = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(cells, &cell));
  PetscCall(PetscMalloc1(cells, &in));
  for (PetscInt c = 0; c < cells; ++c) cell[c] = c;
  for (PetscInt c = 0; c < cells; ++c) hole[c] = holes->zero[holes->parts];
  for (PetscInt j = 0; j < holes->parts; ++j) {
    PetscCall(
      RungPartMark(mesh, RUNG_CELLS, RungScopeString(search->form->expr.scope, holes->part[j]), cells, cell, NULL, in));
    for (PetscInt c = 0; c < cells; ++c)
      if (in[c]) hole[c] = holes->zero[j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mark_places(Search *search, const Rated *rated)
{
  RUNG_FREE PetscBool  *hole = NULL;
  const RungLayoutData *layout;
  const RungSpaceData  *space;
  const RungMeshData   *mesh;
  const RungPlaces     *places;
  const RungCell       *cell;
  const char           *part = rated->part < 0 ? NULL : RungScopeString(search->form->expr.scope, rated->part);

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(search->form->layout, &layout));
  PetscCall(RungSpaceGetData(layout->space[rated->unknown], &space));
  if (rated->domain == RUNG_CELLS && !part && !rated->holes.parts) {
    mark_all(search, rated, layout, space->components);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(RungMeshGetPlaces(space->mesh, rated->domain, part, &places));
  cell = RungCellGet(mesh->type);
  PetscCall(PetscCalloc1(mesh->cells, &hole));
  if (rated->holes.parts) PetscCall(mark_holes(search, space->mesh, &rated->holes, mesh->cells, hole));
  for (PetscInt i = 0; i < places->count; ++i) {
    if (rated->holes.parts && hole[places->cell[0][i]]) continue;
    for (PetscInt side = 0; side < (rated->domain == RUNG_INTERIOR_FACETS ? 2 : 1); ++side) {
      const PetscInt  c = places->cell[side][i], entity = places->facet[side] ? places->facet[side][i] : 0;
      const PetscInt *dof = c < layout->cells ? &layout->cell_dof[c * layout->cell_dofs]
                                              : &layout->far_dof[(c - layout->cells) * layout->cell_dofs];

      for (PetscInt j = 0; j < space->cell_nodes; ++j) {
        if (sees(rated, space, cell, entity, j))
          search->mark[dof[layout->offset[rated->unknown] + j * space->components + rated->component]] = PETSC_TRUE;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormMarkRated(RungForm form, PetscBool mark[])
{
  Search         search = {.form = form, .mark = mark};
  RungDag        dag;
  PetscErrorCode code;

  PetscFunctionBegin;
  RungNeed(form);
  if (form->expr.node < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDagCreate(form->expr.scope, &dag));
  code = add_terms(&search, dag);
  PetscCall(RungDagDestroy(&dag));
  for (PetscInt i = 0; i < search.n && !code; ++i) code = mark_places(&search, &search.rated[i]);
  PetscCall(PetscFree(search.rated));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
