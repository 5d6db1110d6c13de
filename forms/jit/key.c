/* key.c - what a kernel is made of, as a hash: all of a plan, so that kernels are known without writing their source.

   The source is a function of the plans and of the lanes alone (emit.c), so a hash of all that a plan holds names it; a field
   that changes nothing in the source costs a compilation at most, one that were left out would give a wrong kernel.  Hence
   every field is taken, in the order of its declaration, every array after its length.  What writes the source belongs to
   it too: RUNG_EMITTER, made by CMake, is a hash of that. */
#include "emitter.h" /* RUNG_EMITTER */
#include "jit_impl.h"
#include <string.h>

/* ---- words ---------------------------------------------------------------------------------------------------------- */

static void Word(uint64_t hash[2], uint64_t word)
{
  hash[0] = (hash[0] ^ word) * 0x9e3779b97f4a7c15u;
  hash[0] ^= hash[0] >> 32;
  hash[1] = (hash[1] + word + 0x165667b19e3779f9u) * 0xc2b2ae3d27d4eb4fu;
  hash[1] ^= hash[1] >> 29;
}

static void Integer(uint64_t hash[2], PetscInt64 i)
{
  Word(hash, (uint64_t)i);
}

static void Integers(uint64_t hash[2], PetscInt n, const PetscInt i[])
{
  Integer(hash, n);
  for (PetscInt k = 0; k < n; ++k) Integer(hash, i[k]);
}

static void Flags(uint64_t hash[2], PetscInt n, const PetscBool flag[])
{
  Integer(hash, n);
  for (PetscInt k = 0; k < n; ++k) Word(hash, flag[k] ? 1 : 0);
}

static void Numbers(uint64_t hash[2], PetscInt n, const double number[])
{
  Integer(hash, number ? n : -1);
  for (PetscInt k = 0; number && k < n; ++k) {
    uint64_t word;

    memcpy(&word, &number[k], sizeof word);
    Word(hash, word);
  }
}

static void Text(uint64_t hash[2], const char text[])
{
  const size_t n = text ? strlen(text) : 0;

  Integer(hash, text ? (PetscInt64)n : -1);
  for (size_t i = 0; i < n; i += 8) {
    uint64_t word = 0;

    memcpy(&word, text + i, PetscMin(8, n - i));
    Word(hash, word);
  }
}

/* ---- integrals -------------------------------------------------------------------------------------------------------- */

static void Tape(uint64_t hash[2], const RungTape *tape)
{
  Integer(hash, tape->inputs);
  for (PetscInt i = 0; i < tape->inputs; ++i) {
    const RungInput *in      = &tape->input[i];
    const double     value   = (double)in->value;
    const PetscInt   rest[5] = {in->index, in->component, in->k, in->derivative, in->side};

    Word(hash, (uint64_t)in->kind);
    Numbers(hash, 1, &value);
    Integers(hash, 5, rest);
  }
  Integer(hash, tape->instructions);
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    Word(hash, (uint64_t)tape->instruction[i].op);
    Integers(hash, 3, tape->instruction[i].arg);
  }
  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) Word(hash, (uint64_t)tape->rate[v]);
  Integers(hash, tape->outputs, tape->output);
}

static void Slots(uint64_t hash[2], PetscInt n, const RungSlot slot[])
{
  Integer(hash, n);
  for (PetscInt i = 0; i < n; ++i) {
    Integers(hash, 4, (PetscInt[]){slot[i].unknown, slot[i].component, slot[i].derivative, slot[i].side});
  }
}

static void Integral(uint64_t hash[2], const RungIntegral *integral)
{
  Word(hash, (uint64_t)integral->domain);
  Text(hash, integral->part);
  Integers(hash, 2, (PetscInt[]){integral->degree, integral->rank});
  Slots(hash, integral->rows, integral->row);
  Slots(hash, integral->cols, integral->col);
  Integer(hash, integral->entries);
  for (PetscInt e = 0; e < integral->entries; ++e) {
    Integers(hash, 2, (PetscInt[]){integral->entry[e].row, integral->entry[e].col});
  }
  Integer(hash, integral->products);
  for (PetscInt m = 0; m < integral->products; ++m) {
    const RungProductOf *it = &integral->product[m];

    Integers(hash, 5, (PetscInt[]){it->row, it->col, it->nr, it->ns, it->c});
    Integers(hash, it->nr, it->p);
    Integers(hash, it->ns, it->q);
  }
  Flags(hash, 4, (PetscBool[]){integral->diagonal, integral->symmetric, integral->in_reference, integral->weighted});
  Tape(hash, &integral->tape);
  Text(hash, integral->text);
}

/* Names that stand in the source. */
static void Names(uint64_t hash[2], RungPlan plan)
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt f = 0; f < plan->unknowns; ++f) Text(hash, RungScopeUnknownName(plan->scope, f));
  for (PetscInt i = 0; i < tape->inputs; ++i) {
    const RungInput *in = &tape->input[i];

    if (in->kind == RUNG_IN_CONSTANT) Text(hash, RungScopeConstantName(plan->scope, in->index));
    if (in->kind == RUNG_IN_FIELD) Text(hash, RungScopeFieldName(plan->scope, in->index));
  }
}

/* ---- plans ------------------------------------------------------------------------------------------------------------ */

static void Basis(uint64_t hash[2], RungPlan plan, const RungBasis *basis)
{
  const PetscInt n      = plan->axes,
                 tables = basis->order < 0 ? 0 : 1 + (basis->order > 0) * n + (basis->order > 1) * n * (n + 1) / 2;

  Text(hash, basis->name);
  Integers(hash, 4, (PetscInt[]){basis->nodes, basis->components, basis->offset, basis->order});
  Flags(hash, RUNG_MAX_DERIVATIVE, basis->constant);
  Flags(hash, RUNG_MAX_DERIVATIVE, basis->zero);
  for (PetscInt r = 0; r < tables; ++r) {
    if (basis->zero[r] || !basis->table) continue;
    Numbers(hash, plan->sides * plan->points * basis->nodes, RungBasisTable(plan, basis, r, 0));
  }
}

static void Pull(uint64_t hash[2], const RungPull *pull)
{
  Integer(hash, pull->temporaries);
  for (int s = 0; s < 2; ++s) {
    Integer(hash, pull->steps[s]);
    for (PetscInt i = 0; i < pull->steps[s]; ++i) {
      const RungPullStep *step = &pull->step[s][i];

      Integers(hash, 4, (PetscInt[]){step->to, step->s, step->r, step->from});
    }
  }
}

/* Which basis of the plan it is. */
static PetscInt BasisNumber(RungPlan plan, const RungBasis *basis)
{
  return !basis ? -2 : basis == &plan->one ? -1 : (PetscInt)(basis - plan->basis);
}

static void Block(uint64_t hash[2], RungPlan plan, const RungBlock *block)
{
  Integers(
    hash, 4,
    (PetscInt[]){BasisNumber(plan, block->row), BasisNumber(plan, block->col), block->row_cell, block->col_cell});
  Flags(hash, 2, (PetscBool[]){block->diagonal, block->half});
  Integer(hash, block->terms);
  for (PetscInt i = 0; i < block->terms; ++i) {
    Integers(hash, 3, (PetscInt[]){block->term[i].r, block->term[i].s, block->term[i].value});
  }
  Integer(hash, block->destinations);
  for (PetscInt i = 0; i < block->destinations; ++i) {
    const RungDestination *to = &block->destination[i];

    Integers(hash, 3, (PetscInt[]){to->base, to->row, to->col});
  }
  Integers(hash, RUNG_PAIR_KINDS, block->coefficients);
  for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) {
    Integer(hash, block->pairs[kind]);
    for (PetscInt i = 0; i < block->pairs[kind]; ++i) {
      const RungPair *pair = &block->pair[kind][i];

      Integers(hash, 3, (PetscInt[]){pair->r, pair->s, pair->coefficient});
    }
  }
  for (int kind = 0; kind < 2; ++kind) {
    Numbers(hash, plan->sides * block->row->nodes * block->col->nodes * block->coefficients[kind], block->tensor[kind]);
  }
  for (int i = 0; i < 2; ++i) Pull(hash, &block->pull[i]);
  Integer(hash, block->few);
  for (PetscInt k = 0; k < block->few; ++k) Integer(hash, block->few_point[k]);
  Numbers(hash, block->few * block->row->nodes * block->col->nodes * block->coefficients[RUNG_PAIR_POINT],
          block->few_tensor);
}

static void Tensor(uint64_t hash[2], RungPlan plan)
{
  const RungTensor *tensor = plan->tensor;

  Integer(hash, tensor ? tensor->points : -1);
  if (!tensor) return;
  Numbers(hash, tensor->points, tensor->x);
  Numbers(hash, tensor->points, tensor->weight);
  Numbers(hash, tensor->points * tensor->points, tensor->derivative);
  for (PetscInt f = 0; f < plan->unknowns + plan->fields; ++f) {
    const RungLineBasis *line = &tensor->basis[f];
    PetscInt             n    = 1;

    Integer(hash, line->line);
    if (!line->line) continue;
    for (PetscInt a = 0; a < plan->axes; ++a) n *= line->line;
    Integers(hash, n, line->node);
    for (int d = 0; d < 2; ++d) Numbers(hash, tensor->points * line->line, line->table[d]);
  }
}

/* How the unknowns and fields are read at the points. */
static void Inputs(uint64_t hash[2], RungPlan plan)
{
  Integer(hash, plan->evaluations);
  for (PetscInt i = 0; i < plan->evaluations; ++i) {
    const RungEvaluation *e = &plan->evaluation[i];

    Integers(hash, 5, (PetscInt[]){e->source, e->component, e->k, e->r, e->cell});
  }
  Integer(hash, plan->input_steps);
  for (PetscInt i = 0; i < plan->input_steps; ++i) {
    const RungInputStep *step = &plan->input_step[i];

    Integers(hash, 4, (PetscInt[]){step->to, step->s, step->r, step->from});
  }
}

void RungPlanHash(RungPlan of, uint64_t hash[2])
{
  const RungPlan  plan = of->compiled ? of->compiled : of;
  const RungTape *tape = &plan->integral->tape;

  Text(hash, RUNG_EMITTER);
  Integral(hash, plan->integral);
  Names(hash, plan);
  Integers(hash, 6,
           (PetscInt[]){(PetscInt)plan->type, plan->dim, plan->axes, plan->geometry_degree, plan->entity, plan->cells});
  Flags(hash, 4, (PetscBool[]){plan->affine, plan->facets, plan->x, plan->sizes});
  for (int e = 0; plan->entity == 1 && e < 12; ++e) {
    const double tangent[3] = {(double)plan->tangent[e][0], (double)plan->tangent[e][1], (double)plan->tangent[e][2]};

    Numbers(hash, 3, tangent);
  }
  Integers(hash, 9,
           (PetscInt[]){plan->turns, plan->sides, plan->points, plan->unknowns, plan->fields, plan->dofs,
                        plan->field_dofs, plan->rows, plan->cols});
  Numbers(hash, plan->sides * plan->points, plan->weight);
  Basis(hash, plan, &plan->geometry);
  for (PetscInt f = 0; f < plan->unknowns + plan->fields; ++f) Basis(hash, plan, &plan->basis[f]);
  Basis(hash, plan, &plan->one);
  Flags(hash, RUNG_LEVELS, plan->levels);
  Flags(hash, RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE, plan->map[0]);
  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) Word(hash, (uint64_t)plan->rate[v]);
  Inputs(hash, plan);
  Integer(hash, plan->blocks);
  for (PetscInt b = 0; b < plan->blocks; ++b) Block(hash, plan, &plan->block[b]);
  Tensor(hash, plan);
}
