/* plan_outer.c - products of vectors that are contracted with the basis functions before they are multiplied.

   Of c p(v) q(u), with p(v) = sum_r p_r R_r(v), the entries (i, j) of all blocks are products of numbers at the nodes: p_i =
   sum_r p_r R_r(v_i), which all blocks share, instead of a sum over derivatives r and s for each block.  What blocks have
   besides that is constant in the cell is added on the way, so that every place of the matrix is passed once. */
#include "kernel_impl.h"

#define PASS 3. /* as in plan_share.c */

/* ---- parts ---------------------------------------------------------------------------------------------------------- */

static PetscInt output_value(RungPlan plan, PetscInt output)
{
  return output < 0 ? -1 : plan->integral->tape.output[output];
}

/* The number of a vector, which is added where it is not there. */
static PetscInt add_vector(RungPlan plan, const RungSlot slot[], PetscInt n, const PetscInt output[], RungOuter *outer)
{
  RungOuterVector vector = {0};

  for (PetscInt d = 0; d < n; ++d) {
    if (output[d] < 0) continue;
    vector.derivative[vector.n] = slot[d].derivative;
    vector.value[vector.n++]    = output_value(plan, output[d]);
  }
  for (PetscInt v = 0; v < outer->vectors; ++v) {
    PetscBool same;

    PetscCallAbort(PETSC_COMM_SELF, PetscMemcmp(&outer->vector[v], &vector, sizeof vector, &same));
    if (same) return v;
  }
  outer->vector[outer->vectors] = vector;
  return outer->vectors++;
}

static PetscInt add_scaled(RungPlan plan, PetscInt output, PetscInt vector, RungOuter *outer)
{
  PetscInt c = 0, s = 0;

  while (c < outer->scales && outer->scale[c] != output_value(plan, output)) ++c;
  outer->scale[c] = output_value(plan, output);
  outer->scales   = PetscMax(outer->scales, c + 1);
  while (s < outer->scaleds && (outer->scaled[s].scale != c || outer->scaled[s].vector != vector)) ++s;
  outer->scaled[s].scale  = c;
  outer->scaled[s].vector = vector;
  outer->scaleds          = PetscMax(outer->scaleds, s + 1);
  return s;
}

static PetscInt first_dof(RungPlan plan, const RungSlot *slot)
{
  return plan->basis[slot->unknown].offset + slot->component;
}

static RungDestination make_destination(RungPlan plan, const RungSlot *row, const RungSlot *col)
{
  return (RungDestination){.base = first_dof(plan, row) * plan->cols + first_dof(plan, col),
                           .row  = plan->basis[row->unknown].components * plan->cols,
                           .col  = plan->basis[col->unknown].components};
}

/* The block of a test and a trial component, and where its entries are mirrored. */
static PetscInt add_destination(RungPlan plan, const RungSlot *row, const RungSlot *col, RungOuter *outer)
{
  const RungDestination to = make_destination(plan, row, col);
  PetscInt              d  = 0;

  while (d < outer->destinations && outer->destination[d].base != to.base) ++d;
  outer->destination[d] = to;
  outer->mirror[d]      = make_destination(plan, col, row).base;
  outer->destinations   = PetscMax(outer->destinations, d + 1);
  return d;
}

/* A product, and in symmetric integrals what its transpose has at i <= j. */
static void add_product(RungPlan plan, const RungProductOf *product, RungOuter *outer)
{
  const RungSlot *row = &plan->integral->row[product->row], *col = &plan->integral->col[product->col];
  const PetscInt  p = add_vector(plan, row, product->nr, product->p, outer),
                 q  = add_vector(plan, col, product->ns, product->q, outer);

  outer->term[outer->terms++] = (RungOuterTerm){add_destination(plan, row, col, outer), p,
                                                add_scaled(plan, product->c, q, outer)};
  if (!outer->half || product->row == product->col) return;
  outer->term[outer->terms++] = (RungOuterTerm){add_destination(plan, col, row, outer), q,
                                                add_scaled(plan, product->c, p, outer)};
}

/* ---- can it be done ------------------------------------------------------------------------------------------------- */

/* One basis, whose derivatives vary from point to point: of others the products of tables are constant tensors. */
static PetscBool fits_plan(RungPlan plan)
{
  const RungIntegral *integral = plan->integral;
  const RungBasis    *basis    = &plan->basis[integral->row[integral->product[0].row].unknown];

  if (plan->sides != 1 || plan->cells != 1 || plan->tensor || plan->straight || integral->diagonal) return PETSC_FALSE;
  for (PetscInt m = 0; m < integral->products; ++m) {
    const RungProductOf *product = &integral->product[m];
    const RungBasis     *row     = &plan->basis[integral->row[product->row].unknown],
                    *col         = &plan->basis[integral->col[product->col].unknown];

    if (!RungBasisSame(row, basis) || !RungBasisSame(col, basis)) return PETSC_FALSE;
  }
  for (PetscInt r = 1; r <= plan->axes; ++r) {
    if (!basis->constant[r]) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* A block of the cell's on the diagonal whose places are all among those of the products. */
static PetscBool begins_with(const RungOuter *outer, const RungBlock *block)
{
  if (!RungBasisSame(block->row, outer->basis) || !RungBasisSame(block->col, outer->basis)) return PETSC_FALSE;
  if (!block->coefficients[RUNG_PAIR_CELL] || block->coefficients[RUNG_PAIR_SUM] ||
      block->coefficients[RUNG_PAIR_POINT] || (outer->half && !block->half))
    return PETSC_FALSE;
  for (PetscInt k = 0; k < block->destinations; ++k) {
    PetscInt d = 0;

    while (d < outer->destinations && outer->destination[d].base != block->destination[k].base) ++d;
    if (d == outer->destinations || (outer->half && outer->mirror[d] != outer->destination[d].base)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode RungPlanOuter(RungPlan plan)
{
  const PetscInt n = 2 * plan->integral->products;
  RungOuter     *outer;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  plan->unfit = fits_plan(plan) ? PETSC_FALSE : PETSC_TRUE;
  if (plan->unfit) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&plan->outer));
  outer        = plan->outer;
  outer->basis = &plan->basis[plan->integral->row[plan->integral->product[0].row].unknown];
  outer->half  = plan->integral->symmetric;
  PetscCall(PetscCalloc1(n, &outer->vector));
  PetscCall(PetscCalloc1(n, &outer->scale));
  PetscCall(PetscCalloc1(n, &outer->scaled));
  PetscCall(PetscCalloc1(n, &outer->term));
  PetscCall(PetscCalloc1(n, &outer->destination));
  PetscCall(PetscCalloc1(n, &outer->mirror));
  for (PetscInt m = 0; m < plan->integral->products; ++m) add_product(plan, &plan->integral->product[m], outer);
  outer->moment = -1;
  for (PetscInt b = 0; b < plan->blocks && outer->moment < 0; ++b) {
    if (begins_with(outer, &plan->block[b])) outer->moment = b;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOuterDestroy(RungOuter **outer)
{
  PetscFunctionBegin;
  if (!*outer) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*outer)->vector));
  PetscCall(PetscFree((*outer)->scale));
  PetscCall(PetscFree((*outer)->scaled));
  PetscCall(PetscFree((*outer)->term));
  PetscCall(PetscFree((*outer)->destination));
  PetscCall(PetscFree((*outer)->mirror));
  PetscCall(PetscFree(*outer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what it costs -------------------------------------------------------------------------------------------------- */

double RungOuterCost(RungPlan plan)
{
  const RungOuter *outer = plan->outer;
  double           nodes, points = (double)plan->points, entries, cost = 0;

  if (!outer) return 0;
  nodes   = (double)outer->basis->nodes;
  entries = outer->half ? nodes * (nodes + 1) / 2 : nodes * nodes;
  for (PetscInt v = 0; v < outer->vectors; ++v) {
    for (PetscInt d = 0; d < outer->vector[v].n; ++d)
      cost += nodes * points * RungBasisFilled(plan, outer->basis, outer->vector[v].derivative[d]);
  }
  cost += nodes * points * (double)outer->scaleds + entries * points * (double)outer->terms;
  if (outer->moment >= 0) cost += entries * (double)plan->block[outer->moment].coefficients[RUNG_PAIR_CELL];
  return cost + PASS * nodes * nodes * (double)outer->destinations;
}
