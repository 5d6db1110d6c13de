/* reduced.c - do the points of the rules see all that a cell can do?  Reduced integration and its hourglass modes.

   The block dF/du_f^(k) of a cell is a sum of products over points, whose columns are what the integrand reads of u_f there: values or
   derivatives L_a u_f.  So its rank is at most that of the rows L_a phi_j at all points of all integrals over the cell, and where the
   points of exact rules have more rows that are independent, there are functions on the cell, no constants and no rigid motions, of
   which the block sees nothing: on Q2 with 2 x 2 points (x^2 - 1/3)(y^2 - 1/3), whose gradient is zero there.

   Rows are those of the reference cell: the rank is the same on all cells, but where single derivatives are read.  What is read together
   alone, by columns that are the same, as both parts of a shear, is one row: rigid motions and what is divergence-free are in
   the kernel by any rule.  Products with the points' own variables (Quad) are columns of the block, too: they are eliminated.  Facets may hold what cells leave
   free: where interior ones see the unknown nothing is said. */
#include <rungown_room.h>
#include <rungtext_room.h>
#include "kernel_impl.h"
#include "scalar_impl.h"
#include "scope_impl.h"

#define MOST_FUNCTIONS 400  /* of a cell: above, nothing is asked */
#define MOST_PARTS     64   /* integrals, likewise                */
#define MOST_SETS      64   /* of integrals over the same cell    */
#define SMALL          1e-8 /* relative: what is left of a row that depends on others */

/* One integral over cells: what it reads of the unknown, columns with one `reading` together. */
typedef struct {
  const RungTerm *term;
  PetscInt        cols;
  RungSlot       *col;     /* owned, [cols]                                      */
  PetscInt       *reading; /* owned, [cols]; -1: no row of the block has it      */
  PetscInt        readings;
  PetscBool      *in; /* owned, [local cell] of its part; NULL: all cells   */
} Part;

typedef struct {
  RungForm             form;
  RungDag              dag;
  PetscInt             f, k;
  const RungSpaceData *space;
  PetscInt             n;
  Part                *part; /* owned, [n] */
  PetscBool            facets, derivatives, simplex;
} Search;

static PetscErrorCode destroy_parts(Search *search)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < search->n; ++i) {
    PetscCall(PetscFree(search->part[i].col));
    PetscCall(PetscFree(search->part[i].reading));
    PetscCall(PetscFree(search->part[i].in));
  }
  PetscCall(PetscFree(search->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is read ------------------------------------------------------------------------------------------------- */

/* Rows of the block: those of the unknown itself, and of variables at points. */
static PetscErrorCode is_row(const Search *search, PetscInt unknown, PetscBool *yes)
{
  const RungSpaceData *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(RungScopeUnknownSpace(search->form->expr.scope, unknown), &space));
  *yes = unknown == search->f || space->quadrature ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns that are the same in all rows have one reading. */
static PetscErrorCode find_readings(const Search *search, const RungScalar entry[], Part *part)
{
  const RungTerm      *term = part->term;
  const RungScalar     zero = search->dag->zero;
  RUNG_FREE PetscBool *row  = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(term->rows, &row));
  PetscCall(PetscMalloc1(part->cols, &part->reading));
  for (PetscInt r = 0; r < term->rows; ++r) PetscCall(is_row(search, term->row[r].unknown, &row[r]));
  for (PetscInt c = 0; c < part->cols; ++c) {
    PetscBool any = PETSC_FALSE;

    part->reading[c] = -1;
    for (PetscInt r = 0; r < term->rows; ++r) any = any || (row[r] && entry[r * part->cols + c] != zero);
    for (PetscInt b = 0; any && b < c && part->reading[c] < 0; ++b) {
      PetscBool same = part->reading[b] >= 0 ? PETSC_TRUE : PETSC_FALSE;

      for (PetscInt r = 0; same && r < term->rows; ++r)
        same = !row[r] || entry[r * part->cols + b] == entry[r * part->cols + c] ? PETSC_TRUE : PETSC_FALSE;
      if (same) part->reading[c] = part->reading[b];
    }
    if (any && part->reading[c] < 0) part->reading[c] = part->readings++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mark_cells(const Search *search, Part *part)
{
  const char         *name = RungScopeString(search->form->expr.scope, part->term->part);
  const RungPlaces   *places;
  const RungMeshData *mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(search->space->mesh, &mesh));
  PetscCall(RungMeshGetPlaces(search->space->mesh, RUNG_CELLS, name, &places));
  PetscCall(PetscCalloc1(mesh->cells + 1, &part->in));
  for (PetscInt i = 0; i < places->count; ++i) part->in[places->cell[0][i]] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_term(Search *search, const RungTerm *term)
{
  Part                 *part  = &search->part[search->n++];
  RUNG_FREE RungScalar *entry = NULL;

  PetscFunctionBegin;
  part->term = term;
  PetscCall(RungTermJacobian(search->dag, term, search->f, search->k, search->dag->one, PETSC_TRUE, &part->cols,
                             &part->col, &entry));
  PetscCall(find_readings(search, entry, part));
  if (term->domain == RUNG_INTERIOR_FACETS && part->readings) search->facets = PETSC_TRUE;
  if (term->domain != RUNG_CELLS) part->readings = 0;
  for (PetscInt c = 0; c < part->cols && part->readings; ++c) {
    if (part->reading[c] >= 0 && part->col[c].derivative) search->derivatives = PETSC_TRUE;
  }
  if (part->readings && term->part >= 0) PetscCall(mark_cells(search, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which rules ------------------------------------------------------------------------------------------------- */

/* Rules of estimates have points enough: is there one that a text, an option or values at points have chosen? */
static PetscErrorCode are_chosen(RungForm form, PetscBool *chosen)
{
  const RungScope      scope = form->expr.scope;
  RUNG_FREE PetscInt  *nodes = NULL;
  PetscInt             n;
  const RungSpaceData *space;
  RungSpace            of;

  PetscFunctionBegin;
  *chosen = form->degree >= 0 ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt f = 0; f < RungScopeUnknowns(scope) + RungScopeFields(scope); ++f) {
    if (f < RungScopeUnknowns(scope))
      of = RungScopeUnknownSpace(scope, f);
    else
      PetscCall(RungFieldGetSpace(RungScopeFieldOf(scope, f - RungScopeUnknowns(scope)), &of));
    PetscCall(RungSpaceGetData(of, &space));
    if (space->quadrature) *chosen = PETSC_TRUE;
  }
  PetscCall(RungNodeReach(scope, form->expr.node, &n, &nodes));
  for (PetscInt i = 0; i < n; ++i) {
    const RungNode *node = RungScopeNode(scope, nodes[i]);

    if (node->op == RUNG_OP_INTEGRAL && node->index[0] == RUNG_CELLS && node->index[1] >= 0) *chosen = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Derivatives in space of a column. */
static PetscInt order_of(const Search *search, const RungSlot *col)
{
  return !col->derivative ? 0 : col->derivative <= search->dag->dim ? 1 : 2;
}

/* A rule that is exact for squares of what is read sees all of it; one at nodes does. */
static PetscBool is_enough(const Search *search, const Part *part)
{
  PetscInt least = 2;

  for (PetscInt c = 0; c < part->cols; ++c) {
    if (part->reading[c] >= 0) least = PetscMin(least, order_of(search, &part->col[c]));
  }
  if (!search->simplex) least = 0;
  return !part->readings || part->term->degree >= 2 * (search->space->degree - least) ? PETSC_TRUE : PETSC_FALSE;
}

/* ---- rank --------------------------------------------------------------------------------------------------------- */

/* Adds what a part reads at the points of a rule: row[reading * points + q][component * nodes + j] = L phi_j(x_q). */
static PetscErrorCode fill_rows(const Search *search, const Part *part, const RungQuadrature *rule, PetscReal row[])
{
  const RungSpaceData *space = search->space;
  const PetscInt       nodes = space->cell_nodes, n = space->components * nodes, points = rule->points;
  RungSpace            basis = RungScopeUnknownSpace(search->form->expr.scope, search->f);
  PetscInt             order = 0;
  RUNG_FREE PetscReal *table = NULL;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < part->cols; ++c) order = PetscMax(order, order_of(search, &part->col[c]));
  PetscCall(PetscMalloc1(RungSpaceTableSize(basis, points, order), &table));
  PetscCall(RungSpaceTabulate(basis, points, rule->x, order, table));
  for (PetscInt c = 0; c < part->cols; ++c) {
    for (PetscInt q = 0; q < points && part->reading[c] >= 0; ++q) {
      PetscReal       *to   = &row[(part->reading[c] * points + q) * n + part->col[c].component * nodes];
      const PetscReal *from = &table[(part->col[c].derivative * points + q) * nodes];

      for (PetscInt j = 0; j < nodes; ++j) to[j] += from[j];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal dot(PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/* Independent rows of row[m][n], by Gram and Schmidt with the largest first; overwritten. */
static PetscInt count_independent(PetscInt m, PetscInt n, PetscReal row[])
{
  PetscReal first = 0;

  for (PetscInt rank = 0; rank < PetscMin(m, n); ++rank) {
    PetscReal most = 0;
    PetscInt  at   = rank;

    for (PetscInt i = rank; i < m; ++i) {
      const PetscReal size = dot(n, &row[i * n], &row[i * n]);

      if (size > most) at = i;
      most = PetscMax(most, size);
    }
    if (!rank) first = most;
    if (most <= SMALL * SMALL * first) return rank;
    for (PetscInt j = 0; j < n; ++j) {
      const PetscReal swap = row[rank * n + j];

      row[rank * n + j] = row[at * n + j] / PetscSqrtReal(most);
      row[at * n + j]   = at == rank ? row[rank * n + j] : swap;
    }
    for (PetscInt i = rank + 1; i < m; ++i) {
      const PetscReal along = dot(n, &row[rank * n], &row[i * n]);

      for (PetscInt j = 0; j < n; ++j) row[i * n + j] -= along * row[rank * n + j];
    }
  }
  return PetscMin(m, n);
}

/* The rank where the parts of a set have their own rules, but those with too few points at least this degree. */
static PetscErrorCode find_rank(const Search *search, uint64_t set, PetscInt least, PetscInt *rank)
{
  const PetscInt        n    = search->space->components * search->space->cell_nodes;
  const RungQuadrature *rule = NULL;
  const RungMeshData   *mesh;
  PetscInt              m   = 0;
  RUNG_FREE PetscReal  *row = NULL;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(search->space->mesh, &mesh));
  for (int fill = 0; fill < 2; ++fill) {
    if (fill) PetscCall(PetscCalloc1(m * n, &row));
    m = 0;
    for (PetscInt i = 0; i < search->n; ++i) {
      const Part    *part   = &search->part[i];
      const PetscInt degree = is_enough(search, part) ? part->term->degree : PetscMax(part->term->degree, least);

      if (!part->readings || !(set >> i & 1)) continue;
      PetscCall(RungQuadratureGet(mesh->type, degree, &rule));
      if (fill) PetscCall(fill_rows(search, part, rule, &row[m * n]));
      m += part->readings * rule->points;
    }
  }
  *rank = count_independent(m, n, row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is said ------------------------------------------------------------------------------------------------- */

/* The unknown or field that gives a part its points; NULL: its text does. */
static PetscErrorCode find_forcing(const Search *search, const Part *part, const char **name)
{
  const RungScope       scope = search->form->expr.scope;
  RUNG_FREE RungScalar *list  = NULL;
  PetscInt              n;

  PetscFunctionBegin;
  *name = NULL;
  PetscCall(RungDagReach(search->dag, 1, &part->term->integrand, ~0u, &n, &list));
  for (PetscInt i = 0; i < n && !*name; ++i) {
    const RungInput     *input = RungDagGetInput(search->dag, list[i]);
    const RungSpaceData *data;
    RungSpace            space;

    if (!input || (input->kind != RUNG_IN_UNKNOWN && input->kind != RUNG_IN_FIELD)) continue;
    if (input->kind == RUNG_IN_FIELD)
      PetscCall(RungFieldGetSpace(RungScopeFieldOf(scope, input->index), &space));
    else
      space = RungScopeUnknownSpace(scope, input->index);
    PetscCall(RungSpaceGetData(space, &data));
    if (data->quadrature)
      *name = input->kind == RUNG_IN_FIELD ? RungScopeFieldName(scope, input->index)
                                           : RungScopeUnknownName(scope, input->index);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell(const Search *search, uint64_t set, PetscInt seen, PetscInt all, char message[], size_t size)
{
  const RungScope       scope = search->form->expr.scope;
  const RungMeshData   *mesh;
  const RungQuadrature *rule;
  const Part           *part = NULL;
  const char           *forcing, *name;
  PetscInt              rank       = seen, degree;
  char                  where[256] = "", remedy[256], rate[128];

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(search->space->mesh, &mesh));
  for (PetscInt i = search->n - 1; i >= 0; --i) {
    if (set >> i & 1 && search->part[i].readings && !is_enough(search, &search->part[i])) part = &search->part[i];
  }
  PetscCall(RungQuadratureGet(mesh->type, part->term->degree, &rule));
  for (degree = part->term->degree + 1; degree < 2 * search->space->degree; ++degree) {
    PetscCall(find_rank(search, set, degree, &rank));
    if (rank == all) break;
  }
  PetscCall(find_forcing(search, part, &forcing));
  name = RungScopeUnknownName(scope, search->f);
  if (part->term->part >= 0)
    PetscCall(PetscSNPrintf(where, sizeof where, " in part \"%s\"", RungScopeString(scope, part->term->part)));
  if (forcing)
    PetscCall(PetscSNPrintf(remedy, sizeof remedy,
                            "give \"%s\" and what is beside it the space Quad(%" PetscInt_FMT ")", forcing, degree));
  else
    PetscCall(PetscSNPrintf(remedy, sizeof remedy, "take degree %" PetscInt_FMT ", as dx(degree: %" PetscInt_FMT ")",
                            degree, degree));
  PetscCall(PetscSNPrintf(rate, sizeof rate, search->k > 1 ? "dt(%s, 2)" : "dt(%s)", name));
  PetscCall(PetscSNPrintf(message, size,
                          "%s%s see%s %" PetscInt_FMT " of %" PetscInt_FMT
                          " ways in which \"%s\" can vary in a cell%s, at %" PetscInt_FMT
                          " point%s of a rule of degree %" PetscInt_FMT ": the others %s; ",
                          search->k ? "the terms with " : "the residual", search->k ? rate : "", search->k ? "" : "s",
                          seen, all, name, where, rule->points, rule->points == 1 ? "" : "s", part->term->degree,
                          search->k ? "have no rate" : "(hourglass modes) meet no resistance"));
  PetscCall(RungTextAppend(message, remedy, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cells -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode look_at(const Search *search, uint64_t set, char message[], size_t size)
{
  PetscInt  seen, all;
  PetscBool enough = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < search->n; ++i)
    enough = enough && (!(set >> i & 1) || is_enough(search, &search->part[i])) ? PETSC_TRUE : PETSC_FALSE;
  if (enough) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_rank(search, set, 0, &seen));
  PetscCall(find_rank(search, set, 2 * search->space->degree, &all));
  if (seen < all) PetscCall(tell(search, set, seen, all, message, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells that are in the same parts are one. */
static PetscErrorCode look_at_cells(const Search *search, char message[], size_t size)
{
  const RungMeshData *mesh;
  uint64_t            known[MOST_SETS];
  PetscInt            sets = 0;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(search->space->mesh, &mesh));
  for (PetscInt c = 0; c < mesh->cells && !message[0]; ++c) {
    uint64_t set = 0;
    PetscInt at  = 0;

    for (PetscInt i = 0; i < search->n; ++i) {
      if (search->part[i].readings && (!search->part[i].in || search->part[i].in[c])) set |= (uint64_t)1 << i;
    }
    while (at < sets && known[at] != set) ++at;
    if (at < sets || sets == MOST_SETS) continue;
    known[sets++] = set;
    PetscCall(look_at(search, set, message, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look(Search *search, PetscInt n, const RungTerm terms[], char message[], size_t size)
{
  const PetscInt order = search->form->traits.unknown_order[search->f];

  PetscFunctionBegin;
  if (n > MOST_PARTS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(n, &search->part));
  for (PetscInt i = 0; i < n; ++i) PetscCall(add_term(search, &terms[i]));
  if (search->facets || (!search->derivatives && search->k < order)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(look_at_cells(search, message, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at_terms(Search *search, char message[], size_t size)
{
  PetscInt  n;
  RungTerm *terms;

  PetscFunctionBegin;
  PetscCall(RungTermsCreate(search->dag, search->form->expr.node, search->form->degree, &n, &terms));
  RungCallFinally(look(search, n, terms, message, size), PetscCall(destroy_parts(search));
                  PetscCall(RungTermsDestroy(n, &terms)));
  PetscCall(RungDagCheck(search->dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormFindReduced(RungForm form, PetscInt f, PetscInt k, char message[], size_t size)
{
  Search              search = {.form = form, .f = f, .k = k};
  const RungMeshData *mesh;
  PetscBool           chosen, bad;

  PetscFunctionBegin;
  RungNeed(form);
  message[0] = 0;
  PetscCall(RungSpaceGetData(RungScopeUnknownSpace(form->expr.scope, f), &search.space));
  PetscCall(RungMeshGetData(search.space->mesh, &mesh));
  PetscCall(are_chosen(form, &chosen));
  search.simplex = RungCellGet(mesh->type)->simplex;
  if (!chosen || mesh->type == RUNG_POINT || search.space->single || search.space->quadrature ||
      search.space->components * search.space->cell_nodes > MOST_FUNCTIONS)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDagCreate(form->expr.scope, &search.dag));
  RungCallFinally(look_at_terms(&search, message, size), PetscCall(RungDagDestroy(&search.dag)));
  PetscCall(RungCheckAll_Private(form->comm, message[0] ? 0 : 1, message, size, &bad));
  if (!bad) message[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
