/* test_key.c - keys of kernels: no two forms share one, and all that decides about an object is in it. */
#include "jit_impl.h"
#include "kernel_tools.h"
#include <stdlib.h>

#define MOST 256

/* A kernel: what it is known by, and its source. */
typedef struct {
  uint64_t hash[2];
  char    *source; /* owned */
} Known;

static Known known[MOST];
static int   n_known;

static PetscErrorCode keep_hash(RungPlan plan)
{
  Known *k = &known[n_known++];

  PetscFunctionBegin;
  PetscCheck(n_known <= MOST, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %d kernels", MOST);
  k->hash[0] = k->hash[1] = 1;
  RungPlanHash(plan, k->hash);
  PetscCall(RungEmit(1, &plan, 8, &k->source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_text(Tools *tools, const char text[])
{
  PetscFunctionBegin;
  for (int jacobian = 0; jacobian < 2; ++jacobian) {
    ToolsPlans plans;

    PetscCall(tools_lower(tools, text, jacobian ? PETSC_TRUE : PETSC_FALSE, -1, &plans));
    for (PetscInt i = 0; i < plans.n; ++i) PetscCall(keep_hash(plans.plan[i]));
    PetscCall(tools_plans_destroy(&plans));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels of equal keys have equal sources, those of other sources other keys; everything is forgotten. */
static PetscErrorCode check_known(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < n_known; ++i) {
    for (int j = 0; j < i; ++j) {
      const PetscBool same = known[i].hash[0] == known[j].hash[0] && known[i].hash[1] == known[j].hash[1];

      if (same != !strcmp(known[i].source, known[j].source)) {
        fprintf(stderr, "%s keys of\n%s\nand\n%s\n", same ? "equal" : "other", known[i].source, known[j].source);
        ++check_failures;
      }
    }
  }
  for (int i = 0; i < n_known; ++i) PetscCall(PetscFree(known[i].source));
  n_known = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forms that differ in as little as possible. */
static const char *const near[] = {"(u*p + inner(grad(u), grad(p)))*v*dx(degree: 3)",
                                   "(u*p + inner(grad(u), grad(p)))*v*dx(degree: 4)",
                                   "(u*p + inner(grad(u), grad(p)))*v*dx(left, degree: 3)",
                                   "(u*p + inner(grad(u), grad(p)))*v*dx(right, degree: 3)",
                                   "(u*p + inner(grad(u), grad(p)))*q*dx(degree: 3)",
                                   "(u*p + inner(grad(u), grad(u)))*v*dx(degree: 3)",
                                   "(u*u + inner(grad(u), grad(p)))*v*dx(degree: 3)",
                                   "(u*p - inner(grad(u), grad(p)))*v*dx(degree: 3)",
                                   "(u*dt(p) + inner(grad(u), grad(p)))*v*dx(degree: 3)",
                                   "(kappa*u*p + inner(grad(u), grad(p)))*v*dx(degree: 3)",
                                   "(mu*u*p + inner(grad(u), grad(p)))*v*dx(degree: 3)",
                                   "(2*u*p + inner(grad(u), grad(p)))*v*dx(degree: 3)",
                                   "(2.0000000000000004*u*p + inner(grad(u), grad(p)))*v*dx(degree: 3)",
                                   "(u*p + inner(grad(u), grad(p)))*v*ds(degree: 3)",
                                   "(u*p + inner(grad(u), grad(p)))*v*ds(left, degree: 3)",
                                   "jump(u)*jump(v)*dS(degree: 3)",
                                   "jump(u)*avg(v)*dS(degree: 3)"};

static PetscErrorCode keep_near(RungCellType type, PetscBool bent, const char u[], const char p[])
{
  Tools tools;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, bent, u, p, &tools));
  for (size_t i = 0; i < sizeof near / sizeof near[0]; ++i) PetscCall(keep_text(&tools, near[i]));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_forms_share_a_key_if_and_only_if_they_share_their_source(void)
{
  PetscFunctionBegin;
  PetscCall(keep_near(RUNG_TRIANGLE, PETSC_FALSE, "1", "1"));
  PetscCall(keep_near(RUNG_TRIANGLE, PETSC_FALSE, "1", "1"));
  PetscCall(keep_near(RUNG_TRIANGLE, PETSC_FALSE, "1", "2"));
  PetscCall(check_known());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_spaces_and_cells_are_in_the_key(void)
{
  static const char *const text = "u*v*dx(degree: 4)";

  PetscFunctionBegin;
  for (int bent = 0; bent < 2; ++bent) {
    for (int type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
      for (int degree = 1; degree < 4; ++degree) {
        Tools tools;
        char  spec[4];

        PetscCall(PetscSNPrintf(spec, sizeof spec, "%d", degree));
        PetscCall(
          tools_create(PETSC_COMM_SELF, (RungCellType)type, bent ? PETSC_TRUE : PETSC_FALSE, spec, NULL, &tools));
        PetscCall(keep_text(&tools, text));
        PetscCall(tools_destroy(&tools));
      }
    }
  }
  PetscCall(check_known());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The hash of a plan, after a number has been changed by a little; a length is made less, so that nothing is read that is
   not there. */
#define CHECK_MATTERS(plan, number) CHECK_MATTERS_BY(plan, number, 1)
#define CHECK_MATTERS_BY(plan, number, step)                                                                           \
  do {                                                                                                                 \
    uint64_t before_[2] = {1, 1}, after_[2] = {1, 1};                                                                  \
    RungPlanHash(plan, before_);                                                                                       \
    (number) += (step);                                                                                                \
    RungPlanHash(plan, after_);                                                                                        \
    (number) -= (step);                                                                                                \
    CHECK(before_[0] != after_[0] && before_[1] != after_[1]);                                                         \
  } while (0)

/* Of an integral, which the plan lends. */
static void check_integral_matters(RungPlan plan, RungIntegral *integral)
{
  RungTape *tape = &integral->tape;

  CHECK_MATTERS(plan, integral->degree);
  CHECK_MATTERS(plan, integral->rank);
  CHECK_MATTERS(plan, integral->row[0].component);
  CHECK_MATTERS(plan, integral->entry[0].col);
  CHECK_MATTERS(plan, integral->text[0]);
  CHECK_MATTERS(plan, tape->input[tape->inputs - 1].derivative);
  CHECK_MATTERS(plan, tape->input[0].value);
  CHECK_MATTERS(plan, tape->instruction[tape->instructions - 1].arg[1]);
  CHECK_MATTERS(plan, tape->output[0]);
}

static PetscErrorCode test_every_part_of_a_plan_is_in_the_key(void)
{
  Tools      tools;
  ToolsPlans plans;
  RungPlan   plan;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "2", "1", &tools));
  PetscCall(tools_lower(&tools, "(2.5*u*inner(grad(u), grad(v)) + kappa*p*v + q*u^2)*dx", PETSC_TRUE, -1, &plans));
  plan = plans.plan[0];
  check_integral_matters(plan, &plans.integral[0]);
  CHECK_MATTERS(plan, plan->dim);
  CHECK_MATTERS(plan, plan->geometry_degree);
  CHECK_MATTERS(plan, plan->cols);
  CHECK_MATTERS(plan, plan->turns);
  CHECK_MATTERS(plan, plan->weight[plan->points - 1]);
  CHECK_MATTERS(plan, plan->basis[0].table[0]);
  CHECK_MATTERS(plan, plan->basis[1].table[plan->points * plan->basis[1].nodes - 1]);
  CHECK_MATTERS(plan, plan->basis[1].offset);
  CHECK_MATTERS_BY(plan, plan->geometry.nodes, -1);
  CHECK_MATTERS(plan, plan->evaluation[0].r);
  CHECK_MATTERS(plan, plan->input_step[plan->input_steps - 1].from);
  CHECK_MATTERS(plan, plan->block[0].destination[0].base);
  CHECK_MATTERS(plan, plan->block[plan->blocks - 1].row_cell);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both keys, one behind the other. */
static void make_key(const RungCompiler *compiler, RungIsa isa, PetscInt lanes, const char flags[], RungUnit *unit,
                     char key[80])
{
  snprintf(unit->flags, sizeof unit->flags, "%s", flags);
  RungUnitAnyKey(isa, lanes, unit);
  RungUnitKey(compiler, unit);
  snprintf(key, 80, "%s", unit->key);
}

static PetscErrorCode test_compiler_flags_instructions_and_lanes_are_in_the_key(void)
{
  const RungCompiler compiler[] = {
    {"/usr/bin/cc", "", "cc 1"}, {"/usr/bin/cc", "", "cc 2"}, {"/usr/bin/gcc", "", "cc 1"}};
  char       key[6][80];
  Tools      tools;
  ToolsPlans plans;
  RungUnit   unit = {0};

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_lower(&tools, "u*v*dx", PETSC_FALSE, -1, &plans));
  unit.n    = 1;
  unit.plan = plans.plan;
  make_key(&compiler[0], RUNG_ISA_AVX2, 4, "-O2", &unit, key[0]);
  make_key(&compiler[1], RUNG_ISA_AVX2, 4, "-O2", &unit, key[1]);
  make_key(&compiler[2], RUNG_ISA_AVX2, 4, "-O2", &unit, key[2]);
  make_key(&compiler[0], RUNG_ISA_SSE2, 4, "-O2", &unit, key[3]);
  make_key(&compiler[0], RUNG_ISA_AVX2, 2, "-O2", &unit, key[4]);
  make_key(&compiler[0], RUNG_ISA_AVX2, 4, "-O1", &unit, key[5]);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) CHECK(strcmp(key[i], key[j]) != 0);
  }
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_forms_share_a_key_if_and_only_if_they_share_their_source),
               RUNG_TEST(test_spaces_and_cells_are_in_the_key), RUNG_TEST(test_every_part_of_a_plan_is_in_the_key),
               RUNG_TEST(test_compiler_flags_instructions_and_lanes_are_in_the_key))
