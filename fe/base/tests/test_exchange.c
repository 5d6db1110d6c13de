/* test_exchange.c - values travel from owners to ghosts and back, in the order of ranks. */
#include "check.h"
#include "base_impl.h"

/* Every rank owns items 10 r + 0 .. 2 and has ghosts of items 0 and 2 of all the others, listed from the last rank. */
typedef struct {
  PetscMPIInt   me, size;
  PetscInt      ghosts, *global;
  PetscMPIInt  *owner;
  RungExchange *exchange;
} Setting;

static PetscErrorCode create(Setting *s)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &s->me));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &s->size));
  s->ghosts = 2 * (s->size - 1);
  PetscCall(PetscMalloc2(s->ghosts, &s->global, s->ghosts, &s->owner));
  for (PetscMPIInt r = s->size - 1; r >= 0; --r)
    for (PetscInt i = 0; i < 3 && r != s->me; i += 2, ++n) {
      s->owner[n]  = r;
      s->global[n] = 10 * r + i;
    }
  PetscCall(RungExchangeCreate(PETSC_COMM_WORLD, s->ghosts, s->owner, s->global, 10 * s->me, &s->exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Setting *s)
{
  PetscFunctionBegin;
  PetscCall(RungExchangeDestroy(&s->exchange));
  PetscCall(PetscFree2(s->global, s->owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_ghosts_take_the_values_of_owners(void)
{
  PetscInt owned[3], *ghost;
  Setting  s;

  PetscCall(create(&s));
  for (PetscInt i = 0; i < 3; ++i) owned[i] = 100 * s.me + i;
  PetscCall(PetscCalloc1(s.ghosts, &ghost));
  PetscCall(RungExchangeForward(s.exchange, sizeof(PetscInt), owned, ghost));
  for (PetscInt g = 0; g < s.ghosts; ++g) CHECK(ghost[g] == 100 * s.owner[g] + s.global[g] % 10);
  PetscCall(PetscFree(ghost));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_owners_hear_ghosts_in_the_order_of_ranks(void)
{
  const void     *bytes;
  const PetscInt *received;
  PetscInt       *ghost, n = 0;
  Setting         s;

  PetscCall(create(&s));
  PetscCall(PetscMalloc1(s.ghosts, &ghost));
  for (PetscInt g = 0; g < s.ghosts; ++g) ghost[g] = 1000 * s.me + s.global[g];
  PetscCall(RungExchangeReverse(s.exchange, sizeof(PetscInt), ghost, &bytes));
  received = bytes;
  for (PetscMPIInt r = 0; r < s.size; ++r)
    for (PetscInt i = 0; i < 3 && r != s.me; i += 2, ++n) {
      CHECK(received[n] == 1000 * r + 10 * s.me + i);
      CHECK(s.exchange->item[RUNG_OWNERS][n] == i);
    }
  PetscCall(PetscFree(ghost));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

/* Item i of rank r travels as i / 2 + 1 numbers. */
static PetscErrorCode test_items_may_have_different_sizes(void)
{
  RungExchange *big;
  PetscInt      count[2][64], send[64], receive[64], n = 0;
  Setting       s;

  PetscCall(create(&s));
  for (PetscInt g = 0; g < s.ghosts; ++g) {
    const PetscInt i = s.global[s.exchange->item[RUNG_GHOSTS][g]] % 10;

    count[RUNG_GHOSTS][g] = i / 2 + 1;
    count[RUNG_OWNERS][g] = s.exchange->item[RUNG_OWNERS][g] / 2 + 1; /* as many ghosts of mine as I have */
    for (PetscInt k = 0; k < i / 2 + 1; ++k) send[n++] = 1000 * s.me + 10 * i + k;
  }
  PetscCall(RungExchangeExpand(s.exchange, (const PetscInt *const[2]){count[0], count[1]}, &big));
  PetscCall(RungExchangeRun(big, RUNG_GHOSTS, MPIU_INT, 1, send, receive));
  n = 0;
  for (PetscMPIInt r = 0; r < s.size; ++r)
    for (PetscInt i = 0; i < 3 && r != s.me; i += 2)
      for (PetscInt k = 0; k < i / 2 + 1; ++k) CHECK(receive[n++] == 1000 * r + 10 * i + k);
  PetscCall(RungExchangeDestroy(&big));
  PetscCall(destroy(&s));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_ghosts_take_the_values_of_owners),
               RUNG_TEST(test_owners_hear_ghosts_in_the_order_of_ranks), RUNG_TEST(test_items_may_have_different_sizes))
