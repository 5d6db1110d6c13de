/* key.c - what a kernel is made of, as a hash: all of a plan, so that kernels are known without writing their source.

   The source is a function of the plans and of the lanes alone (emit.c), so a hash of all that a plan holds names it; a field
   that changes nothing in the source costs a compilation at most, one that were left out would give a wrong kernel.  Hence
   every field is taken, in the order of its declaration, every array after its length.  What writes the source belongs to
   it too: RUNG_EMITTER, made by CMake, is a hash of that. */
#include "emitter.h" /* RUNG_EMITTER */
#include "jit_impl.h"
#include <string.h>

/* ---- words ---------------------------------------------------------------------------------------------------------- */

static void hash_word(uint64_t hash[2], uint64_t word)
{
  hash[0] = (hash[0] ^ word) * 0x9e3779b97f4a7c15u;
  hash[0] ^= hash[0] >> 32;
  hash[1] = (hash[1] + word + 0x165667b19e3779f9u) * 0xc2b2ae3d27d4eb4fu;
  hash[1] ^= hash[1] >> 29;
}

static void hash_integer(uint64_t hash[2], PetscInt64 i)
{
  hash_word(hash, (uint64_t)i);
}

static void hash_integers(uint64_t hash[2], PetscInt n, const PetscInt i[])
{
  hash_integer(hash, n);
  for (PetscInt k = 0; k < n; ++k) hash_integer(hash, i[k]);
}

static void hash_flags(uint64_t hash[2], PetscInt n, const PetscBool flag[])
{
  hash_integer(hash, n);
  for (PetscInt k = 0; k < n; ++k) hash_word(hash, flag[k] ? 1 : 0);
}

static void hash_numbers(uint64_t hash[2], PetscInt n, const double number[])
{
  hash_integer(hash, number ? n : -1);
  for (PetscInt k = 0; number && k < n; ++k) {
    uint64_t word;

    memcpy(&word, &number[k], sizeof word);
    hash_word(hash, word);
  }
}

static void hash_text(uint64_t hash[2], const char text[])
{
  const size_t n = text ? strlen(text) : 0;

  hash_integer(hash, text ? (PetscInt64)n : -1);
  for (size_t i = 0; i < n; i += 8) {
    uint64_t word = 0;

    memcpy(&word, text + i, PetscMin(8, n - i));
    hash_word(hash, word);
  }
}

/* ---- integrals -------------------------------------------------------------------------------------------------------- */

static void hash_tape(uint64_t hash[2], const RungTape *tape)
{
  hash_integer(hash, tape->inputs);
  for (PetscInt i = 0; i < tape->inputs; ++i) {
    const RungInput *in      = &tape->input[i];
    const double     value   = (double)in->value;
    const PetscInt   rest[5] = {in->index, in->component, in->k, in->derivative, in->side};

    hash_word(hash, (uint64_t)in->kind);
    hash_numbers(hash, 1, &value);
    hash_integers(hash, 5, rest);
  }
  hash_integer(hash, tape->instructions);
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    hash_word(hash, (uint64_t)tape->instruction[i].op);
    hash_integers(hash, 3, tape->instruction[i].arg);
  }
  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) hash_word(hash, (uint64_t)tape->rate[v]);
  hash_integers(hash, tape->outputs, tape->output);
}

static void hash_slots(uint64_t hash[2], PetscInt n, const RungSlot slot[])
{
  hash_integer(hash, n);
  for (PetscInt i = 0; i < n; ++i) {
    hash_integers(hash, 4, (PetscInt[]){slot[i].unknown, slot[i].component, slot[i].derivative, slot[i].side});
  }
}

static void hash_integral(uint64_t hash[2], const RungIntegral *integral)
{
  hash_word(hash, (uint64_t)integral->domain);
  hash_text(hash, integral->part);
  hash_integers(hash, 2, (PetscInt[]){integral->degree, integral->rank});
  hash_slots(hash, integral->rows, integral->row);
  hash_slots(hash, integral->cols, integral->col);
  hash_integer(hash, integral->entries);
  for (PetscInt e = 0; e < integral->entries; ++e) {
    hash_integers(hash, 2, (PetscInt[]){integral->entry[e].row, integral->entry[e].col});
  }
  hash_integer(hash, integral->products);
  for (PetscInt m = 0; m < integral->products; ++m) {
    const RungProductOf *it = &integral->product[m];

    hash_integers(hash, 5, (PetscInt[]){it->row, it->col, it->nr, it->ns, it->c});
    hash_integers(hash, it->nr, it->p);
    hash_integers(hash, it->ns, it->q);
  }
  hash_flags(hash, 4,
             (PetscBool[]){integral->diagonal, integral->symmetric, integral->in_reference, integral->weighted});
  hash_tape(hash, &integral->tape);
  hash_text(hash, integral->text);
}

/* Names that stand in the source. */
static void hash_names(uint64_t hash[2], RungPlan plan)
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt f = 0; f < plan->unknowns; ++f) hash_text(hash, RungScopeUnknownName(plan->scope, f));
  for (PetscInt i = 0; i < tape->inputs; ++i) {
    const RungInput *in = &tape->input[i];

    if (in->kind == RUNG_IN_CONSTANT) hash_text(hash, RungScopeConstantName(plan->scope, in->index));
    if (in->kind == RUNG_IN_FIELD) hash_text(hash, RungScopeFieldName(plan->scope, in->index));
  }
}

/* ---- plans ------------------------------------------------------------------------------------------------------------ */

static void hash_basis(uint64_t hash[2], RungPlan plan, const RungBasis *basis)
{
  const PetscInt n      = plan->axes,
                 tables = basis->order < 0 ? 0 : 1 + (basis->order > 0) * n + (basis->order > 1) * n * (n + 1) / 2;

  hash_text(hash, basis->name);
  hash_integers(hash, 4, (PetscInt[]){basis->nodes, basis->components, basis->offset, basis->order});
  hash_flags(hash, RUNG_MAX_DERIVATIVE, basis->constant);
  hash_flags(hash, RUNG_MAX_DERIVATIVE, basis->zero);
  for (PetscInt r = 0; r < tables; ++r) {
    if (basis->zero[r] || !basis->table) continue;
    hash_numbers(hash, plan->sides * plan->points * basis->nodes, RungBasisTable(plan, basis, r, 0));
  }
}

static void hash_pull(uint64_t hash[2], const RungPull *pull)
{
  hash_integer(hash, pull->temporaries);
  for (int s = 0; s < 2; ++s) {
    hash_integer(hash, pull->steps[s]);
    for (PetscInt i = 0; i < pull->steps[s]; ++i) {
      const RungPullStep *step = &pull->step[s][i];

      hash_integers(hash, 4, (PetscInt[]){step->to, step->s, step->r, step->from});
    }
  }
}

/* Which basis of the plan it is. */
static PetscInt basis_number(RungPlan plan, const RungBasis *basis)
{
  return !basis ? -2 : basis == &plan->one ? -1 : (PetscInt)(basis - plan->basis);
}

static void hash_block(uint64_t hash[2], RungPlan plan, const RungBlock *block)
{
  hash_integers(
    hash, 4,
    (PetscInt[]){basis_number(plan, block->row), basis_number(plan, block->col), block->row_cell, block->col_cell});
  hash_flags(hash, 2, (PetscBool[]){block->diagonal, block->half});
  hash_integer(hash, block->terms);
  for (PetscInt i = 0; i < block->terms; ++i) {
    hash_integers(hash, 3, (PetscInt[]){block->term[i].r, block->term[i].s, block->term[i].value});
  }
  hash_integer(hash, block->destinations);
  for (PetscInt i = 0; i < block->destinations; ++i) {
    const RungDestination *to = &block->destination[i];

    hash_integers(hash, 3, (PetscInt[]){to->base, to->row, to->col});
  }
  hash_integers(hash, RUNG_PAIR_KINDS, block->coefficients);
  for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) {
    hash_integer(hash, block->pairs[kind]);
    for (PetscInt i = 0; i < block->pairs[kind]; ++i) {
      const RungPair *pair = &block->pair[kind][i];

      hash_integers(hash, 3, (PetscInt[]){pair->r, pair->s, pair->coefficient});
    }
  }
  for (int kind = 0; kind < 2; ++kind) {
    if (block->tensor[kind])
      hash_numbers(hash, plan->sides * block->row->nodes * block->col->nodes * block->coefficients[kind],
                   block->tensor[kind]);
  }
  for (int i = 0; i < 2; ++i) hash_pull(hash, &block->pull[i]);
  hash_integer(hash, block->few);
  for (PetscInt k = 0; k < block->few; ++k) hash_integer(hash, block->few_point[k]);
  hash_numbers(hash, block->few * block->row->nodes * block->col->nodes * block->coefficients[RUNG_PAIR_POINT],
               block->few_tensor);
}

static void hash_tensor(uint64_t hash[2], RungPlan plan)
{
  const RungTensor *tensor = plan->tensor;

  hash_integer(hash, tensor ? tensor->points : -1);
  if (!tensor) return;
  hash_numbers(hash, tensor->points, tensor->x);
  hash_numbers(hash, tensor->points, tensor->weight);
  hash_numbers(hash, tensor->points * tensor->points, tensor->derivative);
  for (PetscInt f = 0; f < plan->unknowns + plan->fields; ++f) {
    const RungLineBasis *line = &tensor->basis[f];
    PetscInt             n    = 1;

    hash_integer(hash, line->line);
    if (!line->line) continue;
    for (PetscInt a = 0; a < plan->axes; ++a) n *= line->line;
    hash_integers(hash, n, line->node);
    for (int d = 0; d < 2; ++d) hash_numbers(hash, tensor->points * line->line, line->table[d]);
  }
}

/* How the unknowns and fields are read at the points. */
static void hash_inputs(uint64_t hash[2], RungPlan plan)
{
  hash_integer(hash, plan->evaluations);
  for (PetscInt i = 0; i < plan->evaluations; ++i) {
    const RungEvaluation *e = &plan->evaluation[i];

    hash_integers(hash, 5, (PetscInt[]){e->source, e->component, e->k, e->r, e->cell});
  }
  hash_integer(hash, plan->input_steps);
  for (PetscInt i = 0; i < plan->input_steps; ++i) {
    const RungInputStep *step = &plan->input_step[i];

    hash_integers(hash, 4, (PetscInt[]){step->to, step->s, step->r, step->from});
  }
}

void RungPlanHash(RungPlan of, uint64_t hash[2])
{
  const RungPlan  plan = of->compiled ? of->compiled : of;
  const RungTape *tape = &plan->integral->tape;

  hash_text(hash, RUNG_EMITTER);
  hash_integral(hash, plan->integral);
  hash_names(hash, plan);
  hash_integers(
    hash, 6,
    (PetscInt[]){(PetscInt)plan->type, plan->dim, plan->axes, plan->geometry_degree, plan->entity, plan->cells});
  hash_flags(hash, 5, (PetscBool[]){plan->affine, plan->facets, plan->x, plan->sizes, plan->applied});
  for (int e = 0; plan->entity == 1 && e < 12; ++e) {
    const double tangent[3] = {(double)plan->tangent[e][0], (double)plan->tangent[e][1], (double)plan->tangent[e][2]};

    hash_numbers(hash, 3, tangent);
  }
  hash_integers(hash, 9,
                (PetscInt[]){plan->turns, plan->sides, plan->points, plan->unknowns, plan->fields, plan->dofs,
                             plan->field_dofs, plan->rows, plan->cols});
  hash_numbers(hash, plan->sides * plan->points, plan->weight);
  hash_basis(hash, plan, &plan->geometry);
  for (PetscInt f = 0; f < plan->unknowns + plan->fields; ++f) hash_basis(hash, plan, &plan->basis[f]);
  hash_basis(hash, plan, &plan->one);
  hash_flags(hash, RUNG_LEVELS, plan->levels);
  hash_flags(hash, RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE, plan->map[0]);
  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) hash_word(hash, (uint64_t)plan->rate[v]);
  hash_inputs(hash, plan);
  hash_integer(hash, plan->blocks);
  for (PetscInt b = 0; b < plan->blocks; ++b) hash_block(hash, plan, &plan->block[b]);
  hash_tensor(hash, plan);
}
