/* mapped.c - terms in derivatives of the reference cell.

   With K = dX/dx the gradient of a function is  du/dx_a = sum_b K[b][a] du/dX_b.  The coefficients of gradients of test and trial
   functions are pulled back,  c_rs = sum_ab K[r][a] c_ab K[s][b], by two products with K for each block (plan_block.c), 54
   products in three dimensions, nine blocks of a vector's Jacobian.  Where a tangent has structure this forgets it: that of
   neo-Hooke is a sum of terms such as  l (K F^-1)_ri (K F^-1)_sj, so that the product K F^-1 is enough.  So the integrand is
   written in du/dX before it is differentiated, K an input as others are: then elimination of vertices decides what is multiplied by
   K when, equal values are found, and common factors are taken out.  C is made of such an integral, the interpreter runs
   the plain one; so its tape may also have outer products (outer.c) and the weight of the point (weigh.c) in it. */
#include "scalar_impl.h"

#define FEWEST_ENTRIES  27 /* between gradients, below which pulling back costs little         */
#define MOST_OPERATIONS 5  /* for each of them, of a tape beside which pulling back costs little */

PetscBool RungIntegralWantsMap(RungScope scope, const RungIntegral *integral)
{
  const RungTape *tape  = &integral->tape;
  const PetscInt  dim   = RungScopeDim(scope);
  PetscInt        dense = 0;
  PetscBool       moves = PETSC_FALSE;

  if (integral->domain != RUNG_CELLS && integral->domain != RUNG_BOUNDARY) return PETSC_FALSE;
  if (dim < 2) return PETSC_FALSE;
  for (PetscInt i = 0; i < integral->rows; ++i) {
    if (integral->row[i].derivative > dim) return PETSC_FALSE;
  }
  for (PetscInt i = 0; i < integral->cols; ++i) {
    if (integral->col[i].derivative > dim) return PETSC_FALSE;
  }
  for (PetscInt i = 0; i < tape->inputs; ++i) {
    const RungInput *input = &tape->input[i];

    if (input->kind != RUNG_IN_UNKNOWN && input->kind != RUNG_IN_FIELD) continue;
    if (input->derivative > dim) return PETSC_FALSE;
    if (input->derivative && input->kind == RUNG_IN_UNKNOWN) moves = PETSC_TRUE;
  }
  for (PetscInt e = 0; e < integral->entries; ++e) {
    dense += integral->row[integral->entry[e].row].derivative && integral->col[integral->entry[e].col].derivative &&
             tape->rate[tape->output[e]] == RUNG_RATE_POINT;
  }
  return moves && dense >= FEWEST_ENTRIES && tape->instructions <= MOST_OPERATIONS * dense ? PETSC_TRUE : PETSC_FALSE;
}

/* K[b][a]; k says whether the mesh has one map a cell */
static RungScalar map_entry(RungDag to, PetscInt affine, PetscInt b, PetscInt a)
{
  const RungInput input = {.kind = RUNG_IN_MAP, .index = a, .component = b, .k = affine};

  return RungDagInput(to, &input);
}

static RungScalar map_input(RungDag to, PetscInt affine, const RungInput *input)
{
  RungScalar sum = to->zero;

  if ((input->kind != RUNG_IN_UNKNOWN && input->kind != RUNG_IN_FIELD) || !input->derivative)
    return RungDagInput(to, input);
  for (PetscInt b = 0; b < to->dim; ++b) {
    RungInput reference = *input;

    reference.derivative = 1 + b;
    sum                  = RungDagAdd(to, sum,
                                      RungDagMul(to, map_entry(to, affine, b, input->derivative - 1), RungDagInput(to, &reference)));
  }
  return sum;
}

/* image[node] in the other dag of all that the roots hold; the caller frees */
static PetscErrorCode copy_nodes(RungDag dag, PetscInt n, const RungScalar root[], RungDag to, PetscInt affine,
                                 RungScalar **image)
{
  RungScalar *list;
  PetscInt    count;

  PetscFunctionBegin;
  PetscCall(RungDagReach(dag, n, root, ~0u, &count, &list));
  PetscCall(PetscMalloc1(count ? list[count - 1] + 1 : 1, image));
  for (PetscInt i = 0; i < count; ++i) {
    const RungInput *input  = RungDagGetInput(dag, list[i]);
    RungScalar       arg[3] = {-1, -1, -1};

    for (int a = 0; a < 3 && !input; ++a) {
      if (dag->node[list[i]].arg[a] >= 0) arg[a] = (*image)[dag->node[list[i]].arg[a]];
    }
    (*image)[list[i]] = input ? map_input(to, affine, input) : RungDagOp(to, dag->node[list[i]].op, arg);
  }
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the mesh affine?  Where a mesh has both kinds of cells the inputs' rates say the safer. */
static PetscErrorCode is_affine(RungScope scope, PetscInt *affine)
{
  const RungSpaceData *space;
  const RungMeshData  *mesh;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(RungScopeUnknownSpace(scope, 0), &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  *affine = mesh->affine ? 1 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds to the coefficient of a row of the mapped term, which is made where it is not there. */
static void add_row(RungDag to, const RungSlot *row, RungScalar coefficient, RungTerm *mapped)
{
  PetscInt r = 0;

  while (r < mapped->rows && RungSlotCompare(&mapped->row[r], row)) ++r;
  if (r == mapped->rows) {
    mapped->row[mapped->rows]           = *row;
    mapped->coefficient[mapped->rows++] = to->zero;
  }
  mapped->coefficient[r] = RungDagAdd(to, mapped->coefficient[r], coefficient);
}

PetscErrorCode RungTermMap(RungDag dag, const RungTerm *term, RungDag to, RungTerm *mapped)
{
  RungScalar *image;
  PetscInt    affine = 0;

  PetscFunctionBegin;
  PetscCall(is_affine(dag->scope, &affine));
  PetscCall(copy_nodes(dag, term->rows, term->coefficient, to, affine, &image));
  *mapped = (RungTerm){.domain = term->domain, .part = term->part, .degree = term->degree};
  PetscCall(PetscMalloc1(term->rows * to->dim, &mapped->row));
  PetscCall(PetscMalloc1(term->rows * to->dim, &mapped->coefficient));
  for (PetscInt r = 0; r < term->rows; ++r) {
    const RungScalar value = image[term->coefficient[r]];
    RungSlot         row   = term->row[r];

    if (!row.derivative) add_row(to, &row, value, mapped);
    for (PetscInt b = 0; b < (term->row[r].derivative ? to->dim : 0); ++b) {
      row.derivative = 1 + b;
      add_row(to, &row, RungDagMul(to, map_entry(to, affine, b, term->row[r].derivative - 1), value), mapped);
    }
  }
  PetscCall(PetscFree(image));
  PetscCall(RungDagCheck(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the tape ------------------------------------------------------------------------------------------------------- */

/* Takes the dag of other if that is cheaper, and destroys the other one. */
static PetscErrorCode take_cheaper(PetscInt n, RungDag *dag, RungScalar value[], RungDag *other, const RungScalar out[])
{
  PetscInt cost[2];

  PetscFunctionBegin;
  if (!*other) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDagCost(*dag, n, value, &cost[0]));
  PetscCall(RungDagCost(*other, n, out, &cost[1]));
  if (cost[1] < cost[0]) {
    const RungDag swap = *dag;

    PetscCall(PetscArraycpy(value, out, n));
    *dag   = *other;
    *other = swap;
  }
  PetscCall(RungDagDestroy(other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of an output, which is added where it is not there yet; -1: zero. */
static PetscInt output_number(RungDag dag, RungScalar value, PetscInt *n, RungScalar out[])
{
  PetscInt o = 0;

  if (value == dag->zero) return -1;
  while (o < *n && out[o] != value) ++o;
  out[o] = value;
  *n     = PetscMax(*n, o + 1);
  return o;
}

static PetscErrorCode copy_products(RungDag dag, const RungDagProducts *products, PetscInt *n, RungScalar out[],
                                    RungIntegral *split)
{
  const RungInput  input  = {.kind = RUNG_IN_WEIGHT};
  const RungScalar weight = RungDagInput(dag, &input);

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(products->n, &split->product));
  for (PetscInt m = 0; m < products->n; ++m) {
    const RungDagProduct *from = &products->product[m];
    RungProductOf        *to   = &split->product[split->products++];

    *to   = (RungProductOf){.row = from->row, .col = from->col, .nr = from->nr, .ns = from->ns};
    to->c = output_number(dag, RungDagMul(dag, weight, from->c), n, out);
    for (PetscInt r = 0; r < from->nr; ++r) to->p[r] = output_number(dag, from->p[r], n, out);
    for (PetscInt s = 0; s < from->ns; ++s) to->q[s] = output_number(dag, from->q[s], n, out);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a coefficient depend on a condition?  As a factor by itself it could not keep 0 * inf out. */
static PetscErrorCode has_selection(RungDag dag, const RungDagProducts *products, PetscBool *selects)
{
  PetscFunctionBegin;
  *selects = PETSC_FALSE;
  for (PetscInt m = 0; m < products->n && !*selects; ++m) {
    RungScalar *list;
    PetscInt    count;

    PetscCall(RungDagReach(dag, 1, &products->product[m].c, ~0u, &count, &list));
    for (PetscInt i = 0; i < count; ++i) *selects = *selects || dag->node[list[i]].op == RUNG_OP_IF;
    PetscCall(PetscFree(list));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integral with its products by themselves. */
static PetscErrorCode split_products(RungDag dag, const RungDagProducts *products, const RungIntegral *integral,
                                     RungIntegral **split)
{
  RungIntegral *s;
  RungScalar   *out;
  PetscInt      n = 0;

  PetscFunctionBegin;
  PetscCall(PetscNew(split));
  s  = *split;
  *s = (RungIntegral){.rank         = 2,
                      .rows         = integral->rows,
                      .cols         = integral->cols,
                      .symmetric    = integral->symmetric,
                      .in_reference = PETSC_TRUE};
  PetscCall(PetscMalloc1(s->rows, &s->row));
  PetscCall(PetscMalloc1(s->cols, &s->col));
  PetscCall(PetscArraycpy(s->row, integral->row, s->rows));
  PetscCall(PetscArraycpy(s->col, integral->col, s->cols));
  PetscCall(PetscMalloc1(integral->entries, &s->entry));
  PetscCall(PetscMalloc1(integral->entries + products->n * (1 + 2 * RUNG_PRODUCT_MOST_DERIVATIVES), &out));
  for (PetscInt e = 0; e < integral->entries; ++e) {
    if (products->kept[e] == dag->zero) continue;
    s->entry[s->entries].row   = integral->entry[e].row;
    s->entry[s->entries++].col = integral->entry[e].col;
    out[n++]                   = products->kept[e];
  }
  PetscCall(copy_products(dag, products, &n, out, s));
  PetscCall(RungDagCheck(dag));
  PetscCall(RungTapeCreate(dag, n, out, &s->tape));
  PetscCall(PetscFree(out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMappedTape(RungDag dag, const RungScalar value[], RungIntegral *integral)
{
  const PetscInt  n = integral->entries;
  RungDag         best, outer;
  RungDagProducts products;
  RungScalar     *out, *rewritten;
  PetscBool       selects;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &out, n, &rewritten));
  PetscCall(RungDagRegroup(dag, n, value, &best, out));
  if (best) {
    PetscCall(RungDagOuter(best, integral, out, &outer, rewritten, &products));
    PetscCall(has_selection(outer, &products, &selects));
    if (products.n && !selects) PetscCall(split_products(outer, &products, integral, &integral->mapped));
    PetscCall(RungDagProductsDestroy(&products));
    PetscCall(take_cheaper(n, &best, out, &outer, rewritten));
  } else {
    PetscCall(PetscArraycpy(out, value, n));
  }
  PetscCall(RungDagWeigh(best ? best : dag, n, out, &integral->weighted));
  PetscCall(RungTapeCreate(best ? best : dag, n, out, &integral->tape));
  PetscCall(RungDagDestroy(&best));
  PetscCall(PetscFree2(out, rewritten));
  PetscFunctionReturn(PETSC_SUCCESS);
}
