/* unit.c - what is compiled together: kernels dealt out to translation units, the flags of each, the key of its object.

   A compiler takes about 40 ms to begin with and then more for every line, so that small kernels share a unit, and large ones
   have one each: these are compiled side by side, and changing one form leaves the others in the cache. */
#include "jit_impl.h"
#include <string.h>

#define ENOUGH   500 /* operations: a unit that holds more takes no further kernel                                 */
#define STRAIGHT 200 /* operations of one tape from which on what is common to all points is better left in place */

/* About how many operations the source holds. */
static PetscInt source_size(RungPlan plan)
{
  PetscInt size = plan->integral->tape.instructions;

  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock *block = &plan->block[b];

    size += 2 * block->row->nodes;
    for (int i = 0; i < 2; ++i) size += block->pull[i].steps[0] + block->pull[i].steps[1];
  }
  return size;
}

PetscErrorCode RungUnitsCreate(PetscInt n, const RungPlan plan[], PetscInt *units, RungUnit **unit)
{
  PetscInt held = 0;

  PetscFunctionBegin;
  *units = 0;
  PetscCall(PetscCalloc1(n, unit));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt  size  = source_size(plan[i]);
    const PetscBool fresh = !*units || held + size > ENOUGH ? PETSC_TRUE : PETSC_FALSE;

    if (fresh) {
      (*unit)[*units].build.lock = (*unit)[*units].build.build_lock = -1;
      (*unit)[(*units)++].plan                                      = &plan[i];
      held                                                          = 0;
    }
    ++(*unit)[*units - 1].n;
    held += size;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Long straight code in a loop over points: gcc's common subexpressions across blocks put its numbers before the loop, more
   than there are registers for, and that takes half of its time.  Sums that factorise need them: they are loops in loops. */
static PetscBool is_straight(const RungUnit *unit)
{
  PetscBool straight = PETSC_FALSE;

  for (PetscInt i = 0; i < unit->n; ++i) {
    if (unit->plan[i]->tensor) return PETSC_FALSE;
    if (unit->plan[i]->integral->tape.instructions >= STRAIGHT) straight = PETSC_TRUE;
  }
  return straight;
}

void RungUnitFlags(const RungCompileOptions *options, RungIsa isa, PetscInt lanes, RungUnit *unit)
{
  if (options->flags[0]) {
    RungJitPrint(unit->flags, sizeof unit->flags, "%s %s", options->flags,
                 options->isa == RUNG_ISA_NATIVE ? "" : RungIsaFlags(isa));
    return;
  }
  RungJitPrint(unit->flags, sizeof unit->flags, "-O2 -funroll-loops -fno-math-errno %s%s%s", RungIsaFlags(isa),
               lanes == 8 && RungIsaLanes(isa) == 8 ? " -mprefer-vector-width=512" : "",
               is_straight(unit) ? " -fno-gcse" : "");
}

/* ---- keys ------------------------------------------------------------------------------------------------------------- */

static void print_hash(const uint64_t hash[2], char text[40])
{
  RungJitPrint(text, 40, "%016llx%016llx", (unsigned long long)hash[0], (unsigned long long)hash[1]);
}

/* All that decides about the object, but for the compiler. */
void RungUnitAnyKey(RungIsa isa, PetscInt lanes, RungUnit *unit)
{
  char     name[2560], numbers[64];
  uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};

  RungJitPrint(name, sizeof name, "%s", RungIsaName(isa));
  if (isa == RUNG_ISA_NATIVE) RungMachineIsa(name, sizeof name);
  RungJitPrint(numbers, sizeof numbers, "abi %d lanes %d kernels %d", RUNG_ABI, (int)lanes, (int)unit->n);
  RungHashText(unit->flags, strlen(unit->flags) + 1, hash);
  RungHashText(name, strlen(name) + 1, hash);
  RungHashText(numbers, strlen(numbers) + 1, hash);
  for (PetscInt i = 0; i < unit->n; ++i) RungPlanHash(unit->plan[i], hash);
  print_hash(hash, unit->any);
}

void RungUnitKey(const RungCompiler *compiler, RungUnit *unit)
{
  uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};

  RungHashText(unit->any, strlen(unit->any) + 1, hash);
  RungHashText(compiler->path, strlen(compiler->path) + 1, hash);
  RungHashText(compiler->words, strlen(compiler->words) + 1, hash);
  RungHashText(compiler->version, strlen(compiler->version) + 1, hash);
  print_hash(hash, unit->key);
}

/* What the object for unit->key answers. */
void RungUnitIdentity(PetscInt lanes, RungUnit *unit)
{
  RungJitPrint(unit->identity, sizeof unit->identity, "abi %d, lanes %d, kernels %d, key %s", RUNG_ABI, (int)lanes,
               (int)unit->n, unit->key);
}
